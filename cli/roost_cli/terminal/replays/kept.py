"""A match as its bot has kept it: what it saw before each decision, what it did, and what it printed."""

import json
import textwrap
from collections.abc import Iterator

from roost_cli.terminal.console import results
from roost_cli.terminal.replays.board import print_frame
from roost_cli.terminal.replays.replay import step_frames
from roost_games.narration import Look, Narration, Role, Span, narration_of, sentence
from roost_games.narrator import Frame, TextLine
from roost_games.playthrough import show_move, show_value
from roost_games.registry import get_game
from roost_games.wording import counted
from roost_sdk.arena.kept import KeptDecision, KeptMatch


def print_kept(kept: KeptMatch, again: str, *, show: bool, step: bool) -> None:
    """Print what a match was and how it ended, draw it move by move, or go through it key by key."""
    if step:
        step_frames(list(_frames(kept)))
        return
    console = results()
    if show:
        for frame in _frames(kept):
            print_frame(console, frame)
    about = kept.about
    title = get_game(about.game).title
    console.print(f"{title}, {about.players} players, match {about.match}, as seat {about.seat} saw it")
    for seat, bot in enumerate(about.bots):
        place = f"  place {kept.result['places'][seat]}" if kept.result else ""
        console.print(f"  seat {seat}  {bot}{place}")
    console.print(counted(len(kept.decisions), "decision"))
    more = "" if show else f"Move by move: roost replay {again} --show. "
    console.print(f"{more}With everybody's moves: roost replay {again} --server HOST:PORT", soft_wrap=True)


def _frames(kept: KeptMatch) -> Iterator[Frame]:
    """A frame for each decision, with the table as the bot saw it."""
    narration = narration_of(kept.about.game, kept.about.bots)
    for number, decision in enumerate(kept.decisions, 1):
        yield Frame([*_lines(kept, narration, number, decision)], narration.board(Look(decision.view, ()), None))
    if kept.result is not None:
        yield Frame([_line(f"{kept.result['termination']}; places by seat: {kept.result['places']}", "notice")])


def _lines(kept: KeptMatch, narration: Narration, number: int, decision: KeptDecision) -> Iterator[TextLine]:
    who = narration.name(kept.about.seat)
    took = "" if decision.ms is None else f" ({decision.ms:.1f} ms)"
    yield TextLine(sentence(f"Decision {number}: ", who, f" {_answer(kept.about.game, decision)}{took}"))
    hand = getattr(decision.view, "hand", None)
    if hand is not None:
        yield _line(f"its hand: {show_value(hand)}")
    for text in (*textwrap.dedent(decision.where).splitlines(), *decision.log):
        yield _line(text, "dim")


def _answer(game: str, decision: KeptDecision) -> str:
    if decision.move is None:
        return decision.trouble
    try:
        found = get_game(game)
        return show_move(found, found.decode_move(dict(decision.move)))
    except ValueError:
        return json.dumps(dict(decision.move))


def _line(text: str, role: Role = "plain") -> TextLine:
    return TextLine((Span(text, role),), follows=True)
