"""What is going on: the arena itself, and the running matches that are most worth a look."""

from collections.abc import Sequence

from pydantic import BaseModel, Field

from roost_web.client import ArenaClient
from roost_web.rows.competitions import ShownCompetition, competitions
from roost_web.rows.filters import Filter, MatchSearch, PlayedGame, StandingsFilter
from roost_web.rows.matches import ShownMatch, Termination, matches, running_matches
from roost_web.rows.standings import Standings, standings

CANDIDATES = 200
"""How many running matches are looked at to find the best."""
FOLLOWED_MS = 2_000
"""A match that has lasted this long can be followed. Between quick bots most are over before a page is drawn."""
LATEST_MATCHES = 6


class ShownArena(BaseModel):
    """An arena, or records without one."""

    version: str = Field(description="The version of Roost.")
    running: bool = Field(description="Whether an arena is running. Otherwise these are records only.")
    connected_bots: int
    running_matches: int
    matches: int = Field(description="Finished matches on record.")
    games: list[PlayedGame]
    accounts: bool = Field(description="Whether a key is needed to play.")
    invited_only: bool
    spectator_delay_ms: int
    names_hidden: bool
    now_ms: int
    revision: int = Field(description="Changes with every match that is recorded.")


class Stage(BaseModel):
    """The match that the front page shows."""

    best: ShownMatch | None
    """The running match whose bots are the strongest."""
    last: ShownMatch | None
    """While none is running, the newest one that can be stepped through."""


class Home(BaseModel):
    """What is on."""

    arena: ShownArena
    competitions: list[ShownCompetition]
    standings: Standings
    stage: Stage
    latest: list[ShownMatch]


async def shown_arena(client: ArenaClient) -> ShownArena:
    """The arena as it is now."""
    answer = await client.arena()
    return ShownArena(
        version=answer.version,
        running=answer.running,
        connected_bots=answer.connected_bots,
        running_matches=answer.running_matches,
        matches=answer.matches,
        games=[PlayedGame(game=each.game, player_counts=list(each.player_counts)) for each in answer.games],
        accounts=answer.accounts,
        invited_only=answer.invited_only,
        spectator_delay_ms=answer.spectator_delay_ms,
        names_hidden=answer.names_hidden,
        now_ms=answer.now_ms,
        revision=answer.revision,
    )


async def home(client: ArenaClient) -> Home:
    """What is on at the arena."""
    return Home(
        arena=await shown_arena(client),
        competitions=(await competitions(client)).rows,
        standings=await standings(client, StandingsFilter.model_validate({})),
        stage=await stage(client),
        latest=await _latest(client),
    )


async def stage(client: ArenaClient) -> Stage:
    """The match that is most worth a look."""
    rated = await standings(client, Filter.model_validate({}))
    best = next(iter(await best_running(client, rated)), None)
    return Stage(best=best, last=await _last(client) if best is None else None)


async def _last(client: ArenaClient) -> ShownMatch | None:
    for match in await _latest(client):
        if match.termination is not Termination.VOIDED and (await client.match(match.match_id)).replay_ready:
            return match
    return None


async def _latest(client: ArenaClient) -> list[ShownMatch]:
    return (await matches(client, MatchSearch.model_validate({}), LATEST_MATCHES)).rows


async def best_running(client: ArenaClient, rated: Standings) -> Sequence[ShownMatch]:
    """Running matches, the one between the strongest bots first. Larger tables go first among equals.

    Those that can be followed go before those that have just begun.
    """
    arena = await client.arena()
    if not arena.running_matches:
        return []
    running = (await running_matches(client, MatchSearch.model_validate({}), CANDIDATES)).rows
    ratings = {row.version_id: row.rating for row in rated.rows}
    by_name = {row.bot: row.rating for row in reversed(rated.rows)}
    lowest = min(ratings.values(), default=0.0)

    def order(match: ShownMatch) -> tuple[bool, float, int, str]:
        known = [ratings.get(seat.version_id or 0, by_name.get(seat.bot, lowest)) for seat in match.seats]
        just_begun = arena.now_ms - (match.started_ms or 0) < FOLLOWED_MS
        return just_begun, -sum(known) / max(len(known), 1), -len(known), match.match_id

    return sorted(running, key=order)
