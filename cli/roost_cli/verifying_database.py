"""What `roost verify --db` does: adjudicate every match that an arena has recorded, while it runs or afterwards."""

import zlib
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from roost_cli.exporting import verify_folder
from roost_cli.terminal.progress import Advance, progress
from roost_cli.verifying import Checked, Finding, judge
from roost_games.replay import parse_lines
from roost_server.competition import ledger
from roost_server.export.writer import export
from roost_server.store import Store, StoreError, open_store, queries


def verify_database(url: str, *, tell: bool) -> Checked:
    """Check every match on record, then every competition; what deviates is printed as it is found if `tell` is set.

    A finding's line is the place of its match in the order of recording, from 1.
    """
    checked = Checked()
    with open_store(url, read_only=True) as store:
        total = queries.match_count(store)
        with progress("verifying", total) as advance:
            checked.gather(_findings(store, checked, advance), tell=tell)
        for name in ledger.names(store):
            of_competition = _check_competition(store, name, tell=tell)
            checked.findings += of_competition.findings
            checked.commitments |= of_competition.commitments
    return checked


def _check_competition(store: Store, name: str, *, tell: bool) -> Checked:
    """What is wrong with a competition as a whole; its matches have been checked."""
    with TemporaryDirectory(prefix="roost-verify-") as temporary:
        folder = Path(temporary) / name
        export(store, name, folder)
        return verify_folder(folder, tell=tell, named=Path(name), matches=False)


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
