"""The report of `roost try`, as text and as JSON."""

from rich.console import Console
from rich.text import Text

from roost_cli.terminal.console import plain_table
from roost_cli.terminal.match import shown_share
from roost_games.wording import counted
from roost_ladder.workshop.doctor import Examination
from roost_ladder.workshop.findings import Finding, Mark

SIGNS = {
    Mark.FINE: ("✓", "green"),
    Mark.WARNING: ("!", "yellow"),
    Mark.DEFECT: ("✗", "bold red"),
    Mark.UNKNOWN: ("?", "dim"),
}
LEGEND = "✓ fine  ! worth a look  ✗ a defect  ? not known"


def print_report(console: Console, report: Examination) -> None:
    """Every finding with its sign, the bot's results, and a summary in the last line."""
    told: set[tuple[str, ...]] = set()
    for finding in report.findings:
        sign, style = SIGNS[finding.mark]
        console.print(Text.assemble((sign, style), f" {finding.title}"), soft_wrap=True)
        # The same mistake shows at many tables.
        for line in finding.details if finding.details not in told else ("as above",):
            console.print(Text(f"    {line}", style="" if finding.mark is Mark.DEFECT else "dim"), soft_wrap=True)
        told.update([finding.details] if finding.details else [])
    if report.duels:
        _print_duels(console, report)
    console.print(_verdict(report), soft_wrap=True)


def _print_duels(console: Console, report: Examination) -> None:
    table = plain_table("game", "against", ">deals", ">matches won")
    for duel in report.duels:
        table.add_row(duel.game, duel.sample, str(duel.deals), shown_share(duel.share))
    console.print()
    console.print(table)
    console.print("Each deal is played from both seats. In brackets: 95 % intervals.")


def _verdict(report: Examination) -> str:
    marks = [finding.mark for finding in report.findings]
    defects, warnings = marks.count(Mark.DEFECT), marks.count(Mark.WARNING)
    if not report.loads:
        return "Fix this first; nothing else can be checked."
    words = counted(defects, "defect") if defects else "No defects"
    more = f", {warnings} worth a look" if warnings else ""
    if report.interrupted:
        more += "; stopped before the end"
    elif Mark.UNKNOWN in marks:
        more += ", some unknown: --seconds gives it more time"
    return f"{words}{more}.   {LEGEND}"


def report_json(report: Examination) -> dict[str, object]:
    """`roost try --json`."""
    return {
        "bot": report.bot,
        "loads": report.loads,
        "healthy": report.healthy,
        "games": report.games,
        "findings": [_finding_json(finding) for finding in report.findings],
        "times": [times._asdict() for times in report.times],
        "samples": [{**duel._asdict(), "share": duel.share._asdict()} for duel in report.duels],
    }


def _finding_json(finding: Finding) -> dict[str, object]:
    return {**finding._asdict(), "details": list(finding.details)}
