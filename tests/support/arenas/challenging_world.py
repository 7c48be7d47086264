"""An arena with a ladder whose bots challenge each other."""

from collections.abc import Mapping
from typing import Any

from roost.v1 import admin_pb2, play_pb2, records_pb2
from tests.support.arenas.hall import until
from tests.support.arenas.qualifying_world import Qualifying
from tests.support.arenas.raw_bot import Answers, RawBot
from tests.support.cups import cup


def ladder(an_hour: int = 12, phase: str | Mapping[str, object] = "ladder", **sections: Mapping[str, object]) -> str:
    """A competition whose owners may challenge each other for `an_hour` matches an hour."""
    return cup(
        "registration",
        phase,
        "finals",
        "done",
        clock={"decision_ms": 600_000},
        entry={"who": "open", "bots_per_owner": 2},
        challenges={"matches_per_owner_hour": an_hour, "matches_per_opponent_hour": 20},
        **sections,
    )


PACE = {"matches_per_bot_hour": 40}
LADDER = ladder(pace=PACE)


class Silent(RawBot):
    """Never answers."""

    def answers(self, decision: play_pb2.Decision) -> Answers:
        return ()


async def ask(
    there: Qualifying, owner: str, bot: str, *opponents: str, matches: int = 2, game: str = "karteneck"
) -> Any:
    """An owner asks for a challenge."""
    request = admin_pb2.ChallengeRequest(bot=bot, opponents=opponents, game=game, matches=matches)
    return await there.accounts.Challenge(request, metadata=there.shown_by(owner))


async def challenge(there: Qualifying, challenge_id: str) -> Any:
    """How far it is."""
    return await there.place.stub.GetChallenge(records_pb2.GetChallengeRequest(challenge_id=challenge_id))


async def over(there: Qualifying, challenge_id: str) -> Any:
    """How it ended, as soon as it has."""

    async def is_so() -> bool:
        return bool((await challenge(there, challenge_id)).over)

    await until(is_so, pause=0.05)
    return await challenge(there, challenge_id)
