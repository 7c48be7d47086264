"""What a decision was worth: the match is played on from there, many times, as it was played and as another would.

What the seat could not see is imagined (`Game.determinise`), and one bot plays on in all seats. Both moves meet the
same imagined worlds with the same luck, so that their difference is the moves' own, given how that bot plays.
"""

from collections.abc import Callable, Sequence
from operator import sub
from random import Random
from statistics import fmean
from typing import Any, NamedTuple

from roost_games.game import left_behind
from roost_games.registry import AnyGame, get_game
from roost_ladder.rating.estimates import Estimate, mean_of
from roost_ladder.workshop.second_opinion import Opinion, Opinions
from roost_sdk.bot import Bot
from roost_sdk.seat import Decide, method_for, seat_bot
from roost_sdk.viewing.frames import Recorded
from roost_sdk.viewing.moments import Remark


class Weighed(NamedTuple):
    """An opinion with the outcome of both moves: the share of opponents left behind, where a tie is half."""

    opinion: Opinion
    as_played: float
    otherwise: float
    gain: Estimate
    """By how much the other move was better."""

    @property
    def is_sure(self) -> bool:
        """Whether these worlds are enough to call the other move better."""
        return self.gain.low is not None and self.gain.low > 0

    def words(self) -> str:
        """One line for a person."""
        margin = "" if self.gain.high is None else f" ±{100 * (self.gain.high - self.gain.mean):.0f}"
        shares = f"{100 * self.as_played:.0f} % as played, {100 * self.otherwise:.0f} % otherwise"
        return f"{shares}: {100 * self.gain.mean:+.0f}{margin}"

    def to_json(self) -> dict[str, object]:
        """As JSON."""
        return {"as_played": self.as_played, "otherwise": self.otherwise, "gain": self.gain._asdict()}


def weigh(
    opinions: Opinions, player: type[Bot], worlds: int, advance: Callable[[int], None] = lambda done: None
) -> list[Weighed]:
    """Every difference for which the bot has a legal move, the one that cost most first.

    `player` plays on in all seats; it should be quick and sensible. `advance` is called after each difference.
    """
    game = get_game(opinions.game)
    weighed = []
    for opinion in opinions.different:
        if opinion.move is not None:
            weighed.append(_weigh(game, opinion, player, worlds))
        advance(1)
    return sorted(weighed, key=lambda each: -each.gain.mean)


def remark_on(recorded: Recorded, opinions: Opinions, weighed: Sequence[Weighed] = ()) -> None:
    """Say in the frames of a match what the bot would have done, and what that was worth where it was weighed."""
    worth = {each.opinion.step: each for each in weighed}
    for opinion in opinions.different:
        text = f"here {opinions.bot} would: {opinion.words(opinions.game)}"
        found = worth.get(opinion.step)
        if found is None:
            recorded.remark(opinion.step, Remark(opinions.seat, text))
        else:
            text += f"; opponents left behind: {found.words()}"
            recorded.remark(opinion.step, Remark(opinions.seat, text, max(0.0, found.gain.mean)))


def _weigh(game: AnyGame, opinion: Opinion, player: type[Bot], worlds: int) -> Weighed:
    def shares(move: Any) -> list[float]:
        return [play_on(game, player, opinion.view, move, f"{opinion.step}:{number}") for number in range(worlds)]

    as_played, otherwise = shares(game.decode_move(dict(opinion.recorded))), shares(game.decode_move(opinion.move))
    gains = list(map(sub, otherwise, as_played))
    return Weighed(opinion, fmean(as_played), fmean(otherwise), mean_of(gains))


def play_on(game: AnyGame, player: type[Bot], view: Any, move: Any, luck: str) -> float:
    """Play `move` in an imagined world and go on from there. The share of opponents left behind; a tie is half.

    The world and the randomness of all bots depend on `luck` alone.
    """
    state = game.determinise(view, Random(luck))
    rngs = [Random(f"{luck}:{seat}") for seat in range(view.players)]
    bots = [seat_bot(player, game.name, seat, view.players, rng) for seat, rng in enumerate(rngs)]
    decide = [method_for(bot, game.name) for bot in bots]
    first: dict[int, Decide] = {view.seat: lambda view, legal: move}
    while state.to_move:
        # Bots that decide at the same time do not see each other's decisions.
        chosen = [
            (seat, first.get(seat, decide[seat])(state.observe(seat), state.legal(seat))) for seat in state.to_move
        ]
        first.clear()
        for seat, each in chosen:
            state.apply(seat, each)
    share: float = left_behind(state.merits())[view.seat]
    return share
