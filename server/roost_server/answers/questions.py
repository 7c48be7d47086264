"""Questions about an arena: what answers each request of `roost.v1.Arena` from the records.

A running arena, the service over records without an arena, and the reader of a database all answer from here. The name
of a method comes from the contract, in which each type of request has one method.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message

from roost.v1 import arena_pb2, records_pb2
from roost_server.accounts.gate import ANYBODY, Asker
from roost_server.answers import bots, challenges, competitions, matches
from roost_server.answers.arena import ArenaOnRecord
from roost_server.answers.competitions import get_competition
from roost_server.answers.ratings import Ratings
from roost_server.answers.standings import LiveAnswers
from roost_server.answers.suspicions import SuspicionReports
from roost_server.store import Store
from roost_server.store.measures.holds import Veil, veil_for

ARENA = arena_pb2.DESCRIPTOR.services_by_name["Arena"]


AnswerTo = Callable[[Any, Asker, Veil], Message]


class RecordAnswers:
    """Answers what anybody may ask an arena, from its records alone. Threads may share it."""

    def __init__(self, store: Store, ratings: Ratings | None = None) -> None:
        self.arena = ArenaOnRecord(store)
        ratings = ratings or Ratings(store)
        standings, suspicions = LiveAnswers(store, ratings), SuspicionReports(store)

        def from_store(answer: Callable[[Store, Any, Veil], Message]) -> AnswerTo:
            return lambda request, _, veil: answer(store, request, veil)

        def of_anybody(answer: Callable[[Any, Veil], Message]) -> AnswerTo:
            return lambda request, _, veil: answer(request, veil)

        self._store = store

        self._answers: Mapping[type[Message], AnswerTo] = {
            records_pb2.GetArenaRequest: of_anybody(self.arena.get_arena),
            arena_pb2.ListBotsRequest: of_anybody(partial(bots.list_bots, store, ratings)),
            records_pb2.GetBotRequest: of_anybody(partial(bots.get_bot, store, ratings)),
            records_pb2.ListFaultsRequest: partial(bots.list_faults, store),
            arena_pb2.GetStandingsRequest: of_anybody(standings.standings_of),
            records_pb2.GetCrossTableRequest: of_anybody(standings.cross_table_of),
            records_pb2.GetRatingHistoryRequest: of_anybody(standings.history_of),
            arena_pb2.ListMatchesRequest: from_store(matches.matches),
            arena_pb2.GetMatchRequest: from_store(matches.match),
            arena_pb2.GetReplayRequest: from_store(matches.replay),
            records_pb2.GetChallengeRequest: from_store(lambda store, asked, _: challenges.challenge(store, asked)),
            arena_pb2.ListCompetitionsRequest: from_store(
                lambda store, _, veil: competitions.competitions(store, veil)
            ),
            records_pb2.GetCompetitionRequest: from_store(lambda store, asked, _: get_competition(store, asked)),
            arena_pb2.GetBracketRequest: from_store(competitions.bracket),
            records_pb2.GetCollusionRequest: suspicions.get_collusion,
        }

    @property
    def requests(self) -> Mapping[str, type[Message]]:
        """The requests that are answered here, by method."""
        return {_method_for(request).name: request for request in self._answers}

    def answer(self, request: Message, asker: Asker = ANYBODY) -> Message:
        """Answer a request, without what the asker must not see yet.

        Raises `RoostError`, which says what is wrong with it.
        """
        return self._answers[type(request)](request, asker, self.veil_of(asker))

    def veil_of(self, asker: Asker) -> Veil:
        """What somebody who asks must not see yet."""
        return veil_for(self._store, asker.owner, sees_everything=asker.sees_everything)


def _method_for(request: type[Message]) -> MethodDescriptor:
    return next(each for each in ARENA.methods if each.input_type.full_name == request.DESCRIPTOR.full_name)
