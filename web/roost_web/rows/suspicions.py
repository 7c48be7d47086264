"""The suspicion report of a competition, with the rows that `roost suspicions` prints.

The fields are those of the contract, so a row is read from the arena's message by its attributes.
"""

from google.protobuf.message import Message
from pydantic import BaseModel, ConfigDict, Field, field_validator

from roost_web.client import ArenaClient
from roost_web.errors import TooEarlyError


class _FromMessage(BaseModel):
    """A row that is read from a message of the same shape."""

    model_config = ConfigDict(from_attributes=True)


def _sent(message: Message | None) -> Message | None:
    """A part of a message, if it was sent. Otherwise it reads as an empty one."""
    return message if message is not None and message.ByteSize() else None


class ShownSuspicion(_FromMessage):
    """One bot changes the results of another against third bots by more than chance allows."""

    bot: str
    helped: str
    gain: float = Field(description="The change of the helped bot's share; below 0 if it does worse.")
    gain_low: float
    gain_high: float
    share_with: float = Field(description="Of third bots, how many it finishes ahead of with the other at the table.")
    share_without: float
    blocks: int = Field(description="Blocks with both.")
    p: float = Field(description="The highest rate at which chance alone shows as much.")
    others_changed: int = Field(description="Other bots that the first one changes too. If they are many, it is style.")
    others: int = Field(description="Other bots that can be judged.")
    back: "ShownSuspicion | None" = Field(description="The same pair the other way round.")

    _back = field_validator("back", mode="before")(_sent)


class ShownConduct(_FromMessage):
    """Faults, forfeits and voids of a bot version."""

    bot: str
    version: str
    version_id: int
    owner: str
    matches: int = Field(description="Matches that count.")
    faults: int
    forfeits: int
    voids: int = Field(description="Moments at which a match was voided while it was being asked.")
    voids_expected: float = Field(description="How many its thinking time explains.")
    p: float
    suspicious: bool = Field(description="Whether the voids are more than chance explains.")


class ConductPart(_FromMessage):
    """Faults, forfeits and voids, by the bot that they belong to."""

    bots: list[ShownConduct]
    voided: int
    moments: int
    doubt: float = Field(description="The highest rate at which chance alone makes the voids of a bot suspicious.")


class ShownMemory(_FromMessage):
    """A bot that does better in the later matches of a deal."""

    bot: str
    version: str
    version_id: int
    owner: str
    blocks: int
    share_first: float
    share_later: float
    gain_low: float
    gain_high: float
    p: float


class MemoryPart(_FromMessage):
    """Does a bot remember deals?"""

    blocks: int = Field(description="Blocks of duplicate deals.")
    judged: int = Field(description="Bots that have played enough of them.")
    doubt: float
    findings: list[ShownMemory]


class ShownThinking(_FromMessage):
    """A version whose thinking time has changed."""

    bot: str
    version: str
    version_id: int
    owner: str
    since_ms: int
    before_ms: float
    after_ms: float
    blocks_before: int
    blocks_after: int
    p: float


class ThinkingPart(_FromMessage):
    """Has the thinking time of a version changed?"""

    judged: int
    scatter: float
    doubt: float
    findings: list[ShownThinking]


class CodeOwner(_FromMessage):
    """An owner, and the bot with the code that others have too."""

    owner: str
    bot: str


class ShownCode(_FromMessage):
    """Code that several owners have declared."""

    version: str
    owners: list[CodeOwner]


class ShownCluster(_FromMessage):
    """Owners that may be one person, or work together."""

    owners: list[str]
    reasons: list[str]


class SuspicionReport(_FromMessage):
    """What in the matches of a competition is a reason to look closer. Nothing in it is a proof."""

    pairs: int = Field(description="Ordered pairs of bots that can be judged for collusion.")
    all_pairs: int
    suspicions: list[ShownSuspicion] = Field(description="Pairs over the line, the clearest first.")
    clearest: ShownSuspicion | None = Field(description="The clearest pair below the line.")
    bots: int
    blocks: int = Field(description="Blocks at tables of three or more.")
    doubt: float = Field(description="The highest rate at which chance alone brings a pair into the report.")
    scatter: float
    doubt_overall: float = Field(description="The highest rate at which chance alone brings anything into the report.")
    conduct: ConductPart
    memory: MemoryPart
    thinking: ThinkingPart
    shared_code: list[ShownCode]
    clusters: list[ShownCluster]
    owners: bool = Field(description="Whether bots have owners here.")

    _clearest = field_validator("clearest", mode="before")(_sent)


async def suspicion_report(client: ArenaClient, competition: str) -> SuspicionReport | None:
    """The report on a competition; `None` before it is done."""
    try:
        return SuspicionReport.model_validate(await client.collusion(competition))
    except TooEarlyError:
        return None
