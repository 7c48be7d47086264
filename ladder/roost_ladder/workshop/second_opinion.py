"""What another bot would have done in a recorded match: where it differs, what it saw there, how long it thought."""

from collections.abc import Callable, Mapping
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
from roost_ladder.workshop.guests import AskedBot, RecordedSeat, Reply
from roost_sdk.local import rng_seed
from roost_sdk.plain import plain_view


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
        return f"{move_words(game, self.recorded)}{by}"

    def words(self, game: str) -> str:
        """What the bot would do, for a person."""
        return f"{self.trouble or move_words(game, self.move or {})} ({self.ms:.1f} ms)"


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

    def at(self, step: int) -> Opinion:
        """That about the decision at this step. Raises `UsageError` if the seat does not decide there."""
        found = next((opinion for opinion in self.all if opinion.step == step), None)
        if found is None:
            steps = ", ".join(str(opinion.step) for opinion in self.all)
            raise UsageError(f"seat {self.seat} does not decide at step {step}; it does at {steps}")
        return found

    def times(self) -> tuple[float, float]:
        """The median and the worst thinking time in milliseconds; 0 if it was never asked."""
        spent = [opinion.ms for opinion in self.all]
        return (median(spent), max(spent)) if spent else (0.0, 0.0)


def second_opinion(
    replay: Replay,
    bot: AskedBot,
    seat: int,
    random: str = "",
    hear: Callable[[object], None] = lambda notice: None,
    answered: Callable[[Opinion], None] = lambda opinion: None,
    match: Playback | None = None,
) -> Opinions:
    """Ask `bot` about every decision of `seat`. `hear` gets the match's notices, `answered` each opinion.

    `random` seeds its randomness; if it is empty, the seed of the match does, as in local matches. Raises `UsageError`
    if the match has no such seat or the bot does not play the game, `ReplayError` if the record is broken, and
    `RoostError` if the process of the bot hangs or ends.
    """
    players = len(replay.seats)
    if not 0 <= seat < players:
        raise UsageError(f"there is no seat {seat} in this match; its seats are 0 to {players - 1}")
    match = match or Playback(replay)
    bot.check_plays(replay.game, players)
    guest = bot.sit(RecordedSeat(replay.game, replay.options, seat, players, random or luck_of(replay, seat)))
    opinions: list[Opinion] = []

    def before(decider: int, decision: Decision, step: int) -> None:
        if decider == seat:
            view, legal = match.view(seat), match.legal(seat)
            opinions.append(_opinion(match, decision, step, view, len(legal), guest.decide(view, legal)))

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


def luck_of(replay: Replay, seat: int) -> str:
    """What the randomness of a local bot was seeded with. At an arena only the bot's own journal knows."""
    return replay.match if replay.seed is None else rng_seed(bytes.fromhex(replay.seed), seat)


def _opinion(match: Playback, decision: Decision, step: int, view: Any, count: int, reply: Reply) -> Opinion:
    move, trouble = _verdict(match, decision.seat, reply)
    public, (_, _, where, ms) = match.view(None), reply
    return Opinion(step, decision.move, decision.ms, decision.fallback, view, public, count, move, trouble, where, ms)


def _verdict(match: Playback, seat: int, reply: Reply) -> tuple[dict[str, JsonValue] | None, str]:
    """The legal move that the bot would make, or what is wrong with its answer."""
    if reply.trouble:
        return None, reply.trouble
    objection = match.objection(seat, reply.move)
    if objection is None:
        return match.game.encode_move(reply.move), ""
    return None, f"{_kind(objection)}: {as_text(reply.move, 100)}"


def _kind(error: MoveError) -> str:
    return "an illegal move" if isinstance(error, IllegalMove) else "what is no move"


def _ordered(move: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    return {key: sorted(value) if isinstance(value, list) else value for key, value in move.items()}


def move_words(game: str, move: Mapping[str, JsonValue]) -> str:
    """A move in the notation of replays, for a person."""
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
