"""Bratwurmeck on the wire, as `proto/roost/v1/bratwurmeck.proto` describes it."""

from functools import lru_cache

from roost.v1 import play_pb2
from roost.v1.bratwurmeck_pb2 import BratwurmeckMove, BratwurmeckView
from roost_games.bratwurmeck import GAME
from roost_games.bratwurmeck.dice import FACES
from roost_games.bratwurmeck.moves import MOVES, Take
from roost_games.bratwurmeck.sheet import Options, Tile
from roost_games.bratwurmeck.view import View
from roost_games.errors import MalformedMove
from roost_games.game import JsonValue
from roost_sdk.wire.codec import (
    MATCH_CODECS,
    SEATS,
    BodyReader,
    Codec,
    MatchCodec,
    check_lengths,
    head_of,
    split,
)
from roost_sdk.wire.fields import (
    REMEMBERED,
    bytes_field,
    key_of,
    keys_of,
    number_field,
    pack,
    packed_field,
)

BODY = key_of(play_pb2.View, "bratwurmeck")
(
    STARTER,
    TURN,
    HORIZON,
    ROLL_NUMBER,
    GRILL,
    TURNED,
    STACKS,
    STACK_SIZES,
    ASIDE,
    TOTAL,
    ROLL,
) = keys_of(BratwurmeckView)

MOVE = key_of(play_pb2.Move, "bratwurmeck")
TAKE, THEN = keys_of(BratwurmeckMove)
FACES_BY_NUMBER = dict(enumerate(FACES, 1))
FACE_NUMBERS = {face: number for number, face in FACES_BY_NUMBER.items()}
ENDINGS = 4
"""How many moves there are for each face, in the order of `BratwurmeckThen`."""
MOVE_MESSAGES = {
    move: bytes_field(MOVE, pack((TAKE, 1 + index // ENDINGS, THEN, index % ENDINGS)))
    for index, move in enumerate(MOVES)
}

Tiles = tuple[Tile, ...]
Dice = tuple[str, ...]


@lru_cache(REMEMBERED)
def tiles_field(key: int, tiles: Tiles) -> bytes:
    """Tiles that lie in one place."""
    return packed_field(key, [tile.value for tile in tiles])


@lru_cache(REMEMBERED)
def stack_fields(stacks: tuple[Tiles, ...]) -> bytes:
    """The tiles of all seats."""
    values = packed_field(STACKS, [tile.value for stack in stacks for tile in stack])
    return values + packed_field(STACK_SIZES, [len(stack) for stack in stacks])


@lru_cache(REMEMBERED)
def dice_field(key: int, dice: Dice) -> bytes:
    """Dice that lie in one place."""
    return packed_field(key, [FACE_NUMBERS[face] for face in dice])


class BratwurmeckMatch(MatchCodec[Take, View, Options]):
    """The views and moves of matches with one set of tiles."""

    game = GAME

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._tiles = {tile.value: tile for tile in options.tiles}

    def view_bytes(self, view: View) -> bytes:
        body = b"".join(
            (
                pack((STARTER, view.starter, ROLL_NUMBER, view.roll_number, TOTAL, view.total)),
                number_field(TURN, view.turn),
                number_field(HORIZON, view.horizon),
                tiles_field(GRILL, view.grill),
                tiles_field(TURNED, view.turned),
                stack_fields(view.stacks),
                dice_field(ASIDE, view.aside),
                dice_field(ROLL, view.roll),
            )
        )
        return head_of(view.seat, view.players, view.to_move) + bytes_field(BODY, body)

    def _body_reader(self, players: int) -> BodyReader[View]:
        return self._view

    def _view(self, seat: int | None, players: int, to_move: tuple[int, ...], shown: BratwurmeckView) -> View:
        tiles = self._tiles
        stack_sizes = shown.stack_sizes[:]
        check_lengths(players, stack_sizes)
        return View(
            seat,
            players,
            to_move,
            SEATS[players][shown.starter],
            shown.turn,
            shown.horizon,
            shown.roll_number,
            tuple([tiles[value] for value in shown.grill[:]]),
            tuple([tiles[value] for value in shown.turned[:]]),
            split(tuple([tiles[value] for value in shown.stacks[:]]), stack_sizes),
            tuple([FACES_BY_NUMBER[number] for number in shown.aside[:]]),
            shown.total,
            tuple([FACES_BY_NUMBER[number] for number in shown.roll[:]]),
        )

    def move_to_wire(self, move: Take, message: play_pb2.Move) -> None:
        try:
            data = MOVE_MESSAGES.get(move) if type(move) is Take else None
        except TypeError:  # something in it cannot be hashed
            data = None
        if data is None:
            raise MalformedMove(f"{move!r:.60} is not a move of bratwurmeck")
        message.MergeFromString(data)

    def move_from_wire(self, message: play_pb2.Move) -> Take:
        if not message.HasField("bratwurmeck"):
            raise MalformedMove("this is not a move of bratwurmeck")
        move = message.bratwurmeck
        if not 1 <= move.take <= len(FACES):
            raise MalformedMove(f"the face to take is a number from 1 to {len(FACES)}, not {move.take}")
        if not 0 <= move.then < ENDINGS:
            raise MalformedMove(f"{move.then} is not a value of BratwurmeckThen")
        return MOVES[ENDINGS * (move.take - 1) + move.then]


class BratwurmeckCodec(Codec[Take, View, Options]):
    """Bratwurmeck on the wire."""

    game = GAME

    def options_to_wire(self, options: Options, message: play_pb2.GameOptions) -> None:
        message.bratwurmeck.tile_values.extend(tile.value for tile in options.tiles)
        message.bratwurmeck.tile_worms.extend(tile.worms for tile in options.tiles)

    def _given(self, message: play_pb2.GameOptions) -> dict[str, JsonValue]:
        options = message.bratwurmeck
        return {"tiles": list(zip(options.tile_values, options.tile_worms, strict=True))}

    def for_match(self, options: Options) -> BratwurmeckMatch:
        return _match_codec(options)


_match_codec = lru_cache(MATCH_CODECS)(BratwurmeckMatch)
CODEC = BratwurmeckCodec()
