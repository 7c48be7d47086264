"""What `roost watch` does: follow a running match, and draw what a spectator may see."""

from collections.abc import Iterator
from functools import partial

from roost.v1 import arena_pb2, play_pb2
from roost_cli.arena_source import RemoteSource, open_remote
from roost_cli.terminal.arena_tables import shown_names
from roost_cli.terminal.console import results
from roost_cli.terminal.match_report import print_outcome
from roost_cli.terminal.show import print_frame
from roost_games.errors import UsageError
from roost_games.narrator import PublicNarrator
from roost_games.referee import Played
from roost_games.registry import get_game
from roost_sdk.arena.credentials import NOTHING, Credentials
from roost_sdk.wire import codec_for, result_from_wire

Updates = Iterator[arena_pb2.WatchMatchResponse]


def watch_match(match_id: str | None, server: str, credentials: Credentials = NOTHING) -> None:
    """Draw the match with this id, or the newest one, from now on to its end."""
    with open_remote(server, credentials) as arena:
        watched = match_id or _newest(arena)
        updates = arena.watch(watched)
        try:
            first = next(updates)
        except UsageError as error:
            raise UsageError(f"{error}; if it is over: roost replay {watched} --show {arena.option}") from None
        _draw(first.started, updates)


def _newest(arena: RemoteSource) -> str:
    running = arena.matches(arena_pb2.ListMatchesRequest(running=True, limit=1)).matches
    if not running:
        raise UsageError(f"no match is running at {arena.address}; a bot joins with roost submit")
    return running[0].match_id


def _draw(started: play_pb2.MatchStarted, updates: Updates) -> None:
    console = results()
    bots = shown_names(started.bots)
    codec = codec_for(started.game)
    match = codec.for_match(codec.options_from_wire(started.options))
    narrator = PublicNarrator(started.game, bots, partial(print_frame, console))
    console.print(f"{get_game(started.game).title}, {len(bots)} players, match {started.match_id}")
    for update in updates:
        match update.WhichOneof("update"):
            case "event":
                event = update.event
                narrator.hear(Played(event.seat, match.move_from_wire(event.move), event.fallback))
            case "view":
                narrator.see(match.view_from_wire(update.view))
            case "ended":
                print_outcome(console, bots, result_from_wire(update.ended.result))
