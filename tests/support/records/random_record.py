"""A record of everything that can happen to matches and blocks, at random, and what standings it has to give."""

from random import Random
from typing import Any, NamedTuple

import pytest

from roost.v1 import arena_pb2
from roost_games.replay import VOIDED, Replay
from roost_ladder.rating.facts import MatchFacts
from roost_ladder.rating.results import MatchResult
from roost_ladder.rating.standings import Standing, standings
from roost_server.competition import ledger
from roost_server.store import BlockState, FinishedMatch, NewBlock, Planned, Store
from roost_server.store.results import MatchFilter, Rule
from tests.support.records.matches import counted, sketch

QUESTIONS: list[dict[str, Any]] = [
    {"everything": True},
    {"everything": True, "game": "karteneck"},
    {"everything": True, "game": "haecmaec", "players": 3},
    {"everything": True, "players": 2},
    *({"competition": name, "phase": phase} for name in ("all", "some") for phase in ("ladder", "finals")),
    {"competition": "all", "phase": "finals", "players": 2},
]


class RandomRecord:
    """Records what could happen, at random."""

    def __init__(self, store: Store, seed: int = 7) -> None:
        self.store = store
        self.rng = Random(seed)
        self.open: dict[str, tuple[NewBlock, int]] = {}
        """The open blocks, and how many of their matches are recorded."""
        self.serial = 0

    def happen(self) -> None:
        """One thing or another."""
        what = self.rng.random()
        if not self.open or what < 0.3:
            self.plan()
        elif what < 0.75:
            self.play(self.rng.choice(list(self.open)))
        else:
            block_id = self.rng.choice(list(self.open))
            del self.open[block_id]
            self.store.close_block(block_id, self.rng.choice([BlockState.DONE, BlockState.DONE, BlockState.VOIDED]))

    def plan(self) -> None:
        players = self.rng.choice([2, 3])
        group = tuple(self.rng.sample(range(1, 6), players))
        game = "karteneck" if players == 2 else self.rng.choice(["karteneck", "haecmaec"])
        block_id, self.serial = f"b{self.serial}", self.serial + 1
        where = self.rng.choice([None, (1, "ladder"), (1, "finals"), (2, "ladder"), (2, "finals")])
        plan = Planned(*where, self.serial) if where else None
        new = NewBlock(block_id, game, {}, "00" * 32, "cyclic", group, created_ms=self.serial, plan=plan)
        self.store.open_block(new)
        self.open[block_id] = (new, 0)

    def play(self, block_id: str) -> None:
        block, played = self.open[block_id]
        group = block.version_ids
        if played == len(group):
            return
        replay = self.replay(f"{block_id}-{played}", block.game, len(group))
        turned = group[played:] + group[:played]
        self.store.commit([FinishedMatch(replay, block_id, played, turned, 1_000, 2_000)])
        self.open[block_id] = (block, played + 1)

    def replay(self, match: str, game: str, players: int) -> Replay:
        faults = tuple(seat for seat in range(players) if self.rng.random() < 0.3)
        if self.rng.random() < 0.1:
            return sketch(match, (), players=players, game=game, faults=faults, termination=VOIDED)
        places = tuple(self.rng.sample(range(1, players + 1), players))
        ending: dict[str, Any] = self.rng.choice([{}, {}, {"forfeits": (0,), "termination": "forfeit"}])
        return sketch(match, places, players=players, game=game, faults=faults, **ending)


class Expected(NamedTuple):
    """What the records say, worked out from single matches by the two rules."""

    facts: list[MatchFacts]
    """The matches that are asked for and count, but for forfeits."""
    forfeits: bool
    """Whether forfeited matches count."""

    def results(self) -> list[MatchResult]:
        """What ratings are made of."""
        played = [match.result() for match in self.facts]
        return [result for result in played if self.forfeits or not result.forfeited]

    def standings(self) -> list[Standing]:
        """The fit from nothing."""
        return standings(self.results())

    def total(self, bot: int, column: str) -> float:
        """What a bot has in this column of all its matches."""
        seats = [(getattr(match, column), match.bots.index(bot)) for match in self.facts if bot in match.bots]
        return sum(float(values[seat]) for values, seat in seats)


def worked_out(store: Store, request: arena_pb2.GetStandingsRequest) -> Expected:
    """Of a competition what is final counts, otherwise what counts so far."""
    wanted = MatchFilter(request.game or None, request.players or None)
    if not request.competition:
        return Expected(_facts(store, wanted, Rule.SO_FAR), forfeits=True)
    competition = ledger.find(store, request.competition)
    of_phase = wanted._replace(competition_id=competition.id, phase=request.phase)
    return Expected(_facts(store, of_phase, Rule.FINAL), competition.file.faults.forfeits == "count")


def _facts(store: Store, wanted: MatchFilter, rule: Rule) -> list[MatchFacts]:
    return [match.facts for match in counted(store, wanted, rule) if match.facts]


def check_answer(answer: arena_pb2.GetStandingsResponse, expected: Expected) -> int:
    """The answer is what the records say, ratings to a millionth of a point. Returns how many bots are in it."""
    table = expected.standings()
    assert answer.matches == len(expected.results())
    assert [each.version_id for each in answer.standings] == [each.bot for each in table]
    for given, right in zip(answer.standings, table, strict=True):
        assert (given.rating, given.rating_low, given.rating_high) == pytest.approx(
            (right.rating, right.low, right.high), abs=1e-6
        )
        assert (given.rank_low, given.rank_high) == (right.best_rank, right.worst_rank)
        assert (given.matches, given.blocks, given.wins) == (right.matches, right.blocks, right.wins)
        assert [(at.players, at.matches, at.mean_place) for at in given.places] == list(right.places)
        assert given.above_next == pytest.approx(right.above_next or 0.0, abs=1e-6)
        assert given.faults == expected.total(right.bot, "faults")
        assert given.decisions == expected.total(right.bot, "decisions")
        assert given.thinking_ms == pytest.approx(expected.total(right.bot, "thinking_ms"), abs=0.6)
    return len(table)
