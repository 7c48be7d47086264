"""Challenges on record. A challenge has no table of its own: it is its blocks, whose ids begin with its name.

The bot of the owner who asked sits first in rotation 0.
"""

import re
from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, select

from roost_server.store.models import BLOCK, BLOCK_MEMBER, BOT, BOT_VERSION, BlockState, Purpose
from roost_server.store.results import UNRATED
from roost_server.store.store import Reading

CHALLENGE = "challenge"
FORM = re.compile(rf"{CHALLENGE}-[0-9a-f]{{10}}")
"""What the name of a challenge looks like."""


class AskedBlock(NamedTuple):
    """A block that was asked for."""

    id: str
    state: BlockState
    game: str
    players: int
    created_ms: int
    owner_id: int
    """Whose bot it is that comes first: the owner asked for it."""
    version_ids: tuple[int, ...]
    names: tuple[str, ...]
    versions: tuple[str, ...]
    bot_ids: tuple[int, ...]

    @property
    def challenge_id(self) -> str:
        """The challenge that it belongs to."""
        return self.id.rpartition("-")[0]


def block_id_of(challenge_id: str, number: int) -> str:
    """The id of a block of a challenge, counted from 0."""
    return f"{challenge_id}-{number:04}"


def asked_since(reading: Reading, since_ms: int) -> list[AskedBlock]:
    """The blocks that were asked for since then, and older ones that are still open."""
    return _blocks(reading, (BLOCK.c.created_ms >= since_ms) | (BLOCK.c.state == BlockState.OPEN))


def blocks_of(reading: Reading, challenge_id: str) -> list[AskedBlock]:
    """The blocks of a challenge, in the order in which they are played; none if there is none of this name."""
    if not FORM.fullmatch(challenge_id):
        return []
    return _blocks(reading, BLOCK.c.id.startswith(f"{challenge_id}-"))


def _blocks(reading: Reading, wanted: ColumnElement[bool]) -> list[AskedBlock]:
    # Both conditions say the same. The first one has an index.
    query = _with_bots().where(UNRATED, BLOCK.c.purpose == Purpose.CHALLENGE, wanted)
    rows = reading.execute(query.order_by(BLOCK.c.id, BLOCK_MEMBER.c.position))
    return [_block(list(members)) for _, members in groupby(rows, attrgetter("id"))]


def _with_bots() -> "Select[Any]":
    of_block = BLOCK.c["id", "state", "game", "players", "created_ms"]
    of_version = BOT_VERSION.c["name", "version", "bot_id"]
    query = select(*of_block, BLOCK_MEMBER.c.version_id, *of_version, BOT.c.owner_id)
    return query.join_from(BLOCK, BLOCK_MEMBER).join(BOT_VERSION).join(BOT, BOT.c.id == BOT_VERSION.c.bot_id)


def _block(members: Sequence[Any]) -> AskedBlock:
    first = members[0]
    return AskedBlock(
        first.id,
        BlockState(first.state),
        first.game,
        first.players,
        first.created_ms,
        first.owner_id,
        *(tuple(getattr(each, name) for each in members) for name in ("version_id", "name", "version", "bot_id")),
    )
