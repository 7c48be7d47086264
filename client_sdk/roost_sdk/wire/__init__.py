"""Codecs between the values of `roost_games` and the messages of `roost.v1`, for bots and for the arena.

    codec = codec_for("karteneck")
    options = codec.options_from_wire(started.options)
    match = codec.for_match(options)
    view = match.view_from_wire(decision.view)
    match.move_to_wire(move, answers.add().move)

Each game has a module here with its name, whose `CODEC` is its codec.
"""

from roost_games.registry import part_of
from roost_sdk.wire.codec import AnyCodec, AnyMatchCodec, Codec, MatchCodec, WireError
from roost_sdk.wire.results import fault_from_wire, result_from_wire, result_to_wire

__all__ = [
    "AnyCodec",
    "AnyMatchCodec",
    "Codec",
    "MatchCodec",
    "WireError",
    "codec_for",
    "fault_from_wire",
    "result_from_wire",
    "result_to_wire",
]


def codec_for(game_name: str) -> AnyCodec:
    """The codec of the game called `game_name`. Raises `UsageError`, which lists the games."""
    codec: AnyCodec = part_of(game_name, package="roost_sdk.wire").CODEC
    return codec
