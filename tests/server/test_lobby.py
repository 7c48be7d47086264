"""Who may come in, who may come back, and who is given up."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from roost.v1 import play_pb2
from roost_server.errors import AlreadyConnectedError, DeniedError, InvalidError
from roost_server.play.lobby import Lobby, check_hello
from roost_server.play.session import Session
from roost_server.settings import Settings
from tests.support.arenas.table_world import FakePulse


class World:
    def __init__(self) -> None:
        self.time = 100.0
        self.lobby = Lobby(Settings(grace_seconds=20.0), FakePulse(lambda: self.time))

    def enter(self, version_id: int = 1, **hello: Any) -> Session:
        session = self.lobby.enter(play_pb2.Hello(name=f"bot{version_id}", version="v", **hello), version_id)
        session.attach()
        return session

    def lose(self, session: Session) -> None:
        session.detach()
        self.lobby.away(session)


def in_loop(test: Callable[[World], None]) -> Callable[[], None]:
    def run() -> None:
        async def script() -> None:
            test(World())

        asyncio.run(script())

    return run


@pytest.mark.parametrize("name", ["a", "A-b_c.9", "x" * 40])
@pytest.mark.parametrize("version", ["1", "sha256:0123456789abcdef", "v1.0+local", "v" * 80])
def test_good_names(name: str, version: str) -> None:
    check_hello(play_pb2.Hello(name=name, version=version, games=["haecmaec"]))


@pytest.mark.parametrize("name", ["", "x" * 41, "a/b", "a b", "ä", "a\n", "\x00"])
def test_bad_names(name: str) -> None:
    with pytest.raises(InvalidError, match="1 to 40"):
        check_hello(play_pb2.Hello(name=name, version="v"))


@in_loop
def test_a_second_process_of_the_same_version_is_refused(world: World) -> None:
    world.enter(1)
    with pytest.raises(AlreadyConnectedError, match="use another name"):
        world.enter(1)
    world.enter(2)
    assert [session.version_id for session in world.lobby.sessions] == [1, 2]


@in_loop
def test_a_bot_comes_back_with_its_token(world: World) -> None:
    session = world.enter(1)
    world.lose(session)
    world.time += 19.0
    assert world.enter(1, resume_token=session.token) is session
    world.time += 100.0
    world.lobby.sweep()
    assert world.lobby.session_of(1) is session


@in_loop
def test_a_bot_may_come_back_before_its_loss_was_noticed(world: World) -> None:
    session = world.enter(1)
    assert world.enter(1, resume_token=session.token) is session
    assert session.stream == 2


@in_loop
def test_tokens_open_no_other_session(world: World) -> None:
    one, two = world.enter(1), world.enter(2)
    world.lose(one)
    for version_id, token in ((1, two.token), (1, "guess"), (3, one.token)):
        with pytest.raises(DeniedError, match="connect without one"):
            world.enter(version_id, resume_token=token)
    assert world.lobby.session_of(3) is None


@in_loop
def test_a_bot_that_comes_back_without_its_token_starts_again(world: World) -> None:
    old = world.enter(1)
    world.lose(old)
    new = world.enter(1)
    assert new is not old
    assert world.lobby.sessions == [new]
    world.time += 100.0
    world.lobby.sweep()
    assert world.lobby.sessions == [new]


@in_loop
def test_who_stays_away_is_given_up(world: World) -> None:
    away, here = world.enter(1), world.enter(2)
    world.lose(away)
    world.time += 20.0
    world.lobby.sweep()
    assert world.lobby.session_of(1) is away
    world.time += 0.1
    world.lobby.sweep()
    assert world.lobby.sessions == [here]
    with pytest.raises(DeniedError):
        world.enter(1, resume_token=away.token)
