"""Does the presence of one bot change another's results against third bots? Answered from a database."""

from collections.abc import Mapping
from typing import NamedTuple

from roost_ladder.rating.collusion import CollusionReport, find_collusion
from roost_server.competition.ledger import id_of
from roost_server.store import open_store, queries
from roost_server.store.results import MatchFilter, facts


class Suspicions(NamedTuple):
    """The report on a database, and what it is about."""

    report: CollusionReport
    versions: Mapping[int, queries.Version]
    """The bots, by the numbers in the report."""
    competition: str | None
    phase: str | None
    game: str | None


def suspicions(
    url: str, *, competition: str | None = None, phase: str | None = None, game: str | None = None
) -> Suspicions:
    """The report on the matches of the database at `url`. Raises `StoreError` or `UsageError`, which say what to do."""
    with open_store(url, read_only=True) as store:
        competition_id = None if competition is None else id_of(store, competition)
        wanted = MatchFilter(game=game, competition_id=competition_id, phase=phase)
        with store.reading() as reading:
            matches = [match.result() for match in facts(reading, wanted)]
        versions = {version.id: version for version in queries.versions(store)}
    return Suspicions(find_collusion(matches), versions, competition, phase, game)
