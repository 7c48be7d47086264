"""Prints what another bot would have done in a recorded match."""

import textwrap

from rich.console import Console
from rich.padding import Padding

from roost_cli.terminal.show import board_table
from roost_games.narration import Board, Look, narration_of
from roost_games.playthrough import show_value
from roost_games.registry import get_game
from roost_games.replay import Replay
from roost_games.wording import counted
from roost_ladder.workshop.second_opinion import Opinion, Opinions, difference_json, opinions_json
from roost_ladder.workshop.weighing import Weighed

PLAYS_ON = "careful"
"""The sample that plays on when decisions are weighed: quick, and sensible in all games."""


def print_opinions(console: Console, replay: Replay, opinions: Opinions) -> None:
    """Every difference with what the bot saw there, then the sum of it."""
    for opinion in opinions.different:
        _print_difference(console, replay, opinions, opinion)
    console.print(_summary(replay, opinions), soft_wrap=True)


def print_weighed(console: Console, replay: Replay, opinions: Opinions, weighed: list[Weighed], worlds: int) -> None:
    """The differences where the bot's move was better on average, the costliest first, then the sum of it."""
    better = [each for each in weighed if each.gain.mean > 0]
    for each in better:
        _print_difference(console, replay, opinions, each.opinion, f"opponents left behind: {each.words()}")
    sure = sum(each.is_sure for each in better)
    console.print(_summary(replay, opinions), soft_wrap=True)
    console.print(
        f"From each difference {PLAYS_ON} played on in all seats, {worlds} times: in {len(better)} of {len(weighed)} "
        f"the move of {opinions.bot} did better, in {sure} of them by more than chance allows (95 %).",
        soft_wrap=True,
    )


def weighed_json(replay: Replay, opinions: Opinions, weighed: list[Weighed]) -> dict[str, object]:
    """All of it for programs: the differences that could be weighed, the costliest first."""
    said = opinions_json(replay, opinions)
    return {**said, "differences": [{**difference_json(each.opinion), **each.to_json()} for each in weighed]}


def _print_difference(console: Console, replay: Replay, opinions: Opinions, opinion: Opinion, remark: str = "") -> None:
    bots = [seat.bot for seat in replay.seats]
    player = f"seat {opinions.seat} ({bots[opinions.seat]})"
    console.print(f"step {opinion.step}: {player} played {opinion.recorded_words(opinions.game)}", soft_wrap=True)
    console.print(f"  {opinions.bot} would: {opinion.words(opinions.game)}", soft_wrap=True)
    if remark:
        console.print(f"  {remark}", soft_wrap=True)
    if opinion.where:
        console.print(textwrap.indent(opinion.where, "  "), soft_wrap=True)
    _print_seen(console, narration_of(replay.game, bots).board(Look(opinion.public, ()), None), opinion)


def _print_seen(console: Console, board: Board | None, opinion: Opinion) -> None:
    hand = getattr(opinion.view, "hand", None)
    held = "" if hand is None else f"its hand: {show_value(hand)}; "
    moves = counted(opinion.legal_count, "legal move")
    if board is not None:
        console.print(Padding(board_table(board), (0, 0, 0, 4), expand=False))
    console.print(f"    {held}{moves}", soft_wrap=True)
    console.print()


def _summary(replay: Replay, opinions: Opinions) -> str:
    asked, different = len(opinions.all), len(opinions.different)
    middle, worst = opinions.times()
    where = f"{get_game(replay.game).title}, match {replay.match or 'without an id'}, seat {opinions.seat}"
    agreed = "all the same" if not different else f"{different} different"
    seed = "" if replay.seed else " The record has no seed, so self.rng is another one than in the match."
    return (
        f"{where}: {opinions.bot} was asked {asked} times, {agreed}. "
        f"Thinking time: median {middle:.2f} ms, worst {worst:.2f} ms.{seed}"
    )
