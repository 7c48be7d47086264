"""Does the presence of one bot change another's results against third bots? Answered from a store or a database."""

import threading
from collections.abc import Mapping
from typing import NamedTuple

from roost.v1 import records_pb2
from roost_games.errors import UsageError
from roost_ladder.rating.collusion import CollusionReport, Suspicion, find_collusion
from roost_server.competition import ledger
from roost_server.competition.file import PhaseName
from roost_server.errors import NotFoundError, NotYetError
from roost_server.store import Store, open_store, queries
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
        competition_id = None if competition is None else ledger.id_of(store, competition)
        report = _report(store, MatchFilter(game=game, competition_id=competition_id, phase=phase))
        versions = {version.id: version for version in queries.versions(store)}
    return Suspicions(report, versions, competition, phase, game)


def _report(store: Store, wanted: MatchFilter) -> CollusionReport:
    with store.reading() as reading:
        matches = [match.result() for match in facts(reading, wanted)]
    return find_collusion(matches)


class CollusionReports:
    """The reports on the competitions of a store that are done. Each is made once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._made: dict[str, records_pb2.GetCollusionResponse] = {}
        self._turn = threading.Lock()

    def get_collusion(self, request: records_pb2.GetCollusionRequest) -> records_pb2.GetCollusionResponse:
        """The report on a competition. Raises `NotFoundError`, or `NotYetError` before the competition is done."""
        try:
            competition = ledger.find(self._store, request.competition)
        except UsageError as error:
            raise NotFoundError(str(error)) from None
        if competition.phase != PhaseName.DONE:
            raise NotYetError(f"the collusion report of {request.competition} is made when the competition is done")
        with self._turn:
            if competition.file.name not in self._made:
                self._made[competition.file.name] = self._message(competition.id)
            return self._made[competition.file.name]

    def _message(self, competition_id: int) -> records_pb2.GetCollusionResponse:
        report = _report(self._store, MatchFilter(competition_id=competition_id))
        versions = {version.id: version for version in queries.versions(self._store)}
        return records_pb2.GetCollusionResponse(
            pairs=report.judged,
            suspicions=[_suspicion(each, versions) for each in report.findings],
            bots=report.bots,
            blocks=report.blocks,
            doubt=report.doubt,
        )


def _suspicion(found: Suspicion, versions: Mapping[int, queries.Version]) -> records_pb2.Suspicion:
    shift = found.shift
    helper, helped = versions[shift.helper], versions[shift.bot]
    return records_pb2.Suspicion(
        bot=helper.name,
        helped=helped.name,
        gain=shift.change,
        gain_low=shift.low,
        gain_high=shift.high,
        blocks=shift.blocks_with,
        p=shift.chance,
        share_with=shift.share_with,
        share_without=shift.share_without,
        others_changed=found.others_changed,
        others=found.others,
        bot_version=helper.version,
        helped_version=helped.version,
    )
