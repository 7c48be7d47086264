"""One match of a game, checked at every decision point against the promises of `game.py`."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, TypeVar

from roost_games.chance import Chance, Tape
from roost_games.conformance.promises import ConformanceError, Promise, Snapshot, mutable_part, snapshot
from roost_games.errors import MalformedMove, MoveError
from roost_games.game import JsonValue, State
from roost_games.playthrough import named_fields
from roost_games.registry import AnyGame

T = TypeVar("T")
AnyState = State[Any, Any]

MOST_TRIED = 200
"""How many legal moves are tried at most, chosen at random: a sequence may compute thousands on demand."""
POOL = 500
"""How many moves of a match are kept, to be offered where they are not legal."""
NOT_MOVES: tuple[object, ...] = (None, 7, "x", [], {}, object())
NOT_MOVES_IN_JSON: tuple[JsonValue, ...] = (None, 7, "x", [], {}, {"no such key": 1}, [{}])


@dataclass(frozen=True, slots=True)
class Setting:
    """What a match is played with."""

    game: AnyGame
    options: Any
    players: int
    most_decisions: int
    """A match with this many decisions counts as endless."""
    seed: bytes

    def start(self, chance: Chance) -> AnyState:
        """The match before its first decision."""
        return self.game.start(self.players, self.options, chance)

    def broken(self, promise: Promise, detail: str, step: int) -> ConformanceError:
        """The error that says which promise was broken, and where."""
        where = f"{self.players} players, seed {self.seed.hex()}, step {step}"
        return ConformanceError(promise, f"{self.game.name}: {promise}: {detail} ({where})")


class Asked:
    """Passes on a tape's answers and notes what was asked, so that a purpose asked twice can be seen."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.answers: list[tuple[str, object]] = []

    def pick(self, purpose: str, items: Sequence[T]) -> T:
        item = self.tape.pick(purpose, items)
        self.answers.append((purpose, item))
        return item

    def draw(self, purpose: str, items: Sequence[T], count: int) -> list[T]:
        drawn = self.tape.draw(purpose, items, count)
        self.answers.append((purpose, list(drawn)))
        return drawn

    def dice(self, purpose: str, faces: Sequence[str], count: int) -> bytes:
        rolled = self.tape.dice(purpose, faces, count)
        self.answers.append((purpose, [faces[die] for die in rolled]))
        return rolled


class CheckedMatch:
    """One match, checked at every decision point."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.game = setting.game
        self.rng = Random(setting.seed)
        self.step = 0
        self.pool: list[Any] = []
        self.moves: list[tuple[int, Any]] = []
        self.snapshots: list[Snapshot] = []
        self.deal: list[tuple[str, object]] = []
        """What was asked of chance before the first decision, and its answers."""
        self.hides = self.scrambles = False
        """Whether seats were seen to have secrets, and whether exchanging them changed a view."""

    def broken(self, promise: Promise, detail: str) -> ConformanceError:
        return self.setting.broken(promise, detail, self.step)

    def require(self, kept: bool, promise: Promise, detail: str) -> None:
        if not kept:
            raise self.broken(promise, detail)

    def play(self) -> None:
        self.state = state = self.setting.start(Tape(self.setting.seed))
        state.events = []
        self.now = snapshot(state)
        self.snapshots.append(self.now)
        while state.to_move:
            self.check_point()
            left_behind, as_it_was = state.copy(), self.now
            answers = {seat: self.choose(state, seat) for seat in state.to_move}
            if len(answers) > 1:
                self.check_simultaneous(answers)
                self.check_answers_of_copies(answers)
            self.apply_all(answers)
            self.require(snapshot(left_behind) == as_it_was, Promise.COPY, "playing on changed a copy made before")
            self.check_untouched_by(left_behind)
        self.check_end()

    def choose(self, state: AnyState, seat: int) -> Any:
        moves = state.legal(seat)
        self.require(len(moves) > 0, Promise.LEGAL, f"seat {seat} is to move and has no move")
        return self.rng.choice(moves)

    def apply(self, state: AnyState, seat: int, move: Any, promise: Promise = Promise.LEGAL) -> None:
        """Apply a move that must be accepted."""
        try:
            state.apply(seat, move)
        except MoveError as error:
            raise self.broken(promise, f"seat {seat}: {move!r:.80} is refused: {error}") from error

    def apply_all(self, answers: dict[int, Any]) -> None:
        for seat, move in answers.items():
            self.apply(self.state, seat, move)
            self.moves.append((seat, move))
            self.step += 1
            self.require(self.step < self.setting.most_decisions, Promise.END, "it does not end")
        self.now = snapshot(self.state)
        self.snapshots.append(self.now)

    def check_point(self) -> None:
        """Check everything that can be checked between two decisions."""
        self.check_turns()
        self.check_inventory(self.now.inventory, "in play")
        self.check_merits()
        self.check_values()
        self.check_copy()
        for seat in self.state.to_move:
            self.check_legal(seat)
        self.check_refused_seats()
        self.check_scramble()
        self.check_determinised(self.rng.randrange(self.setting.players))

    def check_turns(self) -> None:
        seats = self.state.to_move
        ascending = list(seats) == sorted(set(seats)) and all(seat in range(self.setting.players) for seat in seats)
        self.require(ascending, Promise.TURNS, f"to_move is {seats}")
        self.require(self.state.termination == "", Promise.END, "termination is set although seats are to move")
        for view in self.now.views:
            self.require(view.to_move == seats, Promise.TURNS, "a view shows another to_move")  # type: ignore[attr-defined]

    def check_inventory(self, inventory: tuple[str, ...], where: str) -> None:
        self.require(inventory == self.snapshots[0].inventory, Promise.CONSERVATION, f"the inventory changed {where}")

    def check_merits(self) -> None:
        merits = self.now.merits
        numbers = all(isinstance(row, tuple) and row and all(isinstance(n, int) for n in row) for row in merits)
        fits = numbers and len(merits) == self.setting.players and len({len(row) for row in merits}) == 1
        self.require(fits, Promise.MERITS, f"merits() is {merits!r:.80}")

    def check_values(self) -> None:
        """Check one view (they are all of one type) and what was told since the last decision point."""
        events = self.state.events or []
        for value in (self.rng.choice(self.now.views), *events):
            part = mutable_part(value)
            self.require(part is None, Promise.VALUES, f"{type(value).__name__} holds {part!r:.80}")
            self.require(named_fields(value) is not None, Promise.VALUES, f"{value!r:.80} has no named fields")
        events.clear()

    def check_scramble(self) -> None:
        """Exchange what a seat may not know: it must not notice, and where there are secrets, another must."""
        spectator = named_fields(self.now.views[0]) or {}
        for place, seat in enumerate((None, *range(self.setting.players))):
            scrambled = self.state.copy()
            scrambled.scramble(seat, self.rng)
            after, seen = snapshot(scrambled), self.now.views[place]
            who = "a spectator" if seat is None else f"seat {seat}"
            self.check_inventory(after.inventory, "when hidden things were exchanged")
            self.require(after.views[place] == seen, Promise.NO_LEAK, f"{who} sees what is hidden from it")
            if seat is not None:
                same = self.same_moves(scrambled.legal(seat), self.state.legal(seat))
                self.require(same, Promise.NO_LEAK, f"what {who} may do tells what is hidden from it")
            self.scrambles |= after.views != self.now.views
            self.hides |= {**(named_fields(seen) or {}), "seat": None} != spectator

    def same_moves(self, ours: Sequence[Any], theirs: Sequence[Any]) -> bool:
        if len(ours) != len(theirs):
            return False
        if len(ours) <= MOST_TRIED:
            return list(ours) == list(theirs)
        return all(ours[place] == theirs[place] for place in self.rng.sample(range(len(ours)), MOST_TRIED))

    def check_copy(self) -> None:
        copy = self.state.copy()
        self.require(snapshot(copy) == self.now, Promise.COPY, "it is not equal to what was copied")
        self.require(copy.events is None, Promise.COPY, "it tells its events to the listeners of the original")
        self.check_untouched_by(copy)

    def check_untouched_by(self, copy: AnyState) -> None:
        self.wander(copy, 8)
        self.require(snapshot(self.state) == self.now, Promise.COPY, "playing on a copy changed the original")

    def wander(self, state: AnyState, decisions: int) -> None:
        """Play `state` on at random, to its end or for about this many decisions."""
        while state.to_move and decisions > 0:
            for seat in state.to_move:
                self.apply(state, seat, self.choose(state, seat))
                decisions -= 1

    def check_refused_seats(self) -> None:
        move = self.choose(self.state, self.state.to_move[0])
        idle = [seat for seat in range(self.setting.players) if seat not in self.state.to_move]
        for seat in idle:
            self.require(len(self.state.legal(seat)) == 0, Promise.TURNS, f"seat {seat} has legal moves")
            self.require(len(self.game.legal(self.now.views[seat + 1])) == 0, Promise.VIEW, f"seat {seat} has moves")
        for seat in (-1, self.setting.players, *idle):
            self.check_refused(seat, move, Promise.TURNS)

    def check_refused(self, seat: int, move: object, accepted: Promise) -> None:
        copy = self.state.copy()
        try:
            copy.apply(seat, move)
        except MoveError:
            self.require(snapshot(copy) == self.now, Promise.REFUSAL, f"seat {seat}: refused {move!r:.80} left a trace")
            return
        except Exception as error:
            raise self.broken(Promise.REFUSAL, f"seat {seat}: {move!r:.80} raised {error!r:.80}") from error
        raise self.broken(accepted, f"seat {seat}: {move!r:.80} was accepted")

    def check_legal(self, seat: int) -> None:
        listed, view = self.state.legal(seat), self.now.views[seat + 1]
        tried = _sample(listed, self.rng)
        for move in tried:
            self.check_move(seat, move)
        self.require(len(set(tried)) == len(tried), Promise.LEGAL, f"seat {seat}: a move is listed twice")
        same = self.same_moves(self.game.legal(view), listed)
        self.require(same, Promise.VIEW, f"seat {seat}: they differ from State.legal")
        self.check_accepted(seat, self.game.fallback(view), Promise.FALLBACK)
        self.check_refused(seat, self.rng.choice(NOT_MOVES), Promise.REFUSAL)
        if len(listed) <= MOST_TRIED:
            for move in self.other_moves():
                if move not in tried:
                    self.check_refused(seat, move, Promise.LEGAL)
        self.remember(tried)

    def check_move(self, seat: int, move: Any) -> None:
        self.check_accepted(seat, move, Promise.LEGAL)
        part = mutable_part(move)
        self.require(part is None, Promise.VALUES, f"the move {move!r:.80} holds {part!r:.80}")
        self.check_notation(move)

    def check_accepted(self, seat: int, move: Any, promise: Promise) -> None:
        copy = self.state.copy()
        self.apply(copy, seat, move, promise)
        self.check_inventory(tuple(sorted(copy.inventory())), f"with {move!r:.80} of seat {seat}")

    def check_notation(self, move: Any) -> None:
        shown = self.game.encode_move(move)
        self.require(isinstance(shown, dict), Promise.NOTATION, f"{move!r:.80} is shown as {shown!r:.80}")
        back = self.game.decode_move(json.loads(json.dumps(shown)))
        same = back == move and type(back) is type(move)
        self.require(same, Promise.NOTATION, f"{move!r:.80} comes back as {back!r:.80}")

    def other_moves(self) -> Iterator[Any]:
        """A few moves met before, and crossings of two of them, that may not be legal now."""
        for _ in range(4 if self.pool else 0):
            one, other = self.rng.choice(self.pool), self.rng.choice(self.pool)
            yield one
            if type(one) is type(other) and hasattr(one, "_make"):
                yield one._make(self.rng.choice(pair) for pair in zip(one, other, strict=True))

    def remember(self, moves: list[Any]) -> None:
        for move in self.rng.sample(moves, min(len(moves), 4)):
            if len(self.pool) < POOL:
                self.pool.append(move)
            else:
                self.pool[self.rng.randrange(POOL)] = move

    def check_simultaneous(self, answers: dict[int, Any]) -> None:
        """Apply `answers` in two orders, and look in between through the eyes of the seats that have not answered."""
        straight, crossed = self.state.copy(), self.state.copy()
        for seat, move in answers.items():
            straight.apply(seat, move)
        waiting = self.rng.sample(list(answers), len(answers))
        while waiting:
            seat = waiting.pop()
            crossed.apply(seat, answers[seat])
            if waiting:
                self.check_unseen(crossed, sorted(waiting))
        self.require(snapshot(straight) == snapshot(crossed), Promise.SIMULTANEOUS, "another order, another result")

    def check_answers_of_copies(self, answers: dict[int, Any]) -> None:
        """Answer two copies in turns: what half-answered states wrongly share does not show in finished ones."""
        alone, beside, other = self.state.copy(), self.state.copy(), self.state.copy()
        for seat, move in answers.items():
            alone.apply(seat, move)
        for seat, move in answers.items():
            beside.apply(seat, move)
            other.apply(seat, self.choose(other, seat))
        self.require(snapshot(alone) == snapshot(beside), Promise.COPY, "an answer given to one copy reached another")

    def check_unseen(self, state: AnyState, waiting: list[int]) -> None:
        left = list(state.to_move)
        self.require(left == waiting, Promise.SIMULTANEOUS, f"{left} are to move, not {waiting}")
        idle = [seat for seat in range(self.setting.players) if seat not in self.state.to_move]
        for seat in (None, *waiting, *idle):
            unseen = state.observe(seat) == self.now.views[0 if seat is None else seat + 1]
            who = "a spectator" if seat is None else f"seat {seat}"
            self.require(unseen, Promise.SIMULTANEOUS, f"{who} notices an answer before all are in")
        for seat in waiting:
            same = self.same_moves(state.legal(seat), self.state.legal(seat))
            self.require(same, Promise.SIMULTANEOUS, f"an answer changes what seat {seat} may answer")

    def check_determinised(self, seat: int) -> None:
        view = self.now.views[seat + 1]
        state = self.game.determinise(view, self.rng)
        self.require(state.observe(seat) == view, Promise.DETERMINISE, f"seat {seat} sees something else in it")
        same = self.same_moves(state.legal(seat), self.state.legal(seat))
        self.require(same, Promise.DETERMINISE, f"seat {seat} has other moves in it")
        same = tuple(sorted(state.inventory())) == self.now.inventory
        self.require(same, Promise.DETERMINISE, "it has another inventory")

    def check_playouts(self) -> None:
        """Determinise from a few views of the match and play to the end."""
        for earlier in self.rng.sample(self.snapshots[:-1], min(4, len(self.snapshots) - 1)):
            state = self.game.determinise(self.rng.choice(earlier.views[1:]), self.rng)
            self.wander(state, self.setting.most_decisions)
            self.require(not state.to_move, Promise.DETERMINISE, "it does not end")

    def check_end(self) -> None:
        ended = self.state.termination in {"finished", "horizon"}
        self.require(ended, Promise.END, f"no one is to move, and termination is {self.state.termination!r}")
        self.check_inventory(self.now.inventory, "at the end")
        self.check_merits()
        self.check_values()
        for seat in range(self.setting.players):
            self.require(len(self.state.legal(seat)) == 0, Promise.TURNS, f"seat {seat} has moves after the end")
            self.check_refused(seat, self.moves[-1][1], Promise.TURNS)
        for data in NOT_MOVES_IN_JSON:
            self.check_malformed(data)
        self.check_playouts()

    def check_malformed(self, data: JsonValue) -> None:
        try:
            move = self.game.decode_move(data)
        except MalformedMove:
            return
        raise self.broken(Promise.NOTATION, f"{data!r} is read as {move!r:.80}, not refused as malformed")

    def check_same_seed(self) -> None:
        """Play the same moves again, without a listener, and watch what is asked of chance."""
        chance = Asked(Tape(self.setting.seed))
        state = self.setting.start(chance)
        self.deal = list(chance.answers)
        self.step, expected = 0, iter(self.snapshots)
        self.require(snapshot(state) == next(expected), Promise.SAME_SEED, "it starts differently")
        waiting = state.to_move
        for seat, move in self.moves:
            state.apply(seat, move)
            self.step += 1
            waiting = waiting[1:]
            if not waiting:
                self.require(
                    snapshot(state) == next(expected), Promise.SAME_SEED, "it goes differently, or a copy touched it"
                )
                waiting = state.to_move
        self.check_purposes(chance.answers)

    def check_purposes(self, answers: list[tuple[str, object]]) -> None:
        twice = [purpose for purpose, times in Counter(purpose for purpose, _ in answers).items() if times > 1]
        self.require(not twice, Promise.PURPOSES, f"asked more than once: {', '.join(twice)}")
        for purpose, answer in answers:
            plain = all(isinstance(item, int | str) for item in (answer if isinstance(answer, list) else [answer]))
            self.require(plain, Promise.PURPOSES, f"{purpose} is about {answer!r:.80}")


def _sample(moves: Sequence[T], rng: Random) -> list[T]:
    if len(moves) <= MOST_TRIED:
        return list(moves)
    return [moves[index] for index in rng.sample(range(len(moves)), MOST_TRIED)]
