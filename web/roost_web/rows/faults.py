"""Faults: what a bot did wrong, and where."""

from collections.abc import Iterable
from enum import StrEnum

from pydantic import BaseModel, Field

from roost.v1 import play_pb2, records_pb2
from roost_web.client import ArenaClient


class FaultKind(StrEnum):
    """What a bot did wrong."""

    MALFORMED = "malformed"
    ILLEGAL = "illegal"
    LATE = "late"
    GONE = "gone"
    CRASHED = "crashed"
    UNKNOWN = "unspecified"


class ShownFault(BaseModel):
    """A fault on record."""

    match_id: str
    game: str
    step: int = Field(description="The step of the replay at which it happened.")
    position: int = Field(description="The number of the position in the viewer.")
    seat: int = Field(description="Where the bot sat, from 0.")
    kind: FaultKind
    ended_ms: int | None
    version: str
    detail: str = Field(description="What the bot sent, for those who may know.")


async def faults_in(client: ArenaClient, match_id: str, bots: Iterable[str]) -> list[ShownFault]:
    """The faults of these bots in one match, in the order in which they happened."""
    found = [
        shown_fault(each)
        for bot in bots
        for each in (await client.faults(records_pb2.ListFaultsRequest(bot=bot, match_id=match_id))).faults
        if each.match_id == match_id  # an older arena sends those of all matches
    ]
    return sorted(found, key=lambda fault: fault.step)


def shown_fault(each: records_pb2.FaultOnRecord) -> ShownFault:
    """A fault as the arena tells it."""
    return ShownFault(
        match_id=each.match_id,
        game=each.game,
        step=each.step,
        position=each.position or each.step,  # an older arena does not tell
        seat=each.seat,
        kind=FaultKind(play_pb2.FaultKind.Name(each.kind).removeprefix("FAULT_KIND_").lower()),
        ended_ms=each.ended_ms or None,
        version=each.version,
        detail=each.detail,
    )
