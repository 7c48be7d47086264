"""Häc Mäc as the registry lists it: set-up, the legal moves of a view, the fallback, and sampling of what it hides."""

from collections.abc import Mapping, Sequence
from random import Random

from roost_games.chance import Chance, Quick
from roost_games.game import Game, JsonValue
from roost_games.haecmaec import moves
from roost_games.haecmaec.legal import HAS_DOUBLE, HAS_FLY, HAS_NORMAL, closable_from, reactions_to, turn_moves
from roost_games.haecmaec.moves import FLY, Move, Play
from roost_games.haecmaec.sheet import COMPONENTS, OPTION_DOCS, VARIANTS, Options, sheet_of
from roost_games.haecmaec.state import HaecMaecState
from roost_games.haecmaec.table import MOST_PLAYERS
from roost_games.haecmaec.unseen import deal_unseen
from roost_games.haecmaec.view import View


class HaecMaec(Game[Move, View, Options]):
    """The burger card game, with or without slapping."""

    name = "haecmaec"
    title = "Häc Mäc"
    summary = (
        "Build burgers together and be the one who closes them; a third card of a kind is a bluff that may be called."
    )
    components = COMPONENTS
    option_docs = OPTION_DOCS
    variants = VARIANTS

    def options(self, given: Mapping[str, JsonValue]) -> Options:
        self.check_option_names(given)
        return Options.parse(given)

    def players(self, options: Options) -> range:
        return range(3 if options.slap else 2, MOST_PLAYERS + 1)

    def start(self, players: int, options: Options, chance: Chance) -> HaecMaecState:
        self.check_players(players, options)
        return HaecMaecState(players, options, chance)

    def legal(self, view: View) -> Sequence[Move]:
        seat = view.seat
        if seat is None or seat not in view.to_move:
            return ()
        burger = len(view.burger)
        tops = (HAS_NORMAL if view.normal_tops[seat] else 0) | (HAS_DOUBLE if view.doubling_tops[seat] else 0)
        if view.phase == "react":
            answers = reactions_to(burger, view.options.slap)
            return answers[tops | (HAS_FLY if FLY in view.hand else 0)] if answers else ()
        sheet = sheet_of(view.options.ingredients)
        hand = [sheet.numbers[card] for card in view.hand]
        return turn_moves(sheet, hand, burger, tops if burger >= closable_from(view.players) else 0, view.bottoms)

    def fallback(self, view: View) -> Move:
        """The lowest ingredient that is not a third of its kind, else the lowest; ties by the sheet. No reactions."""
        if view.phase == "react":
            return self.legal(view)[0]  # neither suspicion nor slap
        ingredients = [card for card in view.hand if card != FLY]  # in the order of the sheet, and min takes the first
        return Play(min(ingredients, key=lambda card: (view.is_third(card), card.value)))

    def encode_move(self, move: Move) -> dict[str, JsonValue]:
        return moves.encode_move(move)

    def decode_move(self, data: JsonValue) -> Move:
        return moves.decode_move(data)

    def determinise(self, view: View, rng: Random) -> HaecMaecState:
        """A full state that shows `view.seat` exactly `view`, each possible one equally likely.

        It counts the ways to distribute the unseen cards, each a card of its own, over the other hands and the places
        in the pile. A way is possible if some deal and the moves seen can have led to it. That means: every player
        holds an ingredient, except the one whose card is being judged, and a player who slapped with a fly and was not
        the quickest still holds it. `deal_unseen` says it in full.

        So the choices of others are not interpreted. Without slapping, this is exactly what to believe if all had
        picked their cards blindly. Reactions of others count as not given yet.
        """
        hands, pile = deal_unseen(view, rng)
        return HaecMaecState.restored(view, hands, pile, Quick(rng))


GAME = HaecMaec()
