"""Which matches are meant: by game, table size, competition and phase, as they are written in an address."""

from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, Field

from roost.v1 import arena_pb2, records_pb2
from roost_web.client import ArenaClient
from roost_web.errors import NotThereError

LARGEST_TABLE = 16
LONGEST_NAME = 100
MOST_VERSIONS = 2**32 - 1
PLAYED = ("ladder", "finals")
"""The phases in which matches are played: they have a table of their own."""
LAST_MS = 2**53 - 1
"""The largest number that a browser's JavaScript counts exactly."""


def _or_default(value: object) -> object:
    """A form sends fields that were left empty."""
    return 0 if value == "" else value


Name = Annotated[str, Field(max_length=LONGEST_NAME)]
Players = Annotated[int, Field(ge=0, le=LARGEST_TABLE), BeforeValidator(_or_default)]
VersionId = Annotated[int, Field(ge=0, le=MOST_VERSIONS), BeforeValidator(_or_default)]
Milliseconds = Annotated[int, Field(ge=0, le=LAST_MS), BeforeValidator(_or_default)]


class BotOutcome(StrEnum):
    """How a match ended for a bot."""

    ANY = ""
    WON = "won"
    NOT_WON = "not-won"
    LAST = "last"
    FORFEITED = "forfeited"
    VOIDED = "voided"

    def message(self) -> arena_pb2.Outcome.ValueType:
        """The same in the arena's words."""
        name = f"OUTCOME_{self.value.replace('-', '_').upper()}" if self.value else "OUTCOME_UNSPECIFIED"
        return arena_pb2.Outcome.Value(name)


class Filter(BaseModel):
    """Matches that count towards standings; by default all of them."""

    game: Name = Field("", description="One game only.")
    players: Players = Field(0, description="One table size only.")
    competition: Name = Field("", description="One competition only.")
    phase: Name = Field("", description="One phase of it only; by default the one that is played, or was last.")

    def record(self) -> records_pb2.RecordFilter:
        """As the arena is asked."""
        return records_pb2.RecordFilter(
            game=self.game, players=self.players, competition=self.competition, phase=self.phase
        )

    def standings(self) -> arena_pb2.GetStandingsRequest:
        """The question for the standings."""
        return arena_pb2.GetStandingsRequest(
            game=self.game,
            players=self.players,
            competition=self.competition,
            phase=self.phase,
            everything=not self.competition and not self.phase,
        )

    def query(self) -> dict[str, object]:
        """What has to be in an address."""
        return self.model_dump(exclude_defaults=True, mode="json")

    def choosing(self, key: str, value: object) -> dict[str, object]:
        """What is in an address with another choice. A phase belongs to its competition."""
        kept = self.query()
        if key == "competition":
            kept.pop("phase", None)
        return {**kept, key: value}


class StandingsFilter(Filter):
    """Matches that count towards standings; by default those of the current competition, if there is one."""

    everything: bool = Field(False, description="All matches instead of one competition.")

    def standings(self) -> arena_pb2.GetStandingsRequest:
        request = super().standings()
        request.everything = self.everything
        return request

    def choosing(self, key: str, value: object) -> dict[str, object]:
        chosen = super().choosing(key, value)
        return {**chosen, "everything": not value} if key == "competition" else chosen


class MatchSearch(Filter):
    """Which matches to list."""

    bot: Name = Field("", description="Only matches of bots of this name.")
    version_id: VersionId = Field(0, description="Only matches of this version.")
    opponent: Name = Field("", description="Only matches in which a bot of this name plays too.")
    outcome: BotOutcome = Field(BotOutcome.ANY, description="Only matches with this result for the bot. Needs `bot`.")
    faults: bool = Field(False, description="Only matches with a fault: of the bot, or of anybody.")
    since_ms: Milliseconds = Field(0, description="Only matches that ended at this time or later.")
    until_ms: Milliseconds = Field(0, description="Only matches that ended before this time.")

    def matches(self, limit: int, before: str = "", *, running: bool = False) -> arena_pb2.ListMatchesRequest:
        """The question for a page of matches."""
        return arena_pb2.ListMatchesRequest(
            limit=limit,
            before_match_id=before,
            running=running,
            game=self.game,
            players=self.players,
            competition=self.competition,
            phase=self.phase,
            bot=self.bot,
            version_id=self.version_id,
            opponent=self.opponent,
            outcome=self.outcome.message(),
            with_faults=self.faults,
            since_ms=self.since_ms,
            until_ms=self.until_ms,
        )


class PlayedGame(BaseModel):
    """A game that is played here, and at which table sizes."""

    game: str
    player_counts: list[int]


class Choices(BaseModel):
    """What can be chosen in filters."""

    games: list[PlayedGame]
    competitions: list[str]
    phases: list[str]
    """Of the competition that is chosen, those in which matches are played."""

    @property
    def sizes(self) -> list[int]:
        """All table sizes."""
        return sorted({size for game in self.games for size in game.player_counts})


async def choices(client: ArenaClient, chosen: Filter) -> Choices:
    """What can be chosen besides what is chosen already. Raises `NotThereError` if that does not exist."""
    arena = await client.arena()
    games = [PlayedGame(game=each.game, player_counts=list(each.player_counts)) for each in arena.games]
    competitions = [each.name for each in (await client.competitions()).competitions]
    if chosen.game and chosen.game not in [each.game for each in games]:
        raise NotThereError(f"The game {chosen.game} is not played here.")
    if chosen.competition and chosen.competition not in competitions:
        raise NotThereError(f"There is no competition {chosen.competition} here.")
    phases = (await client.competition(chosen.competition)).phases if chosen.competition else ()
    return Choices(games=games, competitions=competitions, phases=[each.name for each in phases if each.name in PLAYED])
