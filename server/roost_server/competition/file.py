"""The file that defines a competition: TOML, checked as a whole, every error with its line and the remedy.

`roost competition init` writes one with comments; docs/hosting/competition.md explains every setting.
"""

import tomllib
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError, field_validator, model_validator

from roost_games.errors import UsageError
from roost_games.game import JsonValue
from roost_games.referee import STANDARD_CLOCK, Clock
from roost_games.registry import GAME_NAMES, get_game
from roost_ladder.blocks import Deals
from roost_ladder.schedules.cycles import MOST_GROUPS
from roost_sdk.bounded_files import read_regular
from roost_server.competition.demands import QualificationPart
from roost_server.competition.file_errors import FilePart, error_lines, place_of, wrong
from roost_server.competition.ranking import FIRST, USUAL_TIES, Criterion, RankingName
from roost_server.settings import Rules, Settings

USUAL = Settings()
LAST_YEAR = 9999
"""Times of this year may be in no year that Python has, once they are moved or in another time zone."""
MOST_CHARACTERS = 64 << 10
NAME = r"^[a-z0-9][a-z0-9-]{0,39}$"


class CompetitionFileError(UsageError):
    """A competition file has errors. The message names the place and the remedy of each."""


class PhaseName(StrEnum):
    """The phases of a competition, in their order."""

    REGISTRATION = "registration"
    """Bots enter; nothing counts yet."""
    LADDER = "ladder"
    """Everybody plays everybody; new versions may come at any time."""
    FREEZE = "freeze"
    """Nothing is played; every bot's version is pinned."""
    FINALS = "finals"
    """The pinned versions play, from a clean rating."""
    DONE = "done"
    """The result is final, and the master seed is public."""


def takes_entries(phase: str) -> bool:
    """Whether bots can enter in this phase, new versions of them count, and those who have to qualify can do so."""
    return phase in (PhaseName.REGISTRATION, PhaseName.LADDER)


def _utc(time: datetime) -> datetime:
    if time.tzinfo is None:
        raise wrong("needs a time zone: write 2027-03-01T18:00:00Z or 2027-03-01T19:00:00+01:00")
    if not 1970 < time.year < LAST_YEAR:
        raise wrong(f"is not in a year from 1971 to {LAST_YEAR - 1}")
    return time.astimezone(UTC)


Moment = Annotated[datetime, AfterValidator(_utc)]
AT_ONCE, HELD, BY_ROUNDS = "at once", "held", "rounds"
"""When the results of a phase are shown, unless a time says so: as they come, or when the host releases them."""


def _when_shown(value: object) -> object:
    if isinstance(value, datetime):
        return _utc(value)
    if value in (AT_ONCE, HELD, BY_ROUNDS):
        return value
    raise wrong(f'write a day and a time, as in 2027-03-09T18:00:00Z, or "{AT_ONCE}", "{HELD}" or "{BY_ROUNDS}"')


class GameTable(FilePart):
    """What is played: a game with its options, and at which table sizes."""

    game: str
    players: tuple[int, ...] = Field(default=(2, 3, 4), strict=False)
    options: dict[str, Any] = Field(default_factory=dict)

    @field_validator("game")
    @classmethod
    def _known(cls, game: str) -> str:
        if game not in GAME_NAMES:
            raise wrong(f"there is no game {game!r}; the games are: {', '.join(GAME_NAMES)}")
        return game

    @model_validator(mode="after")
    def _playable(self) -> "GameTable":
        counts = get_game(self.game).players(self._options())
        if not self.players:
            raise wrong("write the table sizes, as in players = [2, 3, 4]", "players")
        for players in self.players:
            if players not in counts:
                raise wrong(
                    f"{self.game} cannot be played by {players}; it is for {counts[0]} to {counts[-1]} players",
                    "players",
                )
        if len(set(self.players)) < len(self.players):
            raise wrong("write every table size once", "players")
        return self

    def _options(self) -> Any:
        try:
            return get_game(self.game).options(_json(self.options))
        except UsageError as error:
            raise wrong(str(error), "options") from None

    def rules(self) -> list[Rules]:
        """The kinds of tables."""
        return [Rules(self.game, players, self._options()) for players in self.players]


def _json(options: dict[str, Any]) -> dict[str, JsonValue]:
    return dict(options)


class ClockPart(FilePart):
    """How long bots may think."""

    decision_ms: int = Field(default=int(STANDARD_CLOCK.decision_ms), ge=1, le=3_600_000)
    bank_ms: int = Field(default=int(STANDARD_CLOCK.bank_ms), ge=0, le=86_400_000)
    ready_seconds: int = Field(default=int(USUAL.ready_seconds), ge=1, le=3_600)
    match_seconds: int | None = Field(default=None, ge=1, le=604_800)


class PacePart(FilePart):
    """How much a ladder plays."""

    matches_per_hour: int = Field(default=int(USUAL.matches_per_hour), ge=1, le=100_000_000)
    matches_per_bot_hour: int = Field(default=int(USUAL.matches_per_bot_hour), ge=1, le=100_000_000)
    arena_seconds_per_hour: int = Field(default=int(USUAL.arena_seconds_per_hour), ge=1, le=3_600_000)
    matches_at_once: int | None = Field(default=None, ge=1, le=USUAL.max_matches_per_bot)
    disk_gb: float = Field(default=USUAL.disk_gb, gt=0, le=1_000_000, strict=False)


class ChallengePart(FilePart):
    """How many matches owners may ask for that are not rated; 0: none."""

    matches_per_owner_hour: int = Field(default=USUAL.challenges_per_owner_hour, ge=0, le=1_000_000)
    matches_per_opponent_hour: int = Field(default=USUAL.challenges_per_opponent_hour, ge=0, le=1_000_000)


class EntryPart(FilePart):
    """Who may take part."""

    who: Literal["open", "invited"] = "invited"
    bots_per_owner: int = Field(default=1, ge=1, le=1_000)
    names_per_owner: int = Field(default=10, ge=1, le=1_000)
    versions_per_hour: int = Field(default=20, ge=1, le=1_000_000)
    own_bots_may_meet: bool = False
    hide_names: bool = False


class FaultPart(FilePart):
    """What happens to bots that make faults."""

    max_faults: int = Field(default=3, ge=1, le=1_000)
    forfeits: Literal["count", "ignore"] = "count"
    """Forfeits count. Only competitions that began before this was settled may say otherwise: see `check_new`."""
    quarantine_after: int = Field(default=5, ge=1, le=1_000)
    absence_seconds: int = Field(default=600, ge=0, le=604_800)
    round_seconds: int = Field(default=int(USUAL.round_seconds), ge=1, le=2_592_000)


class SpectatorPart(FilePart):
    """What spectators may see."""

    public: bool = True
    delay_seconds: int = Field(default=0, ge=0, le=86_400)


class PhasePart(FilePart):
    """A phase, when it begins, and what is played in it."""

    phase: Annotated[PhaseName, Field(strict=False)]
    starts: Moment | None = None
    schedule: str | None = None
    rounds: int = Field(default=1, ge=1, le=10_000)
    blocks_per_pairing: int = Field(default=1, ge=1, le=10_000)
    budget: int | None = Field(default=None, ge=1, le=10_000_000)
    most_groups: int = Field(default=MOST_GROUPS, ge=1, le=MOST_GROUPS)
    qualification: QualificationPart | None = None
    results: Annotated[datetime | str, BeforeValidator(_when_shown)] = AT_ONCE
    """When results are shown: `AT_ONCE`, `HELD`, `BY_ROUNDS`, or the time at which the clock releases them."""

    @property
    def is_held(self) -> bool:
        """Whether its results are not shown as they come."""
        return self.results != AT_ONCE

    @property
    def results_until(self) -> datetime | None:
        """When the clock releases the results; `None` if it does not."""
        return self.results if isinstance(self.results, datetime) else None

    @property
    def plays_by(self) -> str:
        """The schedule, or the default one; empty where nothing is played."""
        return self.schedule or next(iter(SCHEDULES[self.phase]), "")

    @model_validator(mode="after")
    def _fits(self) -> "PhasePart":
        may = SCHEDULES[self.phase]
        if self.schedule is not None and self.schedule not in may:
            right = f"it is one of {', '.join(may)}" if may else "leave it out"
            raise wrong(f"there is no schedule {self.schedule!r} for the {self.phase}; {right}", "schedule")
        for name in ("rounds", "blocks_per_pairing", "budget", "most_groups"):
            if name in self.model_fields_set and self.phase is not PhaseName.FINALS:
                raise wrong("is for the finals; leave it out", name)
        if self.phase is PhaseName.FINALS and (self.plays_by == "sure") != (self.budget is not None):
            say = "is for the schedule sure; leave it out" if self.budget else "write how many blocks sure may plan"
            raise wrong(say, "budget")
        if self.qualification is not None and not may:
            raise wrong("is for the ladder or the finals, where matches are played; leave it out", "qualification")
        self._check_results()
        return self

    def _check_results(self) -> None:
        if self.results != AT_ONCE and not SCHEDULES[self.phase]:
            raise wrong("is for the ladder or the finals, where matches are played; leave it out", "results")
        if self.results == BY_ROUNDS and (self.phase is not PhaseName.FINALS or self.plays_by == "sure"):
            what = "the ladder has no rounds" if self.phase is PhaseName.LADDER else 'the schedule "sure" has no rounds'
            raise wrong(f'{what}; write results = "{HELD}", or when they are released', "results")
        if self.results_until is not None and self.starts is not None and self.results_until <= self.starts:
            raise wrong("the results are released before the phase starts; name a later time", "results")


SCHEDULES: dict[PhaseName, tuple[str, ...]] = {
    PhaseName.REGISTRATION: (),
    PhaseName.LADDER: ("least-played", "sure"),
    PhaseName.FREEZE: (),
    PhaseName.FINALS: ("round-robin", "swiss", "knockout", "sure"),
    PhaseName.DONE: (),
}
"""The schedules that each phase allows; the first is the default."""


class CompetitionFile(FilePart):
    """Everything that a host decides about a competition."""

    name: str = Field(pattern=NAME)
    title: str = Field(default="", max_length=200)
    rotation: Literal["cyclic", "full"] = "cyclic"
    deals: Literal["own", "duplicate"] = "own"
    ranking: Annotated[RankingName, Field(strict=False)] = RankingName.FIELD
    """Which ranking decides, wherever standings do."""
    ties: tuple[Annotated[Criterion, Field(strict=False)], ...] = Field(default=(Criterion.SCORE,), strict=False)
    """What breaks its ties, in turn; after all of them the seeding does."""
    games: tuple[GameTable, ...] = Field(strict=False)
    clock: ClockPart = ClockPart()
    entry: EntryPart = EntryPart()
    faults: FaultPart = FaultPart()
    pace: PacePart = PacePart()
    challenges: ChallengePart = ChallengePart()
    spectators: SpectatorPart = SpectatorPart()
    phases: tuple[PhasePart, ...] = Field(strict=False)

    @model_validator(mode="before")
    @classmethod
    def _with_ties(cls, data: Any) -> Any:
        """Settings with the ties that go with the ranking, so that it makes no difference whether a file has them."""
        if not isinstance(data, dict) or "ties" in data or (ranking := data.get("ranking")) not in [*RankingName, None]:
            return data
        return {**data, "ties": [USUAL_TIES[RankingName(ranking or RankingName.FIELD)]]}

    @model_validator(mode="after")
    def _ties_are_others(self) -> "CompetitionFile":
        if len(set(self.order)) < len(self.order):
            other = [each for each in Criterion if each is not FIRST[self.ranking]]
            raise wrong(f"write each of these once at most: {', '.join(other)}", "ties")
        return self

    @field_validator("games")
    @classmethod
    def _each_once(cls, games: tuple[GameTable, ...]) -> tuple[GameTable, ...]:
        if not games:
            raise wrong("write what is played, as in [[games]]")
        names = [each.game for each in games]
        for number, name in enumerate(names):
            if name in names[:number]:
                raise wrong("every game once, with all its table sizes: players = [2, 3, 4]", number, "game")
        return games

    @field_validator("phases")
    @classmethod
    def _in_order(cls, phases: tuple[PhasePart, ...]) -> tuple[PhasePart, ...]:
        order = list(PhaseName)
        for number, (former, each) in enumerate(pairwise(phases), 1):
            if order.index(each.phase) <= order.index(former.phase):
                raise wrong(f"the phases come in this order, each once: {', '.join(order)}", number, "phase")
        timed = [(number, each.starts) for number, each in enumerate(phases) if each.starts is not None]
        for (_, before), (number, starts) in pairwise(timed):
            if starts < before:
                raise wrong("each phase starts after the one before it", number, "starts")
        return phases

    @field_validator("phases")
    @classmethod
    def _complete(cls, phases: tuple[PhasePart, ...]) -> tuple[PhasePart, ...]:
        if not phases or phases[-1].phase is not PhaseName.DONE:
            raise wrong('the last phase is "done"', *range(len(phases))[-1:])
        if not any(SCHEDULES[each.phase] for each in phases):
            raise wrong("nothing would be played; add a phase: ladder or finals", 0)
        return phases

    @model_validator(mode="after")
    def _knockout_has_duels(self) -> "CompetitionFile":
        for number, each in enumerate(self.phases):
            if each.schedule == "knockout" and not any(2 in table.players for table in self.games):
                said = "a knockout is played in duels: some game needs 2 among its players"
                raise wrong(said, "phases", number, "schedule")
        return self

    @model_validator(mode="after")
    def _ranking_decides(self) -> "CompetitionFile":
        finals = self.phase(PhaseName.FINALS)
        by_bracket = finals is not None and finals.plays_by == "knockout" and self.phase(PhaseName.LADDER) is None
        if by_bracket and self.ranking is not RankingName.FIELD:
            raise wrong("a knockout without a ladder has no standings that decide anything; leave it out", "ranking")
        return self

    @model_validator(mode="after")
    def _can_qualify(self) -> "CompetitionFile":
        demanding = [number for number, each in enumerate(self.phases) if each.qualification is not None]
        if len(demanding) > 1:
            said = "one phase can demand it; who has qualified for the ladder may play the finals too"
            raise wrong(said, "phases", demanding[1], "qualification")
        if demanding and not any(takes_entries(each.phase) for each in self.phases):
            said = "bots have no time to qualify; add a phase before the finals: registration or ladder"
            raise wrong(said, "phases", demanding[0], "qualification")
        part = self.qualification
        if part is not None and self.qualification_rules() is None:
            named = part.game or self.games[0].game
            said = f"the competition does not play {named} at tables of {part.table_size}; name one of its tables"
            raise wrong(said, "phases", demanding[0], "qualification", *(["game"] if part.game else []))
        return self

    @property
    def order(self) -> tuple[Criterion, ...]:
        """What puts a bot ahead of another one, in turn."""
        return (FIRST[self.ranking], *self.ties)

    @property
    def seeding_order(self) -> tuple[Criterion, ...]:
        """The same for the seeding, in which equal ratings have always been in the order of versions."""
        return self.order if self.ranking is RankingName.CLONE_PROOF else self.order[:1]

    @property
    def qualification(self) -> QualificationPart | None:
        """What bots have to show before they take part; `None` if nothing."""
        return next((each.qualification for each in self.phases if each.qualification is not None), None)

    @property
    def demanding(self) -> PhaseName | None:
        """The phase in which only those play who have qualified."""
        return next((each.phase for each in self.phases if each.qualification is not None), None)

    def qualification_rules(self) -> Rules | None:
        """The kind of table at which bots qualify; `None` if nothing is demanded, or there is no such table."""
        part = self.qualification
        kind = None if part is None else (part.game or self.games[0].game, part.table_size)
        return next((rules for rules in self.rules() if rules.kind == kind), None)

    def played_with(self, deals: str) -> "CompetitionFile":
        """The file of a competition that is played with these deals already, whatever the default is by now."""
        return self if "deals" in self.model_fields_set else self.model_copy(update={"deals": deals})

    def rules(self) -> tuple[Rules, ...]:
        """The kinds of tables that are played."""
        return tuple(rules for each in self.games for rules in each.rules())

    def referee_clock(self) -> Clock:
        """The clock for the referee."""
        return Clock(decision_ms=self.clock.decision_ms, bank_ms=self.clock.bank_ms)

    def settings(self, usual: Settings = USUAL) -> Settings:
        """The settings of an arena, with those that the competition changes."""
        return replace(
            usual,
            tables=self.rules(),
            deals=Deals(self.deals),
            clock=self.referee_clock(),
            ready_seconds=float(self.clock.ready_seconds),
            match_seconds=self.clock.match_seconds,
            max_faults=self.faults.max_faults,
            round_seconds=float(self.faults.round_seconds),
            quarantine_after=self.faults.quarantine_after,
            hide_names=self.entry.hide_names,
            spectator_delay_seconds=float(self.spectators.delay_seconds),
            matches_per_hour=float(self.pace.matches_per_hour),
            matches_per_bot_hour=float(self.pace.matches_per_bot_hour),
            arena_seconds_per_hour=float(self.pace.arena_seconds_per_hour),
            matches_at_once=self.pace.matches_at_once or usual.matches_at_once,
            disk_gb=self.pace.disk_gb,
            challenges_per_owner_hour=self.challenges.matches_per_owner_hour,
            challenges_per_opponent_hour=self.challenges.matches_per_opponent_hour,
        )

    def phase(self, name: PhaseName) -> PhasePart | None:
        """The part about a phase; `None` if the competition does not have it."""
        return next((each for each in self.phases if each.phase is name), None)


def read_competition(path: Path) -> tuple[CompetitionFile, str]:
    """The competition that a file describes, and the file's text. Raises `CompetitionFileError`."""
    try:
        text = read_regular(path, 4 * MOST_CHARACTERS).decode().replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise CompetitionFileError(f"{path} cannot be read: {reason}; `roost competition init` writes one") from None
    return parse_competition(text, str(path)), text


def read_competitions(paths: Iterable[Path]) -> list[tuple[CompetitionFile, str]]:
    """The competitions of one arena, as `read_competition` gives each. Raises `UsageError` if two have one name."""
    described = [read_competition(path) for path in paths]
    names = [file.name for file, _ in described]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise UsageError(f"two files describe the competition {twice[0]}; give each a name of its own")
    return described


def check_new(file: CompetitionFile, text: str, name: str) -> None:
    """Raise `CompetitionFileError` if a competition that has not begun asks for what only older ones may have."""
    if file.faults.forfeits == "ignore":
        said = "a forfeit counts as a last place, or bots would gain by forfeiting when they are behind; leave it out"
        raise CompetitionFileError(f"{place_of(text, ('faults', 'forfeits'), name)}{said}")


def parse_competition(text: str, name: str = "competition") -> CompetitionFile:
    """The competition that `text` describes. Raises `CompetitionFileError`; `name` is what it calls the file."""
    data = _parsed(text, name)
    try:
        return CompetitionFile.model_validate(data)
    except ValidationError as error:
        raise CompetitionFileError("\n".join(error_lines(error, CompetitionFile, text, name))) from None


def _parsed(text: str, name: str) -> dict[str, Any]:
    """The text as TOML, which may come from anybody."""
    if len(text) > MOST_CHARACTERS:
        raise CompetitionFileError(f"{name} is too long: a competition file has at most {MOST_CHARACTERS:,} characters")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise CompetitionFileError(f"{name} is not TOML: {error}") from None
    except ValueError:
        raise CompetitionFileError(f"{name} has a number with too many digits, or a time that cannot be") from None
    except RecursionError:
        raise CompetitionFileError(f"{name} is nested too deeply") from None
