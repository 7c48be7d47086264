"""Nonsense on every call: it ends in a status that says what is wrong, never in one that means a mistake of ours."""

import asyncio
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from hypothesis import strategies as st

from roost.v1 import admin_pb2, arena_pb2, records_pb2
from roost_sdk.arena.credentials import Credentials
from roost_server.accounts import keys, owners
from roost_server.accounts.keys import Scope
from roost_server.accounts.limits import RequestLimits
from tests.support.arenas.hall import bounded, hall, settings
from tests.support.arenas.misbehaving_bots import SilentBot
from tests.support.arenas.nonsense import collect
from tests.support.cups import cup

CUP = cup("registration", "ladder", "done")
HELD_CUP = cup({"phase": "ladder", "results": "held"}, "done", clock={"decision_ms": 600_000})
OURS = {grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN, grpc.StatusCode.UNIMPLEMENTED}
SERVICES = [
    arena_pb2.DESCRIPTOR.services_by_name["Arena"],
    admin_pb2.DESCRIPTOR.services_by_name["Accounts"],
    admin_pb2.DESCRIPTOR.services_by_name["Admin"],
]
METHODS = [method for service in SERVICES for method in service.methods if not method.client_streaming]
"""`Play` has tests of its own."""
WORDS = st.sampled_from(["", "cup", "Ann", "a1", "ladder", "finals", "done", "karteneck", "roost_", "0", "a" * 5_000])
NUMBERS = st.one_of(st.integers(0, 5), st.sampled_from([2**31 - 1, 2**31, 2**32 - 1]))
LARGE = st.one_of(NUMBERS, st.sampled_from([2**53, 2**63 - 1, 2**63, 2**64 - 1]))
EXAMPLES = 25


def value_of(field: FieldDescriptor) -> st.SearchStrategy[Any]:
    match field.type:
        case FieldDescriptor.TYPE_STRING if field.name == "path":
            # Nobody wants the files of this test elsewhere.
            return st.text().map(lambda text: text.replace("/", ""))
        case FieldDescriptor.TYPE_STRING:
            return st.one_of(WORDS, st.text(max_size=80))
        case FieldDescriptor.TYPE_BOOL:
            return st.booleans()
        case FieldDescriptor.TYPE_UINT64:
            return LARGE
        case FieldDescriptor.TYPE_UINT32:
            return NUMBERS
        case FieldDescriptor.TYPE_ENUM:
            return st.integers(-1, 9)
        case FieldDescriptor.TYPE_MESSAGE if field.message_type is not None:
            return message_of(field.message_type)
    raise AssertionError(f"nobody has thought of {field.full_name}")


def values_of(field: FieldDescriptor) -> st.SearchStrategy[Any]:
    return st.lists(value_of(field), max_size=5) if field.is_repeated else value_of(field)


def message_of(kind: Descriptor) -> st.SearchStrategy[Message]:
    fields = st.fixed_dictionaries({}, optional={each.name: values_of(each) for each in kind.fields})
    return fields.map(lambda given: GetMessageClass(kind)(**given))


def requests_to(method: MethodDescriptor) -> st.SearchStrategy[bytes]:
    whole = message_of(method.input_type)
    return st.one_of(st.binary(max_size=60), whole.map(lambda message: message.SerializeToString()))


async def status_of(channel: grpc.aio.Channel, method: MethodDescriptor, data: bytes, key: str | None) -> Any:
    open_call: Any = channel.unary_stream if method.server_streaming else channel.unary_unary
    path = f"/{method.containing_service.full_name}/{method.name}"
    call = open_call(path, bytes, bytes)(data, metadata=Credentials(key).metadata())
    try:
        await (call.read() if method.server_streaming else call)
    except grpc.aio.AioRpcError as error:
        return error.code()
    return grpc.StatusCode.OK


def test_nonsense_on_every_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the key of somebody who may do it: otherwise it would be refused at the gate."""
    monkeypatch.chdir(tmp_path)
    nonsense = {method.full_name: collect(requests_to(method), EXAMPLES) for method in METHODS}
    seen: set[grpc.StatusCode] = set()

    async def script() -> None:
        generous = RequestLimits(requests_per_second=1e6, burst=1_000_000)
        async with (
            hall(tmp_path, settings(), CUP, limits=generous, registrations=generous) as place,
            grpc.aio.insecure_channel(place.address) as channel,
        ):
            owners.add_owner(place.store, "Ann", "test")
            admin = keys.make_key(place.store, Scope.ADMIN, "test")
            for method in METHODS:
                owner = keys.make_key(place.store, Scope.OWNER, "test", owner="Ann")
                key = {"Accounts": owner, "Admin": admin}.get(method.containing_service.name)
                sent = nonsense[method.full_name]
                ended = await asyncio.gather(*(status_of(channel, method, data, key) for data in sent))
                for data, status in zip(sent, ended, strict=True):
                    assert status not in OURS, f"{method.full_name}: {status.name} for {data!r}"
                seen.update(ended)
            answer = await place.stub.ListCompetitions(arena_pb2.ListCompetitionsRequest())
            assert [each.name for each in answer.competitions] == ["cup"]

    bounded(script)
    assert {grpc.StatusCode.OK, grpc.StatusCode.INVALID_ARGUMENT} <= seen


HOSTILE = st.sampled_from(["", "A", "a\0", "a\x1b[2J", "\u202eb", "a" * 5_000, "cup", "9" * 5_000, "challenge-1-0"])
NAMES = st.one_of(st.sampled_from(["a", "b"]), HOSTILE)
CHALLENGES = st.builds(
    admin_pb2.ChallengeRequest,
    bot=NAMES,
    opponents=st.one_of(st.just(["b"]), st.lists(NAMES, max_size=4), st.just(["b"] * 2_000)),
    game=st.one_of(st.just("karteneck"), HOSTILE),
    matches=LARGE.filter(lambda number: number < 2**32),
)
RELEASES = st.builds(
    admin_pb2.ReleaseResultsRequest,
    competition=st.one_of(st.just("cup"), HOSTILE),
    phase=st.one_of(st.sampled_from(["ladder", "finals", "done"]), HOSTILE),
    everything=st.booleans(),
)
KNOWN_CHALLENGES = st.builds(records_pb2.GetChallengeRequest, challenge_id=HOSTILE)


def test_nonsense_about_challenges_and_releases(tmp_path: Path) -> None:
    """In an arena where such requests can be granted: first it holds results back, then its bots can be challenged."""
    challenges = [admin_pb2.ChallengeRequest(bot="a", opponents=["b"], game="karteneck"), *collect(CHALLENGES, 40)]
    releases = [*collect(RELEASES, 40), admin_pb2.ReleaseResultsRequest(competition="cup")]
    services = (
        ("Admin", "ReleaseResults", releases),
        ("Accounts", "Challenge", challenges),
        ("Arena", "GetChallenge", collect(KNOWN_CHALLENGES, 20)),
    )
    named = {method.full_name.removeprefix("roost.v1."): method for method in METHODS}

    async def script() -> None:
        generous = RequestLimits(requests_per_second=1e6, burst=1_000_000)
        async with (
            hall(tmp_path, settings(), HELD_CUP, limits=generous) as place,
            grpc.aio.insecure_channel(place.address) as channel,
        ):
            admin = keys.make_key(place.store, Scope.ADMIN, "test")
            for owner in ("Ann", "Bob"):
                owners.add_owner(place.store, owner, "test")
            ann, bob = (keys.make_key(place.store, Scope.OWNER, "test", owner=owner) for owner in ("Ann", "Bob"))
            async with SilentBot(place.address, "a", key=ann), SilentBot(place.address, "b", key=bob):
                for service, call, requests in services:
                    key, seen = {"Accounts": ann, "Admin": admin}.get(service), set()
                    for request in requests:
                        data = request.SerializeToString()
                        status = await status_of(channel, named[f"{service}.{call}"], data, key)
                        assert status not in OURS, f"{call}: {status.name} for {request}"
                        seen.add(status)
                    assert (grpc.StatusCode.OK in seen) == (call != "GetChallenge"), f"{call}: {seen}"

    bounded(script)
