"""The rulings of an export: which matches they strike, who was out when the finals began, and whether they fit.

It is the rule that an arena follows (`store.measures.rulings`), read from the files alone.
"""

import sys
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from roost_server.competition.file import PhaseName
from roost_server.competition.phases import CLOCK
from roost_server.export.files import ExportedCompetition, ExportedRuling

OUT = {"disqualify": True, "reinstate": False, "ban": True, "unban": False}
"""Whether somebody is out after such a ruling."""
SETTLES = (PhaseName.FINALS, PhaseName.DONE)
"""The phases with which it is settled who plays the finals."""
ABOUT_BOTS = {*OUT, "rename", "move"}


class Struck(NamedTuple):
    """What does not count."""

    versions: frozenset[int]
    """All matches of these."""
    matches: frozenset[str]

    def has(self, match: str, bots: Collection[int]) -> bool:
        """Whether a match of these bots does not count."""
        return match in self.matches or not self.versions.isdisjoint(bots)


def struck(rulings: Sequence[ExportedRuling], before_ms: int | None = None) -> Struck:
    """What these rulings strike, or those of them that were made before a moment."""
    made = [each for each in rulings if before_ms is None or each.at_ms < before_ms]
    voided = frozenset(each.match for each in made if each.kind == "void")
    return Struck(_out(made, ("disqualify", "reinstate")), voided)


def _out(made: Sequence[ExportedRuling], kinds: tuple[str, str]) -> frozenset[int]:
    """The versions that are out by rulings of these two kinds."""
    latest = {version: OUT[each.kind] for each in made if each.kind in kinds for version in each.version_ids}
    return frozenset(version for version, out in latest.items() if out)


def field_settled_ms(competition: ExportedCompetition) -> int | None:
    """When the finals began, or the competition ended without them; `None` if neither has happened."""
    return next((at_ms for phase, at_ms, _ in competition.phases if phase in SETTLES), None)


def out_of_finals(competition: ExportedCompetition) -> frozenset[int]:
    """The versions of bots that were withdrawn or ruled out when the field of the finals was settled."""
    settled_ms = field_settled_ms(competition)
    if settled_ms is None:
        settled_ms = sys.maxsize
    made = [each for each in competition.rulings if each.at_ms < settled_ms]
    withdrawn = {bot.version_id for bot in competition.bots if 0 < bot.withdrawn_ms < settled_ms}
    return _out(made, ("disqualify", "reinstate")) | _out(made, ("ban", "unban")) | withdrawn


def names_in(competition: ExportedCompetition) -> dict[int, set[tuple[str, str]]]:
    """By version, the names and versions under which it may be in a match: its own, and former ones."""
    names = {bot.version_id: {(bot.name, bot.version)} for bot in competition.bots}
    versions = {bot.version_id: bot.version for bot in competition.bots}
    for each in competition.rulings:
        for version_id in each.version_ids if each.kind == "rename" else ():
            if version_id in names:
                names[version_id].add((each.before, versions[version_id]))
    return names


def owners_in(competition: ExportedCompetition) -> dict[int, set[str]]:
    """By version, the owners whom matches may name: its own, and former ones; or nobody, if it was absent."""
    owners = {bot.version_id: {bot.owner, ""} for bot in competition.bots}
    for each in competition.rulings:
        for version_id in each.version_ids if each.kind == "move" else ():
            if version_id in owners:
                owners[version_id].add(each.before)
    return owners


def wrong_rulings(competition: ExportedCompetition, matches: Collection[str]) -> Iterator[str]:
    """What is wrong with the rulings. `matches` are the ids of all matches in the export."""
    known = {bot.version_id: bot for bot in competition.bots}
    for each in competition.rulings:
        if each.kind in ABOUT_BOTS and not (each.version_ids and known.keys() >= set(each.version_ids)):
            yield f"the ruling {named(each)} is about nobody who took part"
        if each.kind == "void" and each.match not in matches:
            yield f"the ruling {named(each)} is about no match of this export"
    yield from _wrong_outcomes(competition)
    yield from _wrong_extensions(competition)


def _wrong_outcomes(competition: ExportedCompetition) -> Iterator[str]:
    """After the last ruling a bot has the name or the owner that it says."""
    for kind, what in (("rename", "name"), ("move", "owner")):
        last = {version: each for each in competition.rulings if each.kind == kind for version in each.version_ids}
        for bot in competition.bots:
            ruling = last.get(bot.version_id)
            if ruling is not None and getattr(bot, what) != ruling.after:
                yield f"the ruling {named(ruling)} says {ruling.after!r}, the bot's {what} is {getattr(bot, what)!r}"


def _wrong_extensions(competition: ExportedCompetition) -> Iterator[str]:
    """The clock begins no phase before the time to which it was put off."""
    for phase, at_ms, actor in competition.phases:
        made = [each for each in competition.rulings if (each.kind, each.subject) == ("extend", phase)]
        before = [each for each in made if each.at_ms < at_ms]
        if actor == CLOCK and before and at_ms < int(before[-1].after or 0):
            yield f"{phase} began before the time to which the ruling {named(before[-1])} put it off"


def named(ruling: ExportedRuling) -> str:
    """A ruling in words, for findings."""
    return f"{ruling.kind} {ruling.subject}"
