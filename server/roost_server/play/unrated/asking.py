"""Takes challenges: checks what an owner asks for, puts it on record, and has it played."""

import asyncio
import secrets
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import structlog

from roost_games.wording import counted
from roost_ladder.blocks import Block, Deals
from roost_server.accounts.audit import note
from roost_server.accounts.owners import BotRecord
from roost_server.clocks import epoch_ms
from roost_server.errors import DeniedError, InvalidError, NotYetError, TooMuchError
from roost_server.play.block import OpenBlock
from roost_server.play.lobby import Lobby
from roost_server.play.quarantine import Quarantine
from roost_server.play.recorder import Recorder
from roost_server.play.session import Session
from roost_server.play.unrated.challenges import ChallengeContest, Offer
from roost_server.settings import Rules, Settings
from roost_server.store import BlockState, Purpose, Store
from roost_server.store.lookups.challenges import CHALLENGE, AskedBlock, asked_since, block_id_of
from roost_server.store.measures.holds import Veil, veil_for

HOUR_MS = 3_600_000
log = structlog.get_logger()


class AskedMatch(NamedTuple):
    """The match that an owner asks for."""

    bot: BotRecord
    opponents: Sequence[str]
    """By name, all of them at one table."""
    game: str
    matches: int
    """At least that many."""
    actor: str


class Taken(NamedTuple):
    """A challenge that will be played."""

    id: str
    matches: int


class Challenges:
    """Takes challenges of the bots that are here."""

    def __init__(
        self, store: Store, contest: ChallengeContest, lobby: Lobby, quarantine: Quarantine, recorder: Recorder
    ) -> None:
        self._store = store
        self._contest = contest
        self._lobby = lobby
        self._quarantine = quarantine
        self._recorder = recorder
        self._asking = asyncio.Lock()
        """One after the other, so that limits hold."""

    async def ask(self, asked: AskedMatch) -> Taken:
        """Have matches played. Raises `ArenaError` if that is not possible."""
        check_opponents(asked)
        veil = await asyncio.to_thread(veil_for, self._store, asked.bot.owner)
        async with self._asking:
            if self._contest.refusal:
                raise NotYetError(self._contest.refusal)
            self._check_silent(asked.opponents, veil)
            group = [self._present(name, own=name == asked.bot.name) for name in (asked.bot.name, *asked.opponents)]
            offer, rules = self._offer(asked.game, group)
            rounds = max(1, -(-asked.matches // len(group)))
            await self._check_limits(asked, group, offer, rounds * len(group))
            return await self._begin(asked, group, rules, offer.settings, rounds)

    def _check_silent(self, names: Sequence[str], veil: Veil) -> None:
        """Refuse to say what bots are doing of which the veil says nothing: whether they are free, or in quarantine."""
        for name in names:
            session = self._lobby.session_named(name)
            if session is not None and session.version_id in veil.silent:
                raise NotYetError(f"{name} plays where results are held back; challenge it when they are released")

    def _present(self, name: str, *, own: bool) -> Session:
        """The bot of this name, if it can be challenged now."""
        session = self._lobby.session_named(name)
        if session is None or not session.connected:
            how = "let it play with `roost submit`" if own else "`roost bots` shows who is; ask when it is"
            raise NotYetError(f"{name} is not connected: {how}")
        if session.quarantined:
            record = self._quarantine.record_of(name)
            raise NotYetError(f"{name} is in quarantine{f': {record.reason}' if record else ''}; ask when it is out")
        if not session.plays_on:
            raise NotYetError(f"{name} is leaving; ask when it is back")
        if session.no_challenges and not own:
            raise DeniedError(f"{name} plays no challenges: its owner has said so; name another bot")
        return session

    def _offer(self, game: str, group: Sequence[Session]) -> tuple[Offer, Rules]:
        """How these bots play each other."""
        for session in group:
            if not session.plays(game, len(group)):
                raise NotYetError(f"{session.name} does not play {game} at a table of {len(group)}")
        for offer in self._contest.offers():
            rules = offer.rules_for(game, len(group))
            if rules is not None and all(offer.takes_part(session.bot_id) for session in group):
                return offer, rules
        names = " and ".join(session.name for session in group)
        raise NotYetError(f"{names} take part in no competition here that plays {game} at tables of {len(group)}")

    async def _check_limits(self, asked: AskedMatch, group: Sequence[Session], offer: Offer, matches: int) -> None:
        settings = offer.settings
        if not settings.challenges_per_owner_hour or not settings.challenges_per_opponent_hour:
            raise DeniedError(f"the host of {offer.name} allows no challenges")
        blocks = await asyncio.to_thread(self._asked_lately)
        own = [block for block in blocks if block.owner_id == asked.bot.owner_id]
        for block in own:
            if block.state is BlockState.OPEN:
                raise TooMuchError(f"your {block.challenge_id} is still being played; ask again when it is over")
        left = settings.challenges_per_owner_hour - matches_in(own)
        if matches > left:
            raise TooMuchError(
                f"{counted(matches, 'match')} cannot be asked for: of {settings.challenges_per_owner_hour} in an hour "
                f"you have {max(0, left)} left"
            )
        for session in group[1:]:
            against = [block for block in blocks if session.bot_id in block.bot_ids[1:]]
            left = settings.challenges_per_opponent_hour - matches_in(against)
            if matches > left:
                raise TooMuchError(f"{session.name} can be challenged to {max(0, left)} more matches in this hour")

    def _asked_lately(self) -> list[AskedBlock]:
        with self._store.reading() as reading:
            return asked_since(reading, epoch_ms() - HOUR_MS)

    async def _begin(
        self, asked: AskedMatch, group: Sequence[Session], rules: Rules, settings: Settings, rounds: int
    ) -> Taken:
        taken = Taken(f"{CHALLENGE}-{secrets.token_hex(5)}", rounds * len(group))
        versions = tuple(session.version_id for session in group)
        # Duplicate deals could be remembered.
        own_deals = replace(settings, deals=Deals.OWN)
        blocks = [_block(block_id_of(taken.id, number), versions, rules, own_deals) for number in range(rounds)]
        await asyncio.to_thread(self._note, asked, taken)
        await self._recorder.plan(blocks)
        if any(self._lobby.session_of(session.version_id) is not session for session in group):
            for block in blocks:
                block.cut_short()
                await self._recorder.close(block)
            raise NotYetError("one of the bots has just left; ask again when all are connected")
        self._contest.add(blocks)
        log.info("challenge", challenge=taken.id, bots=[session.name for session in group], matches=taken.matches)
        return taken

    def _note(self, asked: AskedMatch, taken: Taken) -> None:
        with self._store.writing() as connection:
            bots = [asked.bot.name, *asked.opponents]
            note(connection, asked.actor, "challenge", challenge=taken.id, bots=bots, matches=taken.matches)

    def waits_for(self, version_ids: Sequence[int]) -> str:
        """Why a challenge between these bots does not go on for now; empty if it does, or waits only for its turn."""
        if self._contest.refusal:
            return self._contest.refusal
        sessions = {version_id: self._lobby.session_of(version_id) for version_id in version_ids}
        if not all(session is not None and session.connected for session in sessions.values()):
            return "waits for a bot that is not connected"
        if not all(session is not None and session.plays_on for session in sessions.values()):
            return "waits for a bot that is in quarantine"
        return ""


def check_opponents(asked: AskedMatch) -> None:
    """Raise `InvalidError` if they cannot sit at one table."""
    names = [asked.bot.name, *asked.opponents]
    if not asked.opponents:
        raise InvalidError("name an opponent")
    if len(set(names)) < len(names):
        raise InvalidError("name every bot once; each has one seat")


def matches_in(blocks: Sequence[AskedBlock]) -> int:
    """How many matches were asked for, whatever became of them."""
    return sum(block.players for block in blocks)


def _block(block_id: str, group: tuple[int, ...], rules: Rules, settings: Settings) -> OpenBlock:
    block = Block(block_id, rules.game, group, secrets.token_bytes(32))
    return OpenBlock(block, rules, settings, list(range(block.rotations)), purpose=Purpose.CHALLENGE)
