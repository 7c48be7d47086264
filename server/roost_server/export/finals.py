"""The finals of an exported competition: who plays them, and the bracket of a knockout, which is its result."""

import csv
import json
from collections.abc import Mapping, Sequence
from io import StringIO

from roost_ladder.rating.facts import MatchFacts
from roost_ladder.rating.results import MatchResult
from roost_ladder.rating.standings import standings
from roost_ladder.schedules.knockout import Tie, bracket, champion
from roost_ladder.schedules.schedule import Field, Past
from roost_server.competition.file import CompetitionFile, PhaseName
from roost_server.export.records import BRACKET_FILE, ExportedCompetition
from roost_server.play.contest import kind_of

KNOCKOUT = "knockout"


def finalists(file: CompetitionFile, competition: ExportedCompetition, ladder: Sequence[MatchResult]) -> Field:
    """The pinned versions by their rank on the ladder, as the arena seeds them."""
    ranked = standings(ladder, forfeits=file.faults.forfeits == "count")
    rank = {standing.bot: place for place, standing in enumerate(ranked)}
    pinned = [bot for bot in competition.bots if bot.pinned]
    seeded = sorted(pinned, key=lambda bot: rank.get(bot.version_id, len(rank)))
    apart = not file.entry.own_bots_may_meet
    return Field(
        tuple(bot.version_id for bot in seeded),
        tuple(kind_of(rules) for rules in file.rules()),
        owners={bot.version_id: bot.owner for bot in seeded} if apart else {},
    )


def bracket_files(
    file: CompetitionFile,
    competition: ExportedCompetition,
    facts: Mapping[str, Sequence[MatchFacts]],
    names: Mapping[int, str],
) -> dict[str, str]:
    """The bracket as files, by their names; none if the finals are no knockout, or have not begun."""
    part = file.phase(PhaseName.FINALS)
    played = [match.result() for match in facts.get(PhaseName.FINALS, ())]
    if part is None or part.schedule != KNOCKOUT or not played:
        return {}
    field = finalists(file, competition, [match.result() for match in facts.get(PhaseName.LADDER, ())])
    rounds = bracket(field, Past(results=played, recorded=False), part.blocks_per_pairing)
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
