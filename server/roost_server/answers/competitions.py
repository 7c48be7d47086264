"""Competitions and their brackets, as messages of `roost.v1`, from a store alone."""

from collections.abc import Mapping
from datetime import datetime

from roost.v1 import admin_pb2, arena_pb2, records_pb2
from roost_games.errors import UsageError
from roost_ladder.schedules.knockout import Tie, champion
from roost_server.accounts import owners, requests
from roost_server.accounts.requests import Caller
from roost_server.answers.held import MOST_SEALS, held_in_words, held_phases, seal_message
from roost_server.competition import ledger, phases
from roost_server.competition.demands import BotQualification, Trial, in_words
from roost_server.competition.file import CompetitionFile, PhaseName
from roost_server.competition.finals import table_names
from roost_server.competition.history import bracket_on_record, result_on_record
from roost_server.competition.ledger import Competition
from roost_server.competition.qualification import qualifications
from roost_server.competition.ranking import Measures
from roost_server.competition.result import CompetitionResult, Placed
from roost_server.competition.wording import phase_in_words, rules_in_words
from roost_server.store import Store, queries
from roost_server.store.copies.epochs import present_epoch
from roost_server.store.measures.holds import EVERYTHING_SEEN, PHASES, Veil
from roost_server.store.measures.seals import newest_seals


def competitions(store: Store, veil: Veil = EVERYTHING_SEEN) -> arena_pb2.ListCompetitionsResponse:
    """Every competition on record, the oldest first."""
    found = [ledger.find(store, name) for name in ledger.names(store)]
    return arena_pb2.ListCompetitionsResponse(competitions=[status_of(store, each, veil) for each in found])


def status_of(store: Store, competition: Competition, veil: Veil = EVERYTHING_SEEN) -> arena_pb2.CompetitionStatus:
    """The state of a competition. Its master seed is included only once it is done, and nothing is held back."""
    file, phase = competition.file, competition.phase
    now = queries.progress(store, competition.id, phase)
    if veil.holds_back(competition.id, phase):
        now = now._replace(blocks_done=0, blocks_open=0)
    revealed = phase == PhaseName.DONE and not veil.holds_back(competition.id)
    return arena_pb2.CompetitionStatus(
        name=file.name,
        title=file.title,
        phase=phase,
        next_change_ms=_ms(phases.next_change(file, phase)),
        entries=now.entries,
        blocks_done=now.blocks_done,
        blocks_open=now.blocks_open,
        commitment=competition.commitment,
        seed=competition.seed.hex() if revealed else "",
        document=competition.document,
        epoch=present_epoch(store),
        held=held_phases(store, competition),
    )


def get_competition(store: Store, request: records_pb2.GetCompetitionRequest) -> records_pb2.GetCompetitionResponse:
    """The rules, phases and entries of a competition. Raises `UnknownCompetitionError`."""
    with store.reading() as reading:
        competition = ledger.read(reading, request.competition)
        changes = ledger.phase_changes(reading, competition.id)
        entries = ledger.entries(reading, competition.id)
        shown = qualifications(reading, competition.id, competition.file)
        seals = [seal for phase in PHASES for seal in newest_seals(reading, competition.id, phase, MOST_SEALS)]
    return records_pb2.GetCompetitionResponse(
        rules=rules_in_words(competition.file),
        phases=_phases(competition, {phase: at for phase, at, _ in changes}),
        entries=[
            records_pb2.Entry(
                bot=each.bot,
                owner=each.owner,
                entered_ms=each.entered_ms,
                version_ids=each.version_ids,
                withdrawn=each.withdrawn,
                qualification=qualification_message(competition.file, shown.get(each.bot_id)),
            )
            for each in entries
        ],
        seals=map(seal_message, seals),
    )


def qualification_message(file: CompetitionFile, bot: BotQualification | None) -> records_pb2.Qualification | None:
    """The progress of a bot; `None` if it need not qualify."""
    part = file.qualification
    if part is None or bot is None:
        return None
    trial = bot.shown or Trial(0)
    return records_pb2.Qualification(
        qualified=bot.qualified,
        summary=in_words(part, bot),
        version_id=trial.version_id,
        blocks=trial.blocks,
        most_blocks=part.most_blocks,
        score=trial.score,
        confidence=trial.confidence,
        confidence_needed=part.confidence or 0.0,
        clean_matches=trial.clean,
        clean_matches_needed=part.clean_matches,
        versions_left=part.most_versions - len(bot.trials),
    )


def get_account(store: Store, caller: Caller, request: admin_pb2.GetAccountRequest) -> admin_pb2.GetAccountResponse:
    """Everything about the owner who asks, and the progress of their bots' qualifications."""
    answer = requests.get_account(store, caller, request)
    with store.reading() as reading:
        for name in {entry.competition for entry in answer.entries}:
            competition = ledger.read(reading, name)
            shown = qualifications(reading, competition.id, competition.file)
            bots = {bot.name: bot.id for bot in owners.bots(store, owner_id=caller.owner_id)} if shown else {}
            for entry in answer.entries:
                message = qualification_message(competition.file, shown.get(bots.get(entry.bot, 0)))
                if entry.competition == name and message is not None:
                    entry.qualification.CopyFrom(message)
    return answer


def _phases(competition: Competition, begun: Mapping[str, datetime]) -> list[records_pb2.CompetitionPhase]:
    """The phases of a competition. One that has begun did so when the record says, whatever the file says.

    One that was left out has no times.
    """
    parts, current = competition.file.phases, competition.phase
    order = [part.phase for part in parts]
    now = order.index(PhaseName(current)) if current in order else -1
    planned = {part.phase: part.starts for part in parts[max(now, 0) :]}
    begins = [_ms(begun.get(part.phase, planned.get(part.phase))) for part in parts]
    return [
        records_pb2.CompetitionPhase(
            name=part.phase,
            begins_ms=begins[number],
            ends_ms=next(filter(None, begins[number + 1 :]), 0) if begins[number] or number >= now else 0,
            current=number == now,
            done=number < now,
            summary=phase_in_words(competition.file, part),
        )
        for number, part in enumerate(parts)
    ]


def bracket(
    store: Store, request: arena_pb2.GetBracketRequest, veil: Veil = EVERYTHING_SEEN
) -> arena_pb2.GetBracketResponse:
    """The bracket of a competition's finals, if they are a knockout, and its result once it is done.

    Of what is held back there is nothing in it.

    Raises `UnknownCompetitionError`.
    """
    with store.reading() as reading:
        competition = ledger.read(reading, request.competition)
        rounds = bracket_on_record(reading, competition, veil.held)
        known = None if veil.holds_back(competition.id) else result_on_record(reading, competition)
        result = known or CompetitionResult((), None)
        versions = ledger.entered_versions(reading, competition.id)
    names = table_names((each.version_id, each.name, each.version) for each in versions)
    owners = {each.version_id: each.owner for each in versions}
    best = champion(rounds)
    return arena_pb2.GetBracketResponse(
        rounds=[arena_pb2.BracketRound(ties=[_tie(tie, names) for tie in ties]) for ties in rounds],
        champion="" if best is None else names[best],
        result=[_placed(row, names, owners) for row in result.places],
        winner="" if result.winner is None else names[result.winner],
        held=held_in_words(store, veil, competition.file.name),
        ranking=competition.file.ranking if result.places and not rounds else "",
    )


def _placed(row: Placed, names: Mapping[int, str], owners: Mapping[int, str]) -> arena_pb2.ResultRow:
    return arena_pb2.ResultRow(
        place=row.place,
        bot=names[row.version_id],
        owner=owners[row.version_id],
        decided_by=row.decided_by,
        seed=row.seed,
        **_measures(row.measures),
        lost_in=row.lost_in or 0,
        lost_to="" if row.lost_to is None else names[row.lost_to],
    )


def _measures(measures: Measures | None) -> dict[str, float]:
    """What a bot has, by the names of the fields."""
    if measures is None:
        return {}
    of = {criterion.name.lower(): value for criterion, value in measures.of.items()}
    return {**of, "rating_low": measures.low, "rating_high": measures.high}


def _tie(tie: Tie, names: Mapping[int, str]) -> arena_pb2.BracketTie:
    return arena_pb2.BracketTie(
        high=names[tie.high],
        low="" if tie.low is None else names[tie.low],
        score_high=tie.score_high,
        score_low=tie.score_low,
        winner="" if tie.winner is None else names[tie.winner],
    )


def _ms(moment: datetime | None) -> int:
    return int(moment.timestamp() * 1000) if moment is not None else 0


def phase_asked_for(file: CompetitionFile, current: str, wanted: str) -> str:
    """The phase that is asked for; by default the one that is being played, or was played last."""
    if wanted:
        if not phases.plays(wanted):
            raise UsageError(f"nothing is played in the phase {wanted!r} of {file.name}; ask for ladder or finals")
        return wanted
    if phases.plays(current):
        return current
    finished = current == PhaseName.DONE and file.phase(PhaseName.FINALS) is not None
    return PhaseName.FINALS if finished else PhaseName.LADDER
