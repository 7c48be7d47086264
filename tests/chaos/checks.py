"""What must be true of a competition after all that went wrong. Each check yields what is not."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import select

from roost.v1 import arena_pb2
from roost_games.replay import VOIDED, Replay
from roost_ladder.blocks import Block
from roost_ladder.rating.results import MatchResult
from roost_ladder.rating.standings import standings
from roost_ladder.schedules.schedule import Participants
from roost_server.answers.standings import standings_of
from roost_server.competition import ledger
from roost_server.export.checker import check_export
from roost_server.export.writer import export
from roost_server.store import BlockState, Store, queries
from roost_server.store.lookups import matches as lookups
from roost_server.store.models import QUARANTINE
from roost_server.store.queries import BlockOnRecord
from tests.chaos import reference
from tests.chaos.notes import read_notes
from tests.chaos.reference import Played
from tests.chaos.strategies import NAMES, SILENT, STEADY
from tests.chaos.views import wrong_views
from tests.chaos.world import COMPETITION_NAME, Games, notes_of

TOLERANCE = 1e-6
MOST_TAKES = 100
"""No arena is stopped more often."""


@dataclass(frozen=True)
class Outcome:
    """A competition that is over."""

    folder: Path
    store: Store
    competition: ledger.Competition
    blocks: list[BlockOnRecord]
    replays: dict[str, Replay]
    names: dict[int, str]

    @classmethod
    def of(cls, folder: Path, store: Store) -> "Outcome":
        competition = ledger.find(store, COMPETITION_NAME)
        replays = [Replay.from_line(line) for line in queries.replays(store)]
        with store.reading() as connection:
            blocks = queries.finished_blocks(connection, competition.id)
        return cls(
            folder,
            store,
            competition,
            blocks,
            {replay.match: replay for replay in replays},
            {version.id: version.name for version in queries.versions(store)},
        )

    def done(self, phase: str) -> list[BlockOnRecord]:
        """The blocks of a phase that count, in the order of the plan."""
        return [block for block in self.blocks if (block.phase, block.state) == (phase, BlockState.DONE)]

    def results(self, phase: str) -> list[MatchResult]:
        """The results that count, from the replays alone."""
        ids = {name: version_id for version_id, name in self.names.items()}
        found = []
        for block in self.done(phase):
            for match_id, _ in block.matches:
                replay = self.replays[match_id]
                bots = tuple(ids[seat.bot] for seat in replay.seats)
                if replay.result.termination != VOIDED:
                    forfeited = bool(replay.result.forfeits)
                    found.append(MatchResult(block.id, replay.game, bots, replay.result.places, forfeited))
        return found


def everything_wrong(outcome: Outcome, games: Games, rounds: int) -> Iterator[str]:
    """All that is not as it must be."""
    yield from blocks_not_settled(outcome)
    yield from wrong_export(outcome)
    yield from wrong_ratings(outcome)
    yield from lost_matches(outcome)
    yield from leaks(outcome)
    yield from quarantine_failures(outcome)
    yield from differences(outcome, games, rounds)


def blocks_not_settled(outcome: Outcome) -> Iterator[str]:
    """Every planned block is done, or was voided; numbers are without a gap, and no match counts twice."""
    for left in queries.unfinished_blocks(outcome.store):
        yield f"block {left.id} is still open"
    for phase in ("ladder", "finals"):
        serials = [block.serial for block in outcome.blocks if block.phase == phase]
        if serials != list(range(len(serials))) or not serials:
            yield f"the blocks of the {phase} are not numbered from 0 without a gap: {serials}"
    for block in outcome.blocks:
        counting = [rotation for match, rotation in block.matches if _counts(outcome.replays[match])]
        if len(set(counting)) < len(counting):
            yield f"block {block.id} has a rotation twice: {counting}"


def _counts(replay: Replay) -> bool:
    return replay.result.termination != VOIDED


def wrong_export(outcome: Outcome) -> Iterator[str]:
    """What `roost verify` says about the export."""
    folder = outcome.folder / "export"
    export(outcome.store, COMPETITION_NAME, folder)
    yield from (f"verify: {wrong}" for wrong in check_export(folder))


def wrong_ratings(outcome: Outcome) -> Iterator[str]:
    """The arena's standings beside those that follow from the replays."""
    for phase in ("ladder", "finals"):
        request = arena_pb2.GetStandingsRequest(competition=COMPETITION_NAME, phase=phase)
        said = standings_of(outcome.store, request).standings
        again = standings(outcome.results(phase))
        if [each.version_id for each in said] != [each.bot for each in again]:
            yield f"the standings of the {phase} have another order than those from the replays"
        elif any(abs(one.rating - other.rating) > TOLERANCE for one, other in zip(said, again, strict=True)):
            yield f"the ratings of the {phase} are others than those from the replays"


def lost_matches(outcome: Outcome) -> Iterator[str]:
    """No match whose end a bot was told is missing, or ended otherwise."""
    for name in NAMES:
        for match_id, places in read_notes(notes_of(outcome.folder, name)).told:
            if match_id not in outcome.replays:
                yield f"{name} was told the end of match {match_id}, which is not on record"
            elif tuple(outcome.replays[match_id].result.places) != places:
                yield f"{name} was told another end of match {match_id} than is on record"


def leaks(outcome: Outcome) -> Iterator[str]:
    """Nobody saw anything but its own view."""
    for name in NAMES:
        asked = read_notes(notes_of(outcome.folder, name)).asked
        if name in STEADY and not asked:
            yield f"{name} has never been asked, so nothing is known about its views"
        yield from wrong_views(name, asked, outcome.replays)


def quarantine_failures(outcome: Outcome) -> Iterator[str]:
    """Who never answers is in quarantine, and the others have played on."""
    silent = next(version_id for version_id, name in outcome.names.items() if name == SILENT)
    with outcome.store.reading() as connection:
        rows = connection.execute(select(QUARANTINE).where(QUARANTINE.c.version_id == silent)).all()
    if not rows or rows[-1].ended_ms is not None:
        yield "the bot that never answers is not in quarantine"
        return
    later = [match for match in lookups.matches(outcome.store, limit=1000) if match.ended_ms > rows[0].since_ms]
    if not any({seat.bot for seat in match.seats} <= set(STEADY) for match in later):
        yield "nobody has played since the bot that never answers is in quarantine"


def differences(outcome: Outcome, games: Games, rounds: int) -> Iterator[str]:
    """The finals are those of a run without faults: the same blocks, and the same matches where everybody answers."""
    blocks = list(
        reference.planned(outcome.competition.seed, COMPETITION_NAME, _finalists(outcome, games), rounds),
    )
    voided = sum(block.state == BlockState.VOIDED for block in outcome.blocks if block.phase == "finals")
    expected = Counter((block.game, block.group) for block in blocks)
    played = Counter((block.game, block.version_ids) for block in outcome.done("finals"))
    if expected != played:
        yield f"the schedule of the finals is another one: {len(blocks)} blocks, not {played.total()}"
    if not voided and [block.block_id for block in blocks] != [block.id for block in outcome.done("finals")]:
        yield "the blocks of the finals were planned in another order"
    yield from _other_matches(outcome, {block.block_id: block for block in blocks})


def _other_matches(outcome: Outcome, blocks: Mapping[str, Block]) -> Iterator[str]:
    compared = 0
    for recorded in outcome.done("finals"):
        block = blocks.get(recorded.id)
        if block is None or not {outcome.names[bot] for bot in block.group} <= set(STEADY):
            continue
        for match_id, rotation in recorded.matches:
            compared += 1
            replay = outcome.replays[match_id]
            # A block that was resumed has other deals from then on. Verifying checks that it has no more than that.
            takes = [take for take in range(MOST_TAKES) if block.seed_of(rotation, take).hex() == replay.seed]
            most_faults = outcome.competition.file.faults.max_faults
            if not takes or Played.of(replay) != reference.play(block, rotation, outcome.names, most_faults, takes[0]):
                yield f"match {match_id} of block {recorded.id} went another way than without faults"
    if not compared:
        yield "no match of the finals was between bots that always answer"


def _finalists(outcome: Outcome, games: Games) -> Participants:
    """By their rank on the ladder, those without a match last, in the order of entry."""
    ranked = [standing.bot for standing in standings(outcome.results("ladder"))]
    entered = [entrant.pinned_version_id or 0 for entrant in ledger.entrants(outcome.store, outcome.competition.id)]
    bots = [*ranked, *(bot for bot in entered if bot not in ranked)]
    return Participants(tuple(bots), reference.kinds(games), owners={bot: outcome.names[bot] for bot in bots})
