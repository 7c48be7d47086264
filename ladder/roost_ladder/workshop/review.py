"""What cost most in a match: the decisions of a seat, as its bot would make them now and as a better bot would.

Where the better bot differs, the match is played on a few times to find the costliest decisions. These are then
measured again in fresh worlds: to choose the largest of many noisy numbers and to show that number would exaggerate.
"""

from collections.abc import Callable, Sequence
from operator import sub
from pathlib import Path
from typing import NamedTuple

from roost_games.errors import UsageError
from roost_ladder.rating.estimates import Estimate, mean_of
from roost_ladder.workshop.second_opinion import Opinion, Opinions
from roost_ladder.workshop.weighing import outcomes, weigh
from roost_sdk.bot import Bot
from roost_sdk.load import short_name
from roost_sdk.viewing.frames import Recorded
from roost_sdk.viewing.moments import Remark

MOST_SHOWN = 3
"""How many decisions are measured again."""
FIRST_WORLDS = 10
"""How often the match is played on from each difference to find them."""
WORLDS = 200
"""How often the match is played on from each of them, unless told otherwise."""


class Advice(NamedTuple):
    """Two bots that were asked about the same seat of a match."""

    own: Opinions
    better: Opinions


class Judged(NamedTuple):
    """A decision and what it was worth: the expected place, as played and otherwise."""

    own: Opinion
    """What the bot would do now."""
    better: Opinion
    """What the better bot would do."""
    as_played: Estimate
    otherwise: Estimate
    """With the move of the better bot."""
    cost: Estimate
    """By how many places that is better than what was played."""
    now: Estimate | None
    """With the bot's move of today; `None` if it has no legal one."""
    cost_now: Estimate | None
    """By how many places the better bot's move is better than that."""

    @property
    def is_sure(self) -> bool:
        """Whether these worlds are enough to call the other move better."""
        return self.cost.is_positive


def own_bot(names: Sequence[str], bot: str | None, seat: int | None) -> tuple[str, int]:
    """One's own bot and its seat, in a match of bots with these names: as told, else by the names of files.

    Raises `UsageError` if that leaves more than one, or none.
    """
    if bot is None:
        own = list(dict.fromkeys(names)) if seat is None else list(names[seat : seat + 1])
        files = [file for name in own for file in _files_of(name) if file.is_file()]
        if len(files) != 1:
            found = f"{len(files)} of its bots are files" if files else "none of its bots is a file"
            raise UsageError(f"{found} here ({', '.join(own)}); name yours: --bot mybot.py")
        bot = str(files[0])
    seats = [at for at, name in enumerate(names) if name == short_name(bot)] if seat is None else [seat]
    if len(seats) != 1:
        raise UsageError(f"in which seat {bot} is cannot be told from the names ({', '.join(names)}); add --seat N")
    return bot, seats[0]


def _files_of(name: str) -> list[Path]:
    """Where `roost new` puts a bot with this name."""
    return [Path(f"{name}.py"), Path(name, f"{name}.py")] if name.isidentifier() else []


def costliest(
    asked: Advice, player: type[Bot], worlds: int = WORLDS, advance: Callable[[int], None] = lambda done: None
) -> list[Judged]:
    """The decisions that cost most, the worst first. `player` plays on in all seats.

    `advance` is called after each difference, and after each decision that is measured again.
    """
    better = asked.better
    found = [each for each in weigh(better, player, FIRST_WORLDS, advance) if each.gain.mean > 0][:MOST_SHOWN]
    judged = []
    for each in found:
        judged.append(judge(asked, each.opinion.step, player, worlds))
        advance(1)
    return sorted(judged, key=lambda each: -each.cost.mean)


def judge(asked: Advice, step: int, player: type[Bot], worlds: int = WORLDS) -> Judged:
    """The decision at this step, with fresh worlds. Raises `UsageError` if the seat does not decide there."""
    own, better = asked.own.at(step), asked.better.at(step)
    moves = [better.recorded, better.move or better.recorded, own.move or own.recorded]
    lucks = [f"again:{step}:{number}" for number in range(worlds)]
    played, otherwise, now = outcomes(asked.own.game, better, moves, player, lucks)
    others = better.view.players - 1
    return Judged(
        own,
        better,
        _place(played, others),
        _place(otherwise, others),
        _places_lost(played, otherwise, others),
        _place(now, others) if own.move else None,
        _places_lost(now, otherwise, others) if own.move else None,
    )


def _place(shares: Sequence[float], others: int) -> Estimate:
    """The expected place from the share of opponents left behind."""
    return mean_of([1 + others * (1 - share) for share in shares])


def _places_lost(shares: Sequence[float], better: Sequence[float], others: int) -> Estimate:
    return mean_of([others * gain for gain in map(sub, better, shares)])


def remark_on_judged(recorded: Recorded, asked: Advice, judged: Sequence[Judged]) -> None:
    """Say in the frames of a match what the better bot would have done, and what that was worth where it was judged."""
    worth = {each.better.step: each for each in judged}
    for opinion in asked.better.different:
        text = f"here {asked.better.bot} would: {opinion.words(asked.better.game)}"
        found = worth.get(opinion.step)
        cost = "" if found is None else f"; that is worth {in_places(found.cost)}"
        swing = 0.0 if found is None else max(0.0, found.cost.mean / (opinion.view.players - 1))
        recorded.remark(opinion.step, Remark(asked.better.seat, text + cost, swing))


def in_places(cost: Estimate) -> str:
    """For a person: `0.31 ±0.08 places`."""
    return f"{plus_minus(cost)} places"


def plus_minus(number: Estimate) -> str:
    """For a person: `1.62 ±0.05`."""
    return f"{number.mean:.2f}" + ("" if number.high is None else f" ±{number.high - number.mean:.2f}")
