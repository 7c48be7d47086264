"""What is said about competitions: answers as messages of `roost.v1`, from a store alone."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from sqlalchemy import select

from roost.v1 import arena_pb2
from roost_games.errors import UsageError
from roost_ladder.rating.standings import Standing, standings
from roost_server.competition import phases
from roost_server.competition.file import CompetitionFile, PhaseName
from roost_server.competition.ledger import Competition, find
from roost_server.store import Store, queries
from roost_server.store.models import COMPETITION
from roost_server.store.phase_results import Played, faults_of, progress, results_of

LADDER_RUN = "{"
"""What the document of a local ladder's run begins with: it is in the same table, and no competition file."""


def competitions(store: Store) -> arena_pb2.ListCompetitionsResponse:
    """Every competition on record."""
    return arena_pb2.ListCompetitionsResponse(competitions=[status_of(store, each) for each in recorded(store)])


def recorded(store: Store) -> Iterator[Competition]:
    """The competitions on record, the oldest first."""
    query = select(*COMPETITION.c["name", "document"]).order_by(COMPETITION.c.id)
    with store.reading() as connection:
        rows = connection.execute(query).all()
    for name, document in rows:
        if not document.startswith(LADDER_RUN):
            yield find(store, name)


def status_of(store: Store, competition: Competition) -> arena_pb2.CompetitionStatus:
    """How a competition stands. Its master seed is told when it is done, and not before."""
    file, phase = competition.file, competition.phase
    now = progress(store, competition.id, phase)
    return arena_pb2.CompetitionStatus(
        name=file.name,
        title=file.title,
        phase=phase,
        next_change_ms=_ms(phases.next_change(file, phase)),
        entries=now.entries,
        blocks_done=now.blocks_done,
        blocks_open=now.blocks_open,
        commitment=competition.commitment,
        seed=competition.seed.hex() if phase == PhaseName.DONE else "",
        document=competition.document,
    )


def _ms(moment: datetime | None) -> int:
    return int(moment.timestamp() * 1000) if moment is not None else 0


def standings_of(store: Store, request: arena_pb2.GetStandingsRequest) -> arena_pb2.GetStandingsResponse:
    """Who is how strong in a phase of a competition. Raises `UsageError` if there is no such thing."""
    competition = find(store, request.competition)
    phase = phase_asked_for(competition.file, competition.phase, request.phase)
    played = Played(competition.id, phase, request.game or None, request.players or None)
    with store.reading() as connection:
        results = list(results_of(connection, played))
        faults = faults_of(connection, played)
    forfeits = competition.file.faults.forfeits == "count"
    ranked = standings(results, forfeits=forfeits)
    names = {version.id: version for version in queries.versions(store)}
    counted = sum(forfeits or not result.forfeited for result in results)
    return arena_pb2.GetStandingsResponse(matches=counted, standings=_rows(ranked, names, faults))


def phase_asked_for(file: CompetitionFile, current: str, wanted: str) -> str:
    """The phase that is asked for: unless one is named, the one that is played now, or was played last."""
    if wanted:
        if not phases.plays(wanted):
            raise UsageError(f"nothing is played in the phase {wanted!r} of {file.name}; ask for ladder or finals")
        return wanted
    if phases.plays(current):
        return current
    finished = current == PhaseName.DONE and file.phase(PhaseName.FINALS) is not None
    return PhaseName.FINALS if finished else PhaseName.LADDER


def _rows(
    ranked: Iterable[Standing], names: dict[int, queries.Version], faults: dict[int, int]
) -> Iterator[arena_pb2.Standing]:
    for each in ranked:
        yield standing_message(each, names[each.bot].name, names[each.bot].version, faults.get(each.bot, 0))


def standing_message(each: Standing, name: str, version: str, faults: int) -> arena_pb2.Standing:
    """A line of the standings."""
    return arena_pb2.Standing(
        version_id=each.bot,
        name=name,
        version=version,
        rating=each.rating,
        rating_low=each.low,
        rating_high=each.high,
        above_next=each.above_next,
        rank_low=each.best_rank,
        rank_high=each.worst_rank,
        matches=each.matches,
        blocks=each.blocks,
        wins=each.wins,
        faults=faults,
        places=[arena_pb2.PlacesAt(**at._asdict()) for at in each.places],
    )
