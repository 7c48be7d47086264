"""The suspicion report: what in the records is a reason to look closer. docs/why/suspicions.md explains each part."""

import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from roost.v1 import records_pb2
from roost_ladder.rating.facts import MatchFacts
from roost_ladder.rating.results import MatchResult
from roost_ladder.suspicions import DOUBT, SHARE
from roost_ladder.suspicions.collusion import CollusionReport, Shift, Suspicion, find_collusion
from roost_ladder.suspicions.memory import MemoryReport, find_memory
from roost_ladder.suspicions.thinking import ThinkingReport, find_thinking
from roost_ladder.suspicions.voids import VoidReport, VoidShare, find_voids
from roost_sdk.version import is_fingerprint
from roost_server.accounts.addresses import shared_addresses
from roost_server.accounts.gate import Asker
from roost_server.competition import ledger
from roost_server.competition.file import PhaseName
from roost_server.errors import DeniedError, NotYetError
from roost_server.store import Store, queries
from roost_server.store.measures.holds import EVERYTHING_SEEN, Veil
from roost_server.store.results import (
    MatchFilter,
    MatchOnRecord,
    Rule,
    block_began_ms,
    duplicate_blocks,
    recorded,
    voided_matches,
)
from roost_server.store.store import Reading


class SuspicionReports:
    """The reports on a store, one at a time. Those that strangers may ask for do not change, and are made once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._made: dict[str, records_pb2.GetCollusionResponse] = {}
        self._turn = threading.Lock()

    def get_collusion(
        self, request: records_pb2.GetCollusionRequest, asker: Asker, veil: Veil = EVERYTHING_SEEN
    ) -> records_pb2.GetCollusionResponse:
        """The report on some matches. Anybody may ask about a whole competition that is done, an admin about all.

        Raises `UnknownCompetitionError`, `DeniedError`, or `NotYetError` before the competition is done.
        """
        wanted = self._wanted(request)
        if asker.sees_everything:
            with self._turn:
                report = _report(self._store, wanted)
            report.addresses.CopyFrom(_addresses(self._store, wanted.competition_id))
            return report
        if request.phase or request.game or not request.competition:
            raise DeniedError("only admins may ask for this report; name a competition, without a phase or a game")
        self._check_done(request.competition, veil)
        with self._turn:
            if request.competition not in self._made:
                self._made[request.competition] = _report(self._store, wanted)
            return self._made[request.competition]

    def _wanted(self, request: records_pb2.GetCollusionRequest) -> MatchFilter:
        number = ledger.id_of(self._store, request.competition) if request.competition else None
        return MatchFilter(game=request.game or None, competition_id=number, phase=request.phase or None)

    def _check_done(self, competition: str, veil: Veil) -> None:
        found = ledger.find(self._store, competition)
        if found.phase != PhaseName.DONE:
            raise NotYetError(f"the suspicion report of {competition} is public when the competition is done")
        if veil.holds_back(found.id):
            raise NotYetError(f"the suspicion report of {competition} is public when all its results are released")


class _Named(NamedTuple):
    """A bot version and whose it is."""

    bot: str
    version: str
    owner: str
    version_id: int


Names = Mapping[int, _Named]


def _report(store: Store, wanted: MatchFilter) -> records_pb2.GetCollusionResponse:
    backgrounds = queries.backgrounds(store)
    versions = queries.versions(store)
    names = {each.id: _Named(each.name, each.version, backgrounds[each.id].owner, each.id) for each in versions}
    with store.reading() as reading:
        counting = [match for match in recorded(reading, wanted) if match.counts(Rule.FINAL)]
        facts = [match.facts for match in counting if match.facts is not None]
        voided = voided_matches(reading, wanted)
        collusion = find_collusion((match.result() for match in facts), SHARE)
        thinking = _thinking(reading, find_thinking(facts, SHARE), names)
        memory = find_memory(_deals(counting, duplicate_blocks(reading)), SHARE)
    played = {bot for match in facts for bot in match.bots} | {bot for match in voided for bot in match.bots}
    code = list(_shared_code([names[bot] for bot in sorted(played)]))
    return records_pb2.GetCollusionResponse(
        **_collusion(collusion, names),
        doubt_overall=DOUBT,
        conduct=_conduct(facts, find_voids(voided, facts, SHARE), names),
        memory=_memory(memory, names),
        thinking=thinking,
        shared_code=code,
        clusters=_clusters([*_code_links(code), *_helper_links(collusion.findings, names)]),
        owners=any(names[bot].owner for bot in played),
    )


def _deals(matches: Iterable[MatchOnRecord], duplicate: set[str]) -> Iterator[list[MatchResult]]:
    """The matches of each block that share a deal, in the order in which they were played."""
    shared = sorted((match for match in matches if match.block_id in duplicate), key=attrgetter("block_id", "rotation"))
    for _, block in groupby(shared, attrgetter("block_id")):
        yield [match.facts.result() for match in block if match.facts is not None]


def _collusion(report: CollusionReport, names: Names) -> dict[str, Any]:
    return {
        "pairs": report.judged,
        "suspicions": [_suspicion(each, names) for each in report.findings],
        "bots": report.bots,
        "blocks": report.blocks,
        "doubt": report.doubt,
        "all_pairs": report.pairs,
        "scatter": report.scatter,
        "clearest": report.clearest and _pair(report.clearest, names),
    }


def _suspicion(found: Suspicion, names: Names) -> records_pb2.Suspicion:
    message = _pair(found.shift, names)
    message.others_changed, message.others = found.others_changed, found.others
    if found.back is not None:
        message.back.CopyFrom(_pair(found.back, names))
    return message


def _pair(shift: Shift, names: Names) -> records_pb2.Suspicion:
    helper, helped = names[shift.helper], names[shift.bot]
    return records_pb2.Suspicion(
        bot=helper.bot,
        helped=helped.bot,
        gain=shift.change,
        gain_low=shift.low,
        gain_high=shift.high,
        blocks=shift.blocks_with,
        p=shift.chance,
        share_with=shift.share_with,
        share_without=shift.share_without,
        bot_version=helper.version,
        helped_version=helped.version,
        blocks_without=shift.blocks_without,
        score=shift.score,
        bot_version_id=helper.version_id,
        helped_version_id=helped.version_id,
    )


def _conduct(facts: Sequence[MatchFacts], voids: VoidReport, names: Names) -> records_pb2.ConductReport:
    """The bots with faults, forfeits or voids: those whose voids are the least likely first, then by faults."""
    matches = Counter(bot for match in facts for bot in match.bots)
    faults: Counter[int] = Counter()
    forfeits: Counter[int] = Counter()
    for match in facts:
        for bot, of_bot, forfeited in zip(match.bots, match.faults, match.forfeited, strict=True):
            faults[bot] += of_bot
            forfeits[bot] += forfeited
    rows = []
    for bot in sorted({*matches, *voids.shares}):
        share = voids.shares.get(bot) or VoidShare(bot, 0, 0.0, 1.0)
        if faults[bot] or forfeits[bot] or share.moments:
            counts = {"matches": matches[bot], "faults": faults[bot], "forfeits": forfeits[bot]}
            rows.append(_conduct_of(names[bot], share, counts, voids.doubt))
    rows.sort(key=lambda row: (row.p if row.suspicious else 1, -row.forfeits, -row.faults, -row.voids, row.bot))
    return records_pb2.ConductReport(bots=rows, voided=voids.voided, moments=voids.moments, doubt=voids.doubt)


def _conduct_of(named: _Named, share: VoidShare, counts: Mapping[str, Any], doubt: float) -> records_pb2.Conduct:
    over = share.chance <= doubt
    voids: dict[str, Any] = {
        "voids": share.moments,
        "voids_expected": share.expected,
        "p": share.chance,
        "suspicious": over,
    }
    return records_pb2.Conduct(**named._asdict(), **counts, **voids)


def _memory(report: MemoryReport, names: Names) -> records_pb2.MemoryReport:
    findings = [
        records_pb2.MemoryGain(
            **names[found.bot]._asdict(),
            blocks=found.blocks,
            share_first=found.share_first,
            share_later=found.share_later,
            gain_low=found.gain.low or 0.0,
            gain_high=found.gain.high or 0.0,
            p=found.chance,
        )
        for found in report.findings
    ]
    return records_pb2.MemoryReport(blocks=report.blocks, judged=report.judged, doubt=report.doubt, findings=findings)


def _thinking(reading: Reading, report: ThinkingReport, names: Names) -> records_pb2.ThinkingReport:
    findings = [
        records_pb2.ThinkingChange(
            **names[found.bot]._asdict(),
            since_ms=block_began_ms(reading, found.since),
            before_ms=found.before_ms,
            after_ms=found.after_ms,
            blocks_before=found.blocks_before,
            blocks_after=found.blocks_after,
            p=found.chance,
        )
        for found in report.findings
    ]
    return records_pb2.ThinkingReport(
        judged=report.judged, scatter=report.scatter, doubt=report.doubt, findings=findings
    )


def _shared_code(played: Iterable[_Named]) -> Iterator[records_pb2.SharedCode]:
    """The fingerprints that bots of several owners have. A version that an author chose says nothing about code."""
    fingerprints = [each for each in played if each.owner and is_fingerprint(each.version)]
    by_version = attrgetter("version", "owner", "bot")
    for version, group in groupby(sorted(fingerprints, key=by_version), attrgetter("version")):
        owners = [records_pb2.CodeOwner(owner=each.owner, bot=each.bot) for each in group]
        if len({each.owner for each in owners}) > 1:
            yield records_pb2.SharedCode(version=version, owners=owners)


def _addresses(store: Store, competition_id: int | None) -> records_pb2.AddressReport:
    """Which owners have shared an address: those with a bot in the competition, or all."""
    with store.reading() as reading:
        found = shared_addresses(reading, ledger.owner_names(reading, competition_id))
    pairs = [records_pb2.SharedAddress(owner=one, other=two, days=days) for (one, two), days in found.pairs]
    return records_pb2.AddressReport(pairs=pairs, crowded=found.crowded, on_record=found.on_record)


class _Link(NamedTuple):
    """What connects some owners."""

    owners: frozenset[str]
    reason: str


def _code_links(shared: Iterable[records_pb2.SharedCode]) -> Iterator[_Link]:
    for code in shared:
        bots = ", ".join(each.bot for each in code.owners)
        yield _Link(frozenset(each.owner for each in code.owners), f"{bots} have the same code, {code.version}")


def _helper_links(findings: Iterable[Suspicion], names: Names) -> Iterator[_Link]:
    for found in findings:
        helper, helped = names[found.shift.helper], names[found.shift.bot]
        if helper.owner and helped.owner and helper.owner != helped.owner:
            change = "better" if found.shift.change > 0 else "worse"
            reason = f"{helped.bot} does {change} with {helper.bot} at the table"
            yield _Link(frozenset((helper.owner, helped.owner)), reason)


def _clusters(links: Iterable[_Link]) -> list[records_pb2.AccountCluster]:
    """The owners that links connect, directly or through others."""
    clusters: list[tuple[frozenset[str], list[str]]] = []
    for link in links:
        joined = [each for each in clusters if each[0] & link.owners]
        clusters = [each for each in clusters if each not in joined]
        owners = link.owners.union(*(each[0] for each in joined))
        clusters.append((owners, [*(reason for each in joined for reason in each[1]), link.reason]))
    return [records_pb2.AccountCluster(owners=sorted(owners), reasons=reasons) for owners, reasons in clusters]
