"""The report of `roost suspicions` as text and as JSON.

`docs/why/suspicions.md` documents the keys of the JSON, which stay as they are.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from rich.console import Console

from roost.v1 import records_pb2
from roost_cli.terminal.console import TextColumn, print_fitted, results
from roost_cli.terminal.records import local_time
from roost_cli.terminal.standings import short_version
from roost_games.wording import chance, counted
from roost_ladder.suspicions import memory, thinking
from roost_ladder.suspicions.collusion import FEWEST_BLOCKS

Report = records_pb2.GetCollusionResponse
NOTICEABLE = 1.05
"""A line that is further out by less than this is not worth a word."""
NO_OWNERS = "Bots have no owners here."
COLLUSION_NOTES = """\
ahead: how many of 100 comparisons with third bots the bot won with the first bot
at the table. without: how many without it, against the same opponents.
change: the difference, with its 95 % interval. back: the change of the first
bot's results by the other one's presence. blocks: the blocks with both.
chance: how often chance alone shows a pair this clear, at most. others: the other
bots that the first one changes too; if they are many, it is style."""
CONDUCT_NOTES = """\
voids: how often a match was voided while the bot was being asked. expected: how
often its thinking time explains. chance: how often chance alone shows as many, at
most."""


class Named(Protocol):
    """A finding about a bot version."""

    @property
    def bot(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def version_id(self) -> int: ...


def print_suspicions(report: Report) -> None:
    """`roost suspicions`."""
    console = results()
    for title, part in PARTS.items():
        console.print(title)
        for line in part(report, console):
            console.print(line, soft_wrap=True)
        console.print()
    console.print(_false_alarms(report), soft_wrap=True)


def _false_alarms(report: Report) -> str:
    whole, each = chance(report.doubt_overall), f"{100 * report.doubt:.2f} %"
    return (
        "Everything in this report is a reason to look at matches, not a proof.\n"
        f"False alarms: by chance alone, anything is over a line in at most {whole} of all reports: {each} each for\n"
        "collusion, voids, memory and thinking time. The rest is counted, not judged."
    )


def _collusion(report: Report, console: Console) -> Iterator[str]:
    yield (
        f"{counted(report.blocks, 'block')} at tables of three or more, {report.bots} bots\n"
        f"{report.pairs} of {report.all_pairs} ordered pairs can be judged, "
        f"those with the weight of at least {FEWEST_BLOCKS} blocks"
    )
    if report.suspicions:
        _print_pairs(console, report.suspicions)
        yield COLLUSION_NOTES
    else:
        yield _nobody(report)
    if report.scatter >= NOTICEABLE:
        yield f"Presence often changes results here, so the line is {report.scatter:.1f} times as high as by chance."


def _nobody(report: Report) -> str:
    if not report.HasField("clearest"):
        return "No pair can be judged yet."
    clearest = report.clearest
    return (
        f"No pair is over the line. The clearest is {clearest.helped} with {clearest.bot} at the table:\n"
        f"{_change(clearest)} of 100 comparisons. Chance shows that in up to {chance(clearest.p)} of all cases."
    )


def _print_pairs(console: Console, pairs: Sequence[records_pb2.Suspicion]) -> None:
    columns = [
        TextColumn("with", [_name(pair.bot, pair.bot_version) for pair in pairs]),
        TextColumn("bot", [_name(pair.helped, pair.helped_version) for pair in pairs]),
        TextColumn(">ahead", [f"{100 * each.share_with:.0f}" for each in pairs]),
        TextColumn(">without", [f"{100 * each.share_without:.0f}" for each in pairs]),
        TextColumn(">change", [_change(pair) for pair in pairs]),
        TextColumn(">back", [_change(pair.back) if pair.HasField("back") else "-" for pair in pairs], drop=2),
        TextColumn(">blocks", [str(pair.blocks) for pair in pairs]),
        TextColumn(">chance", [chance(pair.p) for pair in pairs]),
        TextColumn(">others", [f"{pair.others_changed} of {pair.others}" for pair in pairs], drop=1),
    ]
    print_fitted(console, columns)


def _conduct(report: Report, console: Console) -> Iterator[str]:
    conduct = report.conduct
    yield f"voided matches: {conduct.voided}, at {counted(conduct.moments, 'moment')} when a bot was being asked"
    if not conduct.bots:
        yield "No bot made a fault, forfeited, or was being asked when a match was voided."
        return
    rows = conduct.bots
    columns = [
        TextColumn("bot", [_name(row.bot, row.version) for row in rows]),
        TextColumn("owner", [row.owner or "-" for row in rows], drop=1),
        TextColumn(">matches", [str(row.matches) for row in rows], drop=2),
        TextColumn(">faults", [str(row.faults) for row in rows]),
        TextColumn(">forfeits", [str(row.forfeits) for row in rows]),
        TextColumn(">voids", [str(row.voids) for row in rows]),
        TextColumn(">expected", [f"{row.voids_expected:.1f}" for row in rows]),
        TextColumn(">chance", [chance(row.p) for row in rows]),
        TextColumn("", ["over the line" if row.suspicious else "" for row in rows]),
    ]
    print_fitted(console, columns)
    yield CONDUCT_NOTES


def _memory(report: Report, console: Console) -> Iterator[str]:
    found = report.memory
    if not found.blocks:
        yield "No duplicate deals were played, so there was nothing to remember."
        return
    yield (
        f"{counted(found.blocks, 'block')} of duplicate deals. {counted(found.judged, 'bot')} can be judged, "
        f"with at least {memory.FEWEST_BLOCKS} blocks each"
    )
    for each in found.findings:
        yield (
            f"{_name(each.bot, each.version)} leaves {100 * each.share_later:.0f} of 100 opponents behind in later "
            f"matches of a deal, and {100 * each.share_first:.0f} in the first:\n"
            f"{100 * each.gain_low:+.0f} to {100 * each.gain_high:+.0f} of 100. Chance: {chance(each.p)}"
        )
    if not found.findings:
        yield "Nobody does better in later matches of a deal than chance allows."


def _thinking(report: Report, console: Console) -> Iterator[str]:
    found = report.thinking
    yield f"{counted(found.judged, 'version')} can be judged, with at least {thinking.FEWEST_BLOCKS} blocks each"
    for each in found.findings:
        yield (
            f"{_name(each.bot, each.version)} takes {each.after_ms:.1f} ms for a decision since "
            f"{local_time(each.since_ms)}, and took {each.before_ms:.1f} ms before. Chance: {chance(each.p)}"
        )
    if not found.findings:
        yield "No version's thinking time has changed by more than chance allows."
    if found.scatter >= NOTICEABLE:
        yield f"Times often change here, so the line is {found.scatter:.1f} times as high as by chance."


def _code(report: Report, console: Console) -> Iterator[str]:
    for code in report.shared_code:
        yield f"{code.version}: " + ", ".join(f"{each.bot} of {each.owner}" for each in code.owners)
    if not report.shared_code:
        yield "No two owners have declared the same code." if report.owners else NO_OWNERS


def _addresses(report: Report, console: Console) -> Iterator[str]:
    if not report.HasField("addresses"):
        yield "Only admins are told."
        return
    if not report.addresses.on_record:
        yield "Nothing is on record here about addresses."
        return
    for each in report.addresses.pairs:
        yield f"{each.owner}, {each.other}: one address on {counted(each.days, 'day')}"
    if not report.addresses.pairs:
        yield "No two owners have connected from one address."
    if report.addresses.crowded:
        times = counted(report.addresses.crowded, "time")
        yield f"An address that many owners share, as in a school or behind a proxy, was left out {times}."


def _clusters(report: Report, console: Console) -> Iterator[str]:
    for cluster in report.clusters:
        yield f"{', '.join(cluster.owners)}: {'; '.join(cluster.reasons)}"
    if not report.clusters:
        yield "Nothing above connects two owners." if report.owners else NO_OWNERS


PARTS: dict[str, Callable[[Report, Console], Iterator[str]]] = {
    "COLLUSION": _collusion,
    "FAULTS AND VOIDS": _conduct,
    "MEMORY": _memory,
    "THINKING TIME": _thinking,
    "THE SAME CODE": _code,
    "SHARED ADDRESSES": _addresses,
    "CLUSTERS OF ACCOUNTS": _clusters,
}


def _name(bot: str, version: str) -> str:
    return f"{bot} {short_version(version)}"


def _change(pair: records_pb2.Suspicion) -> str:
    return f"{100 * pair.gain:+.0f} ({100 * pair.gain_low:+.0f} to {100 * pair.gain_high:+.0f})"


def suspicions_json(report: Report, wanted: records_pb2.GetCollusionRequest) -> dict[str, object]:
    """`roost suspicions --json`."""
    return {
        "competition": wanted.competition or None,
        "phase": wanted.phase or None,
        "game": wanted.game or None,
        "false_alarm_rate": report.doubt_overall,
        "collusion": _collusion_json(report),
        "conduct": {
            "voided": report.conduct.voided,
            "moments": report.conduct.moments,
            "false_alarm_rate": report.conduct.doubt,
            "bots": [_conduct_json(row) for row in report.conduct.bots],
        },
        "memory": {
            "blocks": report.memory.blocks,
            "judged": report.memory.judged,
            "false_alarm_rate": report.memory.doubt,
            "findings": [_memory_json(each) for each in report.memory.findings],
        },
        "thinking": {
            "judged": report.thinking.judged,
            "scatter": report.thinking.scatter,
            "false_alarm_rate": report.thinking.doubt,
            "findings": [_thinking_json(each) for each in report.thinking.findings],
        },
        "shared_code": [
            {"version": code.version, "owners": [{"owner": each.owner, "bot": each.bot} for each in code.owners]}
            for code in report.shared_code
        ],
        "addresses": _addresses_json(report) if report.HasField("addresses") else None,
        "clusters": [{"owners": list(each.owners), "reasons": list(each.reasons)} for each in report.clusters],
    }


def _addresses_json(report: Report) -> dict[str, object]:
    pairs = [{"owners": [each.owner, each.other], "days": each.days} for each in report.addresses.pairs]
    return {"on_record": report.addresses.on_record, "pairs": pairs, "crowded": report.addresses.crowded}


def _collusion_json(report: Report) -> dict[str, object]:
    return {
        "blocks": report.blocks,
        "bots": report.bots,
        "pairs": report.all_pairs,
        "judged": report.pairs,
        "scatter": report.scatter,
        "false_alarm_rate": report.doubt,
        "findings": [_finding_json(finding) for finding in report.suspicions],
        "clearest": _pair_json(report.clearest) if report.HasField("clearest") else None,
    }


def _finding_json(finding: records_pb2.Suspicion) -> dict[str, object]:
    return {
        **_pair_json(finding),
        "back": _pair_json(finding.back) if finding.HasField("back") else None,
        "others_changed": finding.others_changed,
        "others": finding.others,
    }


def _pair_json(pair: records_pb2.Suspicion) -> dict[str, object]:
    return {
        "with": {"version_id": pair.bot_version_id, "name": pair.bot, "version": pair.bot_version},
        "bot": {"version_id": pair.helped_version_id, "name": pair.helped, "version": pair.helped_version},
        "share_with": pair.share_with,
        "share_without": pair.share_without,
        "change": pair.gain,
        "change_low": pair.gain_low,
        "change_high": pair.gain_high,
        "blocks_with": pair.blocks,
        "blocks_without": pair.blocks_without,
        "score": pair.score,
        "chance": pair.p,
    }


def _bot_json(found: Named) -> dict[str, object]:
    return {"version_id": found.version_id, "name": found.bot, "version": found.version}


def _conduct_json(row: records_pb2.Conduct) -> dict[str, object]:
    return {
        "bot": _bot_json(row),
        "owner": row.owner,
        "matches": row.matches,
        "faults": row.faults,
        "forfeits": row.forfeits,
        "voids": row.voids,
        "voids_expected": row.voids_expected,
        "chance": row.p,
        "suspicious": row.suspicious,
    }


def _memory_json(found: records_pb2.MemoryGain) -> dict[str, object]:
    return {
        "bot": _bot_json(found),
        "owner": found.owner,
        "blocks": found.blocks,
        "share_first": found.share_first,
        "share_later": found.share_later,
        "gain_low": found.gain_low,
        "gain_high": found.gain_high,
        "chance": found.p,
    }


def _thinking_json(found: records_pb2.ThinkingChange) -> dict[str, object]:
    return {
        "bot": _bot_json(found),
        "owner": found.owner,
        "since_ms": found.since_ms,
        "before_ms": found.before_ms,
        "after_ms": found.after_ms,
        "blocks_before": found.blocks_before,
        "blocks_after": found.blocks_after,
        "chance": found.p,
    }
