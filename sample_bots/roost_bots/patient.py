"""The bot that takes its time: it plays as `careful` does, at the pace of a person, so that others can watch.

Its methods are `async`: while it waits in one match, it plays on in the others. It is no use on ladders, where the
pauses would only cost time; `roost showcase` lets it play.
"""

import asyncio
from collections.abc import Sequence

from roost_bots.careful import CarefulBot
from roost_games import bratwurmeck as dice
from roost_games import haecmaec as burgers
from roost_games import karteneck as cards

PAUSE = 0.5
"""Seconds before each decision: far less than a decision may take, on a busy machine too."""


class PatientBot(CarefulBot):
    """Weighs what may go wrong, and lets you follow."""

    async def karteneck(  # type: ignore[override]
        self, view: cards.View, legal: Sequence[cards.Move]
    ) -> cards.Move:
        await asyncio.sleep(PAUSE)
        return super().karteneck(view, legal)

    async def bratwurmeck(  # type: ignore[override]
        self, view: dice.View, legal: Sequence[dice.Move]
    ) -> dice.Move:
        await asyncio.sleep(PAUSE)
        return super().bratwurmeck(view, legal)

    async def haecmaec(  # type: ignore[override]
        self, view: burgers.View, legal: Sequence[burgers.Move]
    ) -> burgers.Move:
        await asyncio.sleep(PAUSE)
        return super().haecmaec(view, legal)
