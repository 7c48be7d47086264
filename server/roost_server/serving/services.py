"""The services of `roost.v1`: thin handlers that translate between messages and what the arena and its records say.

Most of what owners and admins ask for is answered from the records, as `answers.administration` says. A running arena
adds its part: revoking a key also ends the streams that use it, and a change of phase affects the matches.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from functools import partial
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.message import Message

from roost.v1 import admin_pb2, arena_pb2, play_pb2, records_pb2
from roost_games.errors import RoostError, UsageError
from roost_server.accounts import keys, requests
from roost_server.accounts.gate import Asker, Gate, Need, asker_of
from roost_server.accounts.keys import Identity
from roost_server.accounts.requests import Caller, caller_of
from roost_server.answers import administration, challenges, held, matches, questions, rulings, status
from roost_server.answers.administration import Act
from roost_server.answers.bots import bots
from roost_server.answers.competitions import competitions
from roost_server.answers.held import held_in_words
from roost_server.answers.ratings import Ratings
from roost_server.clocks import epoch_ms
from roost_server.competition.ledger import id_of
from roost_server.errors import NotYetError, UnauthenticatedError, UnknownCompetitionError
from roost_server.play.arena import Arena
from roost_server.play.director import Director
from roost_server.play.stream import parser_of, play
from roost_server.play.unrated.asking import AskedMatch
from roost_server.serving import live
from roost_server.serving.backups import file_for
from roost_server.serving.reading import ReadingService
from roost_server.serving.rpc import Methods
from roost_server.serving.watching import Retellings, watch
from roost_server.store import StoreError, queries
from roost_server.store.lookups.matches import block_matches
from roost_server.store.measures.holds import Veil

ARENA = questions.ARENA.full_name
ACCOUNTS = administration.ACCOUNTS.full_name
ADMIN = administration.ADMIN.full_name
NOBODY = "nobody"
"""The actor of requests that need no key."""
WATCH_MS = 20.0
"""What a spectator pays for a whole match, in milliseconds of the processor: about what it takes to tell one."""
SAMPLE_SECONDS = 5.0
SAMPLES = 12
"""How far back the arena's own delay is reported: a minute."""
AnswerLive = Callable[[Any, Caller], Awaitable[Message]]
"""Answers a request of the caller's with the running arena."""


class ArenaService(ReadingService):
    """`roost.v1.Arena`."""

    def __init__(self, arena: Arena, gate: Gate, ratings: Ratings | None = None) -> None:
        super().__init__(arena.store, gate, arena.metrics, ratings)
        self._arena = arena
        self._parse_play = parser_of(play_pb2.BotMessage, arena.settings.max_message_bytes)
        self._retellings = Retellings()
        self._live = {
            records_pb2.GetArenaRequest: self._get_arena,
            arena_pb2.ListBotsRequest: self._list_bots,
            arena_pb2.ListCompetitionsRequest: self._list_competitions,
            arena_pb2.ListMatchesRequest: self._list_matches,
            arena_pb2.GetMatchRequest: self._get_match,
            arena_pb2.GetReplayRequest: self._get_replay,
            records_pb2.GetChallengeRequest: self._get_challenge,
        }

    async def _play(self, _: object, context: Any) -> None:
        try:
            identity = await self._gate.admit(context, Need.PLAY)
        except RoostError as error:
            await self._methods.refuse("Play", context, error)
            return
        expiry = self._expel_on_expiry(identity)
        try:
            await play(self._arena.entrance, context, identity, self._gate.addresses.of(context))
        finally:
            if expiry is not None:
                expiry.cancel()

    def _expel_on_expiry(self, identity: Identity | None) -> asyncio.TimerHandle | None:
        """Disconnect the bot when its key expires, as if the key were revoked."""
        if identity is None or identity.expires_ms is None:
            return None
        seconds = max(0.0, (identity.expires_ms - epoch_ms()) / 1000)
        return asyncio.get_running_loop().call_later(seconds, self._arena.entrance.expel, (identity.key_id,))

    async def _watch(
        self, request: arena_pb2.WatchMatchRequest, identity: Identity | None
    ) -> AsyncGenerator[Message, None]:
        veil = await self._veil(asker_of(identity))
        match = self._readers.run_here(self._arena.seating.running, request.match_id, worth_ms=WATCH_MS)
        live.check_seen(match, veil)
        told = self._retellings.watch(match) if request.from_beginning else watch(match)
        async with aclosing(told) as updates:
            async for update in updates:
                await self._readers.await_turn()
                yield update

    async def _veil(self, asker: Asker) -> Veil:
        """What somebody who asks must not see yet."""
        return await self._readers.run(self._records.veil_of, asker)

    async def _get_arena(self, request: records_pb2.GetArenaRequest, asker: Asker) -> records_pb2.GetArenaResponse:
        veil = await self._veil(asker)
        answer = await self._readers.run(self._records.arena.get_arena, request, veil)
        live.add_arena(self._arena, answer, veil)
        answer.accounts = self._gate.accounts
        return answer

    async def _list_bots(self, request: arena_pb2.ListBotsRequest, asker: Asker) -> arena_pb2.ListBotsResponse:
        veil = await self._veil(asker)
        answer = await self._readers.run(bots, self._arena.store, self._ratings, veil)
        last_ends = await self._readers.run(queries.last_ends, self._arena.store)
        live.add_presence(self._arena, answer.bots, last_ends, veil)
        if request.connected_only:
            return arena_pb2.ListBotsResponse(bots=[bot for bot in answer.bots if bot.connected])
        return answer

    async def _list_competitions(
        self, request: arena_pb2.ListCompetitionsRequest, asker: Asker
    ) -> arena_pb2.ListCompetitionsResponse:
        answer = await self._readers.run(competitions, self._arena.store, await self._veil(asker))
        live.add_problems(self._arena, answer.competitions)
        return answer

    async def _list_matches(self, request: arena_pb2.ListMatchesRequest, asker: Asker) -> Message:
        if not request.running:
            return await self._from_records(request, asker)
        matches.check_filters(request)
        if request.competition:
            await self._readers.run(id_of, self._arena.store, request.competition)
        veil = await self._veil(asker)
        answer = self._readers.run_here(live.running_matches, self._arena, request, veil)
        answer.held = await self._readers.run(
            held_in_words, self._arena.store, veil, request.competition, request.phase
        )
        return answer

    async def _get_match(self, request: arena_pb2.GetMatchRequest, asker: Asker) -> arena_pb2.GetMatchResponse:
        veil = await self._veil(asker)
        store, running = self._arena.store, self._arena.seating.find(request.match_id)
        seated = live.seated(self._arena)
        if running is not None:
            live.check_seen(running, veil)
            recorded = await self._readers.run(block_matches, store, running.block.id)
            block = live.whole_block(running.block.id, recorded, seated)
            answer = live.running_match(self._arena, running, block)
            await self._readers.run(matches.add_ratings, store, answer, veil)
            return answer
        answer, on_record = await self._readers.run(matches.match_in_block, store, request, veil)
        answer.block[:] = live.whole_block(*on_record, seated)
        return answer

    async def _get_replay(self, request: arena_pb2.GetReplayRequest, asker: Asker) -> Message:
        running = self._arena.seating.find(request.match_id)
        if running is not None:
            live.check_seen(running, await self._veil(asker))
        self._arena.seating.check_revealed(request.match_id)
        return await self._from_records(request, asker)

    async def _get_challenge(
        self, request: records_pb2.GetChallengeRequest, asker: Asker
    ) -> records_pb2.GetChallengeResponse:
        veil = await self._veil(asker)
        answer, versions = await self._readers.run(challenges.challenge_on_record, self._arena.store, request)
        if not answer.over and veil.silent.isdisjoint(versions):
            answer.remark = self._arena.challenges.waits_for(versions)
        return answer


class AdministrationService:
    """A service of `roost.v1` for owners or admins, as `administration.ACTS` declares it.

    `_live` has the methods in which the running arena takes part, by type of request.
    """

    service: str

    def __init__(self, arena: Arena, gate: Gate) -> None:
        self._arena = arena
        self._gate = gate
        self._methods = Methods(gate, arena.metrics)
        self._live: Mapping[type[Message], AnswerLive] = {}

    def handler(self) -> grpc.GenericRpcHandler:
        """The handler for a gRPC server."""
        acts = administration.ACTS[self.service]
        named = {administration.method_of(self.service, act.request).name: act for act in acts}
        handlers = {name: self._handler(name, act) for name, act in named.items()}
        return grpc.method_handlers_generic_handler(self.service, handlers)

    def _handler(self, name: str, act: Act) -> "grpc.RpcMethodHandler[Any, Any]":
        answer = self._live.get(act.request) or self._from_records(act)

        async def ask(request: Message, identity: Identity | None) -> Message:
            return await answer(request, _caller(identity, act.need))

        return self._methods.unary(name, act.need, act.request, ask)

    def _from_records(self, act: Act) -> AnswerLive:
        """Answer in another thread, so that running matches do not wait."""
        answer = act.answer
        if answer is None:
            raise ValueError(f"{self.service} does not answer {act.request.__name__}")

        async def ask(request: Message, caller: Caller) -> Message:
            return await asyncio.to_thread(answer, self._arena.store, caller, request)

        return ask

    async def _end_key(self, request: admin_pb2.EndKeyRequest, caller: Caller) -> admin_pb2.MakeKeyResponse:
        answer = await asyncio.to_thread(requests.end_key, self._arena.store, caller, request)
        self._gate.forget()
        self._arena.entrance.expel(await asyncio.to_thread(keys.revoked_ids, self._arena.store))
        return answer

    def _director(self, name: str) -> Director:
        for director in self._arena.directors:
            if director.file.name == name:
                return director
        raise UnknownCompetitionError(name, [director.file.name for director in self._arena.directors])


class AccountsService(AdministrationService):
    """`roost.v1.Accounts`."""

    service = ACCOUNTS

    def __init__(self, arena: Arena, gate: Gate) -> None:
        super().__init__(arena, gate)
        self._live = {
            admin_pb2.RegisterRequest: self._register,
            admin_pb2.MakeOwnKeyRequest: self._make_own_key,
            admin_pb2.EndKeyRequest: self._end_key,
            admin_pb2.ChangeEntryRequest: self._change_entry,
            admin_pb2.ChallengeRequest: self._challenge,
        }

    async def _register(self, request: admin_pb2.RegisterRequest, _: Caller) -> admin_pb2.RegisterResponse:
        if not self._gate.accounts:
            raise NotYetError("this arena has no accounts; everybody can play here without a key")
        if request.invitation:
            self._gate.count_invitation(request.invitation)
        # A registered owner can enter every competition, so the strictest one decides.
        invited = any(director.file.entry.who == "invited" for director in self._arena.directors)
        return await asyncio.to_thread(requests.register, self._arena.store, request, invited_only=invited)

    async def _make_own_key(self, request: admin_pb2.MakeOwnKeyRequest, caller: Caller) -> admin_pb2.MakeKeyResponse:
        names = self._arena.entrance.name_rules
        return await asyncio.to_thread(requests.make_own_key, self._arena.store, caller, request, names=names)

    async def _change_entry(
        self, request: admin_pb2.ChangeEntryRequest, caller: Caller
    ) -> admin_pb2.ChangeEntryResponse:
        director = self._director(request.competition)
        bot = await asyncio.to_thread(requests.existing_bot, self._arena.store, caller, request.bot)
        if request.enter:
            await self._arena.enter_competition(director, bot.id, bot.owner_id)
        else:
            await self._arena.withdraw(director, bot.id, caller.actor)
        return admin_pb2.ChangeEntryResponse()

    async def _challenge(self, request: admin_pb2.ChallengeRequest, caller: Caller) -> admin_pb2.ChallengeResponse:
        matches.check_game(request.game)
        bot = await asyncio.to_thread(requests.existing_bot, self._arena.store, caller, request.bot)
        asked = AskedMatch(bot, request.opponents, request.game, request.matches, caller.actor)
        taken = await self._arena.challenge(asked)
        return admin_pb2.ChallengeResponse(challenge_id=taken.id, matches=taken.matches)


class AdminService(AdministrationService):
    """`roost.v1.Admin`. `start` it with the arena, `stop` it at the end."""

    service = ADMIN

    def __init__(self, arena: Arena, gate: Gate, backup_folder: Path | None = None) -> None:
        super().__init__(arena, gate)
        self._backup_folder = backup_folder
        self._live = {
            admin_pb2.EndKeyRequest: self._end_key,
            admin_pb2.ChangePhaseRequest: self._change_phase,
            admin_pb2.ExtendPhaseRequest: self._extend_phase,
            admin_pb2.BanOwnerRequest: partial(self._rule, rulings.ban_owner),
            admin_pb2.UnbanOwnerRequest: partial(self._rule, rulings.unban_owner),
            admin_pb2.DisqualifyBotRequest: partial(self._rule, rulings.disqualify_bot),
            admin_pb2.ReinstateBotRequest: partial(self._rule, rulings.reinstate_bot),
            admin_pb2.RenameBotRequest: partial(self._rule, rulings.rename_bot),
            admin_pb2.MoveBotRequest: partial(self._rule, rulings.move_bot),
            admin_pb2.VoidMatchRequest: self._void_match,
            admin_pb2.ReleaseResultsRequest: self._release_results,
            admin_pb2.GetStatusRequest: self._get_status,
            admin_pb2.BackupRequest: self._back_up,
        }
        self._started_ms = epoch_ms()
        self._delays: deque[float] = deque([0.0], maxlen=SAMPLES + 1)
        self._sampling: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Start sampling the arena's own delay."""
        self._delays.append(self._arena.delayed_ms)
        self._sampling = asyncio.get_running_loop().call_later(SAMPLE_SECONDS, self.start)

    def stop(self) -> None:
        """Stop sampling."""
        if self._sampling is not None:
            self._sampling.cancel()

    async def _change_phase(
        self, request: admin_pb2.ChangePhaseRequest, caller: Caller
    ) -> admin_pb2.ChangePhaseResponse:
        director = self._director(request.competition)
        before = director.competition.phase
        await self._arena.change_phase(director, request.phase, caller.actor)
        return admin_pb2.ChangePhaseResponse(before=before, phase=director.competition.phase)

    async def _extend_phase(
        self, request: admin_pb2.ExtendPhaseRequest, caller: Caller
    ) -> admin_pb2.ExtendPhaseResponse:
        by_ms, reason = rulings.extension_of(request), rulings.reason_of(request.reason)
        return rulings.extension_message(await self._director(request.competition).extend(by_ms, reason, caller.actor))

    async def _rule(self, rule: Callable[..., admin_pb2.Ruling], request: Message, caller: Caller) -> admin_pb2.Ruling:
        """Put a ruling about an owner or a bot on record, and have the arena follow it."""
        answer = await asyncio.to_thread(rule, self._arena.store, caller, request)
        self._gate.forget()
        await self._arena.follow_rulings()
        return answer

    async def _void_match(self, request: admin_pb2.VoidMatchRequest, caller: Caller) -> admin_pb2.Ruling:
        reason = rulings.reason_of(request.reason)
        return rulings.message_of(await self._arena.seating.void_by_host(request.match_id, reason, caller.actor))

    async def _release_results(
        self, request: admin_pb2.ReleaseResultsRequest, caller: Caller
    ) -> admin_pb2.ReleaseResultsResponse:
        release = partial(held.release_results, self._arena.store, caller, request)
        return await self._director(request.competition).release(release)

    async def _back_up(self, request: admin_pb2.BackupRequest, caller: Caller) -> admin_pb2.BackupResponse:
        try:
            file = file_for(self._arena.store, self._backup_folder, request.path)
            below = admin_pb2.BackupRequest(path=str(file))
            return await asyncio.to_thread(status.back_up, self._arena.store, caller, below)
        except StoreError as error:  # about the copy, not about the arena's own database
            raise UsageError(str(error)) from None

    async def _get_status(self, request: admin_pb2.GetStatusRequest, caller: Caller) -> admin_pb2.GetStatusResponse:
        arena = self._arena
        answer = await asyncio.to_thread(status.get_status, arena.store, caller, request)
        answer.started_ms = self._started_ms
        answer.connected = sum(session.connected for session in arena.lobby.sessions)
        answer.running_matches = len(arena.seating.tables)
        answer.delayed_ms = arena.delayed_ms - self._delays[0]
        live.add_problems(arena, answer.competitions)
        return answer


def _caller(identity: Identity | None, need: Need) -> Caller:
    if identity is not None:
        return caller_of(identity)
    if need is not Need.NOTHING:
        raise UnauthenticatedError("this needs a key; set ROOST_KEY, or give --key-file")
    return Caller(NOBODY)
