"""Sessions without sockets: what waits to be written, what is taken, and what a new stream is told."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from roost.v1 import play_pb2
from roost.v1.play_pb2 import ArenaMessage
from roost_games.chance import seed_of
from roost_games.referee import Clock
from roost_games.registry import get_game
from roost_server.errors import TooMuchError
from roost_server.play.session import (
    ANSWERS_AT_ONCE,
    FREE_STRIKES,
    MOST_DECISIONS_PER_MESSAGE,
    MOST_WITH_LEGAL_MOVES,
    OLD_NEWS_SECONDS,
    Session,
)
from roost_server.play.table import Table
from roost_server.settings import Rules, Settings
from tests.support.arenas.table_world import FakePulse

CLOCK = Clock(1_000, 0)


class World:
    """Sessions that play at one kind of table."""

    def __init__(self, players: int = 2, **hello: Any) -> None:
        self.time = 100.0
        self.pulse = FakePulse(lambda: self.time)
        self.settings = Settings(clock=CLOCK, matches_at_once=10_000)
        self.sessions = [self.session(f"bot{seat}", **hello) for seat in range(players)]
        self.over: list[Table] = []
        for session in self.sessions:
            session.attach()

    def session(self, name: str, **hello: Any) -> Session:
        greeting = play_pb2.Hello(name=name, version="v", **{"max_matches": 10_000, **hello})
        return Session(greeting, 1, self.settings, self.pulse)

    def table(self, match_id: str = "m", game: str = "bratwurmeck") -> Table:
        table = Table(
            Rules(game, len(self.sessions), get_game(game).options({})),
            [session.chair() for session in self.sessions],
            match_id=match_id,
            seed=seed_of(match_id),
            settings=self.settings,
            pulse=self.pulse,
            on_end=self.over.append,
        )
        table.start()
        return table

    def say(self, session: Session, **fields: Any) -> None:
        for _ in session.receive(play_pb2.BotMessage(**fields)):
            pass

    def all_ready(self, *numbers: int) -> None:
        for session in self.sessions:
            self.say(session, ready=numbers)

    def asked(self, table: Table) -> Session:
        return self.sessions[table.referee.waiting[0]]


def in_loop(test: Callable[[], None]) -> Callable[[], None]:
    """Events belong to a loop."""

    def run() -> None:
        async def script() -> None:
            test()

        asyncio.run(script())

    return run


@in_loop
def test_the_first_message_is_a_welcome_with_a_ping() -> None:
    world = World()
    session = world.sessions[0]
    message = ArenaMessage.FromString(session.next_message())
    assert message.HasField("welcome")
    assert message.welcome.resume_token == session.token
    assert message.ping > 0
    assert not session.outgoing.wake.is_set()
    assert ArenaMessage.FromString(session.next_message()) == play_pb2.ArenaMessage()


@in_loop
def test_what_gathers_leaves_as_one_message() -> None:
    world = World(wants_legal=True)
    for number in range(5):
        world.table(f"m{number}")
    session = world.sessions[0]
    message = ArenaMessage.FromString(session.next_message())
    assert [started.match for started in message.started] == [1, 2, 3, 4, 5]
    assert session.playing == 5
    world.all_ready(1, 2, 3, 4, 5)
    decisions = [
        each for session in world.sessions for each in ArenaMessage.FromString(session.next_message()).decisions
    ]
    assert sorted(decision.match for decision in decisions) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(("wants_legal", "most"), [(True, MOST_WITH_LEGAL_MOVES), (False, MOST_DECISIONS_PER_MESSAGE)])
def test_a_message_has_only_so_many_decisions(wants_legal: bool, most: int) -> None:
    @in_loop
    def test() -> None:
        world = World(wants_legal=wants_legal)
        count = 2 * most + 2
        for number in range(count):
            world.table(f"m{number}")
        world.all_ready(*range(1, count + 1))
        asked = 0
        for session in world.sessions:
            while session.outgoing.wake.is_set():
                decisions = ArenaMessage.FromString(session.next_message()).decisions
                assert len(decisions) <= most
                asked += len(decisions)
        assert asked == count

    test()


def test_the_end_of_a_match_goes_along_with_the_next_decision_of_another() -> None:
    async def script() -> None:
        world = World()
        over, goes_on = world.table("over"), world.table("goes on")
        for session in world.sessions:
            session.next_message()
        over.void("enough")
        over.tell_ended()
        assert not any(session.outgoing.wake.is_set() for session in world.sessions)
        world.all_ready(2)
        asked = world.asked(goes_on)
        message = ArenaMessage.FromString(asked.next_message())
        assert [ended.match for ended in message.ended] == [1]
        assert [decision.match for decision in message.decisions] == [2]
        (other,) = [session for session in world.sessions if session is not asked]
        await asyncio.wait_for(other.outgoing.wake.wait(), timeout=1000 * OLD_NEWS_SECONDS)
        assert [ended.match for ended in ArenaMessage.FromString(other.next_message()).ended] == [1]

    asyncio.run(script())


@in_loop
def test_the_end_of_the_only_match_is_told_at_once() -> None:
    world = World()
    table = world.table()
    for session in world.sessions:
        session.next_message()
    table.void("enough")
    table.tell_ended()
    assert all(session.outgoing.wake.is_set() for session in world.sessions)


@in_loop
def test_the_clock_starts_when_the_question_is_written() -> None:
    world = World(wants_legal=True)
    table = world.table()
    world.all_ready(1)
    session = world.asked(table)
    world.time += 1.5
    table.sweep(world.pulse.read())
    (decision,) = ArenaMessage.FromString(session.next_message()).decisions
    assert decision.time_left_ms == 1_000
    world.time += 0.9
    answer = play_pb2.Answer(match=1, request=decision.request, move=decision.legal[0])
    world.say(session, answers=[answer])
    assert table.referee.faults == []
    assert table.referee.decision == 1


@in_loop
def test_a_question_that_is_over_is_not_written() -> None:
    world = World()
    table = world.table()
    world.all_ready(1)
    session = world.asked(table)
    table.void("the arena shut down")
    assert len(ArenaMessage.FromString(session.next_message()).decisions) == 0
    table.tell_ended()
    assert session.playing == 0
    (ended,) = ArenaMessage.FromString(session.next_message()).ended
    assert (ended.match, ended.result.termination) == (1, play_pb2.TERMINATION_VOIDED)


@in_loop
def test_a_match_that_waits_for_the_disk_leaves_room_for_another() -> None:
    world = World(max_matches=2)
    session = world.sessions[0]
    session.places.note_ready()
    tables = [world.table(f"m{number}") for number in range(2)]
    assert session.playing == 2
    for table in tables:
        table.void("for a test")
        session.note_over()
    assert session.playing == 0
    # What waits beyond that counts, so that a disk in trouble is not given more and more.
    tables += [world.table(f"m{number}") for number in range(2, 4)]
    for table in tables[2:]:
        table.void("for a test")
        session.note_over()
    assert session.playing == 2
    for left, table in zip((1, 0, 0, 0), tables, strict=True):
        table.tell_ended()
        assert session.playing == left


@in_loop
def test_a_new_stream_gets_everything_again() -> None:
    world = World(wants_legal=True)
    table = world.table()
    over = world.table("over")
    world.all_ready(1, 2)
    over.void("for a test")
    session = world.asked(table)
    (before,) = ArenaMessage.FromString(session.next_message()).decisions
    session.detach()
    over.tell_ended()
    world.time += 0.4
    assert session.attach() == 2
    message = ArenaMessage.FromString(session.next_message())
    assert list(message.welcome.resumed) == [1]
    assert [started.match for started in message.started] == [1]
    assert [(each.match, each.request, each.view) for each in message.decisions] == [(1, before.request, before.view)]
    assert message.decisions[0].time_left_ms == pytest.approx(600, abs=1)
    # What it missed is told too, once.
    assert [ended.match for ended in message.ended] == [2]
    session.detach()
    session.attach()
    assert len(ArenaMessage.FromString(session.next_message()).ended) == 0


@in_loop
def test_the_clock_of_an_unwritten_question_starts_with_the_loss() -> None:
    world = World()
    table = world.table()
    world.all_ready(1)
    session = world.asked(table)
    session.detach()
    world.time += 1.1
    table.sweep(world.pulse.read())
    assert [str(fault.kind) for fault in table.referee.faults] == ["gone"]


@in_loop
def test_a_stream_that_is_replaced_is_woken() -> None:
    world = World()
    session = world.sessions[0]
    ArenaMessage.FromString(session.next_message())
    former = session.outgoing
    session.attach()
    assert former.wake.is_set()
    assert session.stream == 2


@in_loop
def test_events_go_to_those_who_want_them() -> None:
    world = World(wants_legal=True, wants_events=True)
    world.table("other")
    table = world.table()
    world.all_ready(2)
    (decision,) = ArenaMessage.FromString(world.asked(table).next_message()).decisions
    move = decision.legal[0]
    world.say(world.asked(table), answers=[play_pb2.Answer(match=2, request=decision.request, move=move)])
    for session in world.sessions:
        (event,) = ArenaMessage.FromString(session.next_message()).events
        assert (event.match, event.move, event.fallback) == (2, move, False)


@in_loop
def test_nonsense_is_put_up_with_for_a_while() -> None:
    world = World()
    session = world.sessions[0]
    nonsense = play_pb2.Answer(match=7, request=7)
    for _ in range(FREE_STRIKES):
        world.say(session, answers=[nonsense])
    with pytest.raises(TooMuchError):
        world.say(session, answers=[nonsense])


@pytest.mark.parametrize("field", ["ready", "answers"])
def test_a_flood_is_not_read_to_its_end(field: str) -> None:
    @in_loop
    def test() -> None:
        world = World()
        session = world.sessions[0]
        flood: list[Any] = [1] * 100_000 if field == "ready" else [play_pb2.Answer()] * 100_000
        with pytest.raises(TooMuchError):
            world.say(session, **{field: flood})
        assert session._strikes == FREE_STRIKES + 1

    test()


@in_loop
def test_useful_talk_pays_for_some_nonsense() -> None:
    world = World()
    session = world.sessions[0]
    for number in range(10):
        world.table(f"m{number}")
    world.say(session, ready=range(1, 11))
    world.say(session, ready=[99] * (FREE_STRIKES + 10))
    with pytest.raises(TooMuchError):
        world.say(session, ready=[99])


@in_loop
def test_pongs_measure_the_latency() -> None:
    world = World()
    session = world.sessions[0]
    ping = ArenaMessage.FromString(session.next_message()).ping
    world.time += 0.03
    world.say(session, pong=ping)
    assert session.latency_ms == pytest.approx(30.0)
    assert session.allowance_ms == pytest.approx(30.0)
    session.ping()
    slow = ArenaMessage.FromString(session.next_message()).ping
    world.time += 3.0
    world.say(session, pong=slow)
    assert session.allowance_ms <= world.settings.latency_cap_ms


@in_loop
def test_a_bot_waits_from_its_answer_to_the_next_question() -> None:
    world = World(wants_legal=True)
    table = world.table()
    world.all_ready(1)
    session = world.asked(table)
    assert session.waits
    (decision,) = ArenaMessage.FromString(session.next_message()).decisions
    assert not session.waits
    world.say(session, pong=1)
    session.next_message()
    assert not session.waits
    world.say(session, answers=[play_pb2.Answer(match=1, request=decision.request, move=decision.legal[0])])
    assert session.waits


@in_loop
def test_many_answers_are_taken_some_at_a_time_so_that_others_can_be_asked_meanwhile() -> None:
    world = World(wants_legal=True)
    tables = [world.table(f"m{number}") for number in range(3 * ANSWERS_AT_ONCE)]
    world.all_ready(*range(1, len(tables) + 1))
    session = max(world.sessions, key=lambda each: sum(world.asked(table) is each for table in tables))
    asked: list[play_pb2.Decision] = []
    while session.outgoing.wake.is_set():
        asked += ArenaMessage.FromString(session.next_message()).decisions
    answers = [play_pb2.Answer(match=each.match, request=each.request, move=each.legal[0]) for each in asked]
    taking = session.receive(play_pb2.BotMessage(answers=answers))
    next(taking)
    assert sum(table.referee.decision for table in tables) == ANSWERS_AT_ONCE
    for _ in taking:
        pass
    assert sum(table.referee.decision for table in tables) == len(asked) > ANSWERS_AT_ONCE


@in_loop
def test_leaving() -> None:
    world = World()
    session = world.sessions[0]
    table = world.table()
    ArenaMessage.FromString(session.next_message())
    world.say(session, leaving=True)
    assert session.outgoing.wake.is_set()
    assert not session.has_left
    table.forfeit(0)
    table.tell_ended()
    assert session.has_left


@in_loop
def test_a_bot_that_leaves_plays_what_it_was_promised() -> None:
    world = World()
    session = world.sessions[0]
    ArenaMessage.FromString(session.next_message())
    session.promised = 1
    world.say(session, leaving=True)
    ArenaMessage.FromString(session.next_message())
    session.end_if_left()
    assert not session.has_left
    assert not session.outgoing.wake.is_set()
    session.promised = 0
    session.end_if_left()
    assert session.has_left
    assert session.outgoing.wake.is_set()


@in_loop
def test_a_session_that_is_given_up_forfeits_everything() -> None:
    world = World(players=3)
    tables = [world.table(f"m{number}") for number in range(3)]
    world.all_ready(1, 2)
    world.sessions[1].detach()
    world.sessions[1].forfeit_all()
    assert [table.referee.forfeits for table in tables] == [[1], [1], [1]]


@in_loop
def test_which_tables_a_bot_takes() -> None:
    world = World()
    anything = world.session("a")
    some = world.session("b", games=["karteneck"], player_counts=[2, 4])
    assert anything.plays("haecmaec", 3)
    assert some.plays("karteneck", 4)
    assert not some.plays("karteneck", 3)
    assert not some.plays("haecmaec", 4)
