"""What another bot would have done in a recorded match: where it differs, what it saw there, how long it thought."""

from asyncio import Runner
from collections.abc import Callable, Mapping
from random import Random
from statistics import median
from typing import Any, NamedTuple

from roost_games.errors import IllegalMove, MoveError, UsageError
from roost_games.game import JsonValue
from roost_games.playback import Playback
from roost_games.playthrough import show_move
from roost_games.referee import Ended, Played
from roost_games.registry import get_game
from roost_games.replay import Decision, Replay
from roost_games.wording import as_text
from roost_sdk import LoadedBot, rng_of
from roost_sdk.local import check_plays
from roost_sdk.plain import plain_view
from roost_sdk.seat import BotSeat, Outcome, SeatedBot, blocking
from roost_sdk.tracebacks import authors_lines, headline


class Opinion(NamedTuple):
    """What the bot says about one decision."""

    step: int
    """The step of the record, from 0."""
    recorded: Mapping[str, JsonValue]
    """What was played."""
    recorded_ms: float | None
    fallback: bool
    """Whether the referee had to decide for the recorded player."""
    view: Any
    public: Any
    """What a spectator saw at that moment."""
    legal_count: int
    move: dict[str, JsonValue] | None
    """What the bot would play; `None` if it has no legal answer."""
    trouble: str
    """Why it has none, in one line."""
    where: str
    """Where in the bot that happened, if it raised an error."""
    ms: float

    @property
    def differs(self) -> bool:
        """Whether it is not what was played. The order of cards in a move makes no difference."""
        return self.move is None or _ordered(self.move) != _ordered(self.recorded)

    def recorded_words(self, game: str) -> str:
        """What was played, for a person."""
        took = "" if self.recorded_ms is None else f" ({self.recorded_ms:.1f} ms)"
        by = " [fallback]" if self.fallback else took
        return f"{_words(game, self.recorded)}{by}"

    def words(self, game: str) -> str:
        """What the bot would do, for a person."""
        return f"{self.trouble or _words(game, self.move or {})} ({self.ms:.1f} ms)"


class Opinions(NamedTuple):
    """All that a bot says about a match."""

    bot: str
    seat: int
    game: str
    all: list[Opinion]

    @property
    def different(self) -> list[Opinion]:
        """The decisions that it would have made differently."""
        return [opinion for opinion in self.all if opinion.differs]

    def times(self) -> tuple[float, float]:
        """The median and the worst thinking time in milliseconds; 0 if it was never asked."""
        spent = [opinion.ms for opinion in self.all]
        return (median(spent), max(spent)) if spent else (0.0, 0.0)


def second_opinion(
    replay: Replay,
    bot: LoadedBot,
    seat: int,
    hear: Callable[[object], None] = lambda notice: None,
    answered: Callable[[Opinion], None] = lambda opinion: None,
    match: Playback | None = None,
) -> Opinions:
    """Ask `bot` about every decision of `seat`. `hear` gets the match's notices, `answered` each opinion.

    Raises `UsageError` if the match has no such seat or the bot does not play the game, and `ReplayError` if the record
    is broken.
    """
    players = len(replay.seats)
    if not 0 <= seat < players:
        raise UsageError(f"there is no seat {seat} in this match; its seats are 0 to {players - 1}")
    match = match or Playback(replay)
    check_plays(bot, replay.game, players)
    rng = Random(replay.match) if replay.seed is None else rng_of(bytes.fromhex(replay.seed), seat)
    opinions: list[Opinion] = []
    with Runner() as runner:
        guest = SeatedBot(bot.bot_class, BotSeat(replay.game, seat, players, rng), blocking(runner))
        started = guest.start()

        def before(decider: int, decision: Decision, step: int) -> None:
            if decider == seat:
                view, legal = match.view(seat), match.legal(seat)
                outcome = started if started[1] else guest.decide(view, legal)
                opinions.append(_opinion(match, decision, step, view, len(legal), outcome))

        def listen(notice: object) -> None:
            hear(notice)
            if isinstance(notice, Played):
                guest.seen(notice.seat, notice.move)
                if notice.seat == seat:
                    answered(opinions[-1])
            elif isinstance(notice, Ended):
                guest.end(notice.result)

        match.play(listen, before)
    return Opinions(bot.name, seat, replay.game, opinions)


def _opinion(match: Playback, decision: Decision, step: int, view: Any, count: int, outcome: Outcome) -> Opinion:
    answer, error, ms = outcome
    move, trouble, where = _verdict(match, decision.seat, answer, error)
    public = match.view(None)
    return Opinion(step, decision.move, decision.ms, decision.fallback, view, public, count, move, trouble, where, ms)


def _verdict(
    match: Playback, seat: int, move: object, error: BaseException | None
) -> tuple[dict[str, JsonValue] | None, str, str]:
    """The legal move that the bot would make, or what is wrong with its answer."""
    if error is not None:
        return None, f"crash: {headline(error)}", authors_lines(error)
    objection = match.objection(seat, move)
    if objection is None:
        return match.game.encode_move(move), "", ""
    return None, f"{_kind(objection)}: {as_text(move, 100)}", ""


def _kind(error: MoveError) -> str:
    return "an illegal move" if isinstance(error, IllegalMove) else "what is no move"


def _ordered(move: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    return {key: sorted(value) if isinstance(value, list) else value for key, value in move.items()}


def _words(game: str, move: Mapping[str, JsonValue]) -> str:
    found = get_game(game)
    return show_move(found, found.decode_move(dict(move)))


def opinions_json(replay: Replay, opinions: Opinions) -> dict[str, object]:
    """The opinions as JSON."""
    middle, worst = opinions.times()
    return {
        "match": replay.match,
        "game": opinions.game,
        "seat": opinions.seat,
        "bot": opinions.bot,
        "recorded_bot": replay.seats[opinions.seat].bot,
        "decisions": len(opinions.all),
        "median_ms": round(middle, 3),
        "worst_ms": round(worst, 3),
        "differences": [difference_json(opinion) for opinion in opinions.different],
    }


def difference_json(opinion: Opinion) -> dict[str, object]:
    """One opinion as JSON."""
    return {
        "step": opinion.step,
        "recorded": dict(opinion.recorded),
        "fallback": opinion.fallback,
        "move": opinion.move,
        "trouble": opinion.trouble,
        "ms": round(opinion.ms, 3),
        "legal_count": opinion.legal_count,
        "view": plain_view(opinion.view),
    }
