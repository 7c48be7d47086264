"""Step 5: when the others have left, their totals are final. One point more is enough, with few cards."""

from collections.abc import Sequence

from roost_bots.starters.karteneck import points
from roost_bots.tutorial.step1 import stake
from roost_bots.tutorial.step2 import thefts
from roost_bots.tutorial.step4 import Step4, others_in
from roost_games.karteneck import PASS, PASS_AND_STEAL, Lay, Move, View


class Step5(Step4):
    """Knows what is enough."""

    def karteneck(self, view: View, legal: Sequence[Move]) -> Move:
        lays = [move for move in legal if isinstance(move, Lay)]
        if PASS_AND_STEAL in legal or thefts(view, legal) or others_in(view) or not lays or stake(view) == 0:
            return super().karteneck(view, legal)
        best = max((view.totals[seat] for seat, status in enumerate(view.status) if status == "valid"), default=0)
        if not any(card.is_worm for card in view.display):
            return max(lays, key=lambda lay: (lay.cards[0].is_worm, points(lay)))
        if view.total > best:
            return PASS
        enough = [lay for lay in lays if view.total + points(lay) > best]
        return min(enough, key=lambda lay: (len(lay.cards), points(lay))) if enough else max(lays, key=points)
