"""What a bot is asked in an examination, part by part. The referee and the opponents are here, the bot is not."""

import json
import time
from asyncio import Runner
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from functools import partial
from itertools import takewhile
from typing import Any, Generic, NamedTuple, TypeVar

from roost_games.chance import seed_of
from roost_games.errors import MalformedMove, MoveError
from roost_games.referee import STANDARD_CLOCK, try_out
from roost_games.replay import VOIDED, Decision, Fault, Replay, Result
from roost_ladder.running.fixtures import BotSpec, Fixture, MatchLimits
from roost_ladder.running.hall import loaded
from roost_ladder.running.table import LONGEST_SHOWN, AwaySeat, LadderTable
from roost_ladder.workshop.patient import Patient, TimeIsUp
from roost_ladder.workshop.tables import MatchKind, SteeredMatch, duel_games, situations_at, steered_matches
from roost_sdk.bot_process.answers import Answer, AnswerKind, read_move, shown
from roost_sdk.bot_process.process import BotCall, BotLost
from roost_sdk.bot_process.views import changes_of

PATIENT_LIMITS = MatchLimits(STANDARD_CLOCK, max_faults=20)
"""A faulty bot plays on for longer than usual, so that more of what is wrong with it shows."""
DEALS_PER_MATCH = 8
"""How many deals are played against each opponent, for each match at a table."""
MOST_TROUBLES = 3
"""How many different troubles of a table are reported."""


class Opponents(NamedTuple):
    """The bots that an examined bot plays against. Callers hand them in, usually the samples. They are trusted."""

    known: Mapping[str, str]
    """By name, each as `module:Class` (see `spelled_out`). The bot to examine may be one of them, too."""
    at_tables: tuple[str, ...]
    """Those that fill the tables, in turn."""
    in_duels: tuple[str, ...]
    """Those that the bot is measured against, weakest first."""


class Case(NamedTuple):
    """What is examined, and how thoroughly."""

    bot: BotSpec
    tables: list[MatchKind]
    """Those at which the bot plays."""
    opponents: Opponents
    seed: str
    matches: int
    """How many at each table."""
    patience: float

    def opponent(self, name: str) -> BotSpec:
        """One of the opponents."""
        module, class_name = self.opponents.known[name].split(":")
        return BotSpec(name, "", module, class_name, trusted=True)


PartT = TypeVar("PartT")


class Part(NamedTuple, Generic[PartT]):
    """A part that can be examined without the others."""

    at: str
    """What it is, in a few words."""
    examine: Callable[[Patient], PartT]
    """Raises `BotLost`, or `TimeIsUp` if nothing was found until then."""
    turns: int = 1
    """How many turns of this round are left, with this one: they share the time. Parts at the same place are a turn."""


class ExaminedMatch(NamedTuple):
    """A match of the examined bot, perhaps stopped before its end."""

    replay: Replay
    troubles: dict[str, str]
    unanswered: float
    """For how many milliseconds the bot had been thinking when the match was stopped."""

    @property
    def stopped(self) -> bool:
        """Whether the time was up before the match had ended."""
        return self.replay.result.termination == VOIDED


class SeenAtTable(NamedTuple):
    """What was seen of the bot in a match."""

    table: MatchKind
    ms: list[float]
    """How long it thought about each decision."""
    unanswered: float
    faults: Mapping[str, int]
    troubles: Mapping[str, str]
    stopped: bool


class RareTrouble(NamedTuple):
    """Something that went wrong in a rare situation."""

    what: str
    where: str
    situations: list[str]


class SeenSteered(NamedTuple):
    """What was seen of the bot in a steered match."""

    table: MatchKind
    situations: list[list[str]]
    """What was rare about each decision."""
    troubles: list[RareTrouble]


class PlayedItself(NamedTuple):
    """A match of the bot with itself."""

    table: MatchKind
    decisions: list[str]
    stopped: bool


class WonDeal(NamedTuple):
    """One deal of a duel, played from both seats."""

    game: str
    sample: str
    share: float


def play(
    patient: Patient,
    table: MatchKind,
    bots: Sequence[BotSpec],
    seed: bytes,
    *,
    seat: int = 0,
    go_on: Callable[[], bool] = lambda: True,
) -> ExaminedMatch:
    """Play a match. Bots that are not trusted are the patient; what goes wrong with it at `seat` is noted.

    It is stopped before a decision if `go_on` says so or the patient's turn is over, and in the middle of one if all
    its time is up. Raises `BotLost`, or `TimeIsUp` if there was no time to begin.
    """
    patient.begin()
    played = LadderTable(Fixture("", table.game, tuple(bots), seed, table.found()[1]), PATIENT_LIMITS)
    calls: list[BotCall] = []
    away = partial(AwaySeat, calls=calls, wants_moves=patient.wants_moves)

    def hear(call: BotCall, answer: Answer) -> None:
        played.answered(call[0], call[1], answer)

    with closing(Runner()) as runner, suppress(TimeIsUp):
        played.begin([played.here(at, loaded(bot), runner) if bot.trusted else away(at) for at, bot in enumerate(bots)])
        while calls and patient.has_time and go_on():
            asked = calls.copy()
            calls.clear()
            patient.ask(asked, hear)
    return _examined(patient, played, seat)


def _examined(patient: Patient, played: LadderTable, seat: int) -> ExaminedMatch:
    referee = played.referee
    unanswered = (time.monotonic() - patient.asked_at) * 1000 if seat in referee.waiting else 0.0
    if not referee.over:
        referee.void("there was no more time for it")
    troubles: dict[str, str] = {}
    for trouble in played.troubles:
        if trouble.seat == seat and len(troubles) < MOST_TROUBLES:
            troubles.setdefault(trouble.what, trouble.details)
    return ExaminedMatch(referee.replay(), troubles, unanswered)


def at_tables(case: Case) -> Iterator[Part[SeenAtTable]]:
    """A match at every table, then another, and so on, each from another seat."""
    for number in range(case.matches):
        for place, table in enumerate(case.tables):
            yield Part(str(table), partial(_at_table, case, table, number), len(case.tables) - place)


def _at_table(case: Case, table: MatchKind, number: int, patient: Patient) -> SeenAtTable:
    seat = number % table.players
    bots = [_rival_at(case, table, number)] * table.players
    bots[seat] = case.bot
    seen = play(patient, table, bots, seed_of(case.seed, number), seat=seat)
    own = [step.ms or 0.0 for step in seen.replay.steps if isinstance(step, Decision) and step.seat == seat]
    faults = Counter(fault.kind.value for fault in seen.replay.result.faults if fault.seat == seat)
    return SeenAtTable(table, own, seen.unanswered, faults, seen.troubles, seen.stopped)


def _rival_at(case: Case, table: MatchKind, number: int) -> BotSpec:
    """An opponent that plays at this table, another for each `number`; the bot itself if there is none."""
    rivals = map(case.opponent, case.opponents.at_tables)
    able = [rival for rival in rivals if loaded(rival).bot_class.plays(table.game, table.players)]
    return able[number % len(able)] if able else case.bot


def in_rare_situations(case: Case) -> Iterator[Part[SeenSteered]]:
    """Matches that others steer into rare situations, in which the bot is asked."""
    for match in steered_matches(case.tables):
        turns = len(case.tables) - case.tables.index(match.table)
        yield Part(str(match.table), SteeredGuest(match, case.seed).lead, turns)


class SteeredGuest:
    """The bot in a steered match: it is asked for each of its decisions, but another move is played."""

    def __init__(self, match: SteeredMatch, seed: str) -> None:
        self._match = match
        self._rng_seed = f"{seed}:{match.number}"
        self._seen = SeenSteered(match.table, [], [])
        self._unstarted: Answer | None = None
        self._state: Any = None
        """Where it is asked."""

    def lead(self, patient: Patient) -> SeenSteered:
        """What was seen until the end, or until the time was up. Raises `BotLost`, or `TimeIsUp` at the beginning."""
        (game, players, _), seat, _ = self._match
        patient.begin()
        calls: list[BotCall] = [
            (1, "start", (game, seat, players, self._rng_seed, STANDARD_CLOCK)),
        ]
        last: Any = None
        with suppress(TimeIsUp):
            for state, moves in self._match.points():
                if not patient.has_time:
                    break
                if seat in moves:
                    self._state = state
                    view = state.observe(seat)
                    patient.ask([*calls, (1, "decide", (changes_of(view, last),))], self._hear)
                    last = view
                    calls.clear()
                if patient.wants_moves:
                    calls += [(1, "seen", move) for move in moves.items()]
        return self._seen

    def _hear(self, call: BotCall, answer: Answer) -> None:
        if call[1] == "start" and answer.kind is AnswerKind.ERROR:
            self._unstarted = answer
        elif call[1] == "decide":
            self._judge(self._unstarted or answer)

    def _judge(self, answer: Answer) -> None:
        table, seat, _ = self._match
        here = sorted(situations_at(table, self._state.observe(seat), self._state.legal(seat)))
        self._seen.situations.append(here)
        wrong = _what_is_wrong(table.game, self._state, seat, answer)
        if wrong is not None and len(self._seen.troubles) < MOST_TROUBLES:
            self._seen.troubles.append(RareTrouble(*wrong, here))


def _what_is_wrong(game: str, state: Any, seat: int, answer: Answer) -> tuple[str, str] | None:
    """What is wrong with an answer, and where. Raises `NotAnAnswer`."""
    if answer.kind is AnswerKind.ERROR:
        headline, where, _ = answer.error()
        return f"crashed: {headline}", where
    if answer.kind is not AnswerKind.MOVE:
        return _refused(Fault.MALFORMED, answer.value())
    try:
        move = read_move(game, answer.data)
        try_out(state, seat, move)
    except MalformedMove:
        return _refused(Fault.MALFORMED, answer.value())
    except MoveError:
        return _refused(Fault.ILLEGAL, move)
    return None


def _refused(fault: Fault, sent: object) -> tuple[str, str]:
    return f"sent a move that is {fault}: {shown(sent, LONGEST_SHOWN)}", ""


def repeat(case: Case, patient: Patient, tell: Callable[[str], None], *, warm: bool = False) -> list[PlayedItself]:
    """A match of each game, for a comparison with another process; with `warm`, after others.

    What is found before the time is up or the process is lost.
    """
    tables = list({table.game: table for table in reversed(case.tables)}.values())
    found = []
    with suppress(BotLost, TimeIsUp):
        patient.begin()
        half = (time.monotonic() + patient.end) / 2
        if warm:
            others = ((table, number) for number in range(1, 4) for table in tables)
            for table, number in takewhile(lambda other: time.monotonic() < half, others):
                _play_itself(case, patient, table, number, go_on=lambda: time.monotonic() < half)
        for place, table in enumerate(reversed(tables)):
            tell(str(table))
            patient.take_turn(len(tables) - place)
            found.append(_play_itself(case, patient, table, 0))
    return found


def _play_itself(
    case: Case, patient: Patient, table: MatchKind, number: int, go_on: Callable[[], bool] = lambda: True
) -> PlayedItself:
    patient.ask([(0, "reseed", (patient.salt,))], lambda call, answer: None)
    seen = play(patient, table, [case.bot] * table.players, seed_of(case.seed, number), go_on=go_on)
    moves = [json.dumps(step.move) for step in seen.replay.steps if isinstance(step, Decision)]
    return PlayedItself(table, moves, seen.stopped)


def duels(case: Case) -> Iterator[Part[WonDeal | None]]:
    """Duels with the opponents, deal by deal, each deal from both seats; `None` if there was no time to finish it."""
    games = duel_games(case.tables)
    samples = case.opponents.in_duels
    pairs = [(game, name) for game in games for name in samples if loaded(case.opponent(name)).bot_class.plays(game)]
    for deal in range(case.matches * DEALS_PER_MATCH):
        for place, (game, name) in enumerate(here := list(pairs)):
            began = time.monotonic()
            yield Part(f"{game} against {name}", partial(_duel, case, game, name, deal), len(here) - place)
            if time.monotonic() - began > case.patience:
                # Bots that think for long would leave no time for the others.
                pairs.remove((game, name))


def _duel(case: Case, game: str, name: str, deal: int, patient: Patient) -> WonDeal | None:
    table = MatchKind(game, 2, {})
    won = 0.0
    for seat in (0, 1):
        bots = [case.bot, case.opponent(name)]
        seen = play(patient, table, bots if seat == 0 else bots[::-1], seed_of(case.seed, deal), seat=seat)
        if seen.stopped:
            return None
        won += _win(seen.replay.result, seat)
    return WonDeal(game, name, won / 2)


def _win(result: Result, seat: int) -> float:
    return 1 / result.places.count(1) if result.places[seat] == 1 else 0.0
