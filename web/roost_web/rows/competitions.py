"""Competitions: all of them, and one with its rules, phases, entries, bracket and suspicion report."""

from pydantic import BaseModel, Field

from roost.v1 import arena_pb2, records_pb2
from roost_web.client import ArenaClient
from roost_web.errors import NotThereError
from roost_web.rows.filters import PLAYED
from roost_web.rows.suspicions import SuspicionReport, suspicion_report

DONE = "done"


class ShownSeal(BaseModel):
    """A commitment to results that are held back."""

    number: int
    at_ms: int
    digest: str = Field(description="SHA-256, in hexadecimal.")


class ShownHold(BaseModel):
    """A phase whose results the host holds back."""

    phase: str
    until_ms: int | None = Field(description="When the clock releases them; null if only the host does.")
    by_rounds: bool
    summary: str = Field(description="The same in words.")
    seal: ShownSeal | None = Field(description="The newest commitment to them.")


class ShownCompetition(BaseModel):
    """A competition in a list."""

    name: str
    title: str
    phase: str
    next_change_ms: int | None = Field(description="When the clock changes the phase next.")
    entries: int
    blocks_done: int = Field(description="Of the current phase.")
    blocks_open: int
    commitment: str = Field(description="The SHA-256 of the master seed.")
    seed: str = Field(description="The master seed once the competition is done and its results are released.")
    problem: str = Field(description="Why it is stuck; empty if nothing is wrong.")
    remark: str = Field(description="Anything else to know about it; empty if nothing.")
    winner: str = Field(description="Who has won; empty before it is done.")
    held: list[ShownHold] = Field(description="The phases whose results the host holds back now.")

    @property
    def done(self) -> bool:
        """Whether it is over."""
        return self.phase == DONE

    @property
    def progress(self) -> float | None:
        """The share of the current phase's blocks that are played."""
        planned = self.blocks_done + self.blocks_open
        return self.blocks_done / planned if planned else None


class Competitions(BaseModel):
    """Every competition, the newest first."""

    rows: list[ShownCompetition]


class ShownPhase(BaseModel):
    """A phase of a competition."""

    name: str
    begins_ms: int | None
    ends_ms: int | None
    current: bool
    done: bool
    summary: str = Field(description="What happens in it.")


class ShownEntry(BaseModel):
    """A bot that takes part."""

    bot: str
    owner: str
    entered_ms: int | None
    version_ids: list[int]
    withdrawn: bool
    qualification: str = Field(description="Its progress in qualifying; empty if it need not qualify.")


class ShownTie(BaseModel):
    """Two bots in the bracket."""

    high: str
    low: str = Field(description="Empty if the first has a bye.")
    score_high: float
    score_low: float
    winner: str = Field(description="Empty while it is undecided.")


class ShownPlace(BaseModel):
    """The place of a bot in the result."""

    place: int
    bot: str
    owner: str
    decided_by: str = Field(description="What puts it ahead of the next one; empty for the last one.")
    seed: int = Field(description="Its place in the seeding of the finals.")
    rating: float | None = Field(description="Null in a bracket, or without a match in the phase that decided.")
    rating_low: float | None = Field(description="The lower end of the 95 % interval of the rating.")
    rating_high: float | None
    score: float | None = Field(description="The share of its opponents that it finished ahead of.")
    clone_proof: float | None = Field(description="Its score against the mix that nothing beats, if that matters here.")
    worst_pair: float | None = Field(description="The lowest of its shares against one opponent, if that matters here.")
    lost_in: int | None = Field(description="In a bracket, the round in which it lost.")
    lost_to: str = Field(description="In a bracket, who put it out.")


class Bracket(BaseModel):
    """The rounds of a knockout so far, and the result of any competition once it is done."""

    rounds: list[list[ShownTie]]
    champion: str
    result: list[ShownPlace]
    winner: str = Field(description="Empty before the competition is done.")
    ranking: str = Field(description="What decided the result: field or clone-proof; empty if nothing, or a bracket.")


class CompetitionDetails(BaseModel):
    """One competition."""

    competition: ShownCompetition
    rules: list[str]
    phases: list[ShownPhase]
    entries: list[ShownEntry]
    bracket: Bracket
    collusion: SuspicionReport | None = Field(description="The suspicion report; null before it is done.")
    document: str = Field(description="The file that defines it.")

    @property
    def played(self) -> str:
        """The phase that is played, or was played last. Empty before the first match."""
        begun = [phase.name for phase in self.phases if (phase.done or phase.current) and phase.name in PLAYED]
        return begun[-1] if begun else ""

    @property
    def bots(self) -> set[str]:
        """The names of those who take part."""
        return {entry.bot for entry in self.entries}


async def competitions(client: ArenaClient) -> Competitions:
    """Every competition."""
    found = (await client.competitions()).competitions
    return Competitions(rows=[_row(each, await _winner(client, each)) for each in reversed(found)])


async def _winner(client: ArenaClient, status: arena_pb2.CompetitionStatus) -> str:
    return (await client.bracket(status.name)).winner if status.phase == DONE else ""


async def competition_details(client: ArenaClient, name: str) -> CompetitionDetails:
    """One competition. Raises `NotThereError`."""
    status = next((each for each in (await client.competitions()).competitions if each.name == name), None)
    if status is None:
        raise NotThereError(f"There is no competition {name} here.")
    details = await client.competition(name)
    return CompetitionDetails(
        competition=_row(status, await _winner(client, status)),
        rules=list(details.rules),
        phases=[_phase(each) for each in details.phases],
        entries=[_entry(each) for each in details.entries],
        bracket=await bracket(client, name),
        collusion=await suspicion_report(client, name) if status.phase == DONE and not status.held else None,
        document=status.document,
    )


async def bracket(client: ArenaClient, name: str) -> Bracket:
    """The bracket of a competition; without rounds if there is none, or not yet."""
    answer = await client.bracket(name)
    return Bracket(
        rounds=[[_tie(tie) for tie in each.ties] for each in answer.rounds],
        champion=answer.champion,
        result=[_place(each) for each in answer.result],
        winner=answer.winner,
        ranking=answer.ranking,
    )


def _row(each: arena_pb2.CompetitionStatus, winner: str) -> ShownCompetition:
    return ShownCompetition(
        name=each.name,
        title=each.title or each.name,
        phase=each.phase,
        next_change_ms=each.next_change_ms or None,
        entries=each.entries,
        blocks_done=each.blocks_done,
        blocks_open=each.blocks_open,
        commitment=each.commitment,
        seed=each.seed,
        problem=each.problem,
        remark=each.remark,
        winner=winner,
        held=[_hold(held) for held in each.held],
    )


def _hold(each: arena_pb2.HeldPhase) -> ShownHold:
    seal = each.seal
    shown = ShownSeal(number=seal.number, at_ms=seal.at_ms, digest=seal.digest) if each.HasField("seal") else None
    return ShownHold(
        phase=each.phase, until_ms=each.until_ms or None, by_rounds=each.by_rounds, summary=each.summary, seal=shown
    )


def _phase(each: records_pb2.CompetitionPhase) -> ShownPhase:
    return ShownPhase(
        name=each.name,
        begins_ms=each.begins_ms or None,
        ends_ms=each.ends_ms or None,
        current=each.current,
        done=each.done,
        summary=each.summary,
    )


def _entry(each: records_pb2.Entry) -> ShownEntry:
    return ShownEntry(
        bot=each.bot,
        owner=each.owner,
        entered_ms=each.entered_ms or None,
        version_ids=list(each.version_ids),
        withdrawn=each.withdrawn,
        qualification=each.qualification.summary,
    )


def _tie(each: arena_pb2.BracketTie) -> ShownTie:
    return ShownTie(
        high=each.high, low=each.low, score_high=each.score_high, score_low=each.score_low, winner=each.winner
    )


def _place(each: arena_pb2.ResultRow) -> ShownPlace:
    return ShownPlace(
        place=each.place,
        bot=each.bot,
        owner=each.owner,
        decided_by=each.decided_by,
        seed=each.seed,
        rating=each.rating if each.HasField("rating") else None,
        rating_low=each.rating_low if each.HasField("rating") else None,
        rating_high=each.rating_high if each.HasField("rating") else None,
        score=each.score if each.HasField("score") else None,
        clone_proof=each.clone_proof if each.HasField("clone_proof") else None,
        worst_pair=each.worst_pair if each.HasField("worst_pair") else None,
        lost_in=each.lost_in or None,
        lost_to=each.lost_to,
    )
