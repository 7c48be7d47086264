"""An arena with a ladder whose bots challenge each other."""

from typing import Any

from roost.v1 import admin_pb2, play_pb2, records_pb2
from roost_sdk.arena.credentials import Credentials
from tests.support.arenas.hall import until
from tests.support.arenas.qualifying_world import Qualifying
from tests.support.arenas.raw_bot import Answers, RawBot

LADDER = """
name = "cup"
[[games]]
game = "karteneck"
players = [2]
[clock]
decision_ms = 600000
[entry]
who = "open"
bots_per_owner = 2
[pace]
matches_per_bot_hour = 40
[challenges]
matches_per_owner_hour = 12
matches_per_opponent_hour = 20
[[phases]]
phase = "registration"
[[phases]]
phase = "ladder"
[[phases]]
phase = "finals"
[[phases]]
phase = "done"
"""


class Silent(RawBot):
    """Never answers."""

    def answers(self, decision: play_pb2.Decision) -> Answers:
        return ()


async def ask(
    there: Qualifying, owner: str, bot: str, *opponents: str, matches: int = 2, game: str = "karteneck"
) -> Any:
    """An owner asks for a challenge."""
    request = admin_pb2.ChallengeRequest(bot=bot, opponents=opponents, game=game, matches=matches)
    return await there.accounts.Challenge(request, metadata=Credentials(there.key_of(owner)).metadata())


async def challenge(there: Qualifying, challenge_id: str) -> Any:
    """How far it is."""
    return await there.place.stub.GetChallenge(records_pb2.GetChallengeRequest(challenge_id=challenge_id))


async def over(there: Qualifying, challenge_id: str) -> Any:
    """How it ended, as soon as it has."""

    async def is_so() -> bool:
        return bool((await challenge(there, challenge_id)).over)

    await until(is_so, pause=0.05)
    return await challenge(there, challenge_id)
