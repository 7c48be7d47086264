"""What was seen of a bot in its examination, as findings for an author to read."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple

from roost_games.errors import RoostError
from roost_games.referee import STANDARD_CLOCK
from roost_games.replay import Fault
from roost_games.wording import counted
from roost_ladder.rating.estimates import Estimate, mean_of, share_of
from roost_ladder.workshop.parts import PlayedItself, RareTrouble, SeenAtTable, SeenSteered
from roost_ladder.workshop.tables import MatchKind, situations_of
from roost_sdk.bot_process.process import BotLost

STATE_ADVICE = (
    "what belongs to a match belongs in self: there is a fresh instance for each match",
    "class attributes and globals are shared by all of them",
)
RANDOMNESS_ADVICE = "self.rng is seeded with the match; the random module, the time and the order of sets are not"
STOPPED = "some matches were stopped: the time is shared by all games and sizes of table; --seconds gives more"
IMPORTS = 8
"""How many processes import a bot that is examined, and `IN_A_ROW` of them while the time runs."""
IN_A_ROW = 5
USUAL_SECONDS = 30.0
"""How long an examination takes."""
WEAKEST = "random"
"""The opponent that no bot should lose to."""


class Mark(StrEnum):
    """What a finding means."""

    FINE = "fine"
    WARNING = "warning"
    DEFECT = "defect"
    UNKNOWN = "unknown"


class Finding(NamedTuple):
    """One line of the report."""

    check: str
    """What was examined: `loads`, `program`, `legal`, `time`, `rare`, `repeats`, `state` or `samples`. Of a client:
    what it was put through, or what it must do."""
    mark: Mark
    title: str
    details: tuple[str, ...] = ()
    """More lines: where, and what to do about it."""


class Times(NamedTuple):
    """How long a bot thinks about a decision, in milliseconds."""

    game: str
    decisions: int
    median: float
    p99: float
    worst: float


class Duel(NamedTuple):
    """How a bot fares against a sample."""

    game: str
    sample: str
    deals: int
    share: Estimate
    """The share of matches won; each deal is played from both seats and counts as one observation."""


def loaded(bot: str, games: list[str]) -> Finding:
    """Whether a bot that could be imported plays anything."""
    if not games:
        advice = "give it a method choose(self, view, legal), or one that is named after a game"
        return Finding("loads", Mark.DEFECT, f"{bot} plays none of the games asked for", (advice,))
    return Finding("loads", Mark.FINE, f"loads, and plays {', '.join(games)}")


def not_loaded(bot: str, error: RoostError, said: Iterable[str]) -> Finding:
    """A bot could not be imported; `said` are the last lines of the process that tried."""
    if not isinstance(error, BotLost):
        return Finding("loads", Mark.DEFECT, f"{bot} cannot be loaded", tuple(str(error).splitlines()))
    if error.fault is Fault.LATE:
        return Finding("loads", Mark.DEFECT, f"{bot} hangs while it is imported", tuple(error.where.splitlines()))
    how = "ends the process that imports it" if error.ending else str(error)
    return Finding("loads", Mark.DEFECT, f"{bot} {how}", _last_lines(error, said))


def slow_import(seconds: float) -> Finding:
    """Its import takes a good part of the time of the examination."""
    title = f"takes {seconds:.0f} s to import; the examination does that {IMPORTS} times"
    advice = f"--seconds {USUAL_SECONDS + IN_A_ROW * seconds:.0f} leaves the usual time for the rest"
    return Finding("loads", Mark.WARNING, title, (advice,))


def open_call(check: str, told: str, at: str) -> Finding:
    """What the bot was doing when somebody did not want to wait for it any longer."""
    return Finding(check, Mark.WARNING, f"{at}: {told}")


def process_lost(check: str, lost: BotLost, at: str, patience: float, said: Iterable[str]) -> Finding:
    """A bot hung, or its process ended."""
    if lost.fault is Fault.LATE:
        title = f"hangs: no answer for {patience:g} s in {at}"
        return Finding(check, Mark.DEFECT, title, tuple(lost.where.splitlines()))
    title = f"ends its process in {at}" if lost.ending else f"{lost}, in {at}"
    return Finding(check, Mark.DEFECT, title, _last_lines(lost, said))


def _last_lines(lost: BotLost, said: Iterable[str]) -> tuple[str, ...]:
    return (*([lost.ending] if lost.ending else []), *map(str.rstrip, said))


def legality(game: str, tables: list[MatchKind], played: list[SeenAtTable], *, complete: bool) -> list[Finding]:
    """Whether every answer was a legal one, at each table of a game."""
    faulty = defaultdict[str, Counter[str]](Counter)
    details = defaultdict[str, dict[str, str]](dict)
    for seen in played:
        table = str(seen.table)
        faulty[table].update(seen.faults)
        details[table].update(seen.troubles)
    findings = [
        Finding("legal", Mark.DEFECT, f"{table}: {_shown(faults)}", _lines(details[table]))
        for table, faults in faulty.items()
        if faults
    ]
    findings += [
        Finding("legal", Mark.WARNING, f"{table}: errors that change nothing about the match", _lines(details[table]))
        for table, faults in faulty.items()
        if not faults and details[table]
    ]
    reached = {str(seen.table) for seen in played if seen.ms or seen.faults}
    missing = [str(table) for table in tables if str(table) not in reached]
    if missing and not complete:
        findings.append(Finding("legal", Mark.UNKNOWN, f"not reached in time: {'; '.join(missing)}"))
    asked = sum(len(seen.ms) for seen in played)
    if asked and not any(faulty.values()):
        where = f"in {counted(len(played), 'match')} at {counted(len(reached), 'kind')} of table"
        title = f"{game}: {counted(asked, 'decision')} {where}, all of them legal"
        stopped = any(seen.stopped for seen in played)
        findings.insert(0, Finding("legal", Mark.FINE, title, (STOPPED,) if stopped else ()))
    return findings


def _shown(faults: Counter[str]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in faults.most_common())


def _lines(troubles: dict[str, str]) -> tuple[str, ...]:
    return tuple(line for what, more in troubles.items() for line in (what, *more.splitlines()))


def speed(times: Times) -> Finding:
    """Whether the bot thinks for longer than an arena allows."""
    clock = STANDARD_CLOCK
    title = (
        f"{times.game}: thinks {times.median:.2f} ms (median), 99 % within {times.p99:.2f} ms, at worst "
        f"{times.worst:.2f} ms"
    )
    if times.worst <= clock.decision_ms:
        return Finding("time", Mark.FINE, title)
    limit = (
        f"an arena gives {clock.decision_ms / 1000:g} s for a decision and {clock.bank_ms / 1000:g} s more in a match"
    )
    # A bank helps with a few hard decisions. It does not last if most of them need it.
    return Finding("time", Mark.DEFECT if times.median > clock.decision_ms else Mark.WARNING, title, (limit,))


def too_long(unanswered: float) -> list[float]:
    """A decision that was cut short counts only if it had taken too long already."""
    return [unanswered] if unanswered > STANDARD_CLOCK.decision_ms else []


def rare_situations(game: str, tables: list[MatchKind], led: list[SeenSteered], *, complete: bool) -> list[Finding]:
    """What the bot did in rare situations."""
    findings = {
        trouble.what: Finding("rare", Mark.DEFECT, f"{seen.table}: {trouble.what}", _rare_lines(trouble))
        for seen in reversed(led)
        for trouble in reversed(seen.troubles)
    }
    asked = sum(len(seen.situations) for seen in led)
    reached = {name for seen in led for here in seen.situations for name in here}
    known = dict.fromkeys(name for table in tables for name in situations_of(table))
    missing = [name for name in known if name not in reached]
    told = list(findings.values())
    if reached and not told:
        title = f"{game}: {asked} decisions in rare situations, all of them legal"
        told = [Finding("rare", Mark.FINE, title, (", ".join(name for name in known if name in reached),))]
    if missing and not complete:
        told.append(Finding("rare", Mark.UNKNOWN, f"{game}: not reached in time: {', '.join(missing)}"))
    return told


def _rare_lines(trouble: RareTrouble) -> tuple[str, ...]:
    here = f"situation: {', '.join(trouble.situations) or 'nothing unusual'}"
    return (here, *trouble.where.splitlines())


Decisions = dict[str, list[str]]


def compared_decisions(played: Sequence[Sequence[PlayedItself]]) -> list[Decisions]:
    """What each process decided, by table. If one had to stop a match, only the part that all of them played."""
    matches = [{str(match.table): match for match in each} for each in played]
    decisions: list[Decisions] = [{} for _ in played]
    for table in sorted(set.intersection(*map(set, matches))):
        here = [match[table] for match in matches]
        stopped = any(match.stopped for match in here)
        length = min(len(match.decisions) for match in here) if stopped else None
        if length != 0:
            for each, match in zip(decisions, here, strict=True):
                each[table] = match.decisions[:length]
    return decisions


def repetition(first: Decisions, again: Decisions, salted: Decisions, warm: Decisions) -> list[Finding]:
    """Whether the bot decides the same way again, and keeps nothing between matches."""
    if not (first and again and salted and warm):
        unfinished = "Unknown, because the matches were not finished"
        return [
            Finding("repeats", Mark.UNKNOWN, f"does it repeat its decisions? {unfinished}"),
            Finding("state", Mark.UNKNOWN, f"does it keep anything between matches? {unfinished}"),
        ]
    if first != again:
        title = f"not reproducible: two runs with the same seed differ, {_first_difference(first, again)}"
        details = (RANDOMNESS_ADVICE, "a bot that thinks for as long as it has time cannot do better")
        state = "does it keep anything between matches? Unknown, because it never repeats"
        return [Finding("repeats", Mark.WARNING, title, details), Finding("state", Mark.UNKNOWN, state)]
    return [_randomness(first, salted), _state(first, warm)]


def _randomness(first: Decisions, salted: Decisions) -> Finding:
    if first != salted:
        title = f"not reproducible: it uses other randomness than self.rng, {_first_difference(first, salted)}"
        return Finding("repeats", Mark.WARNING, title, (RANDOMNESS_ADVICE,))
    compared = f"compared: {counted(sum(map(len, first.values())), 'decision')}"
    return Finding("repeats", Mark.FINE, "the same seed gives the same decisions, in any process", (compared,))


def _state(first: Decisions, warm: Decisions) -> Finding:
    if first == warm:
        return Finding("state", Mark.FINE, "keeps nothing from one match to the next")
    title = "keeps something between matches: after others it plays the same match differently, "
    return Finding("state", Mark.DEFECT, title + _first_difference(first, warm), STATE_ADVICE)


def _first_difference(one: Decisions, other: Decisions) -> str:
    for table, moves in one.items():
        for number, (move, instead) in enumerate(zip(moves, other[table], strict=False), 1):
            if move != instead:
                return f"at decision {number} in {table}: {move} and {instead}"
    return "in how long a match lasts"


def share_of_deals(won: Sequence[float]) -> Estimate:
    """The share won, with an interval over deals; Wilson's if all deals went alike, since no other exists then."""
    share = mean_of(won)
    if share.low is None or share.high is None:
        return share_of(sum(won), len(won))
    return Estimate(share.mean, max(0.0, share.low), min(1.0, share.high))


def strength(games: list[str], duels: list[Duel]) -> list[Finding]:
    """Losing is not a defect. But a bot that loses to `random` probably does not do what its author thinks."""
    weak = [duel for duel in duels if duel.sample == WEAKEST and duel.share.high is not None and duel.share.high < 0.5]
    findings = [
        Finding(
            "samples",
            Mark.WARNING,
            f"{duel.game}: loses to random more often than it wins",
            ("does it do what you think? roost play ... --show draws a match",),
        )
        for duel in weak
    ]
    if missing := [game for game in games if not any(duel.game == game for duel in duels)]:
        title = f"how does it fare against the samples? No deal was finished in time: {', '.join(missing)}"
        findings.append(Finding("samples", Mark.UNKNOWN, title))
    if not games:
        title = "how does it fare against the samples? It does not play with two"
        findings.append(Finding("samples", Mark.UNKNOWN, title))
    return findings
