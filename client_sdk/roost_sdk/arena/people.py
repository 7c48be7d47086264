"""A list of people as CSV: read from a file, and written again with an invitation for each, for a mail merge."""

import csv
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import NamedTuple

from roost_games.errors import UsageError
from roost_games.wording import has_control
from roost_sdk.bounded_files import read_regular

NAME = "name"
INVITATION = "invitation"
MARK = "\ufeff"
MOST_BYTES = 16 << 20
DELIMITERS = ",;\t"
"""Spreadsheets use one or the other, by country."""


class PeopleList(NamedTuple):
    """The people of a file, with everything else that it says about them."""

    mark: str
    """The byte order mark with which spreadsheets begin UTF-8, if the file has it."""
    delimiter: str
    columns: list[str]
    rows: list[list[str]]
    names: list[str]


def read_people(path: Path) -> PeopleList:
    """The people of a CSV file whose first line names the columns. Raises `UsageError`, which names the line."""
    try:
        text = read_regular(path, MOST_BYTES).decode()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise UsageError(f"{path} cannot be read: {reason}") from None
    mark = MARK if text.startswith(MARK) else ""
    text = text.removeprefix(MARK)
    head = text.partition("\n")[0]
    delimiter = max(DELIMITERS, key=head.count)
    numbered = _rows(path, text, delimiter)
    columns = [column.strip() for column in numbered.pop(0)[1]] if numbered else []
    at = _name_column(path, columns)
    for line, row in numbered:
        if len(row) != len(columns):
            raise UsageError(f"{path}, line {line}: has {len(row)} fields; the first line has {len(columns)}")
        if any(map(has_control, row)):
            raise UsageError(f"{path}, line {line}: has a control character; delete it")
        if not row[at].strip():
            raise UsageError(f"{path}, line {line}: has no name; write one, or delete the line")
    if not numbered:
        raise UsageError(f"{path} has no people in it; write a line for each")
    rows = [row for _, row in numbered]
    return PeopleList(mark, delimiter, columns, rows, [row[at].strip() for row in rows])


def _rows(path: Path, text: str, delimiter: str) -> list[tuple[int, list[str]]]:
    """The lines that are not empty, with their numbers."""
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        return [(reader.line_num, row) for row in reader if any(field.strip() for field in row)]
    except csv.Error as error:
        raise UsageError(f"{path}, line {reader.line_num}: is not CSV: {error}") from None


def _name_column(path: Path, columns: Sequence[str]) -> int:
    known = [column.lower() for column in columns]
    if NAME not in known:
        raise UsageError(f"{path} has no column {NAME!r}; its first line names the columns: name,email")
    if INVITATION in known:
        raise UsageError(f"{path} already has a column {INVITATION!r}; delete it, or give the list without invitations")
    return known.index(NAME)


def with_invitations(people: PeopleList, invitations: Sequence[str]) -> str:
    """The list with a column for the invitations."""
    out = StringIO(newline="")
    writer = csv.writer(out, delimiter=people.delimiter)
    writer.writerow([*people.columns, INVITATION])
    writer.writerows([*row, token] for row, token in zip(people.rows, invitations, strict=True))
    return people.mark + out.getvalue()
