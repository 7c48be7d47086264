"""`roost export`: writes a competition into a folder."""

import csv
import hashlib
import json
from collections.abc import Mapping
from io import StringIO
from pathlib import Path

from sqlalchemy import Connection

from roost_games.errors import UsageError
from roost_ladder.report.page import page
from roost_ladder.report.plain import as_csv, as_json
from roost_ladder.report.summary import About, Summary, summarise
from roost_server.competition import ledger
from roost_server.competition.ledger import Competition
from roost_server.competition.phases import plays
from roost_server.export import gathering
from roost_server.export.records import (
    BLOCKS_FILE,
    COMPETITION_FILE,
    FORMAT,
    MANIFEST_FILE,
    MATCHES_FILE,
    RULES_FILE,
    ExportedCompetition,
    block_lines,
    competition_text,
)
from roost_server.store import Store

READ_ME = """\
This folder is the whole record of a competition of Roost, in plain files.

competition.toml  the rules, as the host wrote them
competition.json  what was promised (the commitment) and, after the end, what was hidden (the master seed); when the
                  phases began; who took part, in which versions
blocks.jsonl      every deal that was planned, in the order of the plan, with its seed and the matches played with it
matches.jsonl     every match in the open format roost-replay/1: seats, chance, decisions with their times, result
standings-*.csv   who came where in a phase, with 95 % intervals; .json the same with every statistic, .html to look at
crosstable-*.csv  how often each finished ahead of each other
ratings-*.csv     classic Elo ratings after every so many matches
manifest.json     the SHA-256 of every file

To check all of it:   roost verify FOLDER
It checks the hashes, that the seed is the promised one, that every deal follows from it, that every match was played by
the rules and ended as recorded, that the finals were scheduled as the rules say, and works the standings out again.
"""


def export(store: Store, name: str, folder: Path) -> list[Path]:
    """Write everything about a competition into a new folder. Returns the files. Raises `UsageError`."""
    with store.reading() as connection:
        competition = ledger.read(connection, name)
        _make(folder)
        _write(folder, _texts(connection, competition))
        with (folder / MATCHES_FILE).open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{line}\n" for line in gathering.replay_lines(connection, competition.id))
    return _manifest(folder)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        raise UsageError(f"{folder} is there already; name a folder that is not") from None
    except OSError as error:
        raise UsageError(f"{folder} cannot be made: {error.strerror}") from None


def _texts(connection: Connection, competition: Competition) -> dict[str, str]:
    """The files by their names, but for the matches, of which there may be very many."""
    whole = gathering.competition_of(connection, competition)
    blocks = gathering.blocks_of(connection, competition.id)
    texts = {
        "README.txt": READ_ME,
        RULES_FILE: competition.document,
        COMPETITION_FILE: competition_text(whole),
        BLOCKS_FILE: block_lines(blocks),
    }
    for phase in sorted({block.phase for block in blocks if plays(block.phase)}):
        facts = list(gathering.facts_of(connection, competition.id, phase))
        if facts:
            forfeits = competition.file.faults.forfeits == "count"
            title = competition.file.title or competition.file.name
            about = About(title, (("Phase", phase), ("Commitment", competition.commitment)))
            texts |= _reports(phase, summarise(facts, names_of(whole), about, forfeits=forfeits))
    return texts


def names_of(competition: ExportedCompetition) -> dict[int, str]:
    """What the versions are called in tables: the bot's name, with the version where there are several."""
    names = [bot.name for bot in competition.bots]
    return {
        bot.version_id: bot.name if names.count(bot.name) == 1 else f"{bot.name} ({bot.version})"
        for bot in competition.bots
    }


def _reports(phase: str, summary: Summary) -> dict[str, str]:
    return {
        f"standings-{phase}.csv": as_csv(summary),
        f"standings-{phase}.json": json.dumps(as_json(summary), indent=2, ensure_ascii=False) + "\n",
        f"standings-{phase}.html": page(summary),
        f"crosstable-{phase}.csv": _crosstable(summary),
        f"ratings-{phase}.csv": _rating_history(summary),
    }


def _crosstable(summary: Summary) -> str:
    """How often the bot of the row finished ahead of the bot of the column; ties are half."""
    table = summary.head_to_head
    names = [summary.names[bot] for bot in table.bots]
    return _csv([["", *names], *([name, *row] for name, row in zip(names, table.ahead.tolist(), strict=True))])


def _rating_history(summary: Summary) -> str:
    curves = summary.curves
    head = ["after_matches", *(summary.names[bot] for bot in curves.ratings)]
    return _csv([head, *([after, *row] for after, *row in zip(curves.after, *curves.ratings.values(), strict=True))])


def _csv(rows: list[list[object]] | list[object]) -> str:
    out = StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)  # type: ignore[arg-type]  # rows of anything
    return out.getvalue()


def _write(folder: Path, texts: Mapping[str, str]) -> None:
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


def _manifest(folder: Path) -> list[Path]:
    files = sorted(folder.iterdir())
    hashes = {file.name: digest(file) for file in files}
    manifest = folder / MANIFEST_FILE
    manifest.write_text(json.dumps({"format": FORMAT, "sha256": hashes}, indent=2) + "\n", encoding="utf-8")
    return [*files, manifest]


def digest(file: Path) -> str:
    """The SHA-256 of a file, in hex."""
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
