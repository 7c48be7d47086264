"""Sample matches that the tests of the store record: real ones, sketches, their blocks; and what a store then holds."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from random import Random
from typing import Any

from sqlalchemy import event, update

from roost_games.chance import seed_of
from roost_games.referee import Referee
from roost_games.registry import get_game
from roost_games.replay import Decision, Fault, FaultEntry, Replay, Result, Seat
from roost_sdk import LoadedBot, LocalMatch
from roost_server.competition import ledger
from roost_server.competition.file import parse_competition
from roost_server.store import BlockState, FinishedMatch, NewBlock, Store, open_store, results
from roost_server.store.models import COMPETITION as COMPETITION_TABLE
from roost_server.store.results import EVERYTHING, MatchFilter, MatchOnRecord, Rule

COMPETITION = """\
name = "{name}"
games = [{{ game = "karteneck", players = [2, 3] }}]
faults = {{ forfeits = "{forfeits}" }}
phases = [{{ phase = "ladder" }}, {{ phase = "finals" }}, {{ phase = "done" }}]
"""
SEED = "5e" * 32


def played(match: str, game: str = "karteneck", players: int = 2) -> Replay:
    """The record of a real match between random movers."""
    seats = [Seat(f"bot{seat}", "v1", "somebody") for seat in range(players)]
    rng = Random(match)
    referee = Referee(get_game(game), seats, seed_of(match), match=match)
    while not referee.over:
        for seat in referee.waiting:
            referee.answer(seat, rng.choice(referee.legal(seat)), 1.5)
    return referee.replay()


def sketch(
    match: str,
    places: tuple[int, ...] = (1, 2),
    *,
    players: int = 2,
    game: str = "karteneck",
    termination: str = "finished",
    faults: tuple[int, ...] = (),
    forfeits: tuple[int, ...] = (),
) -> Replay:
    """A record as small as can be, with the result asked for. `faults` names the seats."""
    entries = tuple(FaultEntry(0, seat, Fault.LATE) for seat in faults)
    result = Result(places, tuple(10 - place for place in places), termination, forfeits, entries)
    steps = tuple(Decision(seat, {"pass": True, "steal": False}, 2.5) for seat in range(players))
    return Replay(game, {}, match, tuple(Seat(f"bot{seat}") for seat in range(players)), steps, result, SEED)


def block(store: Store, id: str = "block", *version_ids: int, **more: Any) -> NewBlock:
    """A block on record, of two bots unless said otherwise."""
    ids = version_ids or tuple(store.register_version(f"bot{seat}", "v1", 5) for seat in range(2))
    new = NewBlock(id, "karteneck", {}, SEED, "all", ids, 7, **more)
    store.open_block(new)
    return new


def finished(replay: Replay, block: NewBlock, rotation: int = 0, ended_ms: int = 2_000) -> FinishedMatch:
    """The match as the arena would hand it in."""
    return FinishedMatch(replay, block.id, rotation, block.version_ids, 1_000, ended_ms)


def recorded(game: str, bots: Sequence[LoadedBot], seed: str = "opinion", **options: Any) -> Replay:
    """The record of a match between bots of the SDK."""
    found = get_game(game)
    match = LocalMatch(found, bots, seed_of(seed), options=found.options(options), match="m", tell=lambda trouble: None)
    match.play()
    return match.referee.replay()


@contextmanager
def two_competitions(url: str) -> Iterator[Store]:
    """A new store with bots 1 to 5 and two competitions: in `all` forfeits count, in the old `some` they do not."""
    with open_store(url) as opened:
        for number in range(1, 6):
            opened.register_version(f"bot{number}", "v1", 5)
        for name in ("all", "some"):
            text = COMPETITION.format(name=name, forfeits="count")
            ledger.draw_up(opened, parse_competition(text), text)
        rewrite_rules(opened, "some", COMPETITION.format(name="some", forfeits="ignore"))
        yield opened


def rewrite_rules(store: Store, name: str, text: str) -> None:
    """Give a competition other rules, as if an older Roost had drawn it up."""
    with store.writing() as connection:
        connection.execute(update(COMPETITION_TABLE).where(COMPETITION_TABLE.c.name == name).values(document=text))


def on_record(store: Store, wanted: MatchFilter = EVERYTHING) -> list[MatchOnRecord]:
    """Every match, voided ones too, in the order of recording."""
    with store.reading() as reading:
        return list(results.recorded(reading, wanted))


def ids_on_record(store: Store) -> list[str]:
    """Those of the matches."""
    return [match.id for match in on_record(store)]


def counted(store: Store, wanted: MatchFilter = EVERYTHING, rule: Rule = Rule.SO_FAR) -> list[MatchOnRecord]:
    """The matches that count."""
    return [match for match in on_record(store, wanted) if match.counts(rule)]


@contextmanager
def eight_matches(url: str) -> Iterator[Store]:
    """Bots 1 and 2 are versions of "a"; 3 is "b"; 4 is "idle". Matches m1 to m8 in three blocks, one of them voided."""
    with open_store(url) as opened:
        for name, version in (("a", "v1"), ("a", "v2"), ("b", "v1"), ("idle", "v1")):
            opened.register_version(name, version, 5)
        duel, three, gone = block(opened, "duel", 1, 3), block(opened, "three", 1, 2, 3), block(opened, "gone", 3, 1)
        opened.commit(
            [
                finished(sketch("m1", (1, 2)), duel, 0),
                finished(sketch("m2", (1, 1), faults=(1,)), duel, 1),
                finished(sketch("m3", (), termination="voided", faults=(0, 0)), duel, 2),
                finished(sketch("m4", (2, 1), termination="forfeit", faults=(0, 0, 0), forfeits=(0,)), duel, 2),
                finished(sketch("m5", (3, 1, 2), players=3, game="haecmaec"), three, 0),
                finished(sketch("m6", (1, 2, 3), players=3, game="haecmaec"), three, 1),
                finished(sketch("m7", (1, 2), faults=(0, 1)), gone, 0),
                finished(sketch("m8", (2, 1)), duel, 3),
            ]
        )
        opened.close_block("duel", BlockState.DONE)
        opened.close_block("gone", BlockState.VOIDED)
        yield opened


@contextmanager
def explained(store: Store) -> Iterator[list[str]]:
    """What SQLite does for each query from now on, one line for each table it visits."""
    steps: list[str] = []

    def explain(_connection: Any, cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        if statement.startswith("SELECT"):
            explained = cursor.connection.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)
            steps.extend(detail for *_, detail in explained)

    with store.reading() as reading, store.writing() as writing:
        engines = [reading.engine, writing.engine]
    for engine in engines:
        event.listen(engine, "before_cursor_execute", explain)
    yield steps
    for engine in engines:
        event.remove(engine, "before_cursor_execute", explain)
