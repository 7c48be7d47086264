"""Pairs of bots that may collude: the report of `roost collusion` as text and as JSON.

`docs/why/collusion.md` documents the keys of the JSON, which stay as they are.
"""

from collections import Counter
from typing import TYPE_CHECKING

from rich.console import Console

from roost_cli.terminal.console import Column, print_fitted, results
from roost_cli.terminal.standings import short_version
from roost_games.wording import counted
from roost_ladder.rating.collusion import FEWEST_BLOCKS, CollusionReport, Shift, Suspicion

if TYPE_CHECKING:
    from roost_server.answers.collusion import Suspicions
    from roost_server.store import queries

NOTES = """\
ahead: how many of 100 comparisons with third bots the bot won with the first bot
at the table, and how many without it, against the same opponents.
change: the difference, with its 95 % interval. back: the change of the first
bot's results by the other one's presence. blocks: the blocks with both.
chance: how often chance alone shows a pair this clear, at most. others: the other
bots that the first one changes too; if they are many, it is style.
A pair in this list is a reason to look at its matches, not a proof."""


def print_suspicions(found: "Suspicions") -> None:
    """`roost collusion`."""
    console = results()
    report = found.report
    console.print(_basis(report), soft_wrap=True)
    if report.findings:
        _print_findings(console, found)
    else:
        console.print(_nobody(found), soft_wrap=True)
    console.print(_false_alarms(report), soft_wrap=True)


def _basis(report: CollusionReport) -> str:
    blocks = counted(report.blocks, "block")
    return (
        f"{blocks} at tables of three or more, {report.bots} bots\n"
        f"{report.judged} of {report.pairs} ordered pairs can be judged, "
        f"those with the weight of at least {FEWEST_BLOCKS} blocks"
    )


def _nobody(found: "Suspicions") -> str:
    clearest = found.report.clearest
    if clearest is None:
        return "No pair can be judged yet."
    names = _names(found)
    return (
        f"No pair is over the line. The clearest is {names[clearest.bot]} with {names[clearest.helper]} at the table:\n"
        f"{_change(clearest)} of 100 comparisons. Chance shows that in up to {_percent(clearest.chance)} of all cases."
    )


def _print_findings(console: Console, found: "Suspicions") -> None:
    names = _names(found)
    findings = found.report.findings
    shifts = [finding.shift for finding in findings]
    columns = [
        Column("with", [names[shift.helper] for shift in shifts]),
        Column("bot", [names[shift.bot] for shift in shifts]),
        Column(">ahead", [f"{100 * s.share_with:.0f} not {100 * s.share_without:.0f}" for s in shifts]),
        Column(">change", [_change(shift) for shift in shifts]),
        Column(">back", [_change(finding.back) if finding.back else "-" for finding in findings], drop=2),
        Column(">blocks", [str(shift.blocks_with) for shift in shifts]),
        Column(">chance", [_percent(shift.chance) for shift in shifts]),
        Column(">others", [f"{finding.others_changed} of {finding.others}" for finding in findings], drop=1),
    ]
    print_fitted(console, columns)
    console.print(NOTES, soft_wrap=True)


def _false_alarms(report: CollusionReport) -> str:
    rate = _percent(report.doubt)
    said = f"False alarms: by chance alone, a pair is over the line in at most {rate} of all cases."
    style = (
        f"\nPresence often changes results here, so the line is {report.scatter:.1f} times as high as for chance alone."
    )
    return said if report.scatter == 1 else said + style


def _change(shift: Shift) -> str:
    return f"{100 * shift.change:+.0f} ({100 * shift.low:+.0f} to {100 * shift.high:+.0f})"


def _percent(share: float) -> str:
    return "under 0.1 %" if share < 0.001 else f"{100 * share:.1f} %" if share < 0.01 else f"{100 * share:.0f} %"


def _names(found: "Suspicions") -> dict[int, str]:
    """The bots' names, with their versions where a name has several."""
    several = Counter(version.name for version in found.versions.values())
    return {
        number: f"{version.name} {short_version(version.version)}" if several[version.name] > 1 else version.name
        for number, version in found.versions.items()
    }


def suspicions_json(found: "Suspicions") -> dict[str, object]:
    """`roost collusion --json`."""
    report = found.report
    return {
        "competition": found.competition,
        "phase": found.phase,
        "game": found.game,
        "blocks": report.blocks,
        "bots": report.bots,
        "pairs": report.pairs,
        "judged": report.judged,
        "scatter": report.scatter,
        "false_alarm_rate": report.doubt,
        "findings": [_finding_json(found, finding) for finding in report.findings],
        "clearest": report.clearest and _shift_json(found, report.clearest),
    }


def _finding_json(found: "Suspicions", finding: Suspicion) -> dict[str, object]:
    return {
        **_shift_json(found, finding.shift),
        "back": finding.back and _shift_json(found, finding.back),
        "others_changed": finding.others_changed,
        "others": finding.others,
    }


def _shift_json(found: "Suspicions", shift: Shift) -> dict[str, object]:
    return {
        "with": _bot_json(found.versions[shift.helper]),
        "bot": _bot_json(found.versions[shift.bot]),
        "share_with": shift.share_with,
        "share_without": shift.share_without,
        "change": shift.change,
        "change_low": shift.low,
        "change_high": shift.high,
        "blocks_with": shift.blocks_with,
        "blocks_without": shift.blocks_without,
        "score": shift.score,
        "chance": shift.chance,
    }


def _bot_json(version: "queries.Version") -> dict[str, object]:
    return {"version_id": version.id, "name": version.name, "version": version.version}
