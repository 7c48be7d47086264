"""Checks the export of a competition. It was written from the pages export, chance and replays of docs/formats/,
and from docs/why/ratings.md.

It imports nothing of Roost: `python tests/independent/check_export.py FOLDER` prints what is wrong. It covers what the
pages state: hashes, commitment, ids, epochs, seeds, seatings, chance, the plan of the finals, ratings, the result. It
does not replay matches.
"""

import csv
import hashlib
import json
import math
import random
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain, combinations, count, pairwise, permutations, takewhile
from pathlib import Path
from typing import Any

Json = dict[str, Any]
Kind = tuple[str, int]
Pairing = tuple[Kind, tuple[int, ...]]
Result = tuple[tuple[int, ...], tuple[int, ...]]
"""The bots of a match by seat, and their places."""
Matrix = list[list[float]]
Block = tuple[str, Sequence[Result]]
"""A game, and the results of a block of it."""
Worths = dict[tuple[int, int], float]


# --- chance ---------------------------------------------------------------------------------------------------------


class Stream:
    """The stream of a purpose."""

    def __init__(self, seed: str, purpose: str) -> None:
        self._text = f"roost-tape/1:{seed}:{purpose}".encode()
        self._bytes = b""
        self._at = 0

    def take(self, number: int) -> bytes:
        if self._at + number > len(self._bytes):
            self._bytes = hashlib.shake_256(self._text).digest(2 * (self._at + number))
        self._at += number
        return self._bytes[self._at - number : self._at]

    def pick(self, items: Sequence[Any]) -> Any:
        fair = 2**64 // len(items) * len(items)
        while (word := int.from_bytes(self.take(8), "big")) >= fair:
            pass
        return items[word % len(items)]

    def draw(self, items: Sequence[Any], number: int) -> list[Any]:
        keys: list[bytes] = []
        while len(set(keys)) < len(items):
            keys = [self.take(8) for _ in items]
        return [items[index] for index in sorted(range(len(items)), key=keys.__getitem__)[:number]]

    def dice(self, number: int) -> list[str]:
        rolled: list[str] = []
        while len(rolled) < number:
            byte = self.take(1)[0]
            if byte < 252:
                rolled.append("12345W"[byte % 6])
        return rolled


KARTENECK_DECK = [str(value) for value in range(1, 6) for _ in range(17)] + [f"W{n}" for n in range(1, 26)]
PORTIONS = [0, 0, 0, *range(16, 43)]
PLAYED = {2: 18, 3: 24, 4: 28}
KINDS = ("patty", "cheese", "tomato", "lettuce", "onion")
HAECMAEC_DECK = [
    f"{kind}-{value}" for kind in KINDS for value, number in enumerate((5, 4, 4, 2, 2), 1) for _ in range(number)
] + ["fly"] * 3


def expected_chance(replay: Json) -> Iterator[tuple[Any, Any]]:
    """For every outcome of a replay with the usual components: what its seed gives, and what is listed."""
    seed, players = replay["seed"], len(replay["seats"])
    purposes = _purposes(replay)
    for step, purpose in purposes:
        stream, name, listed = Stream(seed, purpose), step["chance"], step["outcome"]
        if name == "starter":
            yield stream.pick(range(players)), listed
        elif name == "portions":
            yield stream.draw(PORTIONS, PLAYED[players]), listed
        elif name == "deck":
            deck = KARTENECK_DECK if replay["game"] == "karteneck" else HAECMAEC_DECK
            yield stream.draw(deck, len(deck)), listed
        elif name == "reshuffle":
            pile = sorted(listed, key=KARTENECK_DECK.index)
            yield stream.draw(pile, len(pile)), listed
        elif name == "roll":
            yield stream.dice(len(listed)), listed
        elif name == "slap":
            yield stream.pick(step["slappers"]), listed


def _purposes(replay: Json) -> Iterator[tuple[Json, str]]:
    """Every step of chance with its purpose, whose numbers follow from its position."""
    turn, roll, reshuffles, reactions = 0, 0, 0, 0
    slappers: list[int] = []
    asked: set[int] = set()
    rolled_last = False
    for step in replay["steps"]:
        if "seat" in step:
            move, rolled_last = step["move"], False
            if move.get("then") == "roll":
                roll += 1
            elif move.get("then") == "stop":
                turn, roll = turn + 1, 0
            if "suspect" in move or "slap" in move:
                if not asked or step["seat"] in asked or step["seat"] < max(asked):
                    asked, slappers, reactions = set(), [], reactions + 1
                asked.add(step["seat"])
                slappers += [step["seat"]] if move.get("slap") else []
            else:
                asked = set()
            continue
        name = step["chance"]
        if name == "roll":
            # A roll that left no choice ended its turn, so the next one is of the next turn.
            turn, roll = (turn + 1, 0) if rolled_last else (turn, roll)
            yield step, f"roll/{turn}/{roll}"
            rolled_last = True
        elif name == "reshuffle":
            reshuffles += 1
            yield step, f"reshuffle/{reshuffles}"
        elif name == "slap":
            yield {**step, "slappers": slappers}, f"slap/{reactions - 1}"
        else:
            yield step, name


# --- seeds ----------------------------------------------------------------------------------------------------------


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def block_seed(master: str, block_id: str, epoch: int) -> str:
    return sha256(f"roost-block/2:{master}:{epoch}:{block_id}" if epoch else f"roost-block/1:{master}:{block_id}")


def seating(block: Json, rotation: int) -> tuple[int, ...]:
    first, *others = block["version_ids"]
    number, moves = divmod(rotation, len(others) + 1)
    circle = (first, *list(permutations(others))[number])
    return circle[moves:] + circle[:moves]


# --- the plan of the finals -----------------------------------------------------------------------------------------


class Generator:
    """The random numbers of a plan."""

    def __init__(self, text: str) -> None:
        data = text.encode()
        self._twister = random.Random(int.from_bytes(data + hashlib.sha512(data).digest(), "big"))

    def below(self, most: int) -> int:
        while (number := self._twister.getrandbits(32) >> (32 - most.bit_length())) >= most:
            pass
        return number

    def order(self, items: Sequence[Any], number: int | None = None) -> list[Any]:
        pool, drawn = list(items), []
        for left in range(len(pool), len(pool) - (len(pool) if number is None else number), -1):
            at = self.below(left)
            drawn.append(pool[at])
            pool[at] = pool[left - 1]
        return drawn

    def draw(self, most: int, number: int) -> list[int]:
        if most <= 21 + (4 ** math.ceil(math.log(3 * number, 4)) if number > 5 else 0):
            return self.order(range(most), number)
        drawn: list[int] = []
        while len(drawn) < number:
            if (at := self.below(most)) not in drawn:
                drawn.append(at)
        return drawn

    def shuffle(self, items: list[Any]) -> None:
        for at in range(len(items) - 1, 0, -1):
            other = self.below(at + 1)
            items[at], items[other] = items[other], items[at]


class Finals:
    """Plans the finals round by round, from the results so far."""

    def __init__(self, rules: Json, competition: Json, field: list[int]) -> None:
        self.part = next(part for part in rules["phases"] if part["phase"] == "finals")
        self.kinds = [
            (table["game"], players) for table in rules["games"] for players in table.get("players", (2, 3, 4))
        ]
        self.field = field
        self.seed = block_seed(competition["seed"], f"{competition['name']}-finals-schedule", 0)
        own = rules.get("entry", {}).get("own_bots_may_meet", False)
        self.owner = {bot["version_id"]: bot["version_id"] if own else bot["owner"] for bot in competition["bots"]}
        self.given = 0
        self.times: Counter[tuple[Kind, tuple[int, ...]]] = Counter()
        self.played: Counter[tuple[Kind, int]] = Counter()
        self.met: Counter[tuple[int, int]] = Counter()
        self.results: list[Result] = []
        self.blocks: list[Block] = []
        self.method = competition.get("ratings", 1)
        self.left: Sequence[Json] = ()
        """The blocks of the export that have not been planned yet."""

    def finish(self, game: str, results: Sequence[Result]) -> None:
        """A block was played."""
        self.results += results
        self.blocks.append((game, results))

    def next_round(self) -> list[Pairing]:
        plan = {
            "round-robin": self._round_robin,
            "swiss": self._swiss,
            "knockout": self._knockout,
            "sure": self._sure,
        }
        pairings = plan[self.part.get("schedule", "round-robin")](
            Generator(f"roost-schedule/1:{self.seed}:{self.given}")
        )
        for kind, group in pairings:
            self.given += 1
            self.times[kind, tuple(sorted(group))] += 1
            self.played.update((kind, bot) for bot in group)
            self.met.update(permutations(group, 2))
        return pairings

    def at(self, kind: Kind) -> list[int]:
        return sorted(self.field) if len({self.owner[bot] for bot in self.field}) >= kind[1] else []

    def may_meet(self, group: Sequence[int]) -> bool:
        return len({self.owner[bot] for bot in group}) == len(group)

    def _round_robin(self, drawing: Generator) -> list[Pairing]:
        groups = {kind: self._groups(kind) for kind in self.kinds}
        groups = {kind: found for kind, found in groups.items() if found}
        met = {kind: self._met(kind, found) for kind, found in groups.items()}
        fewest = min((times for found in met.values() for times in found), default=0)
        if fewest >= self.part.get("rounds", 1):
            return []
        timed = [
            (at / len(found), kind, group)
            for kind, found in groups.items()
            for at, (group, times) in enumerate(zip(found, met[kind], strict=True))
            if times == fewest
        ]
        timed.sort(key=lambda each: each[0])
        return [(kind, tuple(drawing.order(sorted(group)))) for _, kind, group in timed[:4096]]

    def _met(self, kind: Kind, groups: list[tuple[int, ...]]) -> list[int]:
        listed, before, met = Counter(groups), Counter[tuple[int, ...]](), []
        for group in groups:
            met.append(math.ceil((self.times[kind, group] - before[group]) / listed[group]))
            before[group] += 1
        return met

    def _groups(self, kind: Kind) -> list[tuple[int, ...]]:
        bots, size = self.at(kind), kind[1]
        drawing = Generator(f"roost-orbits/1:{self.seed}:{len(bots)}:{size}")
        circle = drawing.order(range(len(bots)))
        number = math.comb(len(bots), size)
        if number > self.part.get("most_groups", 250_000) and len(bots) * _smallest(len(bots), size) < number:
            sample = (_turned(group, len(bots)) for group in _sample(len(bots), size, drawing))
            found = [tuple(sorted(bots[circle[at]] for at in each)) for orbit in sample for each in orbit]
            return [group for group in found if self.may_meet(group)]
        kept = [(0, *rest) for rest in combinations(range(1, len(bots)), size - 1) if _least((0, *rest), len(bots))]
        drawing.shuffle(kept)
        found = []
        for group in kept:
            turned = dict.fromkeys(_turned(group, len(bots)))
            found += [tuple(sorted(bots[circle[at]] for at in each)) for each in turned]
        return [group for group in found if self.may_meet(group)]

    def _swiss(self, drawing: Generator) -> list[Pairing]:
        pairings: list[Pairing] = []
        for kind in self.kinds:
            if any(self.played[kind, bot] < self.part.get("rounds", 1) for bot in self.at(kind)):
                groups = self._swiss_groups(kind, drawing)
                pairings += [(kind, tuple(drawing.order(sorted(group)))) for group in groups]
        return pairings

    def _swiss_groups(self, kind: Kind, drawing: Generator) -> list[list[int]]:
        bots, size = self.at(kind), kind[1]
        by_score = sorted(drawing.order(bots), key=lambda bot: -share(bot, self.results))
        rank = {bot: at for at, bot in enumerate(by_score)}
        waiting = sorted(by_score, key=lambda bot: self.played[kind, bot])
        waiting = waiting[: len(waiting) // size * size]
        usual = sum(self.met[bot, other] for bot in bots for other in self.field) // max(len(bots) * (len(bots) - 1), 1)

        def repeats(group: Sequence[int]) -> int:
            return sum(max(0, self.met[pair] - usual) for pair in combinations(group, 2))

        def cost(group: Sequence[int]) -> tuple[int, int]:
            ranks = [rank[bot] for bot in group]
            return repeats(group), max(ranks) - min(ranks)

        groups: list[list[int]] = []
        while len({self.owner[bot] for bot in waiting}) >= size:
            group = [waiting[0]]
            while len(group) < size:
                allowed = [bot for bot in waiting if self.may_meet([*group, bot]) and bot not in group][:32]
                group.append(min(allowed, key=lambda bot: cost([*group, bot])))
            waiting = [bot for bot in waiting if bot not in group]
            groups.append(group)

        def distance(one: list[int], other: list[int]) -> int:
            return abs(sum(rank[bot] for bot in one) - sum(rank[bot] for bot in other))

        for group in groups:
            if repeats(group):
                others = sorted((each for each in groups if each is not group), key=lambda each: distance(group, each))
                for other in others[:32]:
                    self._exchange(group, other, repeats)
        return groups

    def _exchange(self, group: list[int], other: list[int], repeats: Any) -> None:
        before = repeats(group) + repeats(other)
        for here in range(len(group)):
            for there in range(len(other)):
                one, two = group[:], other[:]
                one[here], two[there] = other[there], group[here]
                if self.may_meet(one) and self.may_meet(two) and repeats(one) + repeats(two) < before:
                    group[:], other[:] = one, two
                    return

    def _sure(self, drawing: Generator) -> list[Pairing]:
        left = int(self.part["budget"]) - self.given
        return SureRound(self, drawing).pairings()[:left] if left > 0 else []

    def _knockout(self, drawing: Generator) -> list[Pairing]:
        blocks, duels = self.part.get("blocks_per_pairing", 1), [kind for kind in self.kinds if kind[1] == 2]
        ties = self.bracket()[-1]
        return [
            (kind, tuple(drawing.order(sorted(tie[:2]))))
            for kind in duels
            for _ in range(blocks)
            for tie in ties
            if tie[2] is None
        ]

    def bracket(self) -> list[list[tuple[int, int | None, int | None]]]:
        """By round: the higher seed, the lower one, and the winner."""
        places = [0]
        while len(places) < len(self.field):
            places = [each for place in places for each in (place, 2 * len(places) - 1 - place)]
        left = [self.field[place] if place < len(self.field) else None for place in places]
        rounds = []
        while True:
            ties = [self._tie(*pair) for pair in zip(left[::2], left[1::2], strict=True)]
            rounds.append(ties)
            left = [winner for *_, winner in ties]
            if None in left or len(left) == 1:
                return rounds

    def _tie(self, one: int | None, other: int | None) -> tuple[int, int | None, int | None]:
        high, *low = sorted((bot for bot in (one, other) if bot is not None), key=self.field.index)
        if not low:
            return high, None, high
        score = {high: 0.0, low[0]: 0.0}
        for bots, places in self.results:
            if sorted(bots) == sorted(score):
                for bot, place, opposite in zip(bots, places, places[::-1], strict=True):
                    score[bot] += ((place < opposite) + (place <= opposite)) / 2
        usual = 2 * self.part.get("blocks_per_pairing", 1) * sum(kind[1] == 2 for kind in self.kinds)
        matches, level = sum(score.values()), score[high] == score[low[0]]
        if matches < usual or (level and matches < 4 * usual):
            return high, low[0], None
        return high, low[0], low[0] if score[low[0]] > score[high] else high


def _turned(group: Sequence[int], bots: int) -> list[tuple[int, ...]]:
    return [tuple(sorted((at + turn) % bots for at in group)) for turn in range(bots)]


def _smallest(bots: int, size: int) -> int:
    return (bots - 1) // math.gcd(bots - 1, size * (size - 1))


def _sample(bots: int, size: int, drawing: Generator) -> list[list[int]]:
    """The groups whose rotations are the sample of a round robin."""
    for attempt in count():
        number = _smallest(bots, size) * (1 + attempt // 2)
        wanted = number * size * (size - 1) // (bots - 1)
        groups = [drawing.draw(bots, size) for _ in range(number)]
        for _ in range(1000):
            seen = _distances(groups, bots)
            rare = [distance for distance in range(1, bots // 2 + 1) if seen[distance] < wanted]
            if not rare:
                return groups
            for _ in range(number):
                _move(groups, rare[drawing.below(len(rare))], wanted, bots, drawing)
    raise AssertionError


def _distances(groups: list[list[int]], bots: int) -> Counter[int]:
    seen: Counter[int] = Counter()
    for group in groups:
        for one, other in combinations(group, 2):
            distance = min((one - other) % bots, (other - one) % bots)
            seen[distance] += 2 if 2 * distance == bots else 1
    return seen


def _move(groups: list[list[int]], distance: int, wanted: int, bots: int, drawing: Generator) -> None:
    group = groups[drawing.below(len(groups))]
    moved, partner = drawing.draw(len(group), 2)
    new = (group[partner] + (distance, -distance)[drawing.below(2)]) % bots
    if new in group:
        return
    before, old = _unevenness(groups, wanted, bots), group[moved]
    group[moved] = new
    if _unevenness(groups, wanted, bots) > before:
        group[moved] = old


def _unevenness(groups: list[list[int]], wanted: int, bots: int) -> int:
    seen = _distances(groups, bots)
    return sum((seen[distance] - wanted) ** 2 for distance in range(1, bots // 2 + 1))


def _least(group: tuple[int, ...], bots: int) -> bool:
    gaps = [(after - at) % bots for at, after in zip(group, (*group[1:], group[0]), strict=True)]
    return all(gaps <= gaps[turn:] + gaps[:turn] for turn in range(len(gaps)))


# --- ratings --------------------------------------------------------------------------------------------------------


class Fit:
    """The strengths that results give, by the method that the export names."""

    def __init__(self, blocks: Sequence[Block], method: int) -> None:
        self.blocks = blocks
        ahead = _ahead(result for _, results in blocks for result in results)
        met = {pair: ahead[pair] + ahead[pair[::-1]] for pair in list(ahead)}
        self.strength = _fitted(ahead, met)
        self.field = _field(met) if method == 3 else dict.fromkeys(self.strength, 1.0)
        self.misfit = _misfit(blocks, met, self.strength) if method == 3 else 0.0
        kinds = _kinds(blocks)
        self.ahead = {kind: _ahead(each for block in kinds[kind] for each in block) for kind in kinds}
        total = sum(ahead.values())
        self._parts = {kind: len(kinds) * sum(there.values()) / total for kind, there in self.ahead.items()}
        self._scale = 1.0
        if self.misfit:
            self._scale = total / sum(self._weighed().values())
            self.strength = _fitted(self._weighed(), self.counted())

    def met(self, kind: Kind, one: int, other: int) -> float:
        """The page's w."""
        there = self.ahead[kind]
        return there.get((one, other), 0.0) + there.get((other, one), 0.0)

    def meant(self, kind: Kind, one: int, other: int) -> float:
        """The page's q."""
        return self._parts[kind] * self.field[one] * self.field[other]

    def counts(self, kind: Kind, one: int, other: int) -> float:
        """What a match of the two counts for."""
        meant = self.meant(kind, one, other)
        return self._scale * meant / (meant + self.misfit * self.met(kind, one, other)) if self.misfit else 1.0

    def _weighed(self) -> dict[tuple[int, int], float]:
        weighed: dict[tuple[int, int], float] = defaultdict(float)
        for kind, there in self.ahead.items():
            for pair, won in there.items():
                weighed[pair] += won * self.counts(kind, *pair)
        return weighed

    def counted(self) -> dict[tuple[int, int], float]:
        """How much the matches of every pair count for, at all kinds."""
        weighed = self._weighed()
        return {pair: weighed[pair] + weighed[pair[::-1]] for pair in list(weighed)}


def ratings(blocks: Sequence[Block], method: int) -> dict[int, float]:
    """The ratings that these results give."""
    fit = Fit(blocks, method)
    mean = sum(fit.field[bot] * each for bot, each in fit.strength.items()) / sum(fit.field.values())
    return {bot: 1500 + 400 / math.log(10) * (each - mean) for bot, each in fit.strength.items()}


def _field(met: dict[tuple[int, int], float]) -> dict[int, float]:
    """How much of an opponent each bot is."""
    played: dict[int, float] = defaultdict(float)
    for (bot, _), matches in met.items():
        played[bot] += matches
    average = sum(played.values()) / len(played)
    return {bot: min(2 * matches / average, 1.0) for bot, matches in played.items()}


def _ahead(results: Iterable[Result]) -> dict[tuple[int, int], float]:
    ahead: dict[tuple[int, int], float] = defaultdict(float)
    for bots, places in results:
        for one, other in permutations(range(len(bots)), 2):
            ahead[bots[one], bots[other]] += _share(places[one], places[other]) * 3 / (len(bots) + 1)
    return dict(ahead)


def _kinds(blocks: Sequence[Block]) -> dict[Kind, list[Sequence[Result]]]:
    found: dict[Kind, list[Sequence[Result]]] = defaultdict(list)
    for game, results in blocks:
        found[game, len(results[0][0])].append(results)
    return found


def _share(place: int, other: int) -> float:
    return ((place < other) + (place <= other)) / 2


def _fitted(ahead: dict[tuple[int, int], float], met: dict[tuple[int, int], float]) -> dict[int, float]:
    """The strengths that make these results most likely, one at a time until none changes any more."""
    opponents: dict[int, list[int]] = defaultdict(list)
    for bot, other in sorted(met):
        opponents[bot].append(other)
    strength = dict.fromkeys(sorted(opponents), 0.0)
    for _ in range(100_000):
        change = 0.0
        for bot, others in opponents.items():
            slope, bend = 0.5 - _chance(strength[bot]), _chance(strength[bot]) * _chance(-strength[bot])
            for other in others:
                chance = _chance(strength[bot] - strength[other])
                slope += ahead[bot, other] - met[bot, other] * chance
                bend += met[bot, other] * chance * (1 - chance)
            strength[bot] += slope / bend
            change = max(change, abs(slope / bend))
        if change < 1e-12:
            break
    return strength


def _misfit(blocks: Sequence[Block], met: dict[tuple[int, int], float], strength: dict[int, float]) -> float:
    """The page's k."""
    sums: dict[tuple[int, int, Kind], list[tuple[int, float]]] = defaultdict(list)
    for kind, every in _kinds(blocks).items():
        for results in every:
            for one, other in combinations(sorted(results[0][0]), 2):
                scores = [_share(places[bots.index(one)], places[bots.index(other)]) for bots, places in results]
                sums[one, other, kind].append((len(scores), sum(scores)))
    inverse = _inverse_curvature(met, strength)
    squares = free = gain = 0.0
    for (one, other, kind), found in sums.items():
        if len(found) >= 4:
            chance = _chance(strength[one] - strength[other])
            spread, matches = chance * (1 - chance), sum(number for number, _ in found)
            if round(matches * spread, 6) < 4:
                continue
            surplus = [score - number * chance for number, score in found]
            variance = matches * spread * (sum(each**2 for each in surplus) + 2) / (matches * spread + 2)
            between = inverse[one, one] + inverse[other, other] - 2 * inverse[one, other]
            left = 1 - matches * 3 / (kind[1] + 1) * spread * between
            squares += sum(surplus) ** 2 / variance
            free += left
            gain += left * matches**2 * spread / variance
    return min(max((squares - free) / gain, 0.0), 1.0) if free > 0.5 else 0.0


def _inverse_curvature(met: dict[tuple[int, int], float], strength: dict[int, float]) -> dict[tuple[int, int], float]:
    bots = list(strength)
    rows = _laplacian([[met.get((one, other), 0.0) * _spread(strength, one, other) for other in bots] for one in bots])
    for at, bot in enumerate(bots):
        rows[at][at] += _chance(strength[bot]) * _chance(-strength[bot])
    inverse = _inverse(rows)
    return {(one, other): inverse[i][j] for i, one in enumerate(bots) for j, other in enumerate(bots)}


def _spread(strength: Mapping[int, float], one: int, other: int) -> float:
    """The page's p (1 - p)."""
    return _chance(strength[one] - strength[other]) * _chance(strength[other] - strength[one])


def _chance(strength: float) -> float:
    return 1 / (1 + math.exp(-strength))


def ranked(rating: dict[int, float]) -> list[int]:
    return sorted(rating, key=lambda bot: (-round(rating[bot], 6), bot))


# --- how sure ratings are -------------------------------------------------------------------------------------------


def _laplacian(links: Matrix) -> Matrix:
    """The matrix that has minus these links beside its diagonal, and rows that add up to 0."""
    rows = [[-each for each in row] for row in links]
    for at, row in enumerate(rows):
        row[at] = sum(links[at]) - links[at][at]
    return rows


def _inverse(matrix: Matrix) -> Matrix:
    """By Gauss and Jordan, for matrices whose diagonal outweighs the rest."""
    rows = [[*row, *(float(at == here) for at in range(len(matrix)))] for here, row in enumerate(matrix)]
    for here in range(len(rows)):
        rows[here] = [each / rows[here][here] for each in rows[here]]
        for there, row in enumerate(rows):
            if there != here:
                rows[there] = [one - row[here] * other for one, other in zip(row, rows[here], strict=True)]
    return [row[len(matrix) :] for row in rows]


def _product(one: Matrix, other: Matrix) -> Matrix:
    columns = list(zip(*other, strict=True))
    return [[sum(a * b for a, b in zip(row, column, strict=True)) for column in columns] for row in one]


def _sum(one: Matrix, other: Matrix, times: float = 1.0) -> Matrix:
    return [[a + times * b for a, b in zip(*rows, strict=True)] for rows in zip(one, other, strict=True)]


def _transposed(matrix: Matrix) -> Matrix:
    return [list(column) for column in zip(*matrix, strict=True)]


def _between(covariance: Matrix, one: int, other: int) -> float:
    """The variance of a difference."""
    return covariance[one][one] + covariance[other][other] - 2 * covariance[one][other]


def covariance(fit: Fit) -> tuple[Matrix, list[float]]:
    """Of the strengths, in their order, and their degrees of freedom."""
    noise, freedom = _noise(fit)
    if fit.misfit:
        noise = _sum(noise, _unevenness_of(fit), fit.misfit)
    bots, found = list(fit.strength), _inverse_curvature(fit.counted(), fit.strength)
    inverse = [[found[one, other] for other in bots] for one in bots]
    return _product(_product(inverse, noise), inverse), freedom


def _noise(fit: Fit) -> tuple[Matrix, list[float]]:
    at = {bot: index for index, bot in enumerate(fit.strength)}
    noise = [[0.0] * len(at) for _ in at]
    told, squares = [0.0] * len(at), [0.0] * len(at)
    for bot, strength in fit.strength.items():
        noise[at[bot]][at[bot]] = (0.5 - _chance(strength)) ** 2 + 0.25
    played = Counter(bot for _, results in fit.blocks for bot in results[0][0])
    for game, results in fit.blocks:
        group = results[0][0]
        slope, tells = dict.fromkeys(group, 0.0), dict.fromkeys(group, 0.0)
        fewest, weight = min(played[bot] for bot in group), 3 / (len(group) + 1)
        for one, other in combinations(group, 2):
            counts = fit.counts((game, len(group)), one, other)
            expected = len(results) * _chance(fit.strength[one] - fit.strength[other])
            ahead = sum(_share(places[bots.index(one)], places[bots.index(other)]) for bots, places in results)
            link = len(results) * counts**2 * _spread(fit.strength, one, other) * weight
            for bot, sign in ((one, 1), (other, -1)):
                slope[bot] += sign * counts * (ahead - expected) * weight
                tells[bot] += link
            for pair in ((one, other), (other, one)):
                noise[at[pair[0]]][at[pair[1]]] -= link / fewest
        for one in group:
            told[at[one]] += tells[one]
            squares[at[one]] += tells[one] ** 2
            noise[at[one]][at[one]] += tells[one] / fewest
            for other in group:
                noise[at[one]][at[other]] += slope[one] * slope[other]
    return noise, [each**2 / square + 1 for each, square in zip(told, squares, strict=True)]


def _unevenness_of(fit: Fit) -> Matrix:
    """The page's U."""
    bots = list(fit.strength)

    def links(of: Callable[[float, float], float]) -> Matrix:
        """What follows from q and w a, over all kinds."""
        rows = [[0.0] * len(bots) for _ in bots]
        for kind in fit.ahead:
            for row, one in zip(rows, bots, strict=True):
                for index, other in enumerate(bots):
                    counted = fit.met(kind, one, other) * fit.counts(kind, one, other)
                    row[index] += of(fit.meant(kind, one, other), counted) * _spread(fit.strength, one, other)
        return _laplacian(rows)

    whole = [[each + 1 / len(bots) for each in row] for row in links(lambda meant, _: meant)]
    moved = _product(links(lambda _, counted: counted), _inverse(whole))
    both = _product(moved, links(lambda meant, counted: meant * counted))
    true = _product(_product(moved, links(lambda meant, _: meant**2)), _transposed(moved))
    uneven = _sum(links(lambda _, counted: counted**2), true)
    return _sum(_sum(uneven, both, -1), _transposed(both), -1)


# --- the plan of sure -----------------------------------------------------------------------------------------------

DIGITS = 1e-11
"""How far a worth may be off, because of the last digits of floating-point numbers."""


class SureRound:
    """Plans one round. Versions are named by their places in the order that was drawn."""

    def __init__(self, finals: Finals, drawing: Generator) -> None:
        self.finals, self.drawing = finals, drawing
        sorted_bots = sorted(finals.field)
        self.strength, self.freedom = dict.fromkeys(sorted_bots, 0.0), dict.fromkeys(sorted_bots, 2.0)
        self.fit = Fit(finals.blocks, finals.method) if finals.blocks else None
        known: dict[tuple[int, int], float] = {(bot, bot): 4.0 for bot in sorted_bots}
        if self.fit:
            self.strength |= self.fit.strength
            found, freedom = covariance(self.fit)
            self.freedom |= dict(zip(self.fit.strength, freedom, strict=True))
            for row, one in zip(found, self.fit.strength, strict=True):
                known |= {(one, other): each for other, each in zip(self.fit.strength, row, strict=True)}
        self.bots = drawing.order(sorted_bots)
        self.covariance = [[known.get((one, other), 0.0) for other in self.bots] for one in self.bots]
        self.open = self._open_neighbours()
        self.met = {
            (i, j): finals.met[one, other] for i, one in enumerate(self.bots) for j, other in enumerate(self.bots)
        }

    def _open_neighbours(self) -> set[frozenset[int]]:
        """Those that are not separated."""
        order = sorted(range(len(self.bots)), key=lambda at: (-self.strength[self.bots[at]], self.bots[at]))
        evidence = {pair: self.evidence(*pair) for pair in pairwise(order)}
        surest = sorted(evidence, key=lambda pair: -evidence[pair])
        held = takewhile(lambda each: evidence[each[1]] >= 20 * (len(surest) - each[0]), enumerate(surest))
        return {frozenset(pair) for pair in surest[len(list(held)) :]}

    def evidence(self, one: int, other: int) -> float:
        """How many times more likely a difference makes the results than equality does."""
        variance = _between(self.covariance, one, other)
        freedom = min(self.freedom[self.bots[one]], self.freedom[self.bots[other]])
        student = freedom * math.log1p(self._difference(one, other) ** 2 / variance / freedom)
        squared = student * ((8 * freedom + 1) / (8 * freedom + 3)) ** 2
        expected = (50 * math.log(10) / 400) ** 2 / variance
        return math.exp(min(squared / 2 * expected / (1 + expected), 700)) / math.sqrt(1 + expected)

    def _difference(self, one: int, other: int) -> float:
        return self.strength[self.bots[one]] - self.strength[self.bots[other]]

    def pairings(self) -> list[Pairing]:
        times = self.finals.times
        blocks = {
            kind: sum(number for (other, _), number in times.items() if other == kind)
            for kind in self.finals.kinds
            if self.finals.at(kind)
        }
        size = max(16, len(self.bots), self.finals.given // 8)
        planned: list[Pairing] = []
        while self.open and blocks and len(planned) < size:
            kind = min(blocks, key=lambda each: blocks[each])
            groups = self._groups(kind)
            deals = max(1, size // (16 * len(groups)))
            for group in groups:
                bots = sorted(self.bots[at] for at in group)
                planned += [(kind, tuple(self.drawing.order(bots))) for _ in range(deals)]
            blocks[kind] += deals * len(groups)
            self._suppose_played(kind, groups, deals)
        return planned

    def _groups(self, kind: Kind) -> list[list[int]]:
        low, high = self._worth(kind)
        waiting, groups, least = list(range(len(self.bots))), list[list[int]](), 0.0
        while len({self.finals.owner[self.bots[at]] for at in waiting}) >= kind[1]:
            group = self._best_group(kind, waiting, low, high)
            worth = sum(low[pair] for pair in combinations(sorted(group), 2))
            if worth <= least:
                break
            least = least or worth / 2
            groups.append(group)
            waiting = [at for at in waiting if at not in group]
        return groups

    def _best_group(self, kind: Kind, waiting: Sequence[int], low: Worths, high: Worths) -> list[int]:
        """The first one. If the last digits decide, it is one that was played, if there is one."""
        every = self._possible([list(pair) for pair in combinations(waiting, 2)], kind, waiting, low, high)
        first = next(every)
        return next((group for group in chain([first], every) if self._was_played(kind, group)), first)

    def _was_played(self, kind: Kind, group: Sequence[int]) -> bool:
        bots = sorted(self.bots[at] for at in group)
        return any(each["game"] == kind[0] and sorted(each["version_ids"]) == bots for each in self.finals.left)

    def _possible(
        self, grown: list[list[int]], kind: Kind, waiting: Sequence[int], low: Worths, high: Worths
    ) -> Iterator[list[int]]:
        """The groups that may be the best, the most likely one first. `grown` are all that have one member more."""
        allowed = [group for group in grown if self.finals.may_meet([self.bots[at] for at in group])]
        least = max(_added(group, low) for group in allowed)
        near = [group for group in allowed if _added(group, high) >= least]
        if all(_added(group, low) == _added(group, high) for group in near):
            del near[1:]
        for group in near:
            if len(group) == kind[1]:
                yield group
            else:
                grown = [[*group, at] for at in waiting if at not in group]
                yield from self._possible(grown, kind, waiting, low, high)

    def _worth(self, kind: Kind) -> tuple[Worths, Worths]:
        """By pair, the first one of the order first: the lowest and the highest worth that it may be rounded to."""
        places = range(len(self.bots))
        costs = [[0.0 if one == other else self._cost(one, other) for other in places] for one in places]
        effect = _product(_product(self.covariance, _laplacian(costs)), self.covariance)
        pairs = list(combinations(places, 2))
        worth = {pair: self._told(kind, *pair) * _between(effect, *pair) for pair in pairs}
        most, hardly = max(worth.values()), self._hardly_met(pairs)
        low, high = (
            {pair: round(each / most + off, 9) + 1e-9 + (pair in hardly) for pair, each in worth.items()}
            for off in (-DIGITS, DIGITS)
        )
        return low, high

    def _cost(self, one: int, other: int) -> float:
        variance = _between(self.covariance, one, other)
        parts = 2 if self.finals.method == 1 else 4
        doubt = math.exp(-(self._difference(one, other) ** 2) / (parts * variance))
        least = math.exp(-2) if frozenset((one, other)) in self.open else 0.0
        return max(doubt, least) / math.sqrt(variance)

    def _told(self, kind: Kind, one: int, other: int) -> float:
        pair = self.bots[one], self.bots[other]
        rated = self.fit and kind in self.fit.ahead and all(bot in self.fit.strength for bot in pair)
        counts = self.fit.counts(kind, *pair) if self.fit and rated else 1.0
        return counts**2 * _spread(self.strength, *pair)

    def _hardly_met(self, pairs: Sequence[tuple[int, int]]) -> set[tuple[int, int]]:
        if self.finals.method == 1:
            return set()
        met = [self.met[i, j] for i, j in pairs if self.finals.may_meet([self.bots[i], self.bots[j]])]
        return {pair for pair in pairs if self.met[pair] < min(16, sum(met) // (3 * len(met)))}

    def _suppose_played(self, kind: Kind, groups: Sequence[Sequence[int]], deals: int) -> None:
        links = [[0.0] * len(self.bots) for _ in self.bots]
        for one, other in (pair for group in groups for pair in permutations(group, 2)):
            links[one][other] = deals * kind[1] * 3 / (kind[1] + 1) * self._told(kind, one, other)
            self.met[one, other] += deals
        self.covariance = _inverse(_sum(_inverse(self.covariance), _laplacian(links)))


def _added(group: Sequence[int], worth: Worths) -> float:
    """What the last member is worth with those before it, added up from the left."""
    total = 0.0
    for member in group[:-1]:
        total += worth[min(member, group[-1]), max(member, group[-1])]
    return total


# --- rankings -------------------------------------------------------------------------------------------------------

PARTS = 2**30
FIRST = {"field": "rating", "clone-proof": "clone-proof"}
TIES = {"field": ["score"], "clone-proof": ["worst-pair"]}


def order_of(rules: Json) -> list[str]:
    """What puts a bot ahead of another one, in turn."""
    ranking = rules.get("ranking", "field")
    return [FIRST[ranking], *rules.get("ties", TIES[ranking])]


def measures(blocks: Sequence[Block], method: int) -> dict[int, dict[str, float]]:
    """By bot, what a ranking may look at."""
    results = [result for _, block in blocks for result in block]
    rating = ratings(blocks, method) if results else {}
    margins = _margins(results, rating)
    mixed = _against_mixes(margins)
    return {
        bot: {
            "rating": rating[bot],
            "score": share(bot, results),
            "clone-proof": 0.5 + float(mixed[bot]) / (2 * PARTS),
            "worst-pair": 0.5 + min(margins[bot, other] for other in rating if other != bot) / (2 * PARTS),
        }
        for bot in rating
    }


def better(measured: dict[str, float], order: Sequence[str]) -> tuple[float, ...]:
    return tuple(-measured[each] if each == "score" else -round(measured[each], 6) for each in order)


def _margins(results: Sequence[Result], rating: dict[int, float]) -> dict[tuple[int, int], int]:
    """The page's m."""
    ahead, found = _ahead(results), {}
    for one, other in combinations(rating, 2):
        won, lost = ahead.get((one, other), 0.0), ahead.get((other, one), 0.0)
        expected = 2 * _chance((rating[one] - rating[other]) * math.log(10) / 400) - 1
        found[one, other] = round(PARTS * (won - lost + expected) / (won + lost + 1))
        found[other, one] = -found[one, other]
    return found


def _against_mixes(margins: dict[tuple[int, int], int]) -> dict[int, Fraction]:
    """By bot: the middle between its lowest and its highest margin against mixes that nobody beats."""
    bots = sorted({bot for pair in margins for bot in pair})
    rows = [[Fraction(margins.get((one, other), 0)) for other in bots] for one in bots]
    # More of a mix is worth more than any margin against it, so all of a mix is taken.
    most = 1 + max((abs(each) for each in margins.values()), default=0)
    found = {}
    for bot, row in zip(bots, rows, strict=True):
        high = _largest([most + each for each in row], rows) - most
        low = most - _largest([most - each for each in row], rows)
        found[bot] = (low + high) / 2
    return found


def _largest(gains: list[Fraction], rows: list[list[Fraction]]) -> Fraction:
    """The largest sum of gains * x where no row * x is above 0, no x is below 0, and all x are at most 1 together."""
    size = len(gains)
    table = [[*row, *(Fraction(at == here) for at in range(size + 1)), Fraction(0)] for here, row in enumerate(rows)]
    table.append([Fraction(1)] * size + [Fraction(at == size) for at in range(size + 1)] + [Fraction(1)])
    aim = [-each for each in gains] + [Fraction(0)] * (size + 2)
    basis = list(range(size, 2 * size + 1))
    while (enters := next((at for at, each in enumerate(aim[:-1]) if each < 0), None)) is not None:
        rooms = [(row[-1] / row[enters], basis[at], at) for at, row in enumerate(table) if row[enters] > 0]
        leaves = min(rooms)[2]
        basis[leaves] = enters
        table[leaves] = [each / table[leaves][enters] for each in table[leaves]]
        for row in (*(row for row in table if row is not table[leaves]), aim):
            if factor := row[enters]:
                row[:] = [each - factor * other for each, other in zip(row, table[leaves], strict=True)]
    return aim[-1]


# --- the export -----------------------------------------------------------------------------------------------------


class Export:
    """The files of an export."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
        self.rules = tomllib.loads((folder / "competition.toml").read_text("utf-8"))
        self.competition = json.loads((folder / "competition.json").read_text("utf-8"))
        self.blocks = self._lines("blocks.jsonl")
        self.matches = self._lines("matches.jsonl")
        self.seals = self._lines("seals.jsonl") if (folder / "seals.jsonl").exists() else []
        self.place = {match: (block, rotation) for block in self.blocks for match, rotation in block["matches"]}
        self.names = {bot["version_id"]: (bot["name"], bot["version"]) for bot in self.competition["bots"]}
        self.rulings = self.competition.get("rulings", [])
        self.method = self.competition.get("ratings", 1)
        assert self.method in (1, 3), "the page does not describe these ratings"
        phases = self.competition["phases"]
        self.settled = next((at for phase, at, _ in phases if phase in ("finals", "done")), math.inf)
        self.forfeits_count = self.rules.get("faults", {}).get("forfeits", "count") == "count"

    def _lines(self, name: str) -> list[Json]:
        return [json.loads(line) for line in (self.folder / name).read_text("utf-8").splitlines()]

    def names_of(self, bot: int) -> list[tuple[str, str]]:
        """The names under which a version may be in a match."""
        renamed = [each for each in self.rulings if each["kind"] == "rename" and bot in each["version_ids"]]
        return [self.names[bot], *((each["before"], self.names[bot][1]) for each in renamed)]

    def ruled_out(self, out: str, back: str, before: float) -> set[int]:
        """The versions of whom the last ruling of these two kinds before a time is the first of them."""
        last = {
            bot: each["kind"]
            for each in self.rulings
            if each["kind"] in (out, back) and each["at_ms"] < before
            for bot in each["version_ids"]
        }
        return {bot for bot, kind in last.items() if kind == out}

    def disqualified(self, before: float = math.inf) -> set[int]:
        return self.ruled_out("disqualify", "reinstate", before)

    def results(self, phase: str, *, rated: bool, before: float = math.inf) -> dict[str, list[Result]]:
        """The results of the matches that count, by block; those that are rated, or all.

        What rulings strike is left out, if they were made before a time.
        """
        found: dict[str, list[Result]] = defaultdict(list)
        voided = {each["match"] for each in self.rulings if each["kind"] == "void" and each["at_ms"] < before}
        out = self.disqualified(before)
        for replay in self.matches:
            block, rotation = self.place[replay["match"]]
            result = replay["result"]
            counts = block["state"] == "done" and block["phase"] == phase and result["termination"] != "voided"
            struck = replay["match"] in voided or out.intersection(block["version_ids"])
            if counts and not struck and not (rated and not self.forfeits_count and result.get("forfeits")):
                found[block["id"]].append((seating(block, rotation), tuple(result["places"])))
        return found

    def of_games(self, results: Mapping[str, Sequence[Result]]) -> list[Block]:
        games = {block["id"]: block["game"] for block in self.blocks}
        return [(games[block], each) for block, each in results.items()]


def wrong_with(folder: Path) -> Iterator[str]:
    """Everything that is wrong with an export."""
    export = Export(folder)
    yield from _wrong_hashes(export)
    yield from _wrong_seeds(export)
    yield from _wrong_matches(export)
    for replay in export.matches:
        yield from (f"{replay['match']}: {what}" for what in wrong_forfeits(replay))
    yield from _wrong_qualification(export)
    yield from _wrong_plan(export)
    for phase in ("ladder", "finals"):
        yield from _wrong_standings(export, phase)
    yield from _wrong_result(export)
    yield from _wrong_seals(export)


def _wrong_hashes(export: Export) -> Iterator[str]:
    for name, digest in export.manifest["sha256"].items():
        if hashlib.sha256((export.folder / name).read_bytes()).hexdigest() != digest:
            yield f"{name}: another hash"


def _wrong_seeds(export: Export) -> Iterator[str]:
    whole = export.competition
    master = whole["seed"]
    if not master:
        return
    if hashlib.sha256(bytes.fromhex(master)).hexdigest() != whole["commitment"]:
        yield "the master seed does not fit the commitment"
    epochs = [0, *(began for began, _ in whole.get("epochs", ()))]
    latest: Counter[str] = Counter()
    for block in export.blocks:
        if block["id"] != f"{whole['name']}-{block['phase']}-{block['serial']}":
            yield f"{block['id']}: another id"
        epoch = block.get("epoch", 0)
        if epoch not in epochs or epoch < latest[block["phase"]]:
            yield f"{block['id']}: epoch {epoch}"
        latest[block["phase"]] = epoch
        if block["seed"] != block_seed(master, block["id"], epoch):
            yield f"{block['id']}: its seed does not follow from the master seed"


def _wrong_matches(export: Export) -> Iterator[str]:
    voided: Counter[tuple[str, int]] = Counter()
    free: Counter[tuple[str, int]] = Counter()
    for replay in export.matches:
        block, rotation = export.place[replay["match"]]
        bots = seating(block, rotation)
        seats = [(seat["bot"], seat["version"]) for seat in replay["seats"]]
        if len(seats) != len(bots) or any(
            seat not in export.names_of(bot) for seat, bot in zip(seats, bots, strict=True)
        ):
            yield f"{replay['match']}: other bots than its block has"
        takes = [0]
        if block.get("deals", "duplicate") == "own":
            place = block["id"], rotation
            possible = range(free[place], voided[place] + block.get("resumed", 0) + 1)
            takes = [take for take in possible if _match_seed(block, rotation, take) == replay["seed"]]
            voided[place] += replay["result"]["termination"] == "voided"
            free[place] = max([free[place], *(take + 1 for take in takes)])
        elif replay["seed"] != block["seed"]:
            takes = []
        if not takes:
            yield f"{replay['match']}: its seed does not follow from its block"
        if not set(replay.get("options", ())) - {"slap"}:
            for true, listed in expected_chance(replay):
                if true != listed:
                    yield f"{replay['match']}: {listed} does not follow from the seed, {true} does"


def wrong_forfeits(replay: Json) -> Iterator[str]:
    """What in `result.forfeited` contradicts the steps and faults. Records of older versions do not have it."""
    result, steps = replay["result"], replay["steps"]
    if "forfeited" not in result:
        return
    entries = result["forfeited"]
    if [entry["seat"] for entry in entries] != result.get("forfeits", []):
        yield "`forfeited` is not about the seats of `forfeits`"
    if [entry["step"] for entry in entries] != sorted(entry["step"] for entry in entries):
        yield "`forfeited` is not in the order of steps"
    faulty = {(fault["seat"], fault["step"]) for fault in result.get("faults", [])}
    for entry in entries:
        yield from _wrong_forfeit(entry, faulty, replay)
    out = {entry["seat"]: entry["step"] + (entry["why"] == "faults") for entry in entries}
    for index, step in enumerate(steps):
        if "seat" in step:
            due = index >= out.get(step["seat"], math.inf)
            if due != ("by" in step and (step["seat"], index) not in faulty):
                yield f"step {index}: seat {step['seat']} {'has' if due else 'has not'} forfeited"


def _wrong_forfeit(entry: Json, faulty: set[tuple[int, int]], replay: Json) -> Iterator[str]:
    seat, step, steps = entry["seat"], entry["step"], replay["steps"]
    made = sorted(at for who, at in faulty if who == seat)
    if entry["why"] == "faults" and (made[-1:] != [step] or len(made) != replay["max_faults"]):
        yield f"seat {seat} forfeits by faults at step {step}, but made its faults at {made} of {replay['max_faults']}"
    if entry["why"] == "grace" and len(made) >= replay["max_faults"]:
        yield f"seat {seat} forfeits by grace time, but made {len(made)} faults"
    over = step == len(steps) and replay["result"]["termination"] not in ("forfeit", "voided")
    chance = step < len(steps) and "seat" not in steps[step]
    if entry["why"] == "grace" and (over or chance):
        yield f"seat {seat} forfeits by grace time at step {step}, where nobody had to decide"


def _match_seed(block: Json, rotation: int, take: int) -> str:
    return sha256(f"roost-match/1:{block['seed']}:{rotation}:{take}")


def _demands(export: Export) -> tuple[str, Json] | None:
    """The phase that demands a qualification, and its table."""
    found = [(part["phase"], part["qualification"]) for part in export.rules["phases"] if "qualification" in part]
    return found[0] if found else None


def qualified_with(export: Export, table: Json, version: int) -> str:
    """The block with which a version has qualified; empty if it has not."""
    replays = {replay["match"]: replay["result"] for replay in export.matches}
    money, best, clean = [1.0, 1.0, 1.0], 1.0, 0
    blocks = [each for each in export.blocks if each["phase"] == "qualification" and each["state"] == "done"]
    mine = sorted((each for each in blocks if each["version_ids"][0] == version), key=lambda each: each["serial"])
    for block in mine[: table.get("most_blocks", 200)]:
        players, total = len(block["version_ids"]), 0.0
        for match, rotation in block["matches"]:
            result, seat = replays[match], seating(block, rotation).index(version)
            if result["termination"] == "voided":
                continue
            others = [place for at, place in enumerate(result["places"]) if at != seat]
            own = result["places"][seat]
            total += sum(1.0 if place > own else 0.5 if place == own else 0.0 for place in others) / len(others)
            faulty = seat in result.get("forfeits", []) or any(each["seat"] == seat for each in result["faults"])
            clean = 0 if faulty else clean + 1
        score = total / (math.factorial(players) if block["rotation"] == "full" else players)
        money = [own * (1 + share * (2 * score - 1)) for own, share in zip(money, (0.25, 0.5, 0.75), strict=True)]
        best = max(best, sum(money) / 3)
        needed = table.get("most_versions", 5) / (1 - table["confidence"]) if "confidence" in table else 1.0
        if best >= needed and clean >= table.get("clean_matches", 0):
            return str(block["id"])
    return ""


def _wrong_qualification(export: Export) -> Iterator[str]:
    demands = _demands(export)
    if demands is None or export.competition.get("only"):
        return
    phase, table = demands
    bots = export.competition["bots"]
    by = {bot["version_id"]: qualified_with(export, table, bot["version_id"]) for bot in bots}
    opponents = [table["opponent"]] if isinstance(table["opponent"], str) else table["opponent"]
    let_in = {bot["name"] for bot in bots if by[bot["version_id"]] or bot["name"] in opponents}
    for bot in bots:
        if bot.get("let_in", True) != (bot["name"] in let_in):
            yield f"{bot['name']}: was let in without having qualified, or not although it has"
    for block in export.blocks:
        names = [export.names[bot][0] for bot in block["version_ids"]]
        if block["phase"] in (phase, "finals") and not let_in.issuperset(names):
            yield f"{block['id']}: somebody played who has not qualified"
    rows = csv.DictReader((export.folder / "qualification.csv").read_text("utf-8").splitlines())
    told = {(row["bot"], row["version"]): row["decided_by"] for row in rows}
    for bot in bots:
        if told.get((bot["name"], bot["version"]), "") != by[bot["version_id"]]:
            yield f"qualification.csv: {bot['name']} has qualified with another block"


def seeding(export: Export) -> list[int]:
    out = export.disqualified(export.settled) | export.ruled_out("ban", "unban", export.settled)
    out |= {bot["version_id"] for bot in export.competition["bots"] if 0 < bot.get("withdrawn_ms", 0) < export.settled}
    bots = [bot for bot in export.competition["bots"] if bot["pinned"] and bot.get("let_in", True)]
    pinned = [bot["version_id"] for bot in bots if bot["version_id"] not in out]
    if export.competition.get("seeding"):
        return list(export.competition["seeding"])
    played = export.of_games(export.results("ladder", rated=True, before=export.settled))
    found, order = measures(played, export.method), order_of(export.rules)
    if order[0] == "rating":
        order = order[:1]
    rank = sorted(found, key=lambda bot: (better(found[bot], order), bot))
    return [bot for bot in rank if bot in pinned] + [bot for bot in pinned if bot not in rank]


def _wrong_plan(export: Export) -> Iterator[str]:
    left = [block for block in export.blocks if block["phase"] == "finals" and block["state"] == "done"]
    if not left or not export.competition["seed"]:
        return
    finals = Finals(export.rules, export.competition, seeding(export))
    finals.left = left
    results = export.results("finals", rated=False, before=0)
    missing: list[Pairing] = []
    while left and not missing and (planned := finals.next_round()):
        for kind, group in planned:
            found = [each for each in left if (each["game"], tuple(each["version_ids"])) == (kind[0], group)]
            if not found:
                missing.append((kind, group))
                continue
            left.remove(found[0])
            finals.finish(kind[0], results[found[0]["id"]])
    if missing and (left or export.competition["phases"][-1][2] == "clock"):
        kind, group = missing[0]
        yield f"finals: {kind} with {group} was planned and not played"
        return
    for block in left:
        yield f"{block['id']}: was played and not planned"
    yield from _wrong_champion(export, finals)


def _wrong_champion(export: Export, finals: Finals) -> Iterator[str]:
    file = export.folder / "bracket.json"
    if not file.exists():
        return
    last = finals.bracket()[-1]
    winner = last[0][2] if len(last) == 1 else None
    named = json.loads(file.read_text("utf-8"))["champion"]
    if (winner is None) != (named is None) or (winner and export.names[winner][0] != named.split(" (")[0]):
        yield f"bracket.json: {named} is not the champion"


def placed(export: Export) -> list[int]:
    """The versions by their place in the result."""
    seeds = seeding(export)
    finals = [result for each in export.results("finals", rated=False, before=0).values() for result in each]
    out = export.disqualified()
    part: Json = next((part for part in export.rules["phases"] if part["phase"] == "finals"), {})
    if finals and part.get("schedule") == "knockout":
        plan = Finals(export.rules, export.competition, seeds)
        plan.results = finals
        return [bot for bot in _by_bracket(plan.bracket(), seeds) if bot not in out]
    deciding = "finals" if finals else "ladder"
    blocks = export.of_games(export.results(deciding, rated=True))
    found = measures(blocks, export.method)
    order = order_of(export.rules)
    played = sorted(set(seeds) & set(found), key=lambda bot: (better(found[bot], order), seeds.index(bot)))
    return [bot for bot in played + [bot for bot in seeds if bot not in found] if bot not in out]


def share(bot: int, results: Sequence[Result]) -> float:
    """The share of its opponents that a bot finished ahead of."""
    ahead = opponents = 0.0
    for bots, places in results:
        if bot in bots:
            place = places[bots.index(bot)]
            ahead += sum((other > place) + (other >= place) for other in places) / 2 - 0.5
            opponents += len(bots) - 1
    return ahead / opponents if opponents else 0.5


def _by_bracket(rounds: list[list[tuple[int, int | None, int | None]]], seeds: list[int]) -> list[int]:
    last = rounds[-1]
    left = [bot for high, low, winner in last for bot in ([winner] if winner else [high, low]) if bot is not None]
    order = sorted(left, key=seeds.index)
    for ties in reversed(rounds):
        losers = {winner: (low if winner == high else high) for high, low, winner in ties if low and winner}
        order += [losers[bot] for bot in list(order) if bot in losers]
    return order


def _wrong_result(export: Export) -> Iterator[str]:
    file = export.folder / "result.csv"
    known = export.competition["phase"] == "done" and not export.competition.get("held")
    if export.competition.get("winner") is None or not known:
        if file.exists():
            yield "result.csv: is there too early"
        return
    with file.open(encoding="utf-8", newline="") as text:
        lines = list(csv.DictReader(text))
    rows = [(int(row["place"]), row["bot"], row["version"]) for row in lines]
    true = [(place, *export.names[bot]) for place, bot in enumerate(placed(export), 1)]
    if rows != true:
        yield f"result.csv: the places should be {true}"
    if export.competition["winner"] not in (true[0][1] if true else "", ""):
        yield f"competition.json: {export.competition['winner']} did not win"
    yield from _wrong_measures(export, lines)


def _wrong_measures(export: Export, lines: list[dict[str, str]]) -> Iterator[str]:
    deciding = "finals" if export.results("finals", rated=False, before=0) else "ladder"
    found = measures(export.of_games(export.results(deciding, rated=True)), export.method)
    bots = {names: bot for bot, names in export.names.items()}
    columns = [name.replace("-", "_") for name in order_of(export.rules) if name not in ("rating", "score")]
    if lines and list(lines[0])[10:] != columns:
        yield f"result.csv: the last columns should be {columns}"
    for line in lines:
        of_bot = found.get(bots[line["bot"], line["version"]], {})
        for name, column in (("clone-proof", "clone_proof"), ("worst-pair", "worst_pair")):
            if line.get(column) and abs(float(line[column]) - of_bot[name]) > 1e-6:
                yield f"result.csv: the {column} of {line['bot']} should be {of_bot[name]}"


def _wrong_standings(export: Export, phase: str) -> Iterator[str]:
    file = export.folder / f"standings-{phase}.csv"
    blocks = export.of_games(export.results(phase, rated=True))
    if not blocks or not file.exists():
        if blocks or file.exists():
            yield f"standings-{phase}.csv: is there without matches, or missing"
        return
    rating = ratings(blocks, export.method)
    with file.open(encoding="utf-8", newline="") as text:
        rows = list(csv.DictReader(text))
    order = ranked(rating)
    for at, bot, row in zip(count(1), order, rows, strict=False):
        if row["name"].split(" (")[0] != export.names[bot][0] or abs(float(row["rating"]) - rating[bot]) > 1e-3:
            yield f"standings-{phase}.csv: line {at} should be {export.names[bot][0]} with {rating[bot]:.3f}"
    if len(rows) != len(order):
        yield f"standings-{phase}.csv: has {len(rows)} rows, not {len(order)}"


def lines_digest(*lines: object) -> str:
    return sha256("".join(f"{line}\n" for line in lines))


def _wrong_seals(export: Export) -> Iterator[str]:
    """Whether what was held back is what was sealed."""
    for phase in dict.fromkeys(seal["phase"] for seal in export.seals):
        seals = [seal for seal in export.seals if seal["phase"] == phase]
        before, then = "0" * 64, (0, 0)
        for number, seal in enumerate(seals):
            now = seal["at_ms"], seal["epoch"]
            if seal["number"] != number or now[0] < then[0] or now[1] < then[1]:
                yield f"seal {number} of the {phase}: out of order"
            about = f"{export.competition['name']} {phase} {seal['number']} {seal['at_ms']} {seal['epoch']}"
            digests = [digest for _, digest in seal["blocks"] or ()]
            if seal["blocks"] is not None and lines_digest("roost-seal/1", about, before, *digests) != seal["digest"]:
                yield f"seal {number} of the {phase}: another digest"
            before, then = seal["digest"], now
        yield from _wrong_sealed(export, seals)
        yield from _unsealed(export, phase, seals)


def _wrong_sealed(export: Export, seals: list[Json]) -> Iterator[str]:
    lines = (export.folder / "matches.jsonl").read_bytes().split(b"\n")
    line_of = {json.loads(line)["match"]: hashlib.sha256(line).hexdigest() for line in lines if line}
    block_of, under = {block["id"]: block for block in export.blocks}, set()
    for seal, block_id, digest in [(each, *pair) for each in seals for pair in each["blocks"] or () if pair[0]]:
        block = block_of[block_id]
        matches = [f"{match} {line_of[match]}" for match, _ in block["matches"]]
        if lines_digest("roost-sealed-block/1", f"{block_id} {block['state']}", *matches) != digest:
            yield f"{block_id}: was changed after it was sealed"
        if block_id in under or any(ended > seal["at_ms"] for _, ended in block["times"]):
            yield f"{block_id}: under two seals, or one that is older"
        under.add(block_id)


def _unsealed(export: Export, phase: str, seals: list[Json]) -> Iterator[str]:
    under = {block for seal in seals for block, _ in seal["blocks"] or ()}
    whole = [each for each in export.competition.get("releases", []) if each["before_serial"] is None]
    released = [each["at_ms"] for each in whole if each["phase"] == phase]
    until = (released[0] if released else seals[-1]["at_ms"]) - 600_000
    part = next(part for part in export.rules["phases"] if part["phase"] == phase)
    for block in export.blocks if part.get("results", "at once") != "at once" else ():
        last = max((ended for _, ended in block["times"]), default=until)
        if block["phase"] == phase and block["id"] not in under and not block["resumed"] and last < until:
            yield f"{block['id']}: is under no seal"


if __name__ == "__main__":
    problems = list(wrong_with(Path(sys.argv[1])))
    for problem in problems:
        print(problem)  # noqa: T201
    sys.exit(bool(problems))
