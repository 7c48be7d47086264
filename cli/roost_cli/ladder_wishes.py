"""From what a person typed for `roost ladder` to a run that can begin."""

from collections.abc import Sequence
from dataclasses import dataclass

from roost_cli.options import parse_counts, parse_games
from roost_games.chance import seed_of
from roost_games.errors import UsageError
from roost_games.referee import Clock
from roost_games.registry import GAME_NAMES, get_game
from roost_games.wording import counted
from roost_ladder.blocks import Rotation
from roost_ladder.running.entrants import Entrant
from roost_ladder.running.fixtures import Limits
from roost_ladder.running.ladder import Setup
from roost_ladder.schedules.registry import schedule_named
from roost_ladder.schedules.schedule import Kind
from roost_sdk.load import did_you_mean


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a person typed about the run itself."""

    bots: tuple[str, ...]
    games: str | None
    players: str
    schedule: str
    times: int | None
    hero: str | None
    rotation: str
    seed: str | None
    clock: Clock
    memory_mb: int

    def setup(self, entrants: Sequence[Entrant], seed: str, *, recording: bool) -> Setup:
        """The run with these bots. Raises `UsageError` if it cannot be played."""
        kinds = self._kinds(entrants)
        hero = None if self.hero is None else number_of(self.hero, entrants)
        return Setup(
            tuple(entrants),
            kinds,
            seed,
            schedule_named(self.schedule, seed=seed_of(seed), times=self.times, hero=hero),
            " ".join(filter(None, (self.schedule, self.hero, f"{self.times} times" if self.times else ""))),
            {game: get_game(game).options({}) for game in dict.fromkeys(kind.game for kind in kinds)},
            self._rotation(),
            self.limits(recording=recording),
            hero,
        )

    def limits(self, *, recording: bool) -> Limits:
        """What a bot may use up."""
        return Limits(self.clock, memory_mb=self.memory_mb, recording=recording)

    def check(self) -> None:
        """Raise `UsageError` for what is wrong whoever plays: before bots are imported, which takes a while."""
        self._rotation()
        parse_games(self.games)
        parse_counts(self.players)
        if self.schedule == "gauntlet" and self.hero is None:
            raise UsageError("the schedule gauntlet needs --hero NAME, the bot that plays against all others")
        schedule_named(self.schedule, times=self.times, hero=None if self.hero is None else 0)

    def _rotation(self) -> Rotation:
        try:
            return Rotation(self.rotation)
        except ValueError:
            raise UsageError(f"--rotation is {' or '.join(Rotation)}, not {self.rotation!r}") from None

    def _kinds(self, entrants: Sequence[Entrant]) -> tuple[Kind, ...]:
        """Every game at every number of players that can be played and that enough bots can play."""
        # In our order, not in that of the command: it makes no other ladder.
        names = sorted(parse_games(self.games) or GAME_NAMES, key=GAME_NAMES.index)
        counts = parse_counts(self.players)
        kinds = [
            Kind(name, players)
            for name in names
            for players in counts
            if players in get_game(name).players(get_game(name).options({}))
            and sum(entrant.plays(name, players) for entrant in entrants) >= players > 1
        ]
        if not kinds:
            raise UsageError(
                f"nothing can be played: {counted(len(entrants), 'bot')} for {', '.join(names)} "
                f"at tables of {self.players}; add bots that play these games, or change --games or --players"
            )
        return tuple(kinds)


def number_of(name: str, entrants: Sequence[Entrant]) -> int:
    """The number of the bot that is called `name`. Raises `UsageError` if it does not take part."""
    names = [entrant.spec.name for entrant in entrants]
    if name not in names:
        raise UsageError(f"{name} does not take part; those who do are: {', '.join(names)}{did_you_mean(name, names)}")
    return names.index(name)
