# ruff: noqa: N802  methods are named by the contract
"""An arena that plays nothing and answers what a test has made up, over real gRPC on loopback."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import grpc

from roost.v1 import arena_pb2 as arena
from roost.v1 import play_pb2 as play
from roost.v1 import records_pb2 as records
from roost.v1.arena_pb2_grpc import ArenaServicer, add_ArenaServicer_to_server
from tests.support.grpc_servers import answering

HOSTILE = ("<script>alert(1)</script>", "\u202egreedy\u202d", "W" * 40, "a&b\"c'd", "..")
"""Names that strangers may think of."""
NOW_MS = 1_790_000_000_000


class FakeArena(ArenaServicer):
    """Its answers are public and may be changed; `asked` counts the questions."""

    def __init__(self, names: tuple[str, ...] = ("greedy", "careful", "random")) -> None:
        self.asked: Counter[str] = Counter()
        self.failing: grpc.StatusCode | None = None
        self.about = records.GetArenaResponse(
            version="0.1.0",
            running=True,
            connected_bots=len(names),
            running_matches=1,
            matches=120,
            games=[
                records.PlayedGame(game="karteneck", player_counts=[2, 3, 4]),
                records.PlayedGame(game="haecmaec", player_counts=[3, 4]),
            ],
            now_ms=NOW_MS,
            revision=1,
        )
        self.names = list(names)
        self.bots = [bot_version(number, name) for number, name in enumerate(names, start=1)]
        self.standings = [standing(number, name, len(names)) for number, name in enumerate(names, start=1)]
        self.pairs = [pair(one, other) for one in range(1, len(names) + 1) for other in range(one + 1, len(names) + 1)]
        self.matches = [match(number, names) for number in range(120, 0, -1)]
        self.running = [running_match(names)]
        self.faults = [
            records.FaultOnRecord(
                match_id="match-7",
                game="karteneck",
                step=14,
                position=12,
                seat=1,
                kind=play.FAULT_KIND_ILLEGAL,
                ended_ms=NOW_MS,
                version="v1",
                detail="<img src=x onerror=alert(1)>",
            )
        ]
        self.competitions = [competition("spring", self.names, "ladder")]
        self.current = ("", "")
        """The competition and the phase that standings are about if none is asked for."""
        self.circularity: arena.Circularity | None = None
        self.second: arena.SecondRanking | None = None
        self.specialists: list[arena.Specialist] = []
        """What standings say of circles."""
        self.bracket = arena.GetBracketResponse()
        self.collusion = records.GetCollusionResponse()
        self.export = [("README.md", b"# The "), ("README.md", b"cup\n"), ("matches.jsonl", b"{}\n")]
        self.replay = "{}"
        self.held = ""
        """What is said about results that are held back."""
        self.replay_ready = True
        self.watched: Callable[[], Iterable[arena.WatchMatchResponse]] = list
        """What spectators of the running match are told."""

    def finish(self, name: str) -> None:
        """Add a competition that is done, with a bracket of the first four bots and a suspicion."""
        self.competitions.append(competition(name, self.names, "done"))
        self.bracket = bracket(self.names)
        self.collusion = suspicions(self.names)

    def hold_back(self, name: str) -> None:
        """Hold back all results of a competition, and everything that follows from them."""
        phase = arena.HeldPhase(phase="ladder", summary="The results of the ladder are held back until Monday.")
        phase.seal.CopyFrom(records.ResultSeal(phase="ladder", number=7, at_ms=NOW_MS, digest="5e" * 32))
        next(each for each in self.competitions if each.name == name).held.append(phase)
        self.held = f"{name}: {phase.summary}"
        self.current = (name, "ladder")
        self.standings, self.pairs, self.matches, self.running = [], [], [], []

    def _is_done(self, name: str) -> bool:
        return any(each.phase == "done" for each in self.competitions if each.name == name)

    def GetArena(self, request: Any, context: Any) -> Any:
        self._asked("GetArena", context)
        return self.about

    def ListBots(self, request: Any, context: Any) -> Any:
        self._asked("ListBots", context)
        return arena.ListBotsResponse(bots=self.bots)

    def GetStandings(self, request: Any, context: Any) -> Any:
        self._asked("GetStandings", context)
        competition, phase = ("", "") if request.everything else self.current
        return arena.GetStandingsResponse(
            standings=self.standings,
            matches=self.about.matches,
            competition=request.competition or competition,
            phase=request.phase or phase,
            circularity=self.circularity,
            second=self.second,
            specialists=self.specialists,
            held=self.held,
        )

    def GetCrossTable(self, request: Any, context: Any) -> Any:
        self._asked("GetCrossTable", context)
        return records.GetCrossTableResponse(pairs=self.pairs)

    def GetRatingHistory(self, request: Any, context: Any) -> Any:
        self._asked("GetRatingHistory", context)
        then = [
            records.RatingThen(version_id=row.version_id, rating=row.rating, rating_low=1, rating_high=2000)
            for row in self.standings
        ]
        moments = [records.RatingMoment(at_ms=NOW_MS + 60_000 * at, matches=10 * at, ratings=then) for at in range(20)]
        return records.GetRatingHistoryResponse(moments=moments)

    def GetBot(self, request: Any, context: Any) -> Any:
        self._asked("GetBot", context)
        others = [name for name in self.names if name != request.bot]
        return records.GetBotResponse(
            seats=[
                records.SeatRecord(
                    game="karteneck",
                    players=3,
                    seat=seat,
                    matches=20,
                    places=[10, 6, 4],
                    score_sum=300,
                    faults=1,
                    decisions=400,
                    thinking_ms=800,
                )
                for seat in range(3)
            ],
            opponents=[
                records.OpponentRecord(bot=name, matches=40, share=0.6, share_low=0.45, share_high=0.75)
                for name in others
            ],
        )

    def ListFaults(self, request: Any, context: Any) -> Any:
        self._asked("ListFaults", context)
        found = [each for each in self.faults if request.match_id in ("", each.match_id)]
        return records.ListFaultsResponse(faults=found)

    def ListMatches(self, request: Any, context: Any) -> Any:
        self._asked("ListMatches", context)
        if request.running:
            return arena.ListMatchesResponse(matches=self.running, held=self.held)
        if request.outcome and not (request.bot or request.version_id):
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "an outcome is that of a bot; name one")
        listed = [each for each in self.matches if not request.bot or request.bot in each.bots]
        if request.before_match_id:
            ids = [each.match_id for each in listed]
            if request.before_match_id not in ids:
                context.abort(grpc.StatusCode.NOT_FOUND, f"there is no match {request.before_match_id}")
            listed = listed[ids.index(request.before_match_id) + 1 :]
        return arena.ListMatchesResponse(matches=listed[: request.limit], held=self.held)

    def GetMatch(self, request: Any, context: Any) -> Any:
        self._asked("GetMatch", context)
        for each in [*self.running, *self.matches]:
            if each.match_id == request.match_id:
                running = not each.HasField("result")
                return arena.GetMatchResponse(
                    match=each,
                    running=running,
                    replay_ready=self.replay_ready and not running,
                    block=[each.match_id],
                    ratings=[1500.0] * each.players,
                    commitment=bytes(32),
                )
        return context.abort(grpc.StatusCode.NOT_FOUND, f"there is no match {request.match_id}")

    def GetReplay(self, request: Any, context: Any) -> Any:
        self._asked("GetReplay", context)
        if not self.replay_ready:
            context.abort(grpc.StatusCode.FAILED_PRECONDITION, "its deal is still being played")
        if request.match_id not in {each.match_id for each in self.matches}:
            context.abort(grpc.StatusCode.NOT_FOUND, f"there is no match {request.match_id}")
        return arena.GetReplayResponse(replay=self.replay)

    def ListCompetitions(self, request: Any, context: Any) -> Any:
        self._asked("ListCompetitions", context)
        return arena.ListCompetitionsResponse(competitions=self.competitions)

    def GetCompetition(self, request: Any, context: Any) -> Any:
        self._asked("GetCompetition", context)
        if request.competition not in [each.name for each in self.competitions]:
            context.abort(grpc.StatusCode.NOT_FOUND, f"there is no competition {request.competition}")
        return records.GetCompetitionResponse(
            rules=["Every bot meets every other one equally often.", "A bot thinks at most 100 ms a move."],
            phases=[
                records.CompetitionPhase(name="registration", done=True, ends_ms=NOW_MS, summary="Authors enter bots."),
                records.CompetitionPhase(name="ladder", current=True, begins_ms=NOW_MS, summary="Everybody plays."),
                records.CompetitionPhase(name="finals", summary="A knockout of the best eight."),
            ],
            entries=[records.Entry(bot=name, owner="anna", version_ids=[1]) for name in self.names],
        )

    def GetBracket(self, request: Any, context: Any) -> Any:
        self._asked("GetBracket", context)
        return self.bracket if self._is_done(request.competition) else arena.GetBracketResponse()

    def GetChallenge(self, request: Any, context: Any) -> Any:
        self._asked("GetChallenge", context)
        context.abort(grpc.StatusCode.NOT_FOUND, f"there is no challenge {request.challenge_id!r} on record")

    def GetCollusion(self, request: Any, context: Any) -> Any:
        self._asked("GetCollusion", context)
        if not self._is_done(request.competition):
            context.abort(grpc.StatusCode.FAILED_PRECONDITION, "the competition is not done")
        return self.collusion

    def Play(self, request_iterator: Any, context: Any) -> Any:
        context.abort(grpc.StatusCode.FAILED_PRECONDITION, "nothing is played here")

    def WatchMatch(self, request: Any, context: Any) -> Any:
        self._asked("WatchMatch", context)
        if request.match_id not in {each.match_id for each in self.running}:
            context.abort(grpc.StatusCode.NOT_FOUND, f"no match {request.match_id} is running")
        yield from self.watched()

    def ExportCompetition(self, request: Any, context: Any) -> Any:
        self._asked("ExportCompetition", context)
        for file, data in self.export:
            yield arena.ExportCompetitionResponse(file=file, data=data)

    def _asked(self, method: str, context: Any) -> None:
        self.asked[method] += 1
        if self.failing is not None:
            context.abort(self.failing, "made up")


def bot_version(number: int, name: str) -> arena.BotVersion:
    presences = (
        arena.PRESENCE_PLAYING,
        arena.PRESENCE_QUARANTINED,
        arena.PRESENCE_NOT_CONNECTED,
        arena.PRESENCE_WAITING,
        arena.PRESENCE_NO_MATCHES,
    )
    presence = presences[(number - 1) % len(presences)]
    return arena.BotVersion(
        version_id=number,
        name=name,
        version="3f9ac07d11aa",
        connected=True,
        playing=2,
        matches=80,
        wins=30,
        faults=number - 1,
        first_seen_ms=NOW_MS,
        presence=presence,
        presence_since_ms=NOW_MS,
        quarantine_reason="crashed in <5> of 10 matches" if presence == arena.PRESENCE_QUARANTINED else "",
        owner="anna",
    )


def standing(number: int, name: str, bots: int) -> arena.Standing:
    return arena.Standing(
        version_id=number,
        name=name,
        version="3f9ac07d11aa",
        rating=1700.0 - 80 * number,
        rating_low=1670.0 - 80 * number,
        rating_high=1730.0 - 80 * number,
        rank_low=number,
        rank_high=min(number + 1, bots),
        matches=80,
        blocks=20,
        wins=30,
        faults=number - 1,
        places=[arena.PlacesAt(players=players, matches=40, mean_place=1.5) for players in (2, 3)],
        above_next=0.9 if number < bots else None,
        trend=12.3 - 10 * number,
        decisions=400,
        thinking_ms=1000,
    )


def pair(one: int, other: int) -> records.Pair:
    return records.Pair(
        version_id=one,
        opponent_version_id=other,
        matches=40,
        blocks=10,
        share=0.7,
        share_low=0.58,
        share_high=0.8,
        expected=0.55,
        defies=other - one == 2,
    )


def match(number: int, names: tuple[str, ...]) -> arena.MatchSummary:
    players = min(3, len(names))
    return arena.MatchSummary(
        match_id=f"match-{number}",
        game="karteneck",
        players=players,
        bots=names[:players],
        result=play.Result(
            places=range(1, players + 1), scores=range(30, 30 - players, -1), termination=play.TERMINATION_FINISHED
        ),
        started_ms=NOW_MS + 1000 * number,
        ended_ms=NOW_MS + 1000 * number + 900,
        fault_counts=[0, 1, 0][:players],
        version_ids=range(1, players + 1),
        versions=["3f9ac07d11aa"] * players,
        competition="spring",
        phase="ladder",
        decisions=[20] * players,
        thinking_ms=[50] * players,
    )


def running_match(names: tuple[str, ...]) -> arena.MatchSummary:
    running = match(999, names)
    for field in ("result", "ended_ms", "decisions", "thinking_ms"):
        running.ClearField(field)
    return running


def suspicions(names: list[str]) -> records.GetCollusionResponse:
    """A report in which every part names somebody."""
    one, other = names[:2]
    pair = records.Suspicion(bot=one, helped=other, gain=0.1, gain_low=0.05, gain_high=0.15, share_with=0.6, others=4)
    pair.MergeFrom(records.Suspicion(share_without=0.5, blocks=40, p=0.0002, others_changed=1))
    pair.back.CopyFrom(records.Suspicion(bot=other, helped=one, gain=-0.2, gain_low=-0.3, gain_high=-0.1))
    named: dict[str, Any] = {"bot": other, "version": "1.0", "owner": other, "version_id": 2}
    voids = records.Conduct(**named, matches=70, faults=7, forfeits=1, voids=33, voids_expected=11.7, suspicious=True)
    memory = records.MemoryGain(**named, share_first=0.42, share_later=0.89, gain_low=0.39, gain_high=0.56, p=0.0001)
    times = records.ThinkingChange(**named, since_ms=1_799_280_000_000, before_ms=41.2, after_ms=155.6, p=0.004)
    return records.GetCollusionResponse(
        pairs=6,
        all_pairs=30,
        suspicions=[pair],
        bots=6,
        blocks=1,
        doubt=0.0125,
        scatter=1.4,
        doubt_overall=0.05,
        conduct=records.ConductReport(bots=[voids], voided=41, moments=40, doubt=0.0125),
        memory=records.MemoryReport(blocks=240, judged=6, doubt=0.0125, findings=[memory]),
        thinking=records.ThinkingReport(judged=6, scatter=1.0, doubt=0.0125, findings=[times]),
        shared_code=[records.SharedCode(version="ab" * 8, owners=[records.CodeOwner(owner=n, bot=n) for n in names])],
        clusters=[records.AccountCluster(owners=names, reasons=[f"{one}, {other} have the same code"])],
        owners=True,
    )


def bracket(names: list[str]) -> arena.GetBracketResponse:
    """Two semi-finals and a final, which the first bot wins."""
    first, second, third, fourth = names[:4]
    semifinals = [
        arena.BracketTie(high=first, low=fourth, score_high=3, score_low=1, winner=first),
        arena.BracketTie(high=second, low=third, score_high=1.5, score_low=2.5, winner=third),
    ]
    final = arena.BracketTie(high=first, low=third, score_high=4, score_low=0, winner=first)
    rounds = [arena.BracketRound(ties=ties) for ties in (semifinals, [final])]
    return arena.GetBracketResponse(rounds=rounds, champion=first)


def competition(name: str, names: list[str], phase: str) -> arena.CompetitionStatus:
    done = phase == "done"
    return arena.CompetitionStatus(
        name=name,
        title=f"The {name.title()} <Cup>",
        phase=phase,
        next_change_ms=0 if done else NOW_MS + 3_600_000,
        seed="cd" * 32 if done else "",
        entries=len(names),
        blocks_done=30,
        blocks_open=10,
        commitment="ab" * 32,
        document=f"[competition]\nname = '{name}'\n",
    )


@contextmanager
def serving(fake: FakeArena, port: int = 0) -> Iterator[str]:
    """The address at which the arena answers."""

    def register(server: grpc.Server) -> None:
        add_ArenaServicer_to_server(fake, server)  # type: ignore[arg-type]  # typed for grpc.aio only

    with answering(register, threads=8, port=port) as address:
        yield address
