"""Standings that are kept up to date equal those calculated from all records, whatever was recorded meanwhile."""

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from roost.v1 import arena_pb2
from roost_games.errors import UsageError
from roost_games.replay import VOIDED, Replay
from roost_ladder.rating.standings import Standing, standings
from roost_server.answers.standings import MOST_KEPT, LiveAnswers, standings_of
from roost_server.competition import ledger
from roost_server.store import BlockState, FinishedMatch, NewBlock, Planned, Store
from roost_server.store.results import MatchFilter, Rule
from tests.support.records.matches import counted, sketch, two_competitions

QUESTIONS: list[dict[str, Any]] = [
    {},
    {"game": "karteneck"},
    {"game": "haecmaec", "players": 3},
    {"players": 2},
    *({"competition": name, "phase": phase} for name in ("all", "some") for phase in ("ladder", "finals")),
    {"competition": "all", "phase": "finals", "players": 2},
]


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    with two_competitions(database_url) as opened:
        yield opened


class World:
    """Records what could happen, at random."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.rng = Random(7)
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


def rounded(response: arena_pb2.GetStandingsResponse) -> arena_pb2.GetStandingsResponse:
    for standing in response.standings:
        for name in ("rating", "rating_low", "rating_high"):
            setattr(standing, name, round(getattr(standing, name), 4))
        if standing.HasField("above_next"):
            standing.above_next = round(standing.above_next, 4)
    return response


def worked_out(store: Store, request: arena_pb2.GetStandingsRequest) -> list[Standing]:
    """The standings by the two rules: of a competition what is final, otherwise what counts so far."""
    if request.competition:
        competition = ledger.find(store, request.competition)
        wanted = MatchFilter(competition_id=competition.id, phase=request.phase)
        rule, forfeits = Rule.FINAL, competition.file.faults.forfeits == "count"
    else:
        wanted, rule, forfeits = MatchFilter(), Rule.SO_FAR, True
    wanted = wanted._replace(game=request.game or None, players=request.players or None)
    played = [match.facts.result() for match in counted(store, wanted, rule) if match.facts]
    return standings(played, forfeits=forfeits)


def test_what_is_kept_up_to_date_is_what_the_records_say(store: Store) -> None:
    world, live = World(store), LiveAnswers(store)
    compared = 0
    for step in range(150):
        world.happen()
        if step % 6 == 0:
            request = arena_pb2.GetStandingsRequest(**world.rng.choice(QUESTIONS))
            expected = rounded(standings_of(store, request))
            assert rounded(live.standings_of(request)) == expected
            compared += len(expected.standings) > 1
    assert compared > 10
    for question in QUESTIONS:
        request = arena_pb2.GetStandingsRequest(**question)
        answer = rounded(live.standings_of(request))
        assert answer == rounded(standings_of(store, request))
        assert answer.matches > 0
        assert [
            (each.version_id, each.matches, each.wins, each.rank_low, each.rank_high) for each in answer.standings
        ] == [
            (each.bot, each.matches, each.wins, each.best_rank, each.worst_rank) for each in worked_out(store, request)
        ]
        assert [each.rating for each in answer.standings] == [
            round(each.rating, 4) for each in worked_out(store, request)
        ]


def test_what_there_is_not_is_refused(store: Store) -> None:
    live = LiveAnswers(store)
    unknown: list[dict[str, Any]] = [
        {"game": "chess"},
        {"competition": "none"},
        {"competition": "all", "phase": "freeze"},
    ]
    for wrong in unknown:
        with pytest.raises(UsageError):
            live.standings_of(arena_pb2.GetStandingsRequest(**wrong))


def test_whatever_is_asked_not_everything_is_kept(store: Store) -> None:
    live = LiveAnswers(store)
    for players in range(2 * MOST_KEPT):
        live.standings_of(arena_pb2.GetStandingsRequest(players=players))
    assert len(live._positions) == MOST_KEPT
