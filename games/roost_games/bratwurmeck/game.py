"""Bratwurmeck as the registry lists it: set-up, the legal moves of a view, and the fallback."""

from collections.abc import Mapping, Sequence
from random import Random

from roost_games.bratwurmeck.dice import FACE_INDEX, faces_of, roll_of
from roost_games.bratwurmeck.moves import Take, decode_move, encode_move, legal_moves
from roost_games.bratwurmeck.sheet import COMPONENTS, OPTION_DOCS, PLAYERS, Options, options_from
from roost_games.bratwurmeck.state import BratwurmeckState
from roost_games.bratwurmeck.view import View
from roost_games.chance import Chance, Quick
from roost_games.game import Game, JsonValue


class Bratwurmeck(Game[Take, View, Options]):
    """Heckmeck am Bratwurmeck."""

    name = "bratwurmeck"
    title = "Heckmeck am Bratwurmeck"
    summary = "Set dice aside face by face, stop in time, and take or steal the tile that your total earns."
    components = COMPONENTS
    option_docs = OPTION_DOCS

    def options(self, given: Mapping[str, JsonValue]) -> Options:
        self.check_option_names(given)
        return options_from(given)

    def players(self, options: Options) -> range:
        return PLAYERS

    def start(self, players: int, options: Options, chance: Chance) -> BratwurmeckState:
        self.check_players(players, options)
        return BratwurmeckState.start(players, options.tiles, chance)

    def legal(self, view: View) -> Sequence[Take]:
        if view.seat not in view.to_move:
            return ()
        tops = [stack[-1].value for seat, stack in enumerate(view.stacks) if stack and seat != view.seat]
        targets = sum(1 << value for value in tops)
        return legal_moves(roll_of(view.roll), faces_of(view.aside), view.total, targets)

    def fallback(self, view: View) -> Take:
        """Take the best face; stop as soon as that takes a tile from the grill, else roll if possible; never steal."""
        legal = self.legal(view)
        best = max(legal, key=lambda move: FACE_INDEX[move.face]).face
        roll_then_stop = [move for move in legal if move.face == best and not move.steal]
        return roll_then_stop[-1 if _stop_takes_tile(view, best) else 0]

    def encode_move(self, move: Take) -> dict[str, JsonValue]:
        return encode_move(move)

    def decode_move(self, data: JsonValue) -> Take:
        return decode_move(data)

    def determinise(self, view: View, rng: Random) -> BratwurmeckState:
        """The state that `view` shows: only the coming rolls are hidden, so there is nothing to sample."""
        return BratwurmeckState.resume(view, Quick(rng))


def _stop_takes_tile(view: View, face: str) -> bool:
    """Whether stopping with `face` takes a tile from the grill."""
    total = view.total + roll_of(view.roll).gains[FACE_INDEX[face]]
    return "W" in (*view.aside, face) and any(tile.value <= total for tile in view.grill)


GAME = Bratwurmeck()
