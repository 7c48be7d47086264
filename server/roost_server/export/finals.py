"""The finals of an exported competition: who plays them, and the bracket of a knockout, which is its result."""

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO

from roost_ladder.rating.facts import MatchFacts
from roost_ladder.rating.results import MatchResult
from roost_ladder.schedules.knockout import Tie, champion
from roost_ladder.schedules.schedule import Field
from roost_server.competition.file import CompetitionFile, PhaseName
from roost_server.competition.finals import Finalist, bracket_of, finals_field
from roost_server.export.records import BRACKET_FILE, ExportedCompetition


def finalists(file: CompetitionFile, competition: ExportedCompetition, ladder: Iterable[MatchFacts]) -> Field:
    """The pinned versions by their rank on the ladder, as the arena seeds them."""
    pinned = [Finalist(bot.version_id, bot.owner) for bot in competition.bots if bot.pinned]
    return finals_field(file, pinned, results_by_block(ladder).values())


def results_by_block(facts: Iterable[MatchFacts]) -> dict[str, list[MatchResult]]:
    """The results of matches, by the id of their block."""
    results: dict[str, list[MatchResult]] = {}
    for match in facts:
        results.setdefault(match.block_id, []).append(match.result())
    return results


def bracket_files(
    file: CompetitionFile,
    competition: ExportedCompetition,
    facts: Mapping[str, Sequence[MatchFacts]],
    names: Mapping[int, str],
) -> dict[str, str]:
    """The bracket as files, by their names; none if the finals are no knockout, or have not begun."""
    played = [match.result() for match in facts.get(PhaseName.FINALS, ())]
    rounds = bracket_of(file, finalists(file, competition, facts.get(PhaseName.LADDER, ())), played)
    if not rounds:
        return {}
    best = champion(rounds)
    ties = [[_tie(tie, names) for tie in ties] for ties in rounds]
    whole = {"champion": None if best is None else names[best], "rounds": ties}
    return {
        BRACKET_FILE: json.dumps(whole, indent=2, ensure_ascii=False) + "\n",
        "bracket.csv": _csv(ties),
    }


def _tie(tie: Tie, names: Mapping[int, str]) -> dict[str, object]:
    bots = {"high": tie.high, "low": tie.low, "winner": tie.winner}
    return tie._asdict() | {key: None if bot is None else names[bot] for key, bot in bots.items()}


def _csv(rounds: Sequence[Sequence[Mapping[str, object]]]) -> str:
    out = StringIO()
    writer = csv.DictWriter(out, ["round", *Tie._fields], lineterminator="\n")
    writer.writeheader()
    writer.writerows({"round": number, **tie} for number, ties in enumerate(rounds, 1) for tie in ties)
    return out.getvalue()
