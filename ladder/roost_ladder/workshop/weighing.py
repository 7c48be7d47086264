"""What a decision was worth: the match is played on from there, many times, as it was played and as another would.

What the seat could not see is imagined (`Game.determinise`), and one bot plays on in all seats. Both moves meet the
same imagined worlds with the same luck, so that their difference is the moves' own, given how that bot plays.
"""

from collections.abc import Callable, Mapping, Sequence
from operator import sub
from random import Random
from typing import Any, NamedTuple

from roost_games.game import JsonValue, left_behind
from roost_games.registry import AnyGame, get_game
from roost_ladder.rating.estimates import Estimate, mean_of
from roost_ladder.workshop.second_opinion import Opinion, Opinions
from roost_sdk.bot import Bot
from roost_sdk.seat import Decide, method_for, seat_bot
from roost_sdk.viewing.frames import Recorded
from roost_sdk.viewing.moments import Remark

Notation = Mapping[str, JsonValue]
"""A move as replays write it."""


class Weighed(NamedTuple):
    """An opinion with the outcome of both moves: the share of opponents left behind, where a tie is half."""

    opinion: Opinion
    as_played: Estimate
    otherwise: Estimate
    gain: Estimate
    """By how much the other move was better."""

    @property
    def is_sure(self) -> bool:
        """Whether these worlds are enough to call the other move better."""
        return self.gain.is_positive

    def words(self) -> str:
        """One line for a person."""
        margin = "" if self.gain.high is None else f" ±{100 * (self.gain.high - self.gain.mean):.0f}"
        shares = f"{100 * self.as_played.mean:.0f} % as played, {100 * self.otherwise.mean:.0f} % otherwise"
        return f"{shares}: {100 * self.gain.mean:+.0f}{margin}"

    def to_json(self) -> dict[str, object]:
        """As JSON."""
        return {
            "as_played": self.as_played.mean,
            "otherwise": self.otherwise.mean,
            "gain": self.gain._asdict(),
            "as_played_interval": self.as_played[1:],
            "otherwise_interval": self.otherwise[1:],
        }


def weigh(
    opinions: Opinions, player: type[Bot], worlds: int, advance: Callable[[int], None] = lambda done: None
) -> list[Weighed]:
    """Every difference for which the bot has a legal move, the one that cost most first.

    `player` plays on in all seats; it should be quick and sensible. `advance` is called after each difference.
    """
    weighed = []
    for opinion in opinions.different:
        if opinion.move is not None:
            weighed.append(_weigh(opinions.game, opinion, opinion.move, player, worlds))
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


def _weigh(game: str, opinion: Opinion, move: Notation, player: type[Bot], worlds: int) -> Weighed:
    as_played, otherwise = outcomes(game, opinion, [opinion.recorded, move], player, _lucks(opinion.step, worlds))
    return Weighed(opinion, mean_of(as_played), mean_of(otherwise), mean_of(list(map(sub, otherwise, as_played))))


def _lucks(step: int, worlds: int) -> list[str]:
    return [f"{step}:{number}" for number in range(worlds)]


def outcomes(
    game: str, opinion: Opinion, moves: Sequence[Notation], player: type[Bot], lucks: Sequence[str]
) -> list[list[float]]:
    """For each of these moves the share of opponents left behind, in a world for each of `lucks`."""
    found = get_game(game)
    played = [found.decode_move(dict(move)) for move in moves]
    return [[play_on(found, player, opinion.view, move, luck) for luck in lucks] for move in played]


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
