"""What an arena tells a spectator about a match, made without an arena."""

from random import Random
from typing import Any

from roost.v1 import arena_pb2, play_pb2
from roost_games.chance import seed_of
from roost_games.game import Variant
from roost_games.referee import Played, Referee, Seat
from roost_sdk.wire import codec_for, result_to_wire
from tests.support.games.toy import play_out

Update = arena_pb2.WatchMatchResponse


def watched(
    game: str, variant: Variant, players: int, seed: str, fault_rate: float = 0.0
) -> tuple[list[Update], Referee[Any, Any]]:
    """All updates that an arena sends about a match from its beginning, and the match."""
    codec = codec_for(game)
    options = codec.game.options(variant.options)
    match = codec.for_match(options)
    updates = [Update(started=_started(game, options, players, seed))]

    def hear(notice: object) -> None:
        if isinstance(notice, Played):
            event = play_pb2.Event(seat=notice.seat, fallback=notice.fallback)
            match.move_to_wire(notice.move, event.move)
            updates.append(Update(event=event))
            show()

    def show() -> None:
        updates.append(Update())
        match.view_to_wire(referee.view(None), updates[-1].view)

    seats = [Seat(f"bot{seat}") for seat in range(players)]
    referee = Referee(codec.game, seats, seed_of(seed), options=options, match=seed, listener=hear)
    show()
    play_out(referee, Random(seed), fault_rate)
    assert referee.result is not None
    updates.append(Update(ended=play_pb2.MatchEnded()))
    result_to_wire(referee.result, updates[-1].ended.result)
    return updates, referee


def _started(game: str, options: Any, players: int, seed: str) -> play_pb2.MatchStarted:
    started = play_pb2.MatchStarted(
        match_id=seed,
        game=game,
        players=players,
        bots=[f"bot{seat}" for seat in range(players)],
        commitment=bytes(32),
        clock=play_pb2.Clock(decision_ms=1000, bank_ms=10_000),
    )
    codec_for(game).options_to_wire(options, started.options)
    return started
