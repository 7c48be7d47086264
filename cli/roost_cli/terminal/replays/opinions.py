"""What another bot would have done in a match, and what that was worth."""

import textwrap
from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table

from roost_bots import playing_on
from roost_cli.terminal.console import results
from roost_cli.terminal.replays.board import board_table
from roost_games.narration import Board, Look, narration_of
from roost_games.playthrough import show_value
from roost_games.registry import get_game
from roost_games.replay import Replay
from roost_games.wording import counted
from roost_ladder.workshop.review import Advice, Judged, in_places, plus_minus
from roost_ladder.workshop.second_opinion import Opinion, Opinions, difference_json, opinions_json
from roost_ladder.workshop.weighing import Weighed


def print_opinions(replay: Replay, opinions: Opinions) -> None:
    """Every difference with what the bot saw there, then a summary."""
    console = results()
    for opinion in opinions.different:
        _print_difference(console, replay, opinions, opinion)
    console.print(_summary(replay, opinions), soft_wrap=True)


def print_weighed(replay: Replay, opinions: Opinions, weighed: list[Weighed], worlds: int) -> None:
    """The differences where the bot's move was better on average, the costliest first, then a summary."""
    console = results()
    better = [each for each in weighed if each.gain.mean > 0]
    for each in better:
        _print_difference(console, replay, opinions, each.opinion, f"opponents left behind: {each.words()}")
    sure = sum(each.is_sure for each in better)
    player = playing_on(replay.game)
    console.print(_summary(replay, opinions), soft_wrap=True)
    console.print(
        f"From each difference {player} played on in all seats, {worlds} times: in {len(better)} of {len(weighed)} "
        f"the move of {opinions.bot} did better, in {sure} of them by more than chance allows (95 %).",
        soft_wrap=True,
    )


def weighed_json(replay: Replay, opinions: Opinions, weighed: list[Weighed]) -> dict[str, object]:
    """`roost replay --bot --weigh --json`: the differences that could be weighed, the costliest first."""
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
    seed = "" if replay.seed else " The record has no seed, so self.rng differs from that in the match."
    return (
        f"{where}: {opinions.bot} was asked {asked} times, {agreed}. "
        f"Thinking time: median {middle:.2f} ms, worst {worst:.2f} ms.{seed}"
    )


def print_judged(replay: Replay, asked: Advice, judged: Sequence[Judged], worlds: int) -> None:
    """The decisions that cost most, the worst first, each with what was done, and what would have been better."""
    console = results()
    for each in judged:
        _print_judged(console, replay, asked, each)
    own, better = asked
    console.print(_summary(replay, own), soft_wrap=True)
    sure = sum(each.is_sure for each in judged)
    asked_of = counted(len(better.all), "decision")
    console.print(
        f"{better.bot} would have played {len(better.different)} of {asked_of} differently. "
        f"From those above {playing_on(replay.game)} played on in all seats, {worlds} times each: "
        f"in {sure} of {len(judged)} the move of {better.bot} is better by more than chance allows (95 %).",
        soft_wrap=True,
    )


def judged_json(replay: Replay, asked: Advice, judged: Sequence[Judged]) -> dict[str, object]:
    """`roost replay --mine --json`: what the bot would do now, and the decisions that cost most, the worst first."""
    return {
        **opinions_json(replay, asked.own),
        "better_bot": asked.better.bot,
        "costliest": [_judgement_json(each) for each in judged],
    }


def _judgement_json(judged: Judged) -> dict[str, object]:
    numbers = {"place_as_played": judged.as_played, "place_otherwise": judged.otherwise, "cost": judged.cost}
    today = {"place_now": judged.now, "cost_now": judged.cost_now}
    return {
        **difference_json(judged.better),
        "now": judged.own.move,
        "now_trouble": judged.own.trouble,
        **{name: None if number is None else number._asdict() for name, number in (numbers | today).items()},
    }


def _print_judged(console: Console, replay: Replay, asked: Advice, judged: Judged) -> None:
    bots, (own, better) = [seat.bot for seat in replay.seats], asked
    player = f"seat {own.seat} ({bots[own.seat]})"
    console.print(f"step {judged.own.step}: {player} gave away {in_places(judged.cost)}", soft_wrap=True)
    rows = Table.grid(padding=(0, 2, 0, 0))
    rows.add_row("  it played", judged.own.recorded_words(own.game), f"place {plus_minus(judged.as_played)}")
    today = "" if judged.now is None else f"place {plus_minus(judged.now)}"
    rows.add_row(f"  {own.bot} would now", judged.own.words(own.game), today)
    rows.add_row(f"  {better.bot} would", judged.better.words(own.game), f"place {plus_minus(judged.otherwise)}")
    console.print(rows)
    if judged.own.where:
        console.print(textwrap.indent(judged.own.where, "  "), soft_wrap=True)
    _print_seen(console, narration_of(replay.game, bots).board(Look(judged.own.public, ()), None), judged.own)
