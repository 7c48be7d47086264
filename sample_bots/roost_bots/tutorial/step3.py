"""Step 3: cards that are laid are gone for all rounds to come. For a single worm, lay one card of a kind, not all."""

from collections.abc import Sequence

from roost_bots.tutorial.step1 import stake
from roost_bots.tutorial.step2 import Step2
from roost_games.karteneck import Lay, Move, View


class Step3(Step2):
    """Spends as much as the round is worth."""

    def karteneck(self, view: View, legal: Sequence[Move]) -> Move:
        if stake(view) == 1:
            legal = [move for move in legal if not isinstance(move, Lay) or len(move.cards) == 1]
        return super().karteneck(view, legal)
