"""Matches in one process: what the bots are given, what is measured, and what becomes of bots that misbehave."""

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from random import Random
from typing import Any

import pytest

from roost_bots import SAMPLES
from roost_games.chance import seed_of
from roost_games.errors import UsageError
from roost_games.karteneck import PASS, Lay, Options
from roost_games.karteneck.legal import ManyMoves
from roost_games.referee import Clock, Fault
from roost_games.registry import GAME_NAMES, get_game
from roost_games.replay import Decision, Replay, Result
from roost_games.verify import verify
from roost_sdk import Bot, LoadedBot, LocalMatch, Trouble, rng_of

SEED = seed_of("local")
RANDOM = LoadedBot("random", SAMPLES["random"])


class First(Bot):
    """Plays the first legal move."""

    def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        return legal[0]


def played(*bots: type[Bot], game: str = "karteneck", **settings: Any) -> tuple[Result, Replay, list[Trouble]]:
    troubles: list[Trouble] = []
    seats = [LoadedBot(bot.__name__, bot) for bot in bots]
    match = LocalMatch(get_game(game), seats, SEED, tell=troubles.append, **settings)
    result = match.play()
    return result, match.referee.replay(), troubles


def decisions(replay: Replay) -> list[Decision]:
    return [step for step in replay.steps if isinstance(step, Decision)]


@pytest.mark.parametrize("game", GAME_NAMES)
def test_a_match_is_in_order_and_repeats(game: str) -> None:
    replays = []
    for _ in range(2):
        match = LocalMatch(get_game(game), [RANDOM] * 3, SEED, match="m")
        match.play()
        replays.append(match.referee.replay())
    first, second = replays
    assert verify(first) is None
    assert first.seed == SEED.hex()
    assert [seat.bot for seat in first.seats] == ["random"] * 3
    assert [step._replace(ms=None) for step in decisions(first)] == [
        step._replace(ms=None) for step in decisions(second)
    ]


def test_a_bot_knows_its_seat_before_it_starts() -> None:
    seen: list[tuple[str, int, int, str]] = []

    class Curious(First):
        def __init__(self) -> None:
            seen.append(("made", -1, -1, ""))

        def start(self) -> None:
            seen.append(("start", self.seat, self.players, self.game))

        def end(self, result: Result) -> None:
            seen.append(("end", self.seat, result.places[self.seat], self.game))

    result, _, troubles = played(Curious, Curious)
    assert troubles == []
    assert seen[:4] == [
        ("made", -1, -1, ""),
        ("start", 0, 2, "karteneck"),
        ("made", -1, -1, ""),
        ("start", 1, 2, "karteneck"),
    ]
    assert seen[4:] == [("end", seat, result.places[seat], "karteneck") for seat in (0, 1)]


def test_a_method_named_after_the_game_comes_before_choose() -> None:
    asked: set[str] = set()

    class Specialist(Bot):
        def karteneck(self, view: Any, legal: Sequence[Any]) -> Any:
            asked.add("karteneck")
            return legal[0]

        def choose(self, view: Any, legal: Sequence[Any]) -> Any:
            asked.add("choose")
            return legal[0]

    played(Specialist, First)
    assert asked == {"karteneck"}
    played(Specialist, First, game="bratwurmeck")
    assert asked == {"karteneck", "choose"}


def test_a_bot_that_cannot_play_the_game_is_refused_before_it_begins() -> None:
    class OnlyCards(Bot):
        def karteneck(self, view: Any, legal: Sequence[Any]) -> Any:
            return legal[0]

    assert OnlyCards.plays("karteneck")
    assert not OnlyCards.plays("bratwurmeck")
    assert not Bot.plays("karteneck")
    with pytest.raises(UsageError, match=r"OnlyCards does not play bratwurmeck.*bratwurmeck\(self, view, legal\)"):
        played(OnlyCards, First, game="bratwurmeck")


def test_a_bot_may_play_with_some_numbers_of_players_only() -> None:
    class Duellist(Bot):
        player_counts = (2, 4)

        def karteneck(self, view: Any, legal: Sequence[Any]) -> Any:
            return legal[0]

    assert Duellist.plays("karteneck")
    assert [count for count in range(2, 6) if Duellist.plays("karteneck", count)] == [2, 4]
    assert First.plays("karteneck", 3)
    assert not Duellist.plays("bratwurmeck", 2)
    with pytest.raises(UsageError, match="duellist does not play with 3 players; its player_counts are 2, 4"):
        LocalMatch(get_game("karteneck"), [LoadedBot("duellist", Duellist)] * 3, seed_of("x"))


def test_a_bot_knows_the_clock_of_its_match() -> None:
    known = []

    class Punctual(First):
        def start(self) -> None:
            known.append(self.clock)

    played(Punctual, First, clock=Clock(decision_ms=700, bank_ms=9))
    assert known == [(700, 9)]


def test_the_randomness_of_a_seat_follows_from_the_seed() -> None:
    expected = Random(sha256(f"roost-bot/2:{SEED.hex()}:1".encode()).hexdigest())
    assert [rng_of(SEED, 1).random() for _ in range(1)] == [expected.random()]
    assert rng_of(SEED, 0).random() != rng_of(SEED, 1).random()
    assert rng_of(SEED, 0).random() != rng_of(seed_of("other"), 0).random()


def test_a_bot_that_raises_has_crashed_and_its_author_is_told_where() -> None:
    class Raises(Bot):
        def choose(self, view: Any, legal: Sequence[Any]) -> Any:
            return self.look_up({})

        def look_up(self, table: dict[str, object]) -> object:
            return table["missing"]

    result, replay, troubles = played(Raises, First)
    assert [fault.kind for fault in result.faults] == [Fault.CRASHED] * 3
    assert result.forfeits == (0,)
    assert result.places == (2, 1)
    assert verify(replay) is None
    assert [trouble.what for trouble in troubles] == ["crashed: KeyError: 'missing'"] * 3
    assert "in look_up" in troubles[0].details
    assert "roost_sdk" not in troubles[0].details
    assert str(troubles[0]).startswith("seat 0 (Raises) crashed: KeyError: 'missing'\n")


def test_a_bot_that_calls_exit_has_crashed() -> None:
    class Exits(Bot):
        def choose(self, view: Any, legal: Sequence[Any]) -> Any:
            raise SystemExit(0)

    assert played(Exits, First)[0].forfeits == (0,)


def test_ctrl_c_is_not_a_crash_of_a_bot() -> None:
    class Interrupted(Bot):
        def choose(self, view: Any, legal: Sequence[Any]) -> Any:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        played(Interrupted, First)


def test_a_bot_that_does_not_start_is_told_about_once_and_forfeits() -> None:
    class NeverReady(First):
        def start(self) -> None:
            raise OSError("no table of openings")

    result, _, troubles = played(First, NeverReady)
    assert [fault.kind for fault in result.faults] == [Fault.CRASHED] * 3
    assert result.forfeits == (1,)
    assert [trouble.what for trouble in troubles] == ["did not start: OSError: no table of openings"]


def test_what_happens_after_the_end_changes_nothing() -> None:
    class BadLoser(First):
        def end(self, result: Result) -> None:
            raise RuntimeError("unfair")

    result, _, troubles = played(BadLoser, First)
    assert result.faults == ()
    assert len(troubles) == 1
    assert "RuntimeError: unfair" in troubles[0].what


def test_an_answer_that_is_no_move_is_told_with_what_would_have_been_legal() -> None:
    class Silent(Bot):
        def choose(self, view: Any, legal: Sequence[Any]) -> Any:
            return None

    result, _, troubles = played(Silent, First)
    assert {fault.kind for fault in result.faults} == {Fault.MALFORMED}
    assert troubles[0].what == "sent a move that is malformed: None"
    assert "legal were: Pass(steal=False)" in troubles[0].details


def test_faults_do_not_end_a_match_of_three() -> None:
    class Raises(Bot):
        def choose(self, view: Any, legal: Sequence[Any]) -> Any:
            raise ValueError

    result, replay, _ = played(First, Raises, First, game="haecmaec")
    assert result.termination == "finished"
    assert result.places[1] == 3
    assert verify(replay) is None


def test_thinking_time_is_measured_and_can_be_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter(range(10_000))
    monkeypatch.setattr("roost_sdk.seat.perf_counter", lambda: next(ticks) * 0.25)
    _, replay, _ = played(First, First)
    assert {step.ms for step in decisions(replay)} == {250.0}
    result, _, troubles = played(First, First, clock=Clock(decision_ms=200, bank_ms=120), max_faults=9)
    assert {fault.kind for fault in result.faults} == {Fault.LATE}
    assert {trouble.what for trouble in troubles} == {"was late: its answer came after its time was up"}


def test_troubles_go_to_stderr_by_default(capsys: pytest.CaptureFixture[str]) -> None:
    class Raises(Bot):
        def choose(self, view: Any, legal: Sequence[Any]) -> Any:
            raise ValueError("oops")

    LocalMatch(get_game("karteneck"), [LoadedBot("bad", Raises), RANDOM], SEED).play()
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("seat 0 (bad) crashed: ValueError: oops") == 3


def test_random_chooses_each_move_equally_often_even_from_a_lazy_list() -> None:
    class Lazy(Sequence[Any]):
        def __len__(self) -> int:
            return 4

        def __getitem__(self, index: Any) -> Any:
            return "abcd"[index]

    bot = SAMPLES["random"]()
    bot.rng = Random(7)
    chosen = Counter(bot.choose(None, Lazy()) for _ in range(4000))
    # Each is binomial with mean 1000 and standard deviation 27.4; five of them are 137.
    assert all(abs(times - 1000) < 137 for times in chosen.values())
    assert set(chosen) == set("abcd")


def test_random_can_choose_among_more_moves_than_anybody_lists() -> None:
    bot = SAMPLES["random"]()
    bot.rng = Random(7)
    legal = ManyMoves([PASS], Options().worm_cards())
    assert len(legal) == 2**25
    moves = [bot.choose(None, legal) for _ in range(50)]
    assert all(isinstance(move, Lay) for move in moves)
    # A random subset of 25 worms has 12.5 of them, give or take 2.5; the mean of 50 lies within 1.8 of that.
    assert 10.7 < sum(len(move.cards) for move in moves) / 50 < 14.3
