"""Finished matches as facts for statistics, and the rules for which of them count.

Standings, histories, exports, the suspicion report and a ladder's book all read their matches here. `recorded` is the
one query, and `facts` are the matches that count by one of the two rules. Matches that are played for another purpose
than ratings never count for anything else: they are read only by asking for this purpose.
"""

from collections.abc import Container, Iterator, Sequence
from enum import Enum, auto
from itertools import groupby, islice
from operator import attrgetter
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Row, Select, func, literal_column, not_, or_, select

from roost_games.replay import VOIDED
from roost_ladder.blocks import Deals
from roost_ladder.rating.facts import MatchFacts
from roost_ladder.suspicions.voids import VoidedMatch
from roost_server.store.measures.holds import Held, HeldBlocks, any_held
from roost_server.store.measures.rulings import struck_matches
from roost_server.store.models import BLOCK, MATCH, MATCH_SEAT, VOID_SEAT, BlockState, Purpose
from roost_server.store.store import Reading

CHUNK = 5_000
"""How many rows a stream fetches at a time."""
IDS_PER_QUERY = 500
"""Databases limit the number of parameters of a query; all of them allow this many."""
MATCH_COLUMNS = ("number", "id", "block_id", "game", "players", "termination", "rotation")
SEAT_COLUMNS = ("version_id", "place", "score", "faults", "forfeited", "decisions", "thinking_ms")


UNRATED: ColumnElement[bool] = BLOCK.c.purpose != literal_column(f"'{Purpose.RATED}'")
"""In SQL: blocks that never count for ratings and results. Not a parameter, because there is an index for this."""


class Rule(Enum):
    """When a match counts. Voided matches and matches of voided blocks never do, nor do those that a host has struck.

    A question about what was known at a moment leaves out what was struck later: `struck_before` is that moment in
    milliseconds, 0 for everything that was played, `None` for now.
    """

    FINAL = auto()
    """A match counts when its block is done. For competitions, their seeding and export, and suspicion reports."""
    SO_FAR = auto()
    """A match counts at once, unless its block is voided later. For an arena without competitions."""

    @property
    def uncounted(self) -> tuple[BlockState, ...]:
        """The states of blocks whose matches do not count."""
        return (BlockState.VOIDED,) if self is Rule.SO_FAR else (BlockState.VOIDED, BlockState.OPEN)

    def leaves_out(self) -> ColumnElement[bool]:
        """In SQL: the blocks whose matches do not count for ratings."""
        return or_(UNRATED, BLOCK.c.state.in_(self.uncounted))


class MatchFilter(NamedTuple):
    """Which matches are meant; by default all of them."""

    game: str | None = None
    players: int | None = None
    competition_id: int | None = None
    phase: str | None = None
    """The phase of the competition in which the block was planned."""
    block_id: str | None = None
    purpose: Purpose = Purpose.RATED
    held: Held = ()
    """What is held back, and left out."""

    @property
    def needs_block(self) -> bool:
        """Whether it asks for something that only the block of a match knows."""
        return self.competition_id is not None or self.phase is not None or bool(self.held)

    @property
    def scope(self) -> "MatchFilter":
        """The same matches, whatever is held back: the name of a history of ratings."""
        return self._replace(held=())

    def conditions(self, *, new: bool) -> list[ColumnElement[bool]]:
        """The filter in SQL, but for the purpose. `new`: only a few new matches are wanted."""
        competition: ColumnElement[int] = BLOCK.c.competition_id
        if new:
            # Keeps the database from using the index on it, which would visit all blocks of the competition.
            competition = func.coalesce(competition, 0)
        columns = (MATCH.c.game, MATCH.c.players, competition, BLOCK.c.phase, MATCH.c.block_id)
        seen = [not_(any_held(self.held))] if self.held else []
        return seen + [column == wanted for column, wanted in zip(columns, self[:5], strict=True) if wanted is not None]


EVERYTHING = MatchFilter()


class MatchOnRecord(NamedTuple):
    """A match that is over and was played for the purpose that was asked for, whether it counts or not."""

    number: int
    """Rises with every match that is committed."""
    id: str
    block_id: str
    block_state: BlockState
    facts: MatchFacts | None
    """Its bots are bot versions. `None` if the match was voided."""
    rotation: int
    """The number of the rotation within the block, from 0. Blocks are played in this order."""
    struck: bool = False
    """Whether a ruling of the host says that it does not count."""

    def counts(self, rule: Rule) -> bool:
        """Whether the match counts by this rule."""
        return self.facts is not None and not self.struck and self.block_state not in rule.uncounted


def facts(
    reading: Reading,
    wanted: MatchFilter = EVERYTHING,
    rule: Rule = Rule.FINAL,
    *,
    struck_before: int | None = None,
) -> Iterator[MatchFacts]:
    """The matches that count, in the order in which they were recorded."""
    return _counting(recorded(reading, wanted, struck_before=struck_before), rule)


def facts_by_block(
    reading: Reading, wanted: MatchFilter, *, struck_before: int | None = None
) -> Iterator[list[MatchFacts]]:
    """The matches of a competition that count, block by block, in the order in which the blocks were planned."""
    matches = _counting(recorded(reading, wanted, by_block=True, struck_before=struck_before), Rule.FINAL)
    return (list(of_block) for _, of_block in groupby(matches, attrgetter("block_id")))


def _counting(matches: Iterator[MatchOnRecord], rule: Rule) -> Iterator[MatchFacts]:
    return (match.facts for match in matches if match.facts is not None and match.counts(rule))


def recorded(
    reading: Reading,
    wanted: MatchFilter = EVERYTHING,
    *,
    after: int = 0,
    by_block: bool = False,
    struck_before: int | None = None,
) -> Iterator[MatchOnRecord]:
    """The matches on record in the order of their numbers, or with `by_block` in that of their blocks.

    `after` is the number of a match: only those recorded later, for a reader that has seen the others. A block may be
    voided after its first matches were recorded.
    """
    conditions = [MATCH.c.number > after, *wanted.conditions(new=after > 0)]
    order = [BLOCK.c.serial] if by_block else []
    of_block = by_block or wanted.needs_block
    matches = select(*MATCH.c[MATCH_COLUMNS]).select_from(MATCH).where(*conditions).order_by(*order, MATCH.c.number)
    # Two streams of rows side by side, matches and seats: joining them takes 1.4 times as long.
    seats = select(*MATCH_SEAT.c[SEAT_COLUMNS]).order_by(*order, MATCH_SEAT.c.match_number, MATCH_SEAT.c.seat)
    if wanted == EVERYTHING:
        seats = seats.where(MATCH_SEAT.c.match_number > after)
    else:
        seats = seats.join_from(MATCH_SEAT, MATCH).where(*conditions)
    if of_block:
        matches, seats = matches.join(BLOCK), seats.join(BLOCK, BLOCK.c.id == MATCH.c.block_id)
    striking = struck_matches(reading, struck_before)
    struck = frozenset(reading.scalars(striking) if striking is not None else ())
    return _on_record(reading, matches, seats, _unusual(reading, wanted.block_id), struck, wanted.purpose)


class _Standing(NamedTuple):
    """What decides whether the matches of a block count."""

    state: BlockState
    purpose: Purpose


USUAL = _Standing(BlockState.DONE, Purpose.RATED)


def _unusual(reading: Reading, block_id: str | None) -> dict[str, _Standing]:
    """All blocks that are not done, or not rated. Nearly all blocks are both."""
    named = [] if block_id is None else [BLOCK.c.id == block_id]
    found: dict[str, _Standing] = {}
    # Two queries, because each has an index.
    for unusual in (UNRATED & BLOCK.c.purpose.in_(list(Purpose)), BLOCK.c.state.in_(Rule.FINAL.uncounted)):
        query = select(*BLOCK.c["id", "state", "purpose"]).where(unusual, *named)
        found |= {id: _Standing(BlockState(state), Purpose(why)) for id, state, why in reading.execute(query)}
    return found


def _on_record(
    reading: Reading,
    matches: Select[Any],
    seats: Select[Any],
    unusual: dict[str, _Standing],
    struck: Container[int],
    wanted: Purpose,
) -> Iterator[MatchOnRecord]:
    streaming = reading.execution_options(yield_per=CHUNK)
    with streaming.execute(seats) as seat_rows, streaming.execute(matches) as match_rows:
        for number, match_id, block_id, game, players, termination, rotation in match_rows:
            by_seat = zip(*islice(seat_rows, players), strict=True)
            known = None if termination == VOIDED else MatchFacts(block_id, game, *by_seat)
            state, purpose = unusual.get(block_id, USUAL)
            if purpose is wanted:
                yield MatchOnRecord(number, match_id, block_id, state, known, rotation, number in struck)


def duplicate_blocks(reading: Reading) -> set[str]:
    """The blocks whose matches share a deal."""
    return set(reading.scalars(select(BLOCK.c.id).where(BLOCK.c.deals == Deals.DUPLICATE)))


def block_began_ms(reading: Reading, block_id: str) -> int:
    """When a block was planned, in milliseconds since 1970."""
    return reading.scalar(select(BLOCK.c.created_ms).where(BLOCK.c.id == block_id)) or 0


def voided_matches(reading: Reading, wanted: MatchFilter = EVERYTHING) -> list[VoidedMatch]:
    """The matches that were voided, of blocks that are over, among those that were played for this purpose."""
    over = [MATCH.c.termination == VOIDED, BLOCK.c.state != BlockState.OPEN, BLOCK.c.purpose == wanted.purpose]
    over += wanted.conditions(new=False)
    in_order = (MATCH_SEAT.c.match_number, MATCH_SEAT.c.seat)
    asked = (VOID_SEAT.c.match_number == MATCH_SEAT.c.match_number) & (VOID_SEAT.c.seat == MATCH_SEAT.c.seat)
    columns = (*MATCH.c["number", "ended_ms", "game"], MATCH_SEAT.c.version_id, VOID_SEAT.c.seat)
    query = select(*columns).join_from(MATCH, MATCH_SEAT).join(BLOCK, BLOCK.c.id == MATCH.c.block_id)
    rows = reading.execute(query.join(VOID_SEAT, asked, isouter=True).where(*over).order_by(*in_order))
    return [_voided(list(seats)) for _, seats in groupby(rows, attrgetter("number"))]


def _voided(seats: Sequence[Row[Any]]) -> VoidedMatch:
    first = seats[0]
    asked = tuple(each.seat for each in seats if each.seat is not None)
    return VoidedMatch(first.ended_ms, first.game, tuple(each.version_id for each in seats), asked)


def released_blocks(reading: Reading, held: HeldBlocks) -> Sequence[str]:
    """The blocks of a phase that are done and were released before those that are still held back."""
    of_phase = (BLOCK.c.competition_id == held.competition_id) & (BLOCK.c.phase == held.phase)
    query = select(BLOCK.c.id).where(of_phase, BLOCK.c.serial < held.first, BLOCK.c.state == BlockState.DONE)
    return reading.scalars(query).all()


def last_end(reading: Reading, held: Held, after: int, last: int) -> int:
    """When the last match ended of those with the numbers after `after` to `last` that are not held back; 0: none."""
    if not held:
        return 0
    some = (MATCH.c.number > after) & (MATCH.c.number <= last)
    query = select(MATCH.c.ended_ms).join_from(MATCH, BLOCK).where(some, not_(any_held(held)))
    return reading.scalar(query.order_by(MATCH.c.number.desc()).limit(1)) or 0


def closed_blocks(reading: Reading, block_ids: Sequence[str]) -> Iterator[tuple[str, BlockState]]:
    """Those of the blocks that are done or voided by now."""
    for first in range(0, len(block_ids), IDS_PER_QUERY):
        some = block_ids[first : first + IDS_PER_QUERY]
        query = select(*BLOCK.c["id", "state"]).where(BLOCK.c.id.in_(some), BLOCK.c.state != BlockState.OPEN)
        for block_id, state in reading.execute(query).all():
            yield block_id, BlockState(state)
