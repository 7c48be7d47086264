"""Messages that nobody should send: random bytes, and `BotMessage`s that are valid and make no sense."""

from typing import TypeVar

from hypothesis import HealthCheck, given, seed
from hypothesis import settings as given_settings
from hypothesis import strategies as st

from roost.v1 import bratwurmeck_pb2, haecmaec_pb2, karteneck_pb2, play_pb2

numbers = st.one_of(st.integers(0, 4), st.integers(0, 2**32 - 1))
few_numbers = st.lists(numbers, max_size=8)

karteneck_moves = st.builds(karteneck_pb2.KarteneckMove, lay=few_numbers, steal=st.booleans())
bratwurmeck_moves = st.builds(
    lambda take, then: bratwurmeck_pb2.BratwurmeckMove(take=take, then=then),
    take=numbers,
    then=st.integers(-(2**31), 2**31 - 1),
)
haecmaec_moves = st.builds(
    lambda play, close, suspect: haecmaec_pb2.HaecmaecMove(play=play, close=close, suspect=suspect),
    play=st.none() | numbers,
    close=st.integers(0, 9),
    suspect=st.integers(-5, 5),
)
moves = st.one_of(
    st.just(play_pb2.Move()),
    st.builds(lambda move: play_pb2.Move(karteneck=move), karteneck_moves),
    st.builds(lambda move: play_pb2.Move(bratwurmeck=move), bratwurmeck_moves),
    st.builds(lambda move: play_pb2.Move(haecmaec=move), haecmaec_moves),
)
answers = st.builds(play_pb2.Answer, match=numbers, request=numbers, move=moves, crashed=st.booleans())
messages = st.builds(
    play_pb2.BotMessage,
    ready=few_numbers,
    answers=st.lists(answers, max_size=4),
    pong=numbers,
    leaving=st.sampled_from([False] * 9 + [True]),
).map(play_pb2.BotMessage.SerializeToString)
hellos = st.builds(
    play_pb2.Hello,
    name=st.sampled_from(["fuzz", "x", "", "a b"]) | st.text(max_size=45),
    version=st.sampled_from(["v1", ""]) | st.text(max_size=10),
    games=st.lists(st.sampled_from(["karteneck", "haecmaec", "chess"]), max_size=3),
    player_counts=few_numbers,
    max_matches=numbers,
    wants_legal=st.booleans(),
    wants_events=st.booleans(),
    resume_token=st.sampled_from(["", "", "guess"]),
    client=st.text(max_size=5),
).map(lambda hello: play_pb2.BotMessage(hello=hello).SerializeToString())
anything = st.one_of(messages, st.binary(max_size=60), hellos)


T = TypeVar("T")


def collect(strategy: st.SearchStrategy[T], count: int) -> list[T]:
    """Examples of `strategy`. The arena that they are for is started only once."""
    examples: list[T] = []

    @seed(3)
    @given_settings(max_examples=count, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(strategy)
    def note(example: T) -> None:
        examples.append(example)

    note()
    return examples
