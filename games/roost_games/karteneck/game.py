"""Karteneck as the registry lists it: set-up, the legal moves of a view, and sampling of what it hides."""

from collections.abc import Mapping, Sequence
from random import Random

from roost_games.chance import Chance, Quick
from roost_games.game import Game, JsonValue
from roost_games.karteneck.legal import WORM_BIT, legal_moves, sheet_of, top_value
from roost_games.karteneck.moves import PASS, Move, decode_move, encode_move
from roost_games.karteneck.sampling import place_unseen
from roost_games.karteneck.sheet import COMPONENTS, OPTION_DOCS, Options, options_from
from roost_games.karteneck.state import KarteneckState
from roost_games.karteneck.view import View


class Karteneck(Game[Move, View, Options]):
    """Heckmeck am Karteneck."""

    name = "karteneck"
    title = "Heckmeck am Karteneck"
    summary = "Lay cards, stop in time, and take, or steal, the portions with the most worms."
    components = COMPONENTS
    option_docs = OPTION_DOCS

    def options(self, given: Mapping[str, JsonValue]) -> Options:
        self.check_option_names(given)
        return options_from(given)

    def players(self, options: Options) -> range:
        return range(2, 5)

    def start(self, players: int, options: Options, chance: Chance) -> KarteneckState:
        self.check_players(players, options)
        return KarteneckState.dealt(players, options, chance)

    def legal(self, view: View) -> Sequence[Move]:
        if view.seat is None or view.seat not in view.to_move:
            return ()
        sheet = sheet_of(view.options)
        numbers, worms = sheet.sorted_out(view.hand)
        laid, total = sheet.kinds_in(view.display), view.total
        tops = [top_value(stack) for stack in view.stacks]
        can_steal = laid & WORM_BIT != 0 and total in tops and tops[view.seat] != total
        return legal_moves(sheet, numbers, worms, laid, can_steal)

    def fallback(self, view: View) -> Move:
        return PASS

    def encode_move(self, move: Move) -> dict[str, JsonValue]:
        return encode_move(move)

    def decode_move(self, data: JsonValue) -> Move:
        return decode_move(data)

    def determinise(self, view: View, rng: Random) -> KarteneckState:
        """Uniform over the worlds described in `sampling`, and over the portions that no one has seen."""
        state = KarteneckState(view.players, view.options, Quick(rng))
        state.restore_public(view)
        placement = place_unseen(view, rng)
        for seat, hand in placement.hands.items():
            state.hold(seat, hand)
            state.drawn[seat] = placement.drawn.get(seat, [])
        if view.seat is not None:
            state.hold(view.seat, view.hand)
            state.drawn[view.seat] = list(view.drawn)
        state.pile = [state.sheet.codes[card] for card in reversed(placement.pile)]
        state.hide_portions(rng)
        return state


GAME = Karteneck()
