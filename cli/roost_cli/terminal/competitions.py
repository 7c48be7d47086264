"""Competitions, their brackets, and how an arena is doing: as text and as JSON."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console

from roost.v1 import admin_pb2, arena_pb2, records_pb2
from roost_cli.terminal.accounts import moment, plain
from roost_cli.terminal.console import TextColumn, print_fitted, results
from roost_cli.terminal.standings import rating, short_version
from roost_games.wording import counted

if TYPE_CHECKING:
    from roost_server.competition.file import CompetitionFile
    from roost_server.competition.forecast import Forecast, PhaseForecast


def meaning(file: "CompetitionFile") -> Iterator[str]:
    """What a competition file says, in lines."""
    from roost_server.competition.wording import qualification_in_words

    for table in file.games:
        yield f"{table.game} at tables of {', '.join(map(str, table.players))}"
    who = "anybody who registers" if file.entry.who == "open" else "invited owners"
    bots = file.entry.bots_per_owner
    yield f"{who}, {counted(bots, 'bot')} each"
    yield f"ranking: {file.ranking}; ties: {', '.join([*file.ties, 'seeding'])}"
    for part in file.phases:
        when = f"{part.starts:%Y-%m-%d %H:%M} UTC" if part.starts else "by hand"
        yield f"{part.phase:<12}  {when:<20}  {part.plays_by}".rstrip()
    yield from qualification_in_words(file)


def forecast_lines(found: "Forecast") -> Iterator[str]:
    """What a competition will take, in lines."""
    yield f"with {counted(found.bots, 'bot')}, at {found.pace:,.0f} matches an hour:"
    for each in found.phases:
        yield f"  {each.phase:<12}  {', '.join(_amounts(each))}"
        yield from (f"    {note}" for note in each.notes)
    if found.hold_up_seconds is not None and not found.problem:
        hours = found.hold_up_seconds / 3600
        yield f"  one bot can keep a round of the finals waiting for at most {hours:.1f} hours"


def _amounts(phase: "PhaseForecast") -> Iterator[str]:
    if phase.matches is None:
        yield "as long as it lasts; give it and the next phase a time for a forecast"
        return
    if phase.blocks is not None:
        yield f"{phase.blocks:,} blocks"
    most = f" (at most {phase.most_matches:,})" if phase.most_matches != phase.matches else ""
    yield f"{phase.matches:,} matches{most}"
    yield f"{phase.hours:,.1f} hours"
    yield f"{phase.disk_bytes / 1e6:,.0f} MB in the database"
    yield f"{phase.export_bytes / 1e6:,.0f} MB in an export"


def print_competitions(found: Sequence[arena_pb2.CompetitionStatus]) -> None:
    """The table of competitions, and what each has published about its master seed."""
    console = results()
    if not found:
        console.print("no competitions")
        return
    _print_table(console, found)
    print_problems(console, found)
    for each in found:
        secret = f"master seed {each.seed}" if each.seed else f"commitment to the master seed {each.commitment}"
        epoch = f", epoch {each.epoch}" if each.epoch else ""
        console.print(f"{each.name}: {secret}{epoch}", soft_wrap=True)
    print_held(console, found)


def print_held(console: Console, found: Sequence[arena_pb2.CompetitionStatus]) -> None:
    """What is held back, and the newest commitments to it, for those who want to note them."""
    for each in found:
        for held in each.held:
            console.print(f"{each.name}: {held.summary}", soft_wrap=True, markup=False)
            if held.HasField("seal"):
                seal = f"seal {held.seal.number} of {moment(held.seal.at_ms)}: {held.seal.digest}"
                console.print(f"{each.name}: {seal}", soft_wrap=True, markup=False)


def print_problems(console: Console, found: Sequence[arena_pb2.CompetitionStatus]) -> None:
    """What keeps competitions from going on."""
    for each in found:
        if each.problem:
            console.print(f"{each.name} is stuck: {each.problem}", soft_wrap=True, markup=False)
        if each.remark:
            console.print(f"{each.name}: {each.remark}", soft_wrap=True, markup=False)


def _print_table(console: Console, found: Sequence[arena_pb2.CompetitionStatus]) -> None:
    columns = [
        TextColumn("competition", [each.name for each in found]),
        TextColumn("phase", [each.phase for each in found]),
        TextColumn("changes", [moment(each.next_change_ms) for each in found], drop=1),
        TextColumn(">bots", [str(each.entries) for each in found]),
        TextColumn(">blocks done", [str(each.blocks_done) for each in found]),
        TextColumn(">open", [str(each.blocks_open) for each in found]),
    ]
    print_fitted(console, columns)


def print_qualifications(entries: Sequence[records_pb2.Entry]) -> None:
    """The progress of the bots that have to qualify; nothing if they need not."""
    if entries:
        columns = [
            TextColumn("bot", [each.bot for each in entries]),
            TextColumn("owner", [each.owner for each in entries], drop=1),
            TextColumn("qualified", ["yes" if each.qualification.qualified else "no" for each in entries]),
            TextColumn("how far", [each.qualification.summary for each in entries]),
        ]
        print_fitted(results(), columns)


def qualifications_json(entries: Sequence[records_pb2.Entry]) -> list[dict[str, object]]:
    """The same as `roost competition show --json` has it."""
    return [{"bot": each.bot, "owner": each.owner} | plain(each.qualification) for each in entries]


def result_json(rows: Sequence[arena_pb2.ResultRow]) -> list[dict[str, Any]]:
    """The result as `roost competition show --json` has it."""
    return [
        {
            "place": row.place,
            "bot": row.bot,
            "owner": row.owner,
            "decided_by": row.decided_by or None,
            "seed": row.seed,
            "rating": row.rating if row.HasField("rating") else None,
            "rating_low": row.rating_low if row.HasField("rating") else None,
            "rating_high": row.rating_high if row.HasField("rating") else None,
            "score": row.score if row.HasField("score") else None,
            **{name: getattr(row, name) for name in ("clone_proof", "worst_pair") if row.HasField(name)},
            "lost_in": row.lost_in or None,
            "lost_to": row.lost_to or None,
        }
        for row in rows
    ]


def print_result(answer: arena_pb2.GetBracketResponse) -> None:
    """The places of a competition that is done, and which ranking decided."""
    rows = answer.result
    columns = [
        TextColumn(">place", [str(row.place) for row in rows]),
        TextColumn("bot", [row.bot for row in rows]),
        TextColumn("owner", [row.owner for row in rows], drop=1),
        TextColumn("by", [_reason(row, answer.ranking) for row in rows], drop=2),
    ]
    print_fitted(results(), columns)
    if answer.ranking:
        results().print(f"decided by the ranking: {answer.ranking}", soft_wrap=True)


def _reason(row: arena_pb2.ResultRow, ranking: str) -> str:
    """What decided the place of a bot."""
    if row.lost_to:
        return f"lost to {row.lost_to} in round {row.lost_in}"
    if row.HasField("rating"):
        by_mix = ranking == "clone-proof"
        rated = f"rating {rating(row.rating, row.rating_low, row.rating_high)}"
        first = f"clone-proof {100 * row.clone_proof:.1f} %" if by_mix else rated
        return first if row.decided_by in ("", first.split()[0]) else f"{first}, then {row.decided_by}"
    return "won the final" if row.decided_by == "bracket" else "without a match"


def bracket_json(bracket: arena_pb2.GetBracketResponse) -> dict[str, Any]:
    """The bracket as `roost competition show --json` and an export's bracket.json have it."""
    rounds = [[_tie_json(tie) for tie in each.ties] for each in bracket.rounds]
    return {"champion": bracket.champion or None, "rounds": rounds}


def _tie_json(tie: arena_pb2.BracketTie) -> dict[str, Any]:
    return {
        "high": tie.high,
        "low": tie.low or None,
        "score_high": tie.score_high,
        "score_low": tie.score_low,
        "winner": tie.winner or None,
    }


def print_bracket(bracket: Mapping[str, Any]) -> None:
    """The bracket of a knockout, round by round, and its champion."""
    for line in bracket_lines(bracket):
        results().print(line, soft_wrap=True)


def bracket_lines(bracket: Mapping[str, Any]) -> Iterator[str]:
    """The lines of a bracket as its export describes it."""
    for number, ties in enumerate(bracket["rounds"], 1):
        yield "final" if len(ties) == 1 else f"round {number}"
        yield from (f"  {_tie(tie)}" for tie in ties)
    yield f"champion: {bracket['champion']}" if bracket["champion"] else "no champion yet"


def _tie(tie: Mapping[str, Any]) -> str:
    if tie["low"] is None:
        return f"{tie['high']} has a bye"
    score = f"{tie['high']} {tie['score_high']:g} : {tie['score_low']:g} {tie['low']}"
    return f"{score}, won by {tie['winner']}" if tie["winner"] else f"{score} so far"


def print_status(status: admin_pb2.GetStatusResponse) -> None:
    """`roost admin status`: how an arena is doing, on one screen."""
    console = results()
    for line in _lines(status):
        console.print(line, soft_wrap=True)
    if status.competitions:
        console.print()
        _print_table(console, status.competitions)
        print_problems(console, status.competitions)
        print_held(console, status.competitions)
    for bot in status.quarantined:
        since = moment(bot.quarantine_since_ms)
        said = f"{bot.name} {short_version(bot.version)}, {bot.quarantine_reason}, since {since}"
        console.print(f"in quarantine: {said}", soft_wrap=True)


def _lines(status: admin_pb2.GetStatusResponse) -> Iterator[str]:
    size = f", {status.database_bytes / 1_000_000:.1f} MB" if status.database_bytes else ""
    up = f"running since {moment(status.started_ms)}" if status.started_ms else "read from its database"
    yield f"arena        roost {status.version}, {up}"
    yield f"database     {status.database}{size}"
    if status.started_ms:
        yield f"bots         {status.connected} connected"
        yield f"own delay    {status.delayed_ms:.0f} ms within the last minute"
    running = f", {status.running_matches} running" if status.started_ms else ""
    yield f"matches      {status.finished_matches} finished, {status.last_minute} within the last minute{running}"


def status_json(status: admin_pb2.GetStatusResponse) -> dict[str, object]:
    """`roost admin status --json`."""
    return {
        **plain(status),
        "finished_matches": status.finished_matches,
        "competitions": [plain(each) for each in status.competitions],
        "quarantined": [plain(each) for each in status.quarantined],
    }
