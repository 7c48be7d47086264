"""A bot that remembers deals. In Bratwurmeck the dice of a turn do not depend on what was played before.

The attacker is a greedy bot that also watches its own matches, as anybody may, and notes every roll. When it meets a
commitment again, it knows what was rolled in the same turn, and plays by it. Its opponent is the same greedy bot.
"""

import asyncio
from hashlib import sha256
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from roost.v1 import arena_pb2, play_pb2
from roost.v1.arena_pb2_grpc import ArenaStub
from roost_bots.greedy import GreedyBot
from roost_bots.thinking.reading import points_of, tile_won
from roost_games.bratwurmeck import Take, View
from roost_games.registry import get_game
from roost_ladder.blocks import Deals
from roost_sdk.wire import codec_for
from roost_server.accounts.limits import RequestLimits
from roost_server.play import contest
from roost_server.serving import reading
from roost_server.store import Store, queries
from tests.support.arenas.hall import PATIENCE, bounded, hall, settings, until
from tests.support.arenas.raw_bot import Answers, RawBot
from tests.support.attacks import ROUNDS, chance_limit, say_gain
from tests.support.records.matches import counted

GAME = get_game("bratwurmeck")
CODEC = codec_for(GAME.name).for_match(GAME.options({}))
BLOCKS = 50 * ROUNDS
FAILED = -2.0
"""About what a failed turn costs, in worms: the top tile."""

Rolls = dict[tuple[int, int, int], tuple[str, ...]]
"""By turn, number of the roll, and number of dice: what was rolled."""


class Greedy(RawBot):
    """Plays as the sample does."""

    def answers(self, decision: play_pb2.Decision) -> Answers:
        move = self.choose(self.started[decision.match].commitment, CODEC.view_from_wire(decision.view))
        answer = play_pb2.Answer(match=decision.match, request=decision.request)
        CODEC.move_to_wire(move, answer.move)
        return (answer,)

    def choose(self, commitment: bytes, view: View) -> Take:
        return GreedyBot().bratwurmeck(view, GAME.legal(view))


class Elephant(Greedy):
    """Watches, remembers, and knows."""

    def __init__(self, *given: Any, **hello: Any) -> None:
        super().__init__(*given, **hello)
        self.remembered: dict[bytes, Rolls] = {}
        self.recalled = 0
        """In how many decisions it knew the deal. In all others it plays as its opponent would."""
        self._noted: dict[bytes, Rolls] = {}
        """What has been seen in the present match; it is of no use there."""
        self._watching: list[asyncio.Task[None]] = []

    async def hear(self, message: play_pb2.ArenaMessage) -> None:
        for started in message.started:
            self.remembered.update(self._noted)
            self._noted = {started.commitment: {}}
            attached = asyncio.Event()
            self._watching.append(asyncio.create_task(self._watch(started, attached)))
            await attached.wait()
        await super().hear(message)

    async def disconnect(self) -> None:
        for task in self._watching:
            task.cancel()
        await asyncio.gather(*self._watching, return_exceptions=True)
        await super().disconnect()

    async def _watch(self, started: play_pb2.MatchStarted, attached: asyncio.Event) -> None:
        stub: Any = ArenaStub(self._channel)  # type: ignore[no-untyped-call,unused-ignore]
        request = arena_pb2.WatchMatchRequest(match_id=started.match_id, from_beginning=True)
        noted = self._noted[started.commitment]
        async for update in stub.WatchMatch(request):
            attached.set()
            if update.HasField("view"):
                view = CODEC.view_from_wire(update.view)
                noted[view.turn, view.roll_number, len(view.roll)] = view.roll

    def choose(self, commitment: bytes, view: View) -> Take:
        rolls = self.remembered.get(commitment, {})
        self.recalled += commitment in self.remembered
        usual = super().choose(commitment, view)
        best = best_known(view, rolls)
        if best is None or (best[0] <= 0 and worth(view, usual, rolls) is None):
            return usual
        return best[1]


def best_known(view: View, rolls: Rolls) -> tuple[float, Take] | None:
    """The best move of those whose outcome is known, and how many worms it gains."""
    known = [(worth(view, move, rolls), move) for move in GAME.legal(view)]
    return max(((gain, move) for gain, move in known if gain is not None), default=None, key=lambda each: each[0])


def worth(view: View, move: Take, rolls: Rolls) -> float | None:
    """How many worms a move gains; `None` if nobody knows."""
    if move.then == "stop":
        tile = tile_won(view, move)
        return tile.worms if tile else FAILED
    taken = view.roll.count(move.face)
    rolled = rolls.get((view.turn, view.roll_number + 1, len(view.roll) - taken))
    if rolled is None:
        return None
    aside, total = (*view.aside, *[move.face] * taken), view.total + points_of(view, move.face)
    after = view._replace(roll=rolled, roll_number=view.roll_number + 1, aside=aside, total=total)
    if not GAME.legal(after):
        return FAILED
    best = best_known(after, rolls)
    return None if best is None else best[0]


def wins_by_rotation(store: Store, version_id: int) -> tuple[float, float]:
    """What the bot won of the first and of the second matches of the first blocks; a shared place is half a win."""
    won = [0.0, 0.0]
    of_block: dict[str, int] = {}
    for match in counted(store):
        rotation = of_block.setdefault(match.block_id, 0)
        of_block[match.block_id] += 1
        if match.facts is not None and len(of_block) <= BLOCKS:
            mine, other = match.facts.places if match.facts.bots[0] == version_id else match.facts.places[::-1]
            won[rotation] += (mine < other) + (mine == other) / 2
    return won[0], won[1]


@pytest.mark.long
@pytest.mark.parametrize(("deals", "pays"), [(Deals.DUPLICATE, True), (Deals.OWN, False)])
def test_remembering_the_dice_of_a_deal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deals: Deals, pays: bool
) -> None:
    """It pays with duplicate deals, in the second match of a block, and not with deals of their own."""
    numbers = count()
    # The same deals in every run of this test. Nothing here can tell them from random ones.
    drawn = SimpleNamespace(
        token_hex=lambda length: f"block-{next(numbers)}",
        token_bytes=lambda length: sha256(f"attack {next(numbers)}".encode()).digest(),
    )
    monkeypatch.setattr(contest, "secrets", drawn)
    # It sees more than a spectator is sent in a second, so as not to play half of its matches blindly.
    monkeypatch.setattr(reading, "WATCHING", RequestLimits(requests_per_second=1e6, burst=1_000_000))
    won: list[float] = []
    recalled: list[int] = []

    async def script() -> None:
        async with (
            hall(tmp_path, settings("bratwurmeck", deals=deals)) as place,
            Elephant(place.address, "elephant", max_matches=1) as elephant,
            Greedy(place.address, "greedy", max_matches=1),
        ):
            await until(lambda: queries.match_count(place.store) >= 2 * BLOCKS, pause=0.2)
            won.extend(wins_by_rotation(place.store, elephant.welcome.version_id))
            recalled.append(elephant.recalled)

    bounded(script, seconds=PATIENCE * ROUNDS)
    first, second = won
    say_gain(f"first matches, {deals} deals", first, BLOCKS)
    say_gain(f"second matches, {deals} deals", second, BLOCKS)
    most = chance_limit(BLOCKS)
    assert BLOCKS - most < first < most
    assert second > most if pays else second < most
    assert (recalled != [0]) is pays, "with deals of their own there is nothing to gain: none is met again"
