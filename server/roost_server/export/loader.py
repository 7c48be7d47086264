"""An export as records again: the folder becomes a database in a temporary file, which answers as an arena's would.

Its hashes are checked first, and what is read must fit together. That the matches were played by the rules and that the
result follows from them is what `checker` is for: it takes far longer.
"""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from roost_games.errors import ReplayError, RoostError, UsageError
from roost_games.replay import Replay, parse_lines
from roost_sdk.replay_files import Progress, no_progress
from roost_server.competition.demands import QUALIFICATION
from roost_server.competition.ledger import EnteredVersion, PlayedElsewhere, take_over
from roost_server.export.checker import is_export, wrong_hashes
from roost_server.export.files import COMPETITION_FILE, MATCHES_FILE, RULES_FILE, ExportedBlock, ExportedRuling
from roost_server.export.reader import Damaged, Exported, as_block, read_export, read_lines, read_text
from roost_server.export.rulings import names_in
from roost_server.store import BlockClosed, BlockState, FinishedMatch, NewBlock, Planned, Purpose, RecordRefused, Store
from roost_server.store.measures.rulings import Ruling, RulingKind
from roost_server.store.store import open_store

AT_ONCE = 500
"""How many matches or blocks are written in a transaction."""
NO_TIMES = (0, 0)


class LoadedPlace(NamedTuple):
    """Where a match belongs."""

    block: ExportedBlock
    rotation: int
    times: tuple[int, int]


@contextmanager
def loaded(folder: Path, progress: Progress = no_progress) -> Iterator[Store]:
    """The records of an export, gone when the block is left.

    Raises `UsageError` if the folder is not an export, `RoostError` if it is damaged.
    """
    if not is_export(folder):
        raise UsageError(f"{folder} is not the export of a competition; `roost export` writes one")
    with TemporaryDirectory(prefix="roost-records-") as place, open_store(f"sqlite:///{place}/export.db") as store:
        try:
            _load(_unharmed(folder), store, progress)
        except (Damaged, RecordRefused) as error:
            told = str(error).removeprefix(f"{store.name}: ")
            raise RoostError(f"{folder} is damaged: {told}; `roost verify {folder}` says everything") from None
        yield store


def _unharmed(folder: Path) -> Exported:
    for wrong in wrong_hashes(folder):
        raise Damaged(wrong.where, wrong.what)
    return read_export(folder)


def _load(exported: Exported, store: Store, progress: Progress) -> None:
    competition_id = take_over(store, _as_played(exported))
    opened = (_new_block(block, competition_id) for block in exported.blocks)
    while some := list(islice(opened, AT_ONCE)):
        store.commit(some)
    matches = _matches(exported)
    with progress("reading", sum(len(block.matches) for block in exported.blocks)) as advance:
        while found := list(islice(matches, AT_ONCE)):
            store.commit(found)
            advance(len(found))
    closed = (BlockClosed(block.id, BlockState(block.state)) for block in exported.blocks)
    while ended := list(islice(closed, AT_ONCE)):
        store.commit(ended)


def _as_played(exported: Exported) -> PlayedElsewhere:
    whole = exported.competition
    if whole.name != exported.file.name:
        raise Damaged(COMPETITION_FILE, f"is about {whole.name!r}, the rules about {exported.file.name!r}")
    return PlayedElsewhere(
        whole.name,
        read_text(exported.folder, RULES_FILE),
        whole.seed,
        whole.commitment,
        whole.phases,
        str(whole.phase),
        [EnteredVersion(b.version_id, b.name, b.version, b.owner, b.pinned, b.withdrawn_ms) for b in whole.bots],
        whole.epochs,
        [(_ruling(each), each.version_ids) for each in whole.rulings],
        whole.ratings,
    )


def _ruling(ruling: ExportedRuling) -> Ruling:
    return Ruling(
        ruling.at_ms,
        ruling.actor,
        RulingKind(ruling.kind),
        ruling.subject,
        ruling.reason,
        match_id=ruling.match or None,
        before=ruling.before,
        after=ruling.after,
    )


def _new_block(block: ExportedBlock, competition_id: int) -> NewBlock:
    began = min((started for started, _ in block.times), default=0)
    plan = Planned(competition_id, block.phase, block.serial, block.epoch)
    deals = block.deals, block.resumed
    return NewBlock(
        block.id,
        block.game,
        block.options,
        block.seed,
        block.rotation,
        block.version_ids,
        began,
        plan,
        *deals,
        Purpose.QUALIFICATION if block.phase == QUALIFICATION else Purpose.RATED,
    )


def _matches(exported: Exported) -> Iterator[FinishedMatch]:
    """In the order of the file, which is that of recording. Raises `Damaged` if one fits nowhere, or one is missing."""
    places = {match: place for block in exported.blocks for match, place in _places(block)}
    names = names_in(exported.competition)
    for number, replay in parse_lines(read_lines(exported.folder, MATCHES_FILE)):
        if isinstance(replay, ReplayError):
            raise Damaged(MATCHES_FILE, f"line {number}: {replay}")
        place = places.pop(replay.match, None)
        if place is None or not _fits(replay, place, names):
            raise Damaged(MATCHES_FILE, f"line {number}: match {replay.match} does not fit any block")
        yield _finished(replay, place)
    for missing in places:
        raise Damaged(MATCHES_FILE, f"match {missing} is missing")


def _places(block: ExportedBlock) -> Iterator[tuple[str, LoadedPlace]]:
    times = block.times or (NO_TIMES,) * len(block.matches)
    for (match, rotation), when in zip(block.matches, times, strict=True):
        yield match, LoadedPlace(block, rotation, when)


def _fits(replay: Replay, place: LoadedPlace, names: Mapping[int, Collection[tuple[str, str]]]) -> bool:
    expected = [names[version_id] for version_id in as_block(place.block).seating(place.rotation)]
    seated = [(seat.bot, seat.version) for seat in replay.seats]
    if replay.seed is None or replay.game != place.block.game or len(seated) != len(expected):
        return False
    return all(seat in may for seat, may in zip(seated, expected, strict=True))


def _finished(replay: Replay, place: LoadedPlace) -> FinishedMatch:
    seating = as_block(place.block).seating(place.rotation)
    return FinishedMatch(replay, place.block.id, place.rotation, seating, *place.times)
