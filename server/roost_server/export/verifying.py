"""Verifies all that an arena recorded: a folder that was exported, a competition at an arena, or a database."""

import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from roost_games.errors import UsageError
from roost_games.replay import parse_lines
from roost_sdk.arena.reader import Reader, find_competition
from roost_sdk.replay_files import Advance, Checked, Finding, Progress, judge, no_progress
from roost_server.competition import ledger
from roost_server.export.checker import check_export, is_export
from roost_server.export.files import MATCHES_FILE
from roost_server.export.reader import commitments_in
from roost_server.export.writer import export
from roost_server.store import Store, StoreError, open_store, queries

Tell = Callable[[Finding], None] | None
"""Hears about each finding at once."""


def verify_folder(
    folder: Path,
    tell: Tell = None,
    progress: Progress = no_progress,
    *,
    shown_as: Path | None = None,
    matches: bool = True,
    commitment: str | None = None,
) -> Checked:
    """Check the export of a competition.

    Without `matches` their records are not replayed, because that has been done. `commitment` is the one that was
    published, if it is known. Findings name `shown_as` instead of a temporary folder.
    """
    if not is_export(folder):
        raise UsageError(f"{folder} is not the export of a competition; name the files of replays in it")
    checked = Checked(tell)
    with progress("verifying", _lines_in(folder / MATCHES_FILE)) as advance:

        def count(number: int) -> None:
            checked.matches += number
            advance(number)

        wrong = check_export(folder, count, matches=matches, commitment=commitment)
        checked.gather(Finding((shown_as or folder) / each.where, None, "", None, each.what) for each in wrong)
    if commitment is None:
        checked.commitments |= commitments_in(folder)
    return checked


def _lines_in(file: Path) -> int:
    """The number of lines; 0 if the file is missing, which is for the check to report."""
    if not file.is_file():
        return 0
    with file.open("rb") as lines:
        return sum(1 for _ in lines)


def verify_arena(
    reader: Reader,
    competition: str | None,
    tell: Tell = None,
    progress: Progress = no_progress,
    *,
    commitment: str | None = None,
) -> Checked:
    """Check a competition by the files that its arena gives to anybody."""
    name = competition or find_competition(reader).name
    with TemporaryDirectory(prefix="roost-verify-") as temporary:
        folder = Path(temporary) / name
        reader.export(name, folder)
        return verify_folder(folder, tell, progress, shown_as=Path(name), commitment=commitment)


def verify_database(url: str, tell: Tell = None, progress: Progress = no_progress) -> Checked:
    """Check every match on record, then every competition.

    A finding's line is the place of its match in the order of recording, from 1.
    """
    checked = Checked(tell)
    with open_store(url, read_only=True) as store:
        total = queries.match_count(store)
        with progress("verifying", total) as advance:
            checked.gather(_findings(store, checked, advance))
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


def _findings(store: Store, checked: Checked, advance: Advance) -> Iterator[Finding]:
    for number, replay in parse_lines(_lines(store)):
        checked.matches += 1
        finding = judge(Path(store.name), number, replay)
        if finding is not None:
            yield finding
        advance(1)


def _lines(store: Store) -> Iterator[str]:
    number = 0
    try:
        for number, line in enumerate(queries.replays(store), 1):  # noqa: B007
            yield line
    except (zlib.error, UnicodeDecodeError) as error:
        raise StoreError(f"{store.name}: match number {number + 1} is damaged: {error}") from None
