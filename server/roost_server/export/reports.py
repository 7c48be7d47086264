"""The reports of an export. They follow from matches and rules, so the checker writes them again and compares."""

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO
from typing import NamedTuple

from roost_ladder.rating.facts import MatchFacts
from roost_ladder.rating.fit import Method
from roost_ladder.rating.results import MatchResult
from roost_ladder.report.page import page
from roost_ladder.report.plain import as_csv, as_json
from roost_ladder.report.summary import RunNotes, Summary, summarise
from roost_ladder.schedules.knockout import Tie, champion
from roost_ladder.schedules.schedule import Participants
from roost_server.competition.file import CompetitionFile, PhaseName
from roost_server.competition.finals import Finalist, bracket_of, finals_field, table_names
from roost_server.competition.ranking import Criterion
from roost_server.competition.result import CompetitionResult, result_of
from roost_server.export.files import BRACKET_FILE, RESULT_FILE, ExportedCompetition
from roost_server.export.qualification import Played, qualification_file
from roost_server.export.rulings import out_of_finals, struck

RESULT_COLUMNS = ("place", "bot", "version", "owner", "decided_by", "seed", "rating", "score", "lost_in", "lost_to")
MEASURED_ALWAYS = (Criterion.RATING, Criterion.SCORE)


UNKNOWN_FORM = Method.EACH_OPPONENT
"""Standings by this method may have the form of versions that were never released, and are not compared."""
REPORTS = ("standings-{}.csv", "standings-{}.json", "standings-{}.html", "crosstable-{}.csv", "ratings-{}.csv")
"""The files about the standings of a phase."""


class ReportMatches(NamedTuple):
    """The matches that reports are made of."""

    counted: Mapping[str, Sequence[MatchFacts]]
    """By phase, those that count."""
    ladder_then: Sequence[MatchFacts]
    """Those of the ladder that counted when the field of the finals was settled."""
    finals: Sequence[MatchFacts]
    """All of the finals, including those that the host has struck: the plan followed from them."""
    qualifying: Played
    """Those in which bots qualified."""


def derived(file: CompetitionFile, competition: ExportedCompetition, played: ReportMatches) -> dict[str, str]:
    """The files that follow from the others, by name."""
    texts: dict[str, str] = {}
    names = table_names((bot.version_id, bot.name, bot.version) for bot in competition.bots)
    forfeits, method = file.faults.forfeits == "count", Method(competition.ratings)
    for phase, counted in played.counted.items():
        if any(forfeits or not any(match.forfeited) for match in counted):
            notes = (("Phase", phase), ("Commitment", competition.commitment))
            first_seat = 1 if method is Method.EACH_MATCH else 0
            about = RunNotes(file.title or file.name, notes, first_seat=first_seat)
            texts |= _reports(phase, summarise(counted, names, about, forfeits=forfeits, method=method))
    texts |= qualification_file(file, competition, played.qualifying)
    return texts | _bracket_files(file, competition, played, names) | _result_file(file, competition, played, names)


def not_compared(competition: ExportedCompetition) -> set[str]:
    """The files that this version may write in another form."""
    phases = (PhaseName.LADDER, PhaseName.FINALS) if competition.ratings == UNKNOWN_FORM else ()
    return {name.format(phase) for name in REPORTS for phase in phases}


def winner_of(file: CompetitionFile, competition: ExportedCompetition, played: ReportMatches) -> str:
    """The name of the bot that won; empty if there is none, or not yet."""
    if competition.phase != PhaseName.DONE or competition.held:
        return ""
    names = {bot.version_id: bot.name for bot in competition.bots}
    winner = _result(file, competition, played).winner
    return "" if winner is None else names[winner]


def _result(file: CompetitionFile, competition: ExportedCompetition, played: ReportMatches) -> CompetitionResult:
    deciding = PhaseName.FINALS if played.finals else PhaseName.LADDER
    return result_of(
        file,
        finalists(file, competition, played.ladder_then),
        [match.result() for match in played.finals],
        [match.result() for match in played.counted.get(deciding, ())],
        struck(competition.rulings).versions,
        Method(competition.ratings),
    )


def _result_file(
    file: CompetitionFile, competition: ExportedCompetition, played: ReportMatches, names: Mapping[int, str]
) -> dict[str, str]:
    """The result as a file, by its name; none before it is known, or where exports had none."""
    if competition.phase != PhaseName.DONE or competition.winner is None or competition.held:
        return {}
    bots = {bot.version_id: bot for bot in competition.bots}
    also = [each for each in file.order if each not in MEASURED_ALWAYS]
    rows: list[list[object]] = [[*RESULT_COLUMNS, *(each.name.lower() for each in also)]]
    for row in _result(file, competition, played).places:
        bot, lost_to = bots[row.version_id], "" if row.lost_to is None else names[row.lost_to]
        measures = row.measures.of if row.measures else {}
        rows.append([row.place, bot.name, bot.version, bot.owner, row.decided_by, row.seed])
        rows[-1] += [measures.get(each, "") for each in MEASURED_ALWAYS]
        rows[-1] += ["" if row.lost_in is None else row.lost_in, lost_to, *(measures.get(each, "") for each in also)]
    return {RESULT_FILE: _csv(rows)}


def pinned_in(competition: ExportedCompetition) -> list[Finalist]:
    """The versions that play the finals; in the order of their seeding, if the export has no ladder for that."""
    place = {version_id: number for number, version_id in enumerate(competition.seeding)}
    out = out_of_finals(competition)
    pinned = [
        Finalist(bot.version_id, bot.owner)
        for bot in competition.bots
        if bot.pinned and bot.let_in and bot.version_id not in out
    ]
    return sorted(pinned, key=lambda each: place.get(each.version_id, len(place)))


def finalists(file: CompetitionFile, competition: ExportedCompetition, ladder: Iterable[MatchFacts]) -> Participants:
    """The pinned versions by their rank on the ladder, as the arena seeds them."""
    results = results_by_block(ladder).values()
    return finals_field(file, pinned_in(competition), results, Method(competition.ratings))


def results_by_block(facts: Iterable[MatchFacts]) -> dict[str, list[MatchResult]]:
    """The results of matches, by the id of their block."""
    results: dict[str, list[MatchResult]] = {}
    for match in facts:
        results.setdefault(match.block_id, []).append(match.result())
    return results


def _bracket_files(
    file: CompetitionFile,
    competition: ExportedCompetition,
    played: ReportMatches,
    names: Mapping[int, str],
) -> dict[str, str]:
    """The bracket as files, by their names; none if the finals are no knockout, or have not begun."""
    results = [match.result() for match in played.finals]
    rounds = bracket_of(file, finalists(file, competition, played.ladder_then), results)
    if not rounds:
        return {}
    best = champion(rounds)
    ties = [[_tie(tie, names) for tie in of_round] for of_round in rounds]
    rows = [[number, *tie.values()] for number, of_round in enumerate(ties, 1) for tie in of_round]
    whole = {"champion": None if best is None else names[best], "rounds": ties}
    return {
        BRACKET_FILE: json.dumps(whole, indent=2, ensure_ascii=False) + "\n",
        "bracket.csv": _csv([["round", *Tie._fields], *rows]),
    }


def _tie(tie: Tie, names: Mapping[int, str]) -> dict[str, object]:
    bots = {"high": tie.high, "low": tie.low, "winner": tie.winner}
    return tie._asdict() | {key: None if bot is None else names[bot] for key, bot in bots.items()}


def _reports(phase: str, summary: Summary) -> dict[str, str]:
    as_text = json.dumps(as_json(summary), indent=2, ensure_ascii=False) + "\n"
    texts = (as_csv(summary), as_text, page(summary), _crosstable(summary), _rating_history(summary))
    return {name.format(phase): text for name, text in zip(REPORTS, texts, strict=True)}


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
