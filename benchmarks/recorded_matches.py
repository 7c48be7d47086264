"""Matches through the parts of Roost, for `benchmarks/instructions.py`. It runs with any version of Roost.

    python benchmarks/recorded_matches.py write FILE GAME MATCHES
    valgrind --tool=callgrind ... python benchmarks/recorded_matches.py take FILE GAME

The first one plays matches and writes down what arena and bots said. The second one takes each part of Roost through
them, in the order of `PARTS`, and prints how many decisions there were. Seeds, moves and times are always
the same. Each part is called by `PyRun_SimpleString` of Python's C interface, which nothing else calls: so valgrind can
tell where it begins and ends.
"""

import asyncio
import ctypes
import faulthandler
import pickle
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, TypeVar

from roost.v1 import play_pb2
from roost_games.chance import Tape, seed_of
from roost_games.referee import Clock
from roost_games.registry import get_game
from roost_ladder.running.fixtures import BotSpec, Fixture, Period, as_played
from roost_sdk import Bot
from roost_sdk.arena.match import Task
from roost_sdk.arena.matches import Matches, Unsent
from roost_sdk.arena.stats import Stats
from roost_sdk.load import LoadedBot
from roost_sdk.local import LocalMatch
from roost_server.clocks import Instant
from roost_server.play.session import Session
from roost_server.play.table import Table
from roost_server.settings import Settings, tables_of
from roost_server.store import BlockState, FinishedMatch, NewBlock, Store, open_store
from roost_server.store.records import BlockClosed

ResultT = TypeVar("ResultT")
PLAYERS = 2
PATIENT = Clock(decision_ms=60_000, bank_ms=600_000)
GROUP = 10
"""How many matches are committed together."""
WARM_UP = 2
"""How many matches are played before anything is counted."""
PARTS = ("bare rules", "local ladder", "arena", "record", "bots")


class Wanders(Bot):
    """Plays any legal move. All of them share a sequence of numbers, so that a run can be repeated."""

    numbers = Random(0)

    def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        return legal[int(self.numbers.random() * len(legal))]


class SteadyPulse:
    """A clock that goes on by a quarter of a millisecond whenever somebody looks at it."""

    def __init__(self) -> None:
        self._looks = count()

    def read(self) -> Instant:
        """The time."""
        return Instant(next(self._looks) * 0.00025, 0.0)


class Inline:
    """Runs the tasks of a bot at once."""

    def __init__(self, matches: Matches) -> None:
        self._matches = matches

    def take(self, batch: Sequence[Task]) -> None:
        """Run these tasks."""
        for task in batch:
            task.run()
        self._matches.finish(batch)

    def held(self, began: float, ended: float) -> float:
        """It holds up nobody."""
        return 0.0


class Program:
    """A bot's program without a connection."""

    def __init__(self) -> None:
        self._unsent = Unsent()
        self._matches = Matches(Wanders, self._unsent, Stats(), lambda stats: None)
        self._matches.driver = Inline(self._matches)  # type: ignore[assignment]  # what is needed of a driver

    def hear(self, data: bytes) -> bytes:
        """Take a message of the arena. Returns what the program says to it, which may be nothing."""
        self._matches.take(play_pb2.ArenaMessage.FromString(data))
        saying = self._unsent.next_message()
        try:
            saying.send(None)
        except StopIteration as said:
            return bytes(said.value.SerializeToString())
        saying.close()
        return b""


class Said(NamedTuple):
    """What a bot's program was told in a match, and what it said to that."""

    seat: int
    heard: bytes
    said: bytes


class Played(NamedTuple):
    """A match that was played."""

    talk: list[Said]
    finished: FinishedMatch


class Hall:
    """An arena's sessions and tables without anything around them."""

    def __init__(self, game: str) -> None:
        self._rules = tables_of((game,), (PLAYERS,))[0]
        self._settings = Settings((self._rules,), clock=PATIENT)
        self._pulse: Any = SteadyPulse()
        self._sessions = [self._session(number) for number in range(PLAYERS)]

    def _session(self, number: int) -> Session:
        hello = play_pb2.Hello(name=f"bot{number}", version="1", max_matches=4)
        session = Session(hello, number + 1, self._settings, self._pulse)
        session.attach()
        session.next_message()
        return session

    def play(self, number: int, reply: Callable[[int, bytes], bytes]) -> Played:
        """Play a match in which the programs of the bots say what `reply` returns."""
        ended: list[Table] = []
        table = Table(
            self._rules,
            [session.chair() for session in self._sessions],
            match_id=f"{number:020x}",
            seed=seed_of("instructions", number),
            settings=self._settings,
            pulse=self._pulse,
            on_end=ended.append,
        )
        table.start()
        talk: list[Said] = []
        while not ended:
            self._talk(talk, reply)
        for session in self._sessions:
            session.note_over()
        table.tell_ended()
        for session in self._sessions:
            session.outgoing.wake.set()
        self._talk(talk, reply)
        replay = table.referee.replay()
        return Played(talk, FinishedMatch(replay, f"block{number}", 0, (1, 2), started_ms=number, ended_ms=number))

    def _talk(self, talk: list[Said], reply: Callable[[int, bytes], bytes]) -> None:
        for seat, session in enumerate(self._sessions):
            if session.outgoing.wake.is_set():
                heard = session.next_message()
                said = reply(seat, heard)
                talk.append(Said(seat, heard, said))
                taking = session.receive(play_pb2.BotMessage.FromString(said))
                # An older Roost takes everything at once, and says whether that is too much.
                for _ in taking if isinstance(taking, Iterator) else ():
                    pass


class Arena:
    """From what a bot says to the next question, and the referee's notes."""

    def __init__(self, game: str) -> None:
        self._hall = Hall(game)

    def take(self, number: int, talk: Sequence[Said]) -> FinishedMatch:
        """A match in which the bots say the same again."""
        said = (each.said for each in talk)
        return self._hall.play(number, lambda seat, heard: next(said)).finished


class Bots:
    """From a message of the arena to what the programs of both bots say."""

    def __init__(self) -> None:
        self._programs = [Program() for _ in range(PLAYERS)]

    def hear(self, seat: int, heard: bytes) -> bytes:
        """What the bot in this seat says."""
        return self._programs[seat].hear(heard)

    def take(self, talks: Sequence[Sequence[Said]]) -> None:
        """Matches in which the arena says the same again."""
        for talk in talks:
            for seat, heard, _ in talk:
                self.hear(seat, heard)


def record(store: Store, finished: Sequence[FinishedMatch]) -> None:
    """From the referee's notes to the disk."""
    for first in range(0, len(finished), GROUP):
        group = finished[first : first + GROUP]
        store.commit([as_block(each) for each in group])
        store.commit([*group, *(BlockClosed(each.block_id, BlockState.DONE) for each in group)])


def as_block(finished: FinishedMatch) -> NewBlock:
    """The block of a match."""
    return NewBlock(finished.block_id, finished.replay.game, {}, "00", "cyclic", finished.version_ids, created_ms=0)


def play_on_ladder(game: str, numbers: Sequence[int]) -> None:
    """Matches of a local ladder with their records."""
    bots = [LoadedBot(f"bot{number}", Wanders) for number in range(PLAYERS)]
    specs = tuple(BotSpec(bot.name, "1", "", "") for bot in bots)
    for number in numbers:
        fixture = Fixture(f"{number:020x}", game, specs, seed_of("ladder", number), get_game(game).options({}))
        match = LocalMatch(get_game(game), bots, fixture.seed, clock=PATIENT, match=fixture.match)
        match.play()
        as_played(fixture, match.referee, Period(0, 0), recording=True)


def play_bare(game: str, numbers: Sequence[int]) -> None:
    """The same matches without anything around them: view, legal moves, bot, move."""
    rules, bot = get_game(game), Wanders()
    for number in numbers:
        state = rules.start(PLAYERS, rules.options({}), Tape(seed_of("ladder", number)))
        while state.to_move:
            for seat in state.to_move:
                state.apply(seat, bot.choose(state.observe(seat), state.legal(seat)))


def counted(part: Callable[[], ResultT]) -> ResultT:
    """Do something between the marks that valgrind knows."""
    results: list[ResultT] = []
    main = sys.modules["__main__"]
    main.counted_part = lambda: results.append(part())  # type: ignore[attr-defined]
    ctypes.pythonapi.PyRun_SimpleString(b"counted_part()")
    return results[0]


def take(file: Path, game: str) -> None:
    """Take each part through the matches, and print how many there were, and how many decisions."""
    talks: list[list[Said]] = pickle.loads(file.read_bytes())  # noqa: S301  our own
    warm, cold = range(WARM_UP), range(WARM_UP, len(talks))
    for play in (play_bare, play_on_ladder):
        Wanders.numbers.seed(0)
        play(game, warm)
        counted(partial(play, game, cold))
    arena = Arena(game)
    finished = [arena.take(number, talks[number]) for number in warm]
    finished += counted(lambda: [arena.take(number, talks[number]) for number in cold])
    with open_store(f"sqlite:///{file}.db") as store:
        for number in range(PLAYERS):
            store.register_version(f"bot{number}", "1")
        record(store, finished[:WARM_UP])
        counted(lambda: record(store, finished[WARM_UP:]))
    bots = Bots()
    bots.take(talks[:WARM_UP])
    counted(lambda: bots.take(talks[WARM_UP:]))
    decisions = [len(each.replay.own_times()) for each in finished[WARM_UP:]]
    print(sum(decisions))


async def main() -> None:
    """Do what the arguments say. In an event loop, because sessions want one."""
    # It would take the slowness of valgrind for a bot that hangs, and may crash when it then looks at running code.
    faulthandler.dump_traceback_later = lambda *_, **__: None
    command, file, game, *matches = sys.argv[1:]
    if command == "take":
        take(Path(file), game)
        return
    hall, bots = Hall(game), Bots()
    talks = [hall.play(number, bots.hear).talk for number in range(WARM_UP + int(matches[0]))]
    Path(file).write_bytes(pickle.dumps(talks))


if __name__ == "__main__":
    asyncio.run(main())
