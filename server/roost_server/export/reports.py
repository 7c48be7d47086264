"""What an export says about its matches: all of it follows from them and the rules, so the checker makes it again."""

import csv
import json
from collections.abc import Mapping, Sequence
from io import StringIO

from roost_ladder.rating.facts import MatchFacts
from roost_ladder.report.page import page
from roost_ladder.report.plain import as_csv, as_json
from roost_ladder.report.summary import About, Summary, summarise
from roost_server.competition.file import CompetitionFile
from roost_server.export.finals import bracket_files
from roost_server.export.records import ExportedCompetition

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
bracket.json      of a knockout: the champion, and who met whom in each round and won; .csv the same as a table
manifest.json     the SHA-256 of every file

To check all of it:   roost verify FOLDER
It checks the hashes, that the seed is the promised one, that every deal follows from it, that every match was played by
the rules and ended as recorded, that the finals were scheduled as the rules say; and it writes everything that follows
from the matches again, to compare it.
"""


def derived(
    file: CompetitionFile, competition: ExportedCompetition, facts: Mapping[str, Sequence[MatchFacts]]
) -> dict[str, str]:
    """The files that follow from the others, by their names. `facts` are the matches that count, by phase."""
    texts, names = {"README.txt": READ_ME}, names_of(competition)
    forfeits = file.faults.forfeits == "count"
    for phase, played in facts.items():
        if any(forfeits or not any(match.forfeited) for match in played):
            about = About(file.title or file.name, (("Phase", phase), ("Commitment", competition.commitment)))
            texts |= _reports(phase, summarise(played, names, about, forfeits=forfeits))
    return texts | bracket_files(file, competition, facts, names)


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
