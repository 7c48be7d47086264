"""A bot at an arena: connects, introduces the bot, plays, comes back after lost connections, and leaves.

    client = Client(MyBot, name="mybot")
    await client.run(grpc_links("127.0.0.1:50051"))

`run` returns after `leave`. It raises `Refused` if the arena does not want the bot, and `LinkLost` if there was no
arena for longer than `connect_timeout`. What happens goes to the logger `roost_sdk`, each decision at level DEBUG.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from random import uniform
from time import perf_counter

from roost.v1 import play_pb2
from roost_games.errors import UsageError
from roost_games.registry import GAME_NAMES
from roost_games.wording import counted
from roost_sdk.arena.drivers import Driver, OwnThread, new_driver
from roost_sdk.arena.journal import Journal
from roost_sdk.arena.link import DENIED, Link, LinkLost, OpenLink, Refused
from roost_sdk.arena.matches import USUAL_MAX_BYTES, Matches, Unsent
from roost_sdk.arena.stats import Stats
from roost_sdk.bot import Bot, check_name
from roost_sdk.version import fingerprint

SHORTEST_PAUSE = 0.2
LONGEST_PAUSE = 10.0
WELCOME_SECONDS = 30.0
"""How long an arena may take to say welcome."""
END_SECONDS = 5.0
"""How long bots may take to hear how their last matches ended."""
log = logging.getLogger("roost_sdk")


class Client:
    """One bot program at one arena."""

    def __init__(
        self,
        bot_class: type[Bot],
        *,
        name: str,
        version: str = "",
        games: Sequence[str] = (),
        player_counts: Sequence[int] = (),
        max_matches: int | None = None,
        connect_timeout: float | None = None,
        on_change: Callable[[Stats], object] = lambda stats: None,
        journal: Journal | None = None,
        challenges: bool = True,
        takes_over: bool = False,
    ) -> None:
        """`version` is by default the fingerprint of the bot's code, `games` are all that it has a method for,
        `player_counts` and `max_matches` those of its class.

        `on_change` is called with `stats` when the arena is reached or lost and when a match starts or ends.
        `connect_timeout` is in seconds: give up after that long without an arena; by default never. A `journal` writes
        down what the bot sees and does in each match. Without `challenges` the arena gives it no unrated matches that
        other owners ask for. A client that `takes_over` has other versions of the bot leave the arena, after the
        matches that they play.
        """
        check_name(name)
        self.name = name
        self.version = version or fingerprint(bot_class)
        self.games = tuple(games) or games_of(bot_class)
        self.stats = Stats()
        self.welcome: play_pb2.Welcome | None = None
        """What the arena said when it was last reached."""
        self._bot_class = bot_class
        self._player_counts = tuple(player_counts or bot_class.player_counts)
        self._max_matches = max_matches or bot_class.matches_at_once
        self._connect_timeout = connect_timeout
        self._on_change = on_change
        self._journal = journal
        self._challenges = challenges
        self._takes_over = takes_over
        if journal is not None:
            journal.version = self.version
        self._resume_token = ""
        self._leaving = self._stopped = False
        self._unsent: Unsent
        self._matches: Matches
        self._work: asyncio.Task[None] | None = None

    async def run(self, open_link: OpenLink, served: Callable[[Driver], object] | None = None) -> None:
        """Play until `leave`. Called once.

        The connection lives in the event loop that this runs in, and the bot in a thread of its own. With `served`, the
        caller provides that thread: `served` gets the driver, whose `serve` must be called in that thread.
        """
        self._unsent = Unsent()
        self._matches = Matches(self._bot_class, self._unsent, self.stats, self._on_change, self._journal)
        driver = new_driver(self._bot_class, self.games, self._matches.finish)
        self._matches.driver = driver if served else OwnThread(driver)
        if served:
            served(driver)
        self._work = asyncio.create_task(self._stay(open_link))
        looking = asyncio.create_task(self._matches.look_for_hangs())
        try:
            await self._work
            await self._matches.settle(END_SECONDS)
        except asyncio.CancelledError:
            if not self._stopped:
                raise
        finally:
            looking.cancel()
            self._matches.close()

    async def leave(self, patience: float = 60.0) -> None:
        """Finish the running matches and the rest of their blocks; then `run` returns.

        After `patience` seconds it returns in any case, and unfinished matches are forfeited.
        """
        if self._work is None:
            return
        self._leaving = True
        self._unsent.add_leaving()
        if not self.stats.connected and not self.stats.playing:
            self.stop()
        done, _ = await asyncio.wait([self._work], timeout=patience)
        if not done:
            log.warning("left with %d matches unfinished", self.stats.playing)
            self.stop()

    def stop(self) -> None:
        """Let `run` return now. Running matches are abandoned, which an arena counts as forfeits."""
        self._stopped = True
        if self._work is not None:
            self._work.cancel()

    async def _stay(self, open_link: OpenLink) -> None:
        """Connect, and connect again whenever the connection is lost."""
        now = asyncio.get_running_loop().time
        reached, alone_since, pause = 0, now(), SHORTEST_PAUSE
        while True:
            try:
                await self._visit(open_link)
            except Refused as refusal:
                self._forget_token_or_raise(refusal)
            except LinkLost as lost:
                if self._leaving and not self.stats.playing:
                    return
                if reached < self.stats.connections:
                    reached, alone_since, pause = self.stats.connections, now(), SHORTEST_PAUSE
                if self._connect_timeout is not None and now() - alone_since + pause > self._connect_timeout:
                    raise LinkLost(f"{lost}; gave up after {self._connect_timeout:g} s") from None
                # One line for each time that the arena is gone, not for each attempt.
                log.log(logging.WARNING if pause == SHORTEST_PAUSE else logging.DEBUG, "%s, trying again ...", lost)
                await asyncio.sleep(pause * uniform(0.5, 1.0))
                pause = min(2 * pause, LONGEST_PAUSE)

    def _forget_token_or_raise(self, refusal: Refused) -> None:
        if refusal.status != DENIED or not self._resume_token:
            raise refusal
        log.warning("the arena does not remember this bot's running matches; connecting as a new bot")
        self._resume_token = ""

    async def _visit(self, open_link: OpenLink) -> None:
        """Stay connected once. Always ends in an exception."""
        link = await open_link()
        tasks: list[asyncio.Task[None]] = []
        try:
            await link.send(play_pb2.BotMessage(hello=self._hello()))
            self._unsent.reset()
            if self._leaving:
                self._unsent.add_leaving()
            tasks += asyncio.create_task(self._listen(link)), asyncio.create_task(self._talk(link))
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await link.close()
            self.stats.connected = False
            self._on_change(self.stats)

    async def _listen(self, link: Link) -> None:
        """Take what the arena says. Always ends in an exception."""
        try:
            async with asyncio.timeout(WELCOME_SECONDS) as patience:
                async for message in link:
                    if message.HasField("welcome"):
                        patience.reschedule(None)
                        self._be_welcome(message)
                    self._take(message)
        except TimeoutError:
            raise LinkLost("the arena sent no welcome") from None
        raise LinkLost("the arena ended the connection")

    def _take(self, message: play_pb2.ArenaMessage) -> None:
        if message.ping:
            self._unsent.add_pong(message.ping)
        self._matches.came = perf_counter()
        self._matches.take(message)
        if message.replaced_by and not self._leaving:
            self._leaving = True
            playing = counted(self.stats.playing, "match")
            log.info("version %s of this bot takes over; %s to play to the end", message.replaced_by, playing)

    async def _talk(self, link: Link) -> None:
        """Send what gathers. When that is no longer possible, `_listen` hears why."""
        try:
            while True:
                await link.send(await self._unsent.next_message())
        except (LinkLost, Refused) as error:
            log.debug("cannot send: %s", error)

    def _be_welcome(self, message: play_pb2.ArenaMessage) -> None:
        welcome = message.welcome
        self.welcome = welcome
        self._resume_token = welcome.resume_token
        self._unsent.max_bytes = welcome.max_message_bytes or USUAL_MAX_BYTES
        self._matches.resume({*welcome.resumed, *(ended.match for ended in message.ended)})
        self.stats.connected = True
        self.stats.connections += 1
        if self.stats.connections > 1:
            log.info("reconnected; %d matches continue", len(welcome.resumed))
        self._on_change(self.stats)

    def _hello(self) -> play_pb2.Hello:
        return play_pb2.Hello(
            name=self.name,
            version=self.version,
            games=self.games,
            player_counts=self._player_counts,
            max_matches=self._max_matches,
            wants_events=self._bot_class.wants_moves(),
            resume_token=self._resume_token,
            client=f"roost-sdk {_own_version()}",
            no_challenges=not self._challenges,
            # A bot that comes back has taken over before, and another version may have taken over from it since.
            takes_over=self._takes_over and not self._resume_token and not self.stats.connections,
        )


def games_of(bot_class: type[Bot]) -> tuple[str, ...]:
    """The games that a bot has a method for. Raises `UsageError` if there are none."""
    games = tuple(filter(bot_class.plays, GAME_NAMES))
    if not games:
        raise UsageError(f"{bot_class.__name__} plays no game: it has no method choose(self, view, legal)")
    return games


def _own_version() -> str:
    try:
        return version("roost")
    except PackageNotFoundError:
        return "unknown"
