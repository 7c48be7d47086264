"""What only a running arena knows, as messages of `roost.v1`: running matches, and what bots are doing."""

from collections.abc import Collection, Iterable, Mapping

from roost.v1 import arena_pb2, records_pb2
from roost_server.answers.arena import played_games
from roost_server.answers.matches import page_size
from roost_server.errors import HeldBackError
from roost_server.play.arena import Arena
from roost_server.play.seating import RunningMatch
from roost_server.play.session import Session
from roost_server.serving.watching import shown_names
from roost_server.store import Purpose
from roost_server.store.measures.holds import Veil


def check_seen(match: RunningMatch, veil: Veil) -> None:
    """Raise `HeldBackError` if a running match must not be seen."""
    if veil.hides(match.block.plan, match.block.group):
        raise HeldBackError(match.table.match_id)


def _running(arena: Arena, veil: Veil) -> list[RunningMatch]:
    """The running matches that may be seen."""
    running = [arena.seating.running(table.match_id) for table in arena.seating.tables]
    return [each for each in running if not veil.hides(each.block.plan, each.block.group)]


def add_arena(arena: Arena, answer: records_pb2.GetArenaResponse, veil: Veil) -> None:
    """Add what is going on to what is on record."""
    settings = [contest.settings for contest in arena.contests.current] or [arena.settings]
    answer.running = True
    answer.connected_bots = sum(session.connected for session in arena.lobby.sessions)
    answer.running_matches = len(_running(arena, veil))
    del answer.games[:]
    answer.games.extend(played_games(rules.kind for rules in arena.contests.tables))
    answer.invited_only = any(director.file.entry.who == "invited" for director in arena.directors)
    answer.spectator_delay_ms = int(max(each.spectator_delay_seconds for each in settings) * 1000)
    answer.names_hidden = any(each.hide_names for each in settings)


def running_matches(arena: Arena, request: arena_pb2.ListMatchesRequest, veil: Veil) -> arena_pb2.ListMatchesResponse:
    """The running matches that a request asks for, the newest first."""
    summaries = [summary_of(arena, each) for each in _running(arena, veil)]
    found = [each for each in summaries if _asked_for(each, request)]
    return arena_pb2.ListMatchesResponse(matches=found[-page_size(request) :][::-1])


def _asked_for(match: arena_pb2.MatchSummary, request: arena_pb2.ListMatchesRequest) -> bool:
    """Whether a match passes the filters. Where names are hidden, nobody can ask for a bot."""
    names = [*filter(None, match.bots)]
    for name in filter(None, (request.bot, request.opponent)):
        if name not in names:
            return False
        names.remove(name)
    pairs = (
        (request.game, match.game),
        (request.players, match.players),
        (request.competition, match.competition),
        (request.phase, match.phase),
    )
    right_version = not request.version_id or request.version_id in match.version_ids
    return right_version and all(not wanted or wanted == value for wanted, value in pairs)


def summary_of(arena: Arena, running: RunningMatch) -> arena_pb2.MatchSummary:
    """A running match on a list."""
    table, plan = running.table, running.block.plan
    hidden = table.settings.hide_names
    names = {director.competition.id: director.file.name for director in arena.directors}
    return arena_pb2.MatchSummary(
        match_id=table.match_id,
        game=table.rules.game,
        players=table.rules.players,
        bots=shown_names(table),
        started_ms=table.started_ms,
        version_ids=() if hidden else running.block.block.seating(running.rotation),
        versions=() if hidden else [chair.seat.version for chair in table.chairs],
        competition=names.get(plan.competition_id, "") if plan else "",
        phase=plan.phase if plan else "",
        challenge=running.block.purpose is Purpose.CHALLENGE,
    )


def running_match(arena: Arena, running: RunningMatch, block: list[str]) -> arena_pb2.GetMatchResponse:
    """A running match, with the ids of the matches of its block."""
    table = running.table
    # Matches on record name their bots.
    told = [table.match_id] if table.settings.hide_names else block
    return arena_pb2.GetMatchResponse(
        match=summary_of(arena, running), running=True, block=told, commitment=table.commitment
    )


def seated(arena: Arena) -> list[RunningMatch]:
    """The running matches whose bots may be named."""
    running = [arena.seating.running(table.match_id) for table in arena.seating.tables]
    return [each for each in running if not each.table.settings.hide_names]


def whole_block(block_id: str, recorded: Iterable[tuple[int, str]], running: Iterable[RunningMatch]) -> list[str]:
    """The ids of the matches of a block, on record or running, in the order of its rotations.

    `running` is from before the records were read: a match is removed once it is on record, so none is missed.
    """
    here = [(each.rotation, each.table.match_id) for each in running if each.block.id == block_id]
    return [match_id for _, match_id in sorted({*recorded, *here})]


class Presences:
    """Says what bot versions are doing at the moment, and why one does not play."""

    def __init__(self, arena: Arena) -> None:
        self._arena = arena
        here = [session for session in arena.lobby.sessions if session.plays_on]
        self._may_play = {
            session.version_id
            for contest in arena.contests.current
            if not (contest.in_rounds and contest.over)
            for session in contest.roster.entitled(here)
            if any(session.plays(*kind) for kind in contest.kinds)
        }

    def add_connection(self, bot: arena_pb2.BotVersion) -> None:
        """Add only whether a version is connected."""
        session = self._arena.lobby.session_of(bot.version_id)
        bot.connected = session is not None and session.connected
        if not bot.connected:
            bot.presence = arena_pb2.PRESENCE_NOT_CONNECTED

    def add_to(self, bot: arena_pb2.BotVersion, versions: Collection[arena_pb2.BotVersion], last_end_ms: int) -> None:
        """Add what a version is doing. `versions` are all of its bot, and its last match ended at `last_end_ms`."""
        session = self._arena.lobby.session_of(bot.version_id)
        if session is not None and session.connected:
            bot.connected = True
            bot.playing = session.playing
            bot.latency_us = int(session.latency_ms * 1000)
            bot.matches_at_once = session.places.at_once
            bot.answer_us = int(session.places.width.answer_ms * 1000)
        self._add_quarantine(bot)
        newer = [each.last_seen_ms for each in versions if each.last_seen_ms > bot.last_seen_ms]
        bot.presence = self._presence(bot, session, replaced=bool(newer))
        bot.presence_since_ms = self._since(bot, min(newer, default=0), max(bot.last_seen_ms, last_end_ms))

    def _add_quarantine(self, bot: arena_pb2.BotVersion) -> None:
        """A version that is here may not play because of what another version of its bot did."""
        record = self._arena.quarantine.record_of(bot.name) if bot.connected else None
        if record is not None:
            bot.quarantine_reason, bot.quarantine_since_ms = record.reason, record.since_ms

    def _presence(
        self, bot: arena_pb2.BotVersion, session: Session | None, *, replaced: bool
    ) -> "arena_pb2.Presence.ValueType":
        if session is not None and session.connected and session.playing:
            return arena_pb2.PRESENCE_PLAYING
        if bot.version_id in self._may_play:
            return arena_pb2.PRESENCE_WAITING
        if replaced:
            return arena_pb2.PRESENCE_REPLACED
        if bot.name in self._arena.quarantine:
            return arena_pb2.PRESENCE_QUARANTINED
        return arena_pb2.PRESENCE_NO_MATCHES if bot.connected else arena_pb2.PRESENCE_NOT_CONNECTED

    def _since(self, bot: arena_pb2.BotVersion, replaced_ms: int, idle_ms: int) -> int:
        """When that began. A match or a connection is the last sign of life of a version that left before a restart."""
        match bot.presence:
            case arena_pb2.PRESENCE_PLAYING:
                return 0  # it may have begun several matches ago
            case arena_pb2.PRESENCE_REPLACED:
                return replaced_ms
            case arena_pb2.PRESENCE_QUARANTINED:
                return bot.quarantine_since_ms
            case arena_pb2.PRESENCE_NOT_CONNECTED:
                return self._arena.lobby.left_ms.get(bot.version_id, idle_ms)
        return idle_ms


def add_presence(
    arena: Arena, bots: Collection[arena_pb2.BotVersion], last_ends: Mapping[int, int], veil: Veil
) -> None:
    """Add to all bot versions what they are doing. `last_ends` says when the last match of each ended.

    Where the veil is silent about a bot, only whether it is connected: in a knockout, a bot that plays has won before.
    """
    presences = Presences(arena)
    by_name: dict[str, list[arena_pb2.BotVersion]] = {}
    for bot in bots:
        by_name.setdefault(bot.name, []).append(bot)
    for bot in bots:
        if bot.version_id in veil.silent:
            presences.add_connection(bot)
            continue
        presences.add_to(bot, by_name[bot.name], last_ends.get(bot.version_id, 0))
        session = arena.lobby.session_of(bot.version_id)
        if session is not None and session.bot_id is not None:
            told = [director.owes(session.bot_id) for director in arena.directors]
            bot.qualification = "; ".join(filter(None, told))


def add_problems(arena: Arena, competitions: Iterable[arena_pb2.CompetitionStatus]) -> None:
    """Add to competitions why they do not go on, and what else the host should know."""
    directors = {director.file.name: director for director in arena.directors}
    for each in competitions:
        director = directors.get(each.name)
        if director is not None:
            each.problem, each.remark = director.problem, director.remark
