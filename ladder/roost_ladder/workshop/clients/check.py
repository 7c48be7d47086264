"""Examines any client of the protocol: an arena that plays hard to get.

    report = asyncio.run(check_client("127.0.0.1:50051"))

The client connects by itself. It is played with, cut off, told what it cannot know, forgotten, and at last stopped by
its author.
"""

from collections.abc import Callable, Collection, Sequence
from math import ceil
from statistics import median

from roost_games.registry import GAME_NAMES
from roost_games.wording import counted
from roost_ladder.workshop import findings
from roost_ladder.workshop.clients import requirements as must
from roost_ladder.workshop.clients.examinee import MOST_MATCHES, ClientLost, Examinee, Stuck
from roost_ladder.workshop.clients.exercises import Exercise, Exercises, NotSeen
from roost_ladder.workshop.clients.wire import listening
from roost_ladder.workshop.doctor import USUAL_EFFORT, Effort, Examination
from roost_ladder.workshop.findings import Finding, Mark, Times
from roost_ladder.workshop.tables import MatchKind, tables_of


async def check_client(
    address: str,
    *,
    games: Sequence[str] = (),
    seed: str = "doctor",
    effort: Effort = USUAL_EFFORT,
    tell: Callable[[str], None] = lambda what: None,
    prompt: Callable[[str], None] = lambda what: None,
    exercises: Collection[str] = (),
) -> Examination:
    """Examine the next client that connects to `address`, in `games`, or in all that it names.

    `tell` is told what is being done, and `prompt` what the client's author has to do: first where to connect.
    `exercises` selects some by their names. Raises `UsageError` if nobody can listen there.
    """
    async with listening(address) as door:
        prompt(f"listening at {door.address}; start your bot now, without a key or TLS")
        return await _Check(Examinee(door, effort.patience, seed), games, effort, tell, prompt).run(exercises)


class _Check:
    def __init__(
        self,
        client: Examinee,
        games: Sequence[str],
        effort: Effort,
        tell: Callable[[str], None],
        prompt: Callable[[str], None],
    ) -> None:
        self._client = client
        self._games = games
        self._effort = effort
        self._tell = tell
        self._prompt = prompt
        self._seen: list[Finding] = []
        self._gone = False

    async def run(self, exercises: Collection[str]) -> Examination:
        """Every exercise, or those with these names, as long as the client comes back."""
        client = self._client
        try:
            await client.arrive()
        except (ClientLost, TimeoutError):
            client.blame(must.HELLO_MISSING)
        if must.HELLO_MISSING in client.failures or must.HELLO_REFUSED in client.failures:
            return self._report([], client.findings())
        tables = self._tables()
        greeting = self._greeting(tables)
        if tables:
            await client.welcome()
            for exercise in Exercises(client, tables, self._effort, self._prompt).in_order():
                if not exercises or exercise.name in exercises:
                    await self._try(exercise)
        games = list(dict.fromkeys(table.game for table in tables))
        return self._report(games, [greeting, *self._seen, *client.findings()])

    def _tables(self) -> list[MatchKind]:
        hello = self._client.hello
        games = [game for game in hello.games or GAME_NAMES if not self._games or game in self._games]
        return [table for table in tables_of(games) if not hello.player_counts or table.players in hello.player_counts]

    def _greeting(self, tables: Sequence[MatchKind]) -> Finding:
        client = self._client
        if not tables:
            return Finding("hello", Mark.DEFECT, f"{client.hello.name} plays none of the games asked for")
        advice = f"larger batches are examined if it takes more matches at once, up to {MOST_MATCHES}"
        title = f"{client.hello.name} says hello, and takes {counted(client.at_once, 'match')} at once"
        return Finding("hello", Mark.FINE, title, () if client.at_once == MOST_MATCHES else (advice,))

    async def _try(self, exercise: Exercise) -> None:
        client = self._client
        if self._gone:
            self._seen.append(Finding(exercise.name, Mark.UNKNOWN, f"not examined: {exercise.doing}"))
            return
        client.doing = exercise.doing
        self._tell(exercise.doing)
        before = dict(client.failures)
        client.refuse_others()
        try:
            said = await exercise.run()
        except NotSeen:
            self._seen.append(Finding(exercise.name, Mark.UNKNOWN, f"did not happen in time: {exercise.doing}"))
        except (Stuck, ClientLost) as stop:
            await self._stop(exercise, stop, unexplained=before == client.failures)
        else:
            if before == client.failures:
                self._seen.append(Finding(exercise.name, Mark.FINE, said))

    async def _stop(self, exercise: Exercise, stop: Stuck | ClientLost, *, unexplained: bool) -> None:
        """End an exercise in which the client is stuck or was lost, so that the next one begins with nothing."""
        client = self._client
        if exercise.on_stop is not None:
            client.blame(exercise.on_stop)
        elif unexplained:
            client.blame(must.STREAM_ENDED)
        client.strange = False
        try:
            if isinstance(stop, ClientLost):
                await client.return_()
                await client.welcome()
            else:
                await client.end([match for match in client.matches.values() if not match.over])
        except (Stuck, ClientLost, TimeoutError):
            self._gone = True

    def _report(self, games: list[str], found: list[Finding]) -> Examination:
        times = [
            Times(game, len(spent), median(spent), spent[ceil(0.99 * len(spent)) - 1], spent[-1])
            for game, spent in ((game, sorted(ms)) for game, ms in self._client.answered_ms.items())
        ]
        return Examination(self._client.hello.name, games, [*found, *map(findings.speed, times)], times, [])
