"""What a bot has to learn from its losses, as a table."""

from rich import box
from rich.table import Table
from rich.text import Text

from roost_cli.terminal.console import results
from roost_games.registry import get_game
from roost_ladder.workshop.losses import Lessons
from roost_ladder.workshop.review import plus_minus

MOST_SHOWN = 12
"""How many lessons are printed; `--json` and `--html` have all."""


def lessons_json(found: Lessons) -> dict[str, object]:
    """`roost lessons --json`."""
    return {
        "bot": found.bot,
        "better_bot": found.better,
        "losses": found.study.losses,
        "decisions": found.study.decisions,
        "worlds": found.study.worlds,
        "lessons": [lesson.to_json() for lesson in found.lessons],
        "remarks": found.said,
    }


def print_lessons(found: Lessons) -> None:
    """The lessons, the one that cost most in all first, and what they were taken from."""
    console = results()
    games = {lesson.game for lesson in found.lessons}
    rows = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for label in ("what it does", "costs places", "times", "of all", f"{found.better} instead"):
        rows.add_column(label, justify="right" if label in ("costs places", "times", "of all") else "left")
    for lesson in found.lessons[:MOST_SHOWN]:
        game = f"{get_game(lesson.game).name}: " if len(games) > 1 else ""
        cost = plus_minus(lesson.cost)
        instead, times = lesson.instead[0]
        rows.add_row(
            f"{game}{lesson.kind}",
            Text(cost, "bold" if lesson.is_sure else ""),
            str(lesson.times),
            str(lesson.made),
            f"{instead} ({times})",
        )
    if found.lessons:
        console.print(rows)
    for sentence in found.said:
        console.print(sentence, soft_wrap=True)
