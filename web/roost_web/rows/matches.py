"""Matches: lists of them, page by page, and one of them with its ratings and its block."""

from collections.abc import Sequence
from enum import StrEnum
from typing import TypeVar

from pydantic import BaseModel, Field

from roost.v1 import arena_pb2, play_pb2
from roost_web.client import ArenaClient
from roost_web.rows.faults import ShownFault, faults_in
from roost_web.rows.filters import MatchSearch

ValueT = TypeVar("ValueT")


class Termination(StrEnum):
    """Why a match ended."""

    RUNNING = "running"
    FINISHED = "finished"
    HORIZON = "horizon"
    FORFEIT = "forfeit"
    VOIDED = "voided"


class ShownSeat(BaseModel):
    """One seat of a match. A match that runs has no places and scores, a voided one neither."""

    bot: str = Field(description="Empty if the arena hides it.")
    version: str
    version_id: int | None
    place: int | None
    score: int | None
    faults: int
    forfeited: bool
    decisions: int | None
    thinking_ms: int | None


class ShownMatch(BaseModel):
    """A match in a list."""

    match_id: str
    game: str
    seats: list[ShownSeat]
    termination: Termination
    started_ms: int | None = Field(description="In milliseconds since 1970; null if it is not known.")
    ended_ms: int | None
    competition: str
    phase: str
    challenge: bool = Field(description="Whether an owner has asked for it. It is not rated then.")

    @property
    def running(self) -> bool:
        """Whether it is still being played."""
        return self.termination is Termination.RUNNING

    @property
    def ranked(self) -> list[ShownSeat]:
        """The seats by place; in the order of the table while it runs."""
        return sorted(self.seats, key=lambda seat: seat.place or 0)


class MatchPage(BaseModel):
    """A page of matches, the newest first."""

    filter: MatchSearch
    rows: list[ShownMatch]
    next: str | None = Field(description="Ask for the next page with `before` set to this; null on the last page.")
    held: str = Field(default="", description="Says that matches are left out because their results are held back.")


class RunningMatches(BaseModel):
    """The matches that are being played."""

    rows: list[ShownMatch]
    held: str = Field(default="", description="Says that matches are left out because their results are held back.")


class MatchInFull(BaseModel):
    """One match."""

    match: ShownMatch
    replay_ready: bool = Field(description="Whether its replay can be read: it is over, and so is its deal.")
    block: list[str] = Field(description="Matches of the same block, this one included.")
    ratings: list[float | None] = Field(description="By seat, the rating when it began.")
    commitment: str = Field(description="The SHA-256 of the match's seed, in hexadecimal.")
    faults: list[ShownFault] = Field(description="In the order in which they happened; empty while it runs.")


async def matches(client: ArenaClient, wanted: MatchSearch, limit: int, before: str = "") -> MatchPage:
    """The newest `limit` matches of this kind, or those before a match."""
    answer = await client.matches(wanted.matches(limit + 1, before))
    rows = [shown_match(each) for each in answer.matches[:limit]]
    more = len(answer.matches) > limit
    return MatchPage(filter=wanted, rows=rows, next=rows[-1].match_id if more else None, held=answer.held)


async def running_matches(client: ArenaClient, wanted: MatchSearch, limit: int) -> RunningMatches:
    """Matches that are being played, those started last first."""
    answer = await client.matches(wanted.matches(limit, running=True))
    return RunningMatches(rows=[shown_match(each) for each in answer.matches], held=answer.held)


async def match_details(client: ArenaClient, match_id: str) -> MatchInFull:
    """One match, running or recorded. Raises `NotThereError`."""
    answer = await client.match(match_id)
    match = shown_match(answer.match)
    faulty = {seat.bot for seat in match.seats if seat.bot and seat.faults and not match.running}
    return MatchInFull(
        match=match,
        replay_ready=answer.replay_ready,
        block=list(answer.block),
        ratings=[rating or None for rating in answer.ratings],
        commitment=answer.commitment.hex(),
        faults=await faults_in(client, match_id, sorted(faulty)),
    )


def shown_match(each: arena_pb2.MatchSummary) -> ShownMatch:
    """A match as the arena tells it."""
    over = each.HasField("result")
    return ShownMatch(
        match_id=each.match_id,
        game=each.game,
        seats=[_seat(each, seat) for seat in range(each.players)],
        termination=_termination(each.result.termination) if over else Termination.RUNNING,
        started_ms=each.started_ms or None,
        ended_ms=each.ended_ms or None,
        competition=each.competition,
        phase=each.phase,
        challenge=each.challenge,
    )


def _termination(kind: play_pb2.Termination.ValueType) -> Termination:
    return Termination(play_pb2.Termination.Name(kind).removeprefix("TERMINATION_").lower())


def _seat(each: arena_pb2.MatchSummary, seat: int) -> ShownSeat:
    result = each.result
    return ShownSeat(
        bot=_at(each.bots, seat) or "",
        version=_at(each.versions, seat) or "",
        version_id=_at(each.version_ids, seat),
        place=_at(result.places, seat),
        score=_at(result.scores, seat),
        faults=_at(each.fault_counts, seat) or 0,
        forfeited=seat in result.forfeits,
        decisions=_at(each.decisions, seat),
        thinking_ms=_at(each.thinking_ms, seat),
    )


def _at(values: Sequence[ValueT], seat: int) -> ValueT | None:
    """By seat; lists are empty where the arena does not say."""
    return values[seat] if seat < len(values) else None
