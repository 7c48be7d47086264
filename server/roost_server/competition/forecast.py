"""What a competition will take with a number of bots: blocks, matches, hours and bytes of each phase.

It is a forecast. Blocks and matches of finals follow from the file; only a knockout may need more, if ties are level.
Hours follow from a pace, and bytes from sample matches of random movers. docs/hosting/competition.md says what the
longest round is.
"""

import zlib
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from math import ceil, comb
from random import Random
from typing import Any, NamedTuple

from roost_games.chance import seed_of
from roost_games.errors import UsageError
from roost_games.referee import Referee, Seat
from roost_games.registry import get_game
from roost_games.wording import counted
from roost_ladder.blocks import Rotation
from roost_ladder.schedules.cycles import ROUND, RoundRobin
from roost_ladder.schedules.knockout import DUEL, EXTRA
from roost_ladder.schedules.schedule import Bounded, Kind, Participants, Past
from roost_ladder.schedules.sure import GROWTH, LEAST_ROUND
from roost_server.competition.file import CompetitionFile, PhaseName, PhasePart
from roost_server.competition.finals import KNOCKOUT, schedule_of
from roost_server.settings import Rules, longest_hold_up

USUAL_PACE = 20_000.0
"""Matches an hour, where nothing has been measured: far less than an arena on two cores plays with quick bots."""
MOST_HOURS = 14 * 24.0
"""Finals that take longer are refused."""
SAMPLES = 8
"""How many matches of each kind are played to see how long they are."""
DISK_EXTRA = 900
"""Bytes of a match in the database beside its compressed replay: rows, indexes, its share of its block."""


class Size(NamedTuple):
    """What a match of one kind of table takes."""

    disk_bytes: float
    export_bytes: float


class PhaseForecast(NamedTuple):
    """What a phase will take."""

    phase: PhaseName
    schedule: str
    blocks: int | None
    """`None` on a ladder, which goes on for as long as its time lasts."""
    matches: int | None
    """`None` if nobody knows how long a ladder lasts."""
    most_matches: int | None
    """If every tie of a knockout stays level for as long as it can; otherwise the same."""
    hours: float | None
    disk_bytes: float
    export_bytes: float
    notes: tuple[str, ...] = ()


class Forecast(NamedTuple):
    """What a competition will take."""

    bots: int
    pace: float
    """In matches an hour."""
    phases: tuple[PhaseForecast, ...]
    hold_up_seconds: float | None
    """How long one bot can keep a round of the finals waiting at most. `None` without finals."""
    problem: str
    """Why the finals cannot be played; empty if they can."""


def forecast(file: CompetitionFile, owners: Sequence[str], pace: float = USUAL_PACE) -> Forecast:
    """What a competition will take with bots of these owners, one each, at this many matches an hour."""
    kinds = tuple(rules.kind for rules in file.rules())
    apart = {} if file.entry.own_bots_may_meet else dict(enumerate(owners))
    field = Participants(tuple(range(len(owners))), kinds, apart)
    phases = [_ladder(file, number, pace) for number, part in enumerate(file.phases) if part.phase is PhaseName.LADDER]
    finals = file.phase(PhaseName.FINALS)
    if finals is None:
        return Forecast(len(owners), pace, tuple(phases), None, "")
    try:
        plan = _Plan(file, finals, field)
    except UsageError as error:
        return Forecast(len(owners), pace, tuple(phases), None, str(error))
    return Forecast(len(owners), pace, (*phases, plan.forecast(pace)), plan.hold_up_seconds(), plan.problem)


def check(found: Forecast) -> None:
    """Raise `UsageError` if the finals cannot be played, or would take far too long."""
    if found.problem:
        raise UsageError(found.problem)
    for each in found.phases:
        if each.phase is PhaseName.FINALS and (each.hours or 0) > MOST_HOURS:
            raise UsageError(
                f"the finals would take {each.hours:,.0f} hours at {found.pace:,.0f} matches an hour, more than "
                f"{MOST_HOURS:g}: play fewer rounds or games, a knockout, swiss, or sure with a budget"
            )


def unplayable(file: CompetitionFile, owners: Sequence[str]) -> str:
    """Why the finals of these owners' bots cannot be played; empty if they can, however long they take."""
    return forecast(file, owners).problem


class _Plan:
    """The finals: how many blocks at each kind of table."""

    def __init__(self, file: CompetitionFile, part: PhasePart, field: Participants) -> None:
        self._file = file
        self._part = part
        self._field = field
        self._schedule = schedule_of(file.name, b"", part)
        self._rotation = Rotation(file.rotation)
        self._blocks = {kind: count for kind in self._kinds() if (count := self._blocks_at(kind))}
        self._rules = {rules.kind: rules for rules in file.rules()}
        self.problem = "" if self._blocks else _nothing(field)

    def _kinds(self) -> list[Kind]:
        """The kinds of tables that can be filled."""
        duels = self._part.plays_by == KNOCKOUT
        return [kind for kind in self._field.kinds if self._field.at(kind) and (kind.players == DUEL or not duels)]

    def _blocks_at(self, kind: Kind) -> int:
        if self._part.plays_by == KNOCKOUT:
            return (len(self._field.bots) - 1) * self._part.blocks_per_pairing
        if self._part.budget is not None:
            return ceil(self._part.budget / len(self._kinds()))
        only = Participants(self._field.bots, (kind,), self._field.owners)
        return (self._schedule.blocks_left(only, Past()) or 0) if isinstance(self._schedule, Bounded) else 0

    def forecast(self, pace: float) -> PhaseForecast:
        """What the finals will take."""
        matches = {kind: blocks * self._rotation.matches(kind.players) for kind, blocks in self._blocks.items()}
        sizes = {kind: size_of(self._rules[kind]) for kind in matches}
        whole = sum(matches.values())
        return PhaseForecast(
            PhaseName.FINALS,
            self._part.plays_by,
            sum(self._blocks.values()),
            whole,
            whole * (1 + EXTRA) if self._part.plays_by == KNOCKOUT else whole,
            whole / pace,
            sum(matches[kind] * size.disk_bytes for kind, size in sizes.items()),
            sum(matches[kind] * size.export_bytes for kind, size in sizes.items()),
            tuple(self._notes()),
        )

    def _notes(self) -> Iterator[str]:
        for kind in self._field.kinds:
            if kind not in self._blocks and (kind.players == DUEL or self._part.plays_by != KNOCKOUT):
                yield f"{kind.game} at tables of {kind.players} is not played: no such table can be filled"
        for extent in self._schedule.extents(self._field) if isinstance(self._schedule, RoundRobin) else ():
            if extent.kind in self._blocks and extent.groups < extent.possible / 2:
                times = extent.groups * comb(extent.kind.players, 2) / comb(len(self._field.bots), 2)
                yield (
                    f"{extent.kind.game} at tables of {extent.kind.players}: a balanced sample of {extent.groups:,} of "
                    f"{extent.possible:,} groups; every pair meets {times:.3g} times a round"
                )

    def hold_up_seconds(self) -> float:
        """How long one bot can keep a round waiting at most."""
        matches = sum(self._blocks_of_bot(kind) * self._rotation.matches(kind.players) for kind in self._blocks)
        return longest_hold_up(self._file.settings(), self._file.faults.absence_seconds, matches)

    def _blocks_of_bot(self, kind: Kind) -> int:
        """How many blocks of a round one bot plays at this kind of table, one after the other."""
        bots, budget = len(self._field.bots), self._part.budget
        if budget is not None:
            return min(self._blocks[kind], max(LEAST_ROUND, bots, budget // GROWTH))
        if self._part.plays_by == KNOCKOUT:
            return self._part.blocks_per_pairing
        if not isinstance(self._schedule, RoundRobin):
            return 1
        share = min(1.0, ROUND / sum(self._blocks.values()))
        return ceil(share * self._blocks[kind] * kind.players / bots)


def _nothing(field: Participants) -> str:
    least = min((kind.players for kind in field.kinds), default=0)
    owners = len({field.owner(bot) for bot in field.bots})
    bots = counted(len(field.bots), "bot") + (f" of {owners} owners" if owners < len(field.bots) else "")
    return f"the finals cannot be played: with {bots} not even a table of {least} can be filled"


def _ladder(file: CompetitionFile, number: int, pace: float) -> PhaseForecast:
    part, following = file.phases[number : number + 2]
    begins, ends = part.starts, following.starts
    hours = (ends - begins).total_seconds() / 3600 if begins and ends else None
    matches = None if hours is None else int(hours * pace)
    sizes = [size_of(rules) for rules in file.rules()]
    disk = (matches or 0) * _mean(size.disk_bytes for size in sizes)
    export = (matches or 0) * _mean(size.export_bytes for size in sizes)
    return PhaseForecast(PhaseName.LADDER, part.plays_by, None, matches, matches, hours, disk, export)


def _mean(numbers: Iterable[float]) -> float:
    some = list(numbers)
    return sum(some) / len(some)


@lru_cache(maxsize=64)
def size_of(rules: Rules) -> Size:
    """What a match takes, by some matches of random movers."""
    lines = [_sample(rules, number) for number in range(SAMPLES)]
    disk = _mean(len(zlib.compress(line)) for line in lines) + DISK_EXTRA
    return Size(disk, _mean(len(line) + 1 for line in lines))


def _sample(rules: Rules, number: int) -> bytes:
    name = f"{rules.game} {rules.players} {number}"
    rng = Random(name)
    seats = [Seat(f"some-bot-{seat}", "0123456789abcdef", "some owner") for seat in range(rules.players)]
    seed = seed_of(name)
    referee: Referee[Any, Any] = Referee(
        get_game(rules.game), seats, seed, options=rules.options, match=seed.hex()[:16]
    )
    while referee.waiting:
        seat = referee.waiting[0]
        referee.answer(seat, rng.choice(referee.legal(seat)), 1.234)
    return referee.replay().to_line().encode()
