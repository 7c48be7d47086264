"""What is known about bots, as messages of `roost.v1`, from a store alone."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

import numpy as np

from roost.v1 import arena_pb2, records_pb2
from roost_games.errors import UsageError
from roost_games.game import JsonValue
from roost_ladder.rating.groups import PairSums, met
from roost_sdk.wire.results import FAULT_KINDS
from roost_server.accounts.gate import Asker
from roost_server.answers.ratings import Ratings
from roost_server.answers.standings import filter_of
from roost_server.errors import NotFoundError
from roost_server.store import Store, queries
from roost_server.store.lookups import bots as lookups
from roost_server.store.lookups.bots import BotOnRecord, FaultsOfMatch, SeatTally, TallyKey
from roost_server.store.measures.holds import EVERYTHING_SEEN, Veil
from roost_server.store.sums.kept import Conduct

DEFAULT_FAULTS, MOST_FAULTS = 20, 200
NOTHING_DONE = Conduct()


def list_bots(
    store: Store, ratings: Ratings, request: arena_pb2.ListBotsRequest, veil: Veil = EVERYTHING_SEEN
) -> arena_pb2.ListBotsResponse:
    """Every bot version on record. In records nobody is connected."""
    return arena_pb2.ListBotsResponse() if request.connected_only else bots(store, ratings, veil)


def bots(store: Store, ratings: Ratings, veil: Veil = EVERYTHING_SEEN) -> arena_pb2.ListBotsResponse:
    """Every bot version on record. A running arena adds who is connected."""
    versions = queries.versions(store)
    # Read after them: a bot may register in between, and one too many does no harm here.
    known, done = queries.backgrounds(store, veil), ratings.conduct(veil.held)
    if veil.own:
        done |= {version: conduct for version, conduct in ratings.conduct().items() if version in veil.own}
    return arena_pb2.ListBotsResponse(
        bots=[
            arena_pb2.BotVersion(
                version_id=bot.id,
                name=bot.name,
                version=bot.version,
                matches=conduct.matches,
                wins=conduct.wins,
                faults=conduct.faults,
                first_seen_ms=bot.first_seen_ms,
                **known[bot.id]._asdict(),
            )
            for bot in versions
            for conduct in [done.get(bot.id, NOTHING_DONE)]
        ]
    )


def _find(store: Store, name: str) -> BotOnRecord:
    try:
        return lookups.bot(store, name)
    except UsageError as error:
        raise NotFoundError(str(error)) from None


def get_bot(
    store: Store, ratings: Ratings, request: records_pb2.GetBotRequest, veil: Veil = EVERYTHING_SEEN
) -> records_pb2.GetBotResponse:
    """One bot's record. Raises `NotFoundError` if there is no such bot, or it has no such version."""
    found = _find(store, request.bot)
    # All of its matches are those of its owner, who may see them.
    wanted = filter_of(store, request.filter, () if veil.own.issuperset(found.version_ids) else veil.held)
    chosen = found.version_ids if not request.version_id else (request.version_id,)
    if not set(chosen).issubset(found.version_ids):
        raise NotFoundError(f"{request.version_id} is not a version of {request.bot}")
    tallies = lookups.seat_tallies(store, chosen, wanted.matches, wanted.rule)
    names = {version.id: version.name for version in queries.versions(store)}
    record = ratings.rated(wanted).record
    pairs, one, other = met(record)
    against = _against(pairs, record.bots[one], record.bots[other], found, chosen, names)
    return records_pb2.GetBotResponse(seats=_seats(tallies), opponents=_opponents(against))


def _seats(tallies: Mapping[TallyKey, SeatTally]) -> list[records_pb2.SeatRecord]:
    """One message for each game, table size and seat."""
    found: dict[tuple[str, int, int], records_pb2.SeatRecord] = {}
    for key in sorted(tallies):
        game, players, seat, place = key
        empty = records_pb2.SeatRecord(game=game, players=players, seat=seat, places=[0] * players)
        row, tally = found.setdefault((game, players, seat), empty), tallies[key]
        row.places[place - 1] += tally.matches
        row.matches += tally.matches
        row.score_sum += tally.score_sum
        row.faults += tally.faults
        row.forfeits += tally.forfeits
        row.decisions += tally.decisions
        row.thinking_ms += round(tally.thinking_ms)
    return list(found.values())


def _against(
    pairs: PairSums,
    ones: Iterable[int],
    others: Iterable[int],
    bot: BotOnRecord,
    chosen: Collection[int],
    names: Mapping[int, str],
) -> dict[str, PairSums]:
    """By name of the opponent, the sums of all pairs of versions, seen from the chosen versions."""
    found: defaultdict[str, list[PairSums]] = defaultdict(list)
    for index, (one, other) in enumerate(zip(ones, others, strict=True)):
        sums = PairSums._make(column[index : index + 1] for column in pairs)
        if one in chosen and names[other] != bot.name:
            found[names[other]].append(sums)
        elif other in chosen and names[one] != bot.name:
            found[names[one]].append(_from_the_other_side(sums))
    return {name: PairSums._make(np.sum(part, axis=0) for part in zip(*sums)) for name, sums in found.items()}  # noqa: B905


def _from_the_other_side(sums: PairSums) -> PairSums:
    """The second bot is ahead where the first is not."""
    return sums._replace(
        ahead=sums.matches - sums.ahead,
        ahead_squared=sums.matches_squared - 2 * sums.ahead_by_matches + sums.ahead_squared,
        ahead_by_matches=sums.matches_squared - sums.ahead_by_matches,
    )


def _opponents(against: Mapping[str, PairSums]) -> list[records_pb2.OpponentRecord]:
    """The opponents, those with the most matches first."""
    records = []
    for name, sums in against.items():
        (low,), (high,) = sums.interval()
        matches, share = int(sums.matches[0]), float(sums.ahead[0] / sums.matches[0])
        records.append(
            records_pb2.OpponentRecord(bot=name, matches=matches, share=share, share_low=low, share_high=high)
        )
    return sorted(records, key=lambda record: (-record.matches, record.bot))


def list_faults(
    store: Store, request: records_pb2.ListFaultsRequest, asker: Asker, veil: Veil = EVERYTHING_SEEN
) -> records_pb2.ListFaultsResponse:
    """A page of a bot's faults, whole matches at a time. Raises `NotFoundError` if there is no such bot or match."""
    found = _find(store, request.bot)
    most = min(request.limit or DEFAULT_FAULTS, MOST_FAULTS)
    answer = records_pb2.ListFaultsResponse()
    for match in _faulty_matches(store, request, veil):
        # The next page begins after a match, so no match is cut in two.
        if answer.faults and len(answer.faults) + len(match.faults) > most:
            break
        answer.faults.extend(_fault_messages(match, told=asker.may_see(found.owner) and not match.in_play))
    return answer


def _faulty_matches(store: Store, request: records_pb2.ListFaultsRequest, veil: Veil) -> Iterable[FaultsOfMatch]:
    if not request.match_id:
        return lookups.faults(store, request.bot, request.before_match_id or None, veil)
    try:
        return lookups.faults_in(store, request.bot, request.match_id, veil)
    except UsageError as error:
        raise NotFoundError(str(error)) from None


def _fault_messages(match: FaultsOfMatch, *, told: bool) -> Iterable[records_pb2.FaultOnRecord]:
    """The faults of a match. What the bot sent is for its owner, and not while others play the same deal."""
    for fault, version, position in match.faults:
        yield records_pb2.FaultOnRecord(
            match_id=match.match_id,
            game=match.game,
            step=fault.step,
            kind=FAULT_KINDS[fault.kind],
            ended_ms=match.ended_ms,
            version=version,
            detail=_text(fault.sent) if told else "",
            seat=fault.seat,
            position=position,
        )


def _text(sent: JsonValue) -> str:
    if sent is None:
        return ""
    return sent if isinstance(sent, str) else json.dumps(sent, ensure_ascii=False)
