"""Verifies what an arena has recorded: a competition that it exports, or everything in its database."""

import zlib
from collections.abc import Collection, Iterator
from pathlib import Path
from shutil import disk_usage
from tempfile import TemporaryDirectory

from roost_games.replay import VOIDED, parse_lines
from roost_sdk.arena.reader import Reader, find_competition
from roost_sdk.replay_files import Advance, Checked, Progress, RecordFlaw, judge, no_progress
from roost_server.competition import ledger
from roost_server.export.checker import Tell, verify_folder
from roost_server.export.deals import BlockDeals, DealCheck
from roost_server.export.writer import export
from roost_server.store import Store, StoreError, open_store, queries
from roost_server.store.copies.archives import wrong_archives


def verify_arena(
    reader: Reader,
    competition: str | None,
    tell: Tell = None,
    progress: Progress = no_progress,
    *,
    commitment: str | None = None,
    seals: Collection[str] = (),
) -> Checked:
    """Check a competition by the files that its arena exports to anybody. They may take half of the free space."""
    name = competition or find_competition(reader).name
    with TemporaryDirectory(prefix="roost-verify-") as temporary:
        # Not called like the competition: its name may come from the arena, too.
        folder = Path(temporary) / "export"
        reader.export(name, folder, most_bytes=disk_usage(temporary).free // 2)
        return verify_folder(folder, tell, progress, shown_as=Path(name), commitment=commitment, seals=seals)


def verify_database(url: str, tell: Tell = None, progress: Progress = no_progress) -> Checked:
    """Check every match on record, then every competition.

    A finding's line is the place of its match in the order of recording, from 1.
    """
    checked = Checked(tell)
    with open_store(url, read_only=True) as store:
        total = queries.match_count(store)
        with progress("verifying", total) as advance:
            checked.gather(_findings(store, checked, advance))
        checked.gather(_wrong_deals(store))
        with store.reading() as reading:
            wrong = list(wrong_archives(reading, store.backend))
        checked.gather(RecordFlaw(file, None, "", None, what) for file, what in wrong)
        for name in ledger.names(store):
            of_competition = _check_competition(store, name, tell)
            checked.findings += of_competition.findings
            checked.commitments |= of_competition.commitments
    return checked


def _check_competition(store: Store, name: str, tell: Tell) -> Checked:
    """What is wrong with a competition as a whole; its matches have been checked."""
    with TemporaryDirectory(prefix="roost-verify-") as temporary:
        folder = Path(temporary) / name
        export(store, name, folder)
        return verify_folder(folder, tell, shown_as=Path(name), matches=False)


def _findings(store: Store, checked: Checked, advance: Advance) -> Iterator[RecordFlaw]:
    for number, replay in parse_lines(_lines(store)):
        checked.count(replay)
        finding = judge(Path(store.name), number, replay)
        if finding is not None:
            yield finding
        advance(1)


def _wrong_deals(store: Store) -> Iterator[RecordFlaw]:
    """The matches, in competitions or not, whose deals do not follow from their blocks."""
    check = DealCheck()
    for match in queries.deals(store):
        block = BlockDeals(match.block_id, match.block_seed, match.deals, match.resumed)
        if not check.follows(block, match.rotation, match.seed, voided=match.termination == VOIDED):
            what = f"its deal does not follow from block {block.id}"
            yield RecordFlaw(Path(store.name), match.number, match.id, None, what)


def _lines(store: Store) -> Iterator[str]:
    number = 0
    try:
        for number, line in enumerate(queries.replays(store), 1):  # noqa: B007
            yield line
    except (zlib.error, UnicodeDecodeError) as error:
        raise StoreError(f"{store.name}: match number {number + 1} is damaged: {error}") from None
