"""Asking an arena: the method follows from the request, and whatever goes wrong is one line."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import grpc
import pytest
from google.protobuf.message import Message

from roost.v1 import admin_pb2, arena_pb2
from roost_games.errors import RoostError, UsageError
from roost_sdk.arena.reader import NoArenaError, find_competition, newest_matches, open_arena
from roost_server.export import arena_checker
from roost_server.export.arena_checker import verify_arena
from tests.support.grpc_servers import answering


class Recorder(grpc.GenericRpcHandler):
    """A server that notes which methods are called, and answers with what it is told to."""

    def __init__(self) -> None:
        self.methods: list[str] = []
        self.answers: list[Message] = []
        self.status: grpc.StatusCode | None = None
        self.address = ""

    def service(self, details: grpc.HandlerCallDetails) -> "grpc.RpcMethodHandler[bytes, bytes]":
        self.methods.append(details.method)
        if details.method.endswith(("ExportCompetition", "WatchMatch")):
            return grpc.unary_stream_rpc_method_handler(self._stream)
        return grpc.unary_unary_rpc_method_handler(self._answer)

    def _answer(self, request: bytes, context: grpc.ServicerContext) -> bytes:
        if self.status is not None:
            context.abort(self.status, "because of the test")
        return self.answers.pop(0).SerializeToString()

    def _stream(self, request: bytes, context: grpc.ServicerContext) -> Iterator[bytes]:
        for answer in self.answers:
            yield answer.SerializeToString()


@pytest.fixture
def server() -> Iterator[Recorder]:
    recorder = Recorder()
    with answering(lambda server: server.add_generic_rpc_handlers([recorder])) as recorder.address:
        yield recorder


def test_the_method_follows_from_the_request(server: Recorder) -> None:
    """A host and an owner end keys with the same request, at services of their own."""
    server.answers = [admin_pb2.OwnerRecord(name="Ann"), admin_pb2.MakeKeyResponse(), admin_pb2.MakeKeyResponse()]
    with open_arena(server.address) as arena:
        assert arena.administer(admin_pb2.AddOwnerRequest(name="Ann")).name == "Ann"
        arena.administer(admin_pb2.EndKeyRequest(prefix="roost_ab12"))
        arena.ask_account(admin_pb2.EndKeyRequest(prefix="roost_ab12"))
    assert server.methods == ["/roost.v1.Admin/AddOwner", "/roost.v1.Admin/EndKey", "/roost.v1.Accounts/EndOwnKey"]


def test_a_request_of_another_service_is_a_mistake_of_the_caller(server: Recorder) -> None:
    with open_arena(server.address) as arena, pytest.raises(TypeError, match=r"roost.v1.Admin takes no Register"):
        arena.administer(admin_pb2.RegisterRequest())
    assert server.methods == []


@pytest.mark.parametrize(
    ("status", "kind", "told"),
    [
        (grpc.StatusCode.NOT_FOUND, UsageError, "because of the test"),
        (grpc.StatusCode.PERMISSION_DENIED, RoostError, "refused: because of the test"),
        (grpc.StatusCode.UNIMPLEMENTED, RoostError, "is not an arena, or one of a version that cannot answer this"),
        (grpc.StatusCode.INTERNAL, RoostError, "did not answer: because of the test"),
    ],
)
def test_a_status_becomes_an_error(
    server: Recorder, status: grpc.StatusCode, kind: type[RoostError], told: str
) -> None:
    server.status = status
    with open_arena(server.address) as arena, pytest.raises(kind, match=told) as raised:
        arena.bots()
    assert type(raised.value) is kind


def test_nobody_there() -> None:
    with answering(lambda _: None) as address:
        pass  # from then on nobody listens there
    with open_arena(address) as arena, pytest.raises(NoArenaError, match=f"no arena at {address}"):
        arena.bots()


def test_matches_come_page_by_page(server: Recorder) -> None:
    def page(first: int, count: int) -> arena_pb2.ListMatchesResponse:
        ids = range(first, first + count)
        return arena_pb2.ListMatchesResponse(matches=[arena_pb2.MatchSummary(match_id=f"m{each}") for each in ids])

    server.answers = [page(0, 1000), page(1000, 200)]
    with open_arena(server.address) as arena:
        found = newest_matches(arena, arena_pb2.ListMatchesRequest(limit=1200)).matches
    assert [match.match_id for match in found] == [f"m{number}" for number in range(1200)]
    assert len(server.methods) == 2


@pytest.mark.parametrize(
    ("names", "wanted", "told"),
    [
        ([], None, "name the competition; there is none"),
        (["cup", "league"], None, "name the competition; the competitions are: cup, league"),
        (["cup", "league"], "spring", "there is no competition 'spring'; the competitions are: cup, league"),
    ],
)
def test_which_competition(server: Recorder, names: list[str], wanted: str | None, told: str) -> None:
    listed = [arena_pb2.CompetitionStatus(name=name) for name in names]
    server.answers = [arena_pb2.ListCompetitionsResponse(competitions=listed)]
    with open_arena(server.address) as arena, pytest.raises(UsageError, match=told):
        find_competition(arena, wanted)


def test_an_export_is_put_together_from_pieces(server: Recorder, tmp_path: Path) -> None:
    pieces = [("rules.md", b"one "), ("matches.jsonl", b"{}\n"), ("rules.md", b"two")]
    server.answers = [arena_pb2.ExportCompetitionResponse(file=file, data=data) for file, data in pieces]
    with open_arena(server.address) as arena:
        files = arena.export("cup", tmp_path / "cup")
    assert [file.name for file in files] == ["rules.md", "matches.jsonl"]
    assert (tmp_path / "cup/rules.md").read_bytes() == b"one two"


@pytest.mark.parametrize("name", ["../outside", "/etc/x", "a\x00b", "a\x1b[2Jb"])
def test_an_export_cannot_write_elsewhere(server: Recorder, tmp_path: Path, name: str) -> None:
    server.answers = [arena_pb2.ExportCompetitionResponse(file=name, data=b"")]
    with open_arena(server.address) as arena, pytest.raises(RoostError, match="not a plain file name"):
        arena.export("cup", tmp_path / "cup")
    assert list(tmp_path.iterdir()) == []


def test_an_export_is_limited(server: Recorder, tmp_path: Path) -> None:
    server.answers = [arena_pb2.ExportCompetitionResponse(file="matches.jsonl", data=b"x" * (1 << 20))] * 4
    with open_arena(server.address) as arena:
        arena.export("cup", tmp_path / "fits", most_bytes=4 << 20)
        with pytest.raises(RoostError, match=r"sends more than 3 MiB, .* has no room; fetch it with roost export"):
            arena.export("cup", tmp_path / "cup", most_bytes=3 << 20)
    assert (tmp_path / "cup/matches.jsonl").stat().st_size == 3 << 20, "no more was written"
    server.answers = [arena_pb2.ExportCompetitionResponse(file=f"{number}") for number in range(1001)]
    with open_arena(server.address) as arena, pytest.raises(RoostError, match="more than 1,000 files"):
        arena.export("cup", tmp_path / "many")


def test_a_check_of_an_arena_stays_in_a_folder_of_its_own(
    server: Recorder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The arena calls its competition by a path, and sends more than there is room for."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    monkeypatch.setattr(arena_checker, "disk_usage", lambda folder: SimpleNamespace(free=2 << 20))
    server.answers = [arena_pb2.ExportCompetitionResponse(file="manifest.json", data=b"{" * (1 << 20))] * 3
    with open_arena(server.address) as arena, pytest.raises(RoostError, match="sends more than 1 MiB"):
        verify_arena(arena, str(tmp_path / "elsewhere"))
    assert [each.name for each in tmp_path.rglob("*")] == ["temporary"]
