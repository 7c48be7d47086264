"""A table without sockets: fake bots, a fake clock, and a fake pulse."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from roost.v1 import play_pb2
from roost_games.chance import seed_of
from roost_games.referee import Clock, Seat
from roost_games.registry import get_game
from roost_server.clocks import Instant, Pulse
from roost_server.play.pacing.places import Places
from roost_server.play.pacing.width import Width
from roost_server.play.table import Chair, News, Place, Question, Table
from roost_server.settings import Rules, Settings


class FakePulse(Pulse):
    """The time and our own delay are what a test says."""

    def __init__(self, now: Callable[[], float]) -> None:
        super().__init__()
        self.now = now
        self.own_ms = 0.0

    def read(self) -> Instant:
        return Instant(self.now(), self.own_ms)


class FakePlayer:
    """A bot that notes what it is told. Questions are written to it at once while it is `reading`."""

    def __init__(self, pulse: Pulse) -> None:
        self._pulse = pulse
        self.connected = True
        self.wants_legal = True
        self.allowance_ms = 0.0
        self.latency_ms = 0.0
        self.reading = True
        self.decisions: list[play_pb2.Decision] = []
        self.started = 0
        self.ended: list[play_pb2.MatchEnded] = []

    def ask(self, question: Question) -> None:
        if self.reading:
            self.write(question)

    def tell(self, place: Place, news: News) -> None:
        if isinstance(news, play_pb2.MatchEnded):
            self.ended.append(news)
        else:
            self.started += 1

    def write(self, question: Question | None) -> play_pb2.Decision:
        assert question is not None
        decision = play_pb2.Decision()
        decision.MergeFromString(question.encode(self.latency_ms, with_legal=self.wants_legal))
        question.start_clock(self._pulse.read())
        self.decisions.append(decision)
        return decision


class TableWorld:
    """A table, its bots, and the time."""

    def __init__(
        self,
        game: str = "bratwurmeck",
        players: int = 2,
        clock: Clock | None = None,
        seed: str = "table",
        voidable: bool = True,
        **changes: Any,
    ) -> None:
        self.time = 100.0
        self.pulse = FakePulse(lambda: self.time)
        self.players = [FakePlayer(self.pulse) for _ in range(players)]
        self.ends = 0
        self.table = Table(
            Rules(game, players, get_game(game).options({})),
            [
                Chair(player, Seat(f"bot{seat}"), Places(Width(1_000), lambda: 1), match=7)
                for seat, player in enumerate(self.players)
            ],
            match_id="m",
            seed=seed_of(seed),
            settings=Settings(clock=clock or Clock(1_000, 2_000), **changes),
            pulse=self.pulse,
            on_end=self._ended,
            voidable=voidable,
        )
        self.referee = self.table.referee

    def _ended(self, table: Table) -> None:
        self.ends += 1

    def begin(self) -> "TableWorld":
        """Everybody is ready."""
        self.table.start()
        for seat in range(len(self.players)):
            self.table.ready(seat)
        return self

    def turn(self) -> int:
        """A seat that has to decide."""
        return self.referee.waiting[0]

    def good_answer(self, seat: int) -> play_pb2.Answer:
        """A legal answer to the question that was last written to `seat`."""
        decision = self.players[seat].decisions[-1]
        return play_pb2.Answer(match=1, request=decision.request, move=decision.legal[0])

    def answer(self, seat: int, answer: play_pb2.Answer | None = None) -> bool:
        return self.table.answer(seat, answer or self.good_answer(seat), self.pulse.read())

    def request_of(self, seat: int) -> int:
        """The number of the open question to `seat`."""
        question = self.table.questions.get(seat)
        assert question is not None
        return question.number

    def wait(self, seconds: float) -> None:
        """Let time pass; then the table looks at the clocks."""
        self.time += seconds
        self.table.sweep(self.pulse.read())

    def play_on(self) -> None:
        """All bots answer at once until the match is over, those who were not asked excepted."""
        for _ in range(10_000):
            if self.referee.over:
                return
            for seat in self.referee.waiting:
                if self.table.questions.get(seat) is not None:
                    assert self.answer(seat)
                    break
            else:
                return

    def faults(self) -> list[tuple[int, str]]:
        return [(fault.seat, str(fault.kind)) for fault in self.referee.faults]


@dataclass
class FakeSession:
    """A bot's session as the matchmaker sees it."""

    version_id: int
    max_matches: int = 1
    connected: bool = True
    leaving: bool = False
    quarantined: bool = False
    playing: int = 0
    promised: int = 0
    holds_up: bool = False
    games: set[str] = field(default_factory=set)

    @property
    def plays_on(self) -> bool:
        return self.connected and not (self.leaving or self.quarantined)

    @property
    def name(self) -> str:
        return f"bot{self.version_id}"

    @property
    def places(self) -> "FakeSession":
        """Those of a bot that has shown that it gets ready are what the bot says."""
        return self

    @property
    def most(self) -> int:
        return self.max_matches

    at_once = most

    @property
    def is_free(self) -> bool:
        return self.playing < self.max_matches

    def plays(self, game: str, players: int) -> bool:
        return not self.games or game in self.games

    def end_if_left(self) -> None:
        pass
