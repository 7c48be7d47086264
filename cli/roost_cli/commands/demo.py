"""`roost demo`: what Roost does, shown in the terminal in a minute."""

from typing import Annotated

import typer


def demo(
    seed: Annotated[str, typer.Option(help="Any text; the same seed gives the same demonstration.")] = "demo",
    matches: Annotated[int, typer.Option(min=2, help="How many matches of each game the table is made of.")] = 200,
) -> None:
    """Show parts of a match of each game, then a small table of quick matches."""
    from roost_cli.demonstration import demonstrate

    demonstrate(seed, matches)
