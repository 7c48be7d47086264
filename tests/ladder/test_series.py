"""Series of matches: what an author is told about a bot that fails."""

from roost_ladder.running.series import MOST_TROUBLES, TroubleLog
from roost_sdk import Trouble


def test_each_trouble_is_told_once_and_the_rest_is_counted() -> None:
    lines: list[str] = []
    log = TroubleLog(lines.append)
    for what in [*range(MOST_TROUBLES + 2), 0]:
        log.tell(Trouble(1, "ann", f"trouble {what}"))
    assert lines == [f"seat 1 (ann) trouble {what}" for what in range(MOST_TROUBLES)]
    log.close()
    assert lines[MOST_TROUBLES:] == ["and 2 more like these; the table counts all faults"]


def test_nothing_is_added_if_everything_was_told() -> None:
    lines: list[str] = []
    log = TroubleLog(lines.append)
    log.close()
    assert lines == []
