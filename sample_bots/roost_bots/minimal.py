"""The bot of the README: an idea about one game in under 20 lines, and any legal move in the others."""

from roost_games.karteneck import Lay, Pass
from roost_sdk import Bot


class Minimal(Bot):
    """Lays its worms, then what adds most to its total, and leaves with 25 points."""

    def karteneck(self, view, legal):
        lays = [move for move in legal if isinstance(move, Lay)]
        has_worm = any(card.is_worm for card in view.display)
        if not lays or (has_worm and view.total >= 25):
            return max((move for move in legal if isinstance(move, Pass)), key=lambda move: move.steal)
        worms = [move for move in lays if move.cards[0].is_worm]
        return max(worms or lays, key=lambda move: sum(card.value for card in move.cards))

    def choose(self, view, legal):
        return self.rng.choice(legal)
