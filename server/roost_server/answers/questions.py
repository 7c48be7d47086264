"""Questions about an arena: what answers each request of `roost.v1.Arena` from the records.

A running arena, the service over records without an arena, and the reader of a database all answer from here. The name
of a method comes from the contract, in which each type of request has one method.
"""

from collections.abc import Callable, Mapping
from typing import Any

from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message

from roost.v1 import arena_pb2, records_pb2
from roost_server.accounts.gate import ANYBODY, Asker
from roost_server.answers import bots, challenges, competitions, matches
from roost_server.answers.arena import ArenaOnRecord
from roost_server.answers.ratings import Ratings
from roost_server.answers.standings import LiveAnswers
from roost_server.answers.suspicions import SuspicionReports
from roost_server.store import Store

ARENA = arena_pb2.DESCRIPTOR.services_by_name["Arena"]


AnswerTo = Callable[[Any, Asker], Message]


class RecordAnswers:
    """Answers what anybody may ask an arena, from its records alone. Threads may share it."""

    def __init__(self, store: Store, ratings: Ratings | None = None) -> None:
        self.arena = ArenaOnRecord(store)
        ratings = ratings or Ratings(store)
        standings, suspicions = LiveAnswers(store, ratings), SuspicionReports(store)

        def from_store(answer: Callable[[Store, Any], Message]) -> AnswerTo:
            return lambda request, _: answer(store, request)

        self._answers: Mapping[type[Message], AnswerTo] = {
            records_pb2.GetArenaRequest: lambda request, _: self.arena.get_arena(request),
            arena_pb2.ListBotsRequest: lambda request, _: bots.list_bots(store, ratings, request),
            records_pb2.GetBotRequest: lambda request, _: bots.get_bot(store, ratings, request),
            records_pb2.ListFaultsRequest: lambda request, asker: bots.list_faults(store, request, asker),
            arena_pb2.GetStandingsRequest: lambda request, _: standings.standings_of(request),
            records_pb2.GetCrossTableRequest: lambda request, _: standings.cross_table_of(request),
            records_pb2.GetRatingHistoryRequest: lambda request, _: standings.history_of(request),
            arena_pb2.ListMatchesRequest: from_store(matches.matches),
            arena_pb2.GetMatchRequest: from_store(matches.match),
            arena_pb2.GetReplayRequest: from_store(matches.replay),
            records_pb2.GetChallengeRequest: from_store(challenges.challenge),
            arena_pb2.ListCompetitionsRequest: from_store(lambda store, _: competitions.competitions(store)),
            records_pb2.GetCompetitionRequest: from_store(competitions.get_competition),
            arena_pb2.GetBracketRequest: from_store(competitions.bracket),
            records_pb2.GetCollusionRequest: suspicions.get_collusion,
        }

    @property
    def requests(self) -> Mapping[str, type[Message]]:
        """The requests that are answered here, by method."""
        return {_method_for(request).name: request for request in self._answers}

    def answer(self, request: Message, asker: Asker = ANYBODY) -> Message:
        """Answer a request. Raises `RoostError`, which says what is wrong with it."""
        return self._answers[type(request)](request, asker)


def _method_for(request: type[Message]) -> MethodDescriptor:
    return next(each for each in ARENA.methods if each.input_type.full_name == request.DESCRIPTOR.full_name)
