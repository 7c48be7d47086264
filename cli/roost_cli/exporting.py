"""What `roost export` does, and `roost verify` with an export."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from roost_cli.arena_source import Source
from roost_cli.server_extra import server_extra
from roost_cli.terminal.progress import progress
from roost_cli.verifying import Checked, Finding
from roost_games.errors import UsageError


def export_competition(source: Source, name: str | None, folder: Path) -> list[Path]:
    """Export a competition into a new folder. Raises `RoostError`."""
    return source.export(name or _only_one(source), folder)


def _only_one(source: Source) -> str:
    names = [each.name for each in source.competitions().competitions]
    if len(names) != 1:
        there = f"there are: {', '.join(names)}" if names else "there is none"
        raise UsageError(f"name the competition with --competition; {there}")
    return names[0]


def verify_source(source: Source, name: str | None, *, tell: bool, commitment: str | None = None) -> Checked:
    """Check the competition of an arena, over the files that it gives to anybody."""
    with TemporaryDirectory(prefix="roost-verify-") as temporary:
        folder = Path(temporary) / (name or _only_one(source))
        export_competition(source, folder.name, folder)
        return verify_folder(folder, tell=tell, named=Path(folder.name), commitment=commitment)


def verify_folder(
    folder: Path, *, tell: bool, named: Path | None = None, matches: bool = True, commitment: str | None = None
) -> Checked:
    """Check an export; what is wrong is printed as it is found if `tell` is set.

    Without `matches` their records are taken for granted, because somebody has checked them already. `commitment` is
    the one that was published, if that is known.
    """
    with server_extra("the check of an export"):
        from roost_server.export.checker import check_export, is_export
        from roost_server.export.files import MATCHES_FILE
        from roost_server.export.reader import commitments_in
    if not is_export(folder):
        raise UsageError(f"{folder} is not the export of a competition; name the files of replays in it")
    checked = Checked()
    with progress("verifying", _lines_in(folder / MATCHES_FILE)) as advance:

        def count(number: int) -> None:
            checked.matches += number
            advance(number)

        wrong = check_export(folder, count, matches=matches, commitment=commitment)
        findings: Iterator[Finding] = (
            Finding((named or folder) / each.where, None, "", None, each.what) for each in wrong
        )
        checked.gather(findings, tell=tell)
    if commitment is None:
        checked.commitments |= commitments_in(folder)
    return checked


def _lines_in(file: Path) -> int:
    """How many lines a file has; none if it is not there, which is for the check to say."""
    if not file.is_file():
        return 0
    with file.open("rb") as lines:
        return sum(1 for _ in lines)
