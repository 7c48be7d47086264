"""The bots and matches that an arena has on record, as tables and as JSON.

`docs/hosting/arena.md` documents the keys of the JSON, which stay as they are.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from rich.console import Console

from roost.v1 import arena_pb2, records_pb2
from roost_cli.terminal.console import TextColumn, note_room, print_fitted, results
from roost_cli.terminal.standings import short_version
from roost_games.replay import FINISHED, FORFEIT, HORIZON, VOIDED
from roost_games.wording import counted
from roost_sdk.arena.presence import Presence, presence_of, since_ms
from roost_sdk.wire.results import TERMINATION_NAMES

QUALIFICATION = "qualification"
"""What stands in the place of a phase for matches in which bots qualify."""
QUARANTINE_NOTE = (
    "  It plays again as soon as it answers in a practice match, which the arena offers regularly while it is "
    "connected. `roost replay MATCH --show` shows what went wrong."
)
ENDINGS = {FINISHED: "", HORIZON: "turn limit", FORFEIT: "forfeit", VOIDED: "voided"}
"""How a match ended, as a note after its result."""


def local_time(ms: int) -> str:
    """A moment in local time."""
    return datetime.fromtimestamp(ms / 1000).strftime("%Y-%m-%d %H:%M:%S")


def print_bots(bots: Sequence[arena_pb2.BotVersion], *, live: bool) -> None:
    """`roost bots`: a line for each version."""
    console = results()
    if not bots:
        console.print("no bot has connected yet")
        return
    columns = [
        TextColumn(">id", [str(bot.version_id) for bot in bots], drop=3),
        TextColumn("bot", [bot.name for bot in bots]),
        TextColumn("version", [short_version(bot.version) for bot in bots], drop=2),
        TextColumn(">matches", [str(bot.matches) for bot in bots]),
        TextColumn(">won", [str(bot.wins) for bot in bots]),
        TextColumn(">faults", [str(bot.faults) for bot in bots]),
        TextColumn("first seen", [local_time(bot.first_seen_ms) for bot in bots], drop=4),
    ]
    if live:
        columns.append(TextColumn("now", [_now(bot) for bot in bots], drop=1))
    note_room(console, print_fitted(console, columns))


def _now(bot: arena_pb2.BotVersion) -> str:
    if not bot.connected:
        return "away"
    if not bot.playing and not bot.latency_us:
        return "connected"  # the arena has not measured it yet, or does not tell what it is doing
    return f"{counted(bot.playing, 'match')}, {bot.latency_us / 1000:.1f} ms"


def _at_once(bot: arena_pb2.BotVersion) -> str:
    """`up to 12 matches at once, 3.0 ms an answer`."""
    measured = f", {bot.answer_us / 1000:.1f} ms an answer" if bot.answer_us else ""
    return f"up to {counted(bot.matches_at_once, 'match')} at once{measured}"


def bots_json(bots: Sequence[arena_pb2.BotVersion], *, live: bool) -> dict[str, object]:
    """`roost bots --json`. A database does not know who is connected, so these keys are null."""
    return {
        "bots": [
            {
                "version_id": bot.version_id,
                "name": bot.name,
                "version": bot.version,
                "matches": bot.matches,
                "wins": bot.wins,
                "faults": bot.faults,
                "voids": bot.voids,
                "first_seen_ms": bot.first_seen_ms,
                "last_seen_ms": bot.last_seen_ms or None,
                "owner": bot.owner or None,
                "quarantine_reason": bot.quarantine_reason or None,
                "quarantine_since_ms": bot.quarantine_since_ms or None,
                "connected": bot.connected if live else None,
                "playing": bot.playing if live else None,
                "latency_ms": bot.latency_us / 1000 if live and bot.connected else None,
                "matches_at_once": bot.matches_at_once or None,
                "answer_ms": bot.answer_us / 1000 if bot.answer_us else None,
                "presence": presence_of(bot).value if live else None,
                "presence_since_ms": since_ms(bot) if live else None,
                "qualification": bot.qualification or None,
            }
            for bot in bots
        ]
    }


def one_bot_json(
    versions: Sequence[arena_pb2.BotVersion], record: records_pb2.GetBotResponse, *, live: bool
) -> dict[str, object]:
    """`roost bots show --json`: the versions, and their record together."""
    seats = [
        {
            "game": row.game,
            "players": row.players,
            "seat": row.seat,
            "matches": row.matches,
            "places": list(row.places),
            "faults": row.faults,
            "forfeits": row.forfeits,
            "decisions": row.decisions,
            "thinking_ms": row.thinking_ms,
        }
        for row in record.seats
    ]
    opponents = [
        {
            "bot": row.bot,
            "matches": row.matches,
            "share": row.share,
            "share_low": row.share_low,
            "share_high": row.share_high,
        }
        for row in record.opponents
    ]
    return {**bots_json(versions, live=live), "seats": seats, "opponents": opponents}


def print_one_bot(versions: Sequence[arena_pb2.BotVersion], record: records_pb2.GetBotResponse, *, live: bool) -> None:
    """`roost bots show`: its versions, the newest first, what keeps them from playing, and their record together."""
    console = results()
    owner = f", of {versions[0].owner}" if versions[0].owner else ""
    console.print(f"{versions[0].name}{owner}")
    for bot in reversed(versions):
        seen = f", last seen {local_time(bot.last_seen_ms)}" if bot.last_seen_ms else ""
        now = f", {_now(bot)}" if live else ""
        console.print(f"version {bot.version}, number {bot.version_id}{seen}{now}", soft_wrap=True)
        console.print(
            f"  {counted(bot.matches, 'match')}, {bot.wins} won, {counted(bot.faults, 'fault')}", soft_wrap=True
        )
        if bot.matches_at_once:
            console.print(f"  {_at_once(bot)}", soft_wrap=True)
        if bot.voids:
            console.print(f"  {counted(bot.voids, 'match')} voided while it was being asked", soft_wrap=True)
        if bot.quarantine_since_ms:
            since = local_time(bot.quarantine_since_ms)
            console.print(f"  in quarantine since {since}: {bot.quarantine_reason}", soft_wrap=True)
            console.print(QUARANTINE_NOTE, soft_wrap=True)
        elif presence_of(bot) is not Presence.UNKNOWN:
            since = f" since {local_time(bot.presence_since_ms)}" if bot.presence_since_ms else ""
            console.print(f"  {presence_of(bot).in_words}{since}", soft_wrap=True)
        if bot.qualification:
            console.print(f"  {bot.qualification}", soft_wrap=True, markup=False)
    _print_record(console, record)


def _print_record(console: Console, record: records_pb2.GetBotResponse) -> None:
    if record.seats:
        console.print("\nBy game, table size and seat:")
        print_fitted(console, _seat_columns(record.seats))
    if record.opponents:
        console.print("\nAgainst each opponent, the share of matches in which it finished ahead, with 95 % interval:")
        print_fitted(console, _opponent_columns(record.opponents))


def _seat_columns(rows: Sequence[records_pb2.SeatRecord]) -> list[TextColumn]:
    return [
        TextColumn("game", [row.game for row in rows]),
        TextColumn(">players", [str(row.players) for row in rows]),
        TextColumn(">seat", [str(row.seat) for row in rows]),
        TextColumn(">matches", [str(row.matches) for row in rows]),
        TextColumn("places", [" ".join(map(str, row.places)) for row in rows]),
        TextColumn(">mean score", [f"{row.score_sum / row.matches:.1f}" for row in rows], drop=2),
        TextColumn(">faults", [str(row.faults) for row in rows], drop=1),
        TextColumn(">ms", [_ms_per_decision(row) for row in rows], drop=3),
    ]


def _ms_per_decision(row: records_pb2.SeatRecord) -> str:
    return f"{row.thinking_ms / row.decisions:.2f}" if row.decisions else "-"


def _opponent_columns(rows: Sequence[records_pb2.OpponentRecord]) -> list[TextColumn]:
    return [
        TextColumn("opponent", [row.bot for row in rows]),
        TextColumn(">matches", [str(row.matches) for row in rows]),
        TextColumn(">ahead", [f"{row.share:.0%}" for row in rows]),
        TextColumn("interval", [f"{row.share_low:.0%} to {row.share_high:.0%}" for row in rows]),
    ]


def print_matches(found: arena_pb2.ListMatchesResponse, wanted: arena_pb2.ListMatchesRequest, option: str) -> None:
    """`roost matches`, and how to see more of one. `option` says where they come from."""
    console, matches = results(), found.matches
    if found.held:
        console.print(found.held, soft_wrap=True, markup=False)
    if not matches:
        if not found.held:
            console.print(_none_found(wanted))
        return
    running = wanted.running
    columns = [
        TextColumn("match", [match.match_id for match in matches], whole=True),
        TextColumn("game", [match.game for match in matches], drop=1),
        TextColumn("started" if running else "ended", [_when(match, running) for match in matches], drop=2),
        TextColumn("bots" if running else "places", [shown_result(match) for match in matches]),
    ]
    note_room(console, print_fitted(console, columns))
    see = f"roost watch {matches[0].match_id}" if running else f"roost replay {matches[0].match_id} --show"
    console.print(f"See one: {see} {option}", soft_wrap=True)


def _none_found(wanted: arena_pb2.ListMatchesRequest) -> str:
    game = f" of {wanted.game}" if wanted.game else ""
    bot = f" with {wanted.bot}" if wanted.bot else ""
    return f"no match{game}{bot} is running" if wanted.running else f"no match{game}{bot} is recorded yet"


def _when(match: arena_pb2.MatchSummary, running: bool) -> str:
    return local_time(match.started_ms if running else match.ended_ms)


def shown_names(bots: Iterable[str]) -> list[str]:
    """The bots at a table. A competition may hide their names while a match runs."""
    return [bot or "hidden" for bot in bots]


def shown_result(match: arena_pb2.MatchSummary) -> str:
    """Who took which place, best first, and how it ended unless by the rules: `1 greedy, 2 random (forfeit)`."""
    seats = range(len(match.bots))
    places = list(match.result.places)
    if not places:
        bots = ", ".join(shown_names(match.bots))
        notes = [*(["voided"] if match.HasField("result") else []), *(["challenge"] if match.challenge else [])]
        return f"{bots} ({', '.join(notes)})" if notes else bots
    order = sorted(seats, key=lambda seat: places[seat])
    ending = ENDINGS[TERMINATION_NAMES[match.result.termination]]
    faults = sum(match.fault_counts)
    unrated = ["challenge, not rated"] if match.challenge else ["not rated"] if match.phase == QUALIFICATION else []
    notes = [*([ending] if ending else []), *([counted(faults, "fault")] if faults else []), *unrated]
    ranking = ", ".join(f"{places[seat]} {match.bots[seat]}" for seat in order)
    return f"{ranking} ({', '.join(notes)})" if notes else ranking


def matches_json(matches: Sequence[arena_pb2.MatchSummary]) -> dict[str, object]:
    """`roost matches --json`. A running match has no result yet, so these keys are null."""
    return {"matches": [_match_json(match) for match in matches]}


def _match_json(match: arena_pb2.MatchSummary) -> dict[str, object]:
    result = match.result if match.HasField("result") else None
    return {
        "match_id": match.match_id,
        "game": match.game,
        "players": match.players,
        "competition": match.competition or None,
        "phase": match.phase or None,
        "challenge": match.challenge,
        "bots": list(match.bots),
        "started_ms": match.started_ms,
        "ended_ms": match.ended_ms if result else None,
        "termination": TERMINATION_NAMES[result.termination] if result else None,
        "places": list(result.places) if result else None,
        "scores": list(result.scores) if result else None,
        "forfeits": list(result.forfeits) if result else None,
        "faults": list(match.fault_counts) if result else None,
    }
