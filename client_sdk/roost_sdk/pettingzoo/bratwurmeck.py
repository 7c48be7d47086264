"""The coding of Bratwurmeck: 24 actions, which are all its moves."""

from array import array

from roost_games.bratwurmeck import Options, Take, View
from roost_games.bratwurmeck.dice import DICE, FACE_INDEX, FACES
from roost_games.bratwurmeck.moves import MOVES
from roost_games.bratwurmeck.sheet import HIGHEST_TILE, TURNS_PER_PLAYER
from roost_sdk.pettingzoo.coding import Coding, Field, flags, write_counts, write_set, write_stack


class BratwurmeckCoding(Coding[Take, View]):
    """Bratwurmeck with a set of tiles."""

    def __init__(self, players: int, options: Options) -> None:
        tiles = len(options.tiles)
        worms = max(1, sum(tile.worms for tile in options.tiles))
        self._places = {tile: place for place, tile in enumerate(options.tiles)}
        fields = (
            flags("to_move", players),
            Field("turns_left", (players * TURNS_PER_PLAYER,)),
            flags("grill", tiles),
            flags("turned", tiles),
            flags("stacks", players * tiles),
            Field("worms", (worms,) * players),
            Field("aside", (DICE,) * len(FACES)),
            Field("roll", (DICE,) * len(FACES)),
            Field("total", (HIGHEST_TILE,)),
        )
        super().__init__(players, fields, MOVES)

    @classmethod
    def options_of(cls, view: View) -> Options:
        """Every tile lies somewhere, so the view shows the whole sheet."""
        return Options(tuple(sorted([*view.grill, *view.turned, *(tile for stack in view.stacks for tile in stack)])))

    def _write(self, values: "array[float]", view: View, own: int) -> None:
        at, places = self._at, self._places
        for seat in view.to_move:
            values[at["to_move"] + (seat - own) % self.players] = 1
        values[at["turns_left"]] = view.horizon - view.turn
        write_set(values, at["grill"], view.grill, places)
        write_set(values, at["turned"], view.turned, places)
        for offset, seat in enumerate(self._from(own)):
            stack = view.stacks[seat % self.players]
            write_stack(values, at["stacks"] + offset * len(places), stack, places)
            values[at["worms"] + offset] = sum(tile.worms for tile in stack)
        write_counts(values, at["aside"], view.aside, FACE_INDEX)
        write_counts(values, at["roll"], view.roll, FACE_INDEX)
        values[at["total"]] = view.total


CODING = BratwurmeckCoding
