"""What the arena gives the store to record, and how it becomes rows.

A match's rows are derived from its replay, so the two cannot differ. The conversion is a pure function, so that the
expensive part, writing and compressing the document, can run in any thread.
"""

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from roost_games.errors import ReplayError
from roost_games.game import JsonValue
from roost_games.replay import Replay
from roost_ladder.rating.facts import MatchFacts, facts_of
from roost_server.store.errors import RecordRefused
from roost_server.store.models import BlockState, Purpose

COMPRESSION = 3
"""zlib's level. Level 6 makes the documents of our games 8 to 16 % smaller and takes 1.5 to 3 times as long."""

Row = dict[str, object]


@dataclass(frozen=True, slots=True)
class NewBlock:
    """A block that is about to be played. It is recorded before its first match starts."""

    id: str
    game: str
    options: Mapping[str, JsonValue]
    """As in a replay: what differs from the defaults."""
    seed: str
    """In hex."""
    rotation: str
    """Which rotations of the seats are played: a value of `roost_ladder.blocks.Rotation`."""
    version_ids: tuple[int, ...]
    """The bots, by seat in rotation 0."""
    created_ms: int
    """Since 1970."""
    plan: "Planned | None" = None
    """Its place in a competition; `None` outside competitions."""
    deals: str = "own"
    """Whether its matches share a deal: a value of `roost_ladder.blocks.Deals`."""
    resumed: int = 0
    """How often an arena resumed it, if it was played elsewhere."""
    purpose: Purpose = Purpose.RATED


@dataclass(frozen=True, slots=True)
class Planned:
    """A block's place in a competition."""

    competition_id: int
    phase: str
    serial: int
    """The number of the block within the phase, from 0."""
    epoch: int = 0
    """The epoch from which its seed derives."""


@dataclass(frozen=True, slots=True)
class BlockClosed:
    """A block is over: done or voided."""

    id: str
    state: BlockState

    def __post_init__(self) -> None:
        if self.state == BlockState.OPEN:
            raise ValueError("a block is closed as done or voided")


@dataclass(frozen=True, slots=True)
class FinishedMatch:
    """A match that is over: its replay, with its id and seed, and what the replay does not contain."""

    replay: Replay
    block_id: str
    rotation: int
    """The number of the rotation within the block, from 0."""
    version_ids: tuple[int, ...]
    """By seat, as `register_version` gave them."""
    started_ms: int
    """Since 1970."""
    ended_ms: int

    def __post_init__(self) -> None:
        if not self.replay.match or self.replay.seed is None:
            raise ValueError("the replay needs the id of its match and its seed")
        if len(self.version_ids) != len(self.replay.seats):
            raise ValueError(f"{len(self.version_ids)} bots on {len(self.replay.seats)} seats")


Change = NewBlock | FinishedMatch | BlockClosed
"""What can be committed."""


class MatchRows(NamedTuple):
    """The rows of a match, without its number."""

    match: Row
    seats: list[Row]
    document: bytes
    asked: tuple[int, ...] = ()
    """The seats that were being asked when it was voided."""

    @property
    def id(self) -> str:
        """The match's id."""
        return str(self.match["id"])


def rows_of(finished: FinishedMatch) -> MatchRows:
    """The rows of a match. Raises `RecordRefused` if the replay cannot be written as JSON."""
    replay = finished.replay
    match: Row = {
        "id": replay.match,
        "block_id": finished.block_id,
        "rotation": finished.rotation,
        "game": replay.game,
        "options": json_text(replay.options),
        "players": len(replay.seats),
        "seed": replay.seed,
        "started_ms": finished.started_ms,
        "ended_ms": finished.ended_ms,
        "termination": replay.result.termination,
    }
    facts = facts_of(replay, finished.block_id, finished.version_ids)
    return MatchRows(match, seat_rows(facts), _document(replay), replay.result.asked)


def _document(replay: Replay) -> bytes:
    try:
        return zlib.compress(replay.to_line().encode(), COMPRESSION)
    except ReplayError as error:
        raise RecordRefused(f"match {replay.match}: {error}") from error


def line_of(document: bytes) -> str:
    """The line of JSON that was compressed into `document`."""
    return zlib.decompress(document).decode()


def seat_rows(facts: MatchFacts) -> list[Row]:
    """The rows of a match's seats, from its facts, whose bots are bot versions. A voided match has no places."""
    seats = len(facts.bots)
    columns = {
        "seat": range(seats),
        "version_id": facts.bots,
        "place": facts.places or [None] * seats,
        "score": facts.scores or [None] * seats,
        "forfeited": facts.forfeited,
        "faults": facts.faults,
        "decisions": facts.decisions,
        "thinking_ms": facts.thinking_ms,
    }
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def block_row(block: NewBlock) -> Row:
    """The row of a block that has just been opened."""
    plan = block.plan
    return {
        "id": block.id,
        "game": block.game,
        "options": json_text(block.options),
        "players": len(block.version_ids),
        "seed": block.seed,
        "rotation": block.rotation,
        "created_ms": block.created_ms,
        "state": BlockState.OPEN.value,
        "competition_id": plan.competition_id if plan else None,
        "phase": plan.phase if plan else None,
        "serial": plan.serial if plan else None,
        "deals": block.deals,
        "resumed": block.resumed,
        "epoch": plan.epoch if plan else 0,
        "purpose": block.purpose.value,
    }


def member_rows(block: NewBlock) -> list[Row]:
    """The rows of a block's bots."""
    return [
        {"block_id": block.id, "position": position, "version_id": version_id}
        for position, version_id in enumerate(block.version_ids)
    ]


def json_text(value: Mapping[str, JsonValue]) -> str:
    """The value as JSON; equal values give equal text."""
    return json.dumps(dict(value), sort_keys=True, separators=(",", ":"))
