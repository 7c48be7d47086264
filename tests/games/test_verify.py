"""The verifier: right records pass, wrong ones are found where they go wrong, and nothing makes it fail."""

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roost_games.chance import Outcome, commitment_of
from roost_games.errors import ReplayError
from roost_games.referee import Fault, Referee, Seat
from roost_games.registry import AnyGame, get_game
from roost_games.replay import Decision, Replay
from roost_games.verify import Deviation, verify
from tests.support.games.toy import TOY, Bid, Move, ToyGame, play_out

Json = dict[str, Any]
SEED = bytes(range(32))


def new_referee(game: AnyGame, players: int, seed: bytes = SEED, **given: Any) -> Referee[Any, Any]:
    seats = [Seat(f"bot{seat}", "1", "ann") for seat in range(players)]
    return Referee(game, seats, seed, options=game.options(given), max_faults=2, match="m")


def finish(referee: Referee[Any, Any]) -> Json:
    """Play to the end with first legal moves, and hand out the record as versions before `forfeited` wrote it."""
    data = play_on(referee)
    del data["result"]["forfeited"]
    assert found(data) is None
    return data


def play_on(referee: Referee[Any, Any]) -> Json:
    """Play to the end with first legal moves, and hand out the record."""
    while not referee.over:
        seat = referee.waiting[0]
        referee.answer(seat, referee.legal(seat)[0])
    assert verify(referee.replay(), TOY) is None
    return referee.replay().to_json()


def found(data: Json) -> Deviation | None:
    return verify(Replay.from_json(data), TOY)


def plain_match() -> Json:
    """Two rounds of three: starter, deck, show, three bids, roll, show, three bids, roll."""
    referee = new_referee(TOY, 3, rounds=2)
    for _ in range(2):
        referee.answer(referee.waiting[0], max(referee.legal(referee.waiting[0])))
        for seat, amount in enumerate((1, 2, 0)):
            referee.answer(seat, Bid(amount))
    return finish(referee)


def faulty_match() -> Json:
    """Four rounds of three: seat 1 fails with its bids of the first two rounds and forfeits, seat 0 fails once."""
    referee = new_referee(TOY, 3)
    for number in range(2):
        while len(referee.waiting) == 1:
            referee.answer(referee.waiting[0], referee.legal(referee.waiting[0])[0])
        if number:
            referee.fault(0, Fault.CRASHED)
        else:
            referee.answer(0, Bid(2))
        referee.fault(1, Fault.LATE)
        referee.answer(2, Bid(1))
    return finish(referee)


def forfeited_match() -> Json:
    """Two players; the second one to fail twice does so with its second bid, which ends the match."""
    referee = new_referee(TOY, 2)
    for amount in (1, 2):
        referee.answer(referee.waiting[0], referee.legal(referee.waiting[0])[0])
        referee.fault(1, Fault.GONE)
        referee.answer(0, Bid(amount))
    return finish(referee)


# What is right passes


def test_the_matches_that_are_edited_here_are_in_order() -> None:
    for match in (plain_match, faulty_match, forfeited_match):
        assert found(match()) is None
    assert faulty_match()["result"]["forfeits"] == [1]
    assert forfeited_match()["result"]["termination"] == "forfeit"


CONFIGURATIONS = [
    ("karteneck", {}, (2, 3, 4)),
    ("bratwurmeck", {}, (2, 4, 7)),
    ("haecmaec", {}, (2, 3, 6)),
    ("haecmaec", {"slap": True}, (3, 4, 6)),
]


@pytest.mark.parametrize(("name", "options", "counts"), CONFIGURATIONS)
def test_random_matches_of_every_game_pass(name: str, options: Json, counts: tuple[int, ...]) -> None:
    for number in range(36):
        referee = new_referee(get_game(name), counts[number % 3], b"%d" % number, **options)
        play_out(referee, Random(number), fault_rate=(0.0, 0.02, 0.2)[number // 3 % 3])
        assert verify(Replay.from_line(referee.replay().to_line())) is None


@settings(max_examples=80, deadline=None)
@given(number=st.integers(0, 10**9), players=st.integers(2, 5), faults=st.floats(0, 0.6), grace=st.floats(0, 0.1))
def test_random_matches_with_every_kind_of_fault_pass(number: int, players: int, faults: float, grace: float) -> None:
    referee = new_referee(TOY, players, number.to_bytes(8), rounds=9)
    play_out(referee, Random(number), faults, grace)
    assert verify(referee.replay(), TOY) is None


def test_without_a_seed_the_steps_alone_count() -> None:
    data = plain_match()
    data["steps"][1]["outcome"][-2:] = reversed(data["steps"][1]["outcome"][-2:])  # never drawn
    assert found(data) is not None
    for key in ("seed", "commitment"):
        assert found(data | {"seed": None} | {key: None}) is None
    del data["seed"]
    assert found(data) is None


def test_without_a_commitment_the_tape_counts() -> None:
    data = plain_match()
    del data["commitment"]
    assert found(data) is None
    other = new_referee(TOY, 3, b"another seed")
    other.void("only the seed is wanted")
    assert found(data | {"seed": other.replay().seed}) is not None


def test_hex_may_be_written_in_capitals() -> None:
    data = plain_match()
    assert found(data | {"seed": data["seed"].upper(), "commitment": data["commitment"].upper()}) is None


@pytest.mark.parametrize("match", [plain_match, faulty_match])
def test_a_voided_match_may_stop_anywhere(match: Callable[[], Json]) -> None:
    data = match()
    steps, faults = data["steps"], data["result"]["faults"]
    data["result"] |= {"termination": "voided", "places": [], "scores": []}
    for length in range(len(steps)):
        data["steps"] = steps[:length]
        data["result"]["faults"] = [fault for fault in faults if fault["step"] < length]
        assert found(data) is None
    data["steps"], data["result"]["faults"] = steps, faults
    what = "the match is said to be voided, but the rules had ended it (finished)"
    assert found(data) == Deviation(None, what)


def test_a_forfeit_may_come_from_grace_time_with_no_fault_at_the_end() -> None:
    data = forfeited_match()
    assert data["result"]["faults"].pop()["step"] == len(data["steps"])
    assert found(data) is None


def test_all_seats_may_have_forfeited() -> None:
    data = forfeited_match()
    data["result"] |= {"forfeits": [1, 0], "places": [1, 2]}
    assert found(data) is None


# What is wrong is found, at the right step

EDITS: list[tuple[str, Callable[[Json, list[Json], Json], object], int | None, str]] = [
    ("unknown game", lambda top, steps, result: top.update(game="poker"), None, "'poker'"),
    ("unknown option", lambda top, steps, result: top["options"].update(x=1), None, "'x'"),
    ("bad option", lambda top, steps, result: top["options"].update(rounds=0), None, "rounds"),
    ("other option", lambda top, steps, result: top["options"].update(rounds=3), 12, "ends where a decision of seat"),
    ("too many seats", lambda top, steps, result: top.update(seats=[{"bot": "a"}] * 6), None, "2 to 5 players"),
    ("one seat more", lambda top, steps, result: top["seats"].append({"bot": "a"}), 0, "the seed gives"),
    ("wrong commitment", lambda top, steps, result: top.update(commitment="00" * 32), None, "SHA-256"),
    ("starter of another match", lambda top, steps, result: steps[0].update(outcome=_other_starter(steps)), 0, "seed"),
    ("no such starter", lambda top, steps, result: steps[0].update(outcome=3), 0, "not a possible outcome"),
    ("starter as text", lambda top, steps, result: steps[0].update(outcome="1"), 0, "not a possible outcome"),
    (
        "other chance",
        lambda top, steps, result: steps[1].update(chance="pile"),
        1,
        "'pile' is listed where chance 'deck'",
    ),
    ("chance dropped", lambda top, steps, result: steps.pop(0), 0, "'deck' is listed where chance 'starter'"),
    ("deck swapped", lambda top, steps, result: _swap(steps[1]["outcome"], 0, 1), 1, "at place 0, but the seed gives"),
    ("deck too short", lambda top, steps, result: steps[1]["outcome"].pop(), 1, "11 items instead of 12"),
    ("deck no list", lambda top, steps, result: steps[1].update(outcome="c1"), 1, "instead of a list"),
    ("move dropped", lambda top, steps, result: steps.pop(2), 2, "seat 0 decides where seat"),
    ("reactions swapped", lambda top, steps, result: _swap(steps, 4, 5), 4, "seat 2 decides where seat 1 has to"),
    ("reaction dropped", lambda top, steps, result: steps.pop(5), 5, "'roll' is listed where seat 2"),
    ("reaction doubled", lambda top, steps, result: steps.insert(5, steps[5]), 6, "decides where chance 'roll'"),
    ("roll dropped", lambda top, steps, result: steps.pop(6), 6, "decides where chance 'roll' is due"),
    ("other dice", lambda top, steps, result: steps[6].update(outcome=["7", "7"]), 6, "'7' is not a face"),
    ("one die", lambda top, steps, result: steps[6].update(outcome=["1"]), 6, "1 items instead of 2"),
    ("a number as die", lambda top, steps, result: steps[6].update(outcome=[1, 1]), 6, "1 is not a face"),
    ("unknown move", lambda top, steps, result: steps[3].update(move={"bid": 3}), 3, "seat 0 cannot do that"),
    ("true for a number", lambda top, steps, result: steps[3].update(move={"bid": True}), 3, "cannot do that"),
    ("move with more keys", lambda top, steps, result: steps[3]["move"].update(x=1), 3, "cannot do that"),
    ("move without keys", lambda top, steps, result: steps[3].update(move={}), 3, "cannot do that"),
    ("illegal move", lambda top, steps, result: steps[3].update(move={"show": "c1"}), 3, "seat 0 may not"),
    ("a show too few", lambda top, steps, result: steps.pop(7), 7, "seat 0"),
    ("other winner", lambda top, steps, result: steps[4].update(move={"bid": 0}), None, "the scores are"),
    ("fallback without fault", lambda top, steps, result: steps[5].update(by="fallback"), 5, "without a fault"),
    ("claimed fallback", lambda top, steps, result: _blame(steps, result, 3), 3, "is {'bid': 0}, not {'bid': 1}"),
    ("end missing", lambda top, steps, result: steps.pop(), 11, "ends where chance 'roll' is due"),
    ("all missing", lambda top, steps, result: steps.clear(), 0, "ends where chance 'starter' is due"),
    ("only the deal", lambda top, steps, result: steps.__delitem__(slice(2, 99)), 2, "ends where a decision of seat"),
    ("more steps", lambda top, steps, result: steps.append(steps[2]), 12, "is over"),
    ("more chance", lambda top, steps, result: steps.append(steps[6]), 12, "is over"),
    ("horizon", lambda top, steps, result: result.update(termination="horizon"), None, "'finished', not 'horizon'"),
    ("forfeit", lambda top, steps, result: result.update(termination="forfeit"), None, "nobody wins by forfeit"),
    ("voided with places", lambda top, steps, result: result.update(termination="voided"), None, "the rules had ended"),
    ("voided early", lambda top, steps, result: _voided_early(steps, result), None, "voided match has no"),
    ("other scores", lambda top, steps, result: result["scores"].reverse(), None, "the scores are"),
    ("scores missing", lambda top, steps, result: result["scores"].clear(), None, "the scores are"),
    ("other places", lambda top, steps, result: result.update(places=[3, 2, 1]), None, "the places are"),
    ("places missing", lambda top, steps, result: result["places"].pop(), None, "the places are"),
    ("a forfeit", lambda top, steps, result: result.update(forfeits=[1]), 9, "decides itself after it has forf"),
    ("two forfeits", lambda top, steps, result: result.update(forfeits=[0, 2]), 8, "the match goes on although"),
    ("a fault of a chance", lambda top, steps, result: result.update(faults=[_fault(6, 1)]), 6, "did not decide"),
    ("a fault of nobody", lambda top, steps, result: result.update(faults=[_fault(4, 1)]), 4, "did not decide"),
    ("a fault at the end", lambda top, steps, result: result.update(faults=[_fault(12, 1)]), 12, "did not end"),
    ("a fault after the end", lambda top, steps, result: result.update(faults=[_fault(13, 1)]), None, "12 steps"),
    ("a fault before the start", lambda top, steps, result: result.update(faults=[_fault(-1, 1)]), None, "12 steps"),
]


def _fault(step: int, seat: int, kind: str = "late", **sent: Any) -> Json:
    return {"step": step, "seat": seat, "kind": kind} | sent


def _blame(steps: list[Json], result: Json, step: int) -> None:
    """Make a step look as if the fallback had decided."""
    steps[step]["by"] = "fallback"
    result["faults"] = [_fault(step, steps[step]["seat"])]


def _voided_early(steps: list[Json], result: Json) -> None:
    """Void the match before its last step, and keep the places."""
    steps.pop()
    result["termination"] = "voided"


def _swap(items: list[Any], one: int, two: int) -> None:
    items[one], items[two] = items[two], items[one]


def _other_starter(steps: list[Json]) -> int:
    return (int(steps[0]["outcome"]) + 1) % 3


@pytest.mark.parametrize(("edit", "step", "what"), [row[1:] for row in EDITS], ids=[row[0] for row in EDITS])
def test_an_edit_is_found_where_it_is(edit: Callable[..., object], step: int | None, what: str) -> None:
    data = plain_match()
    edit(data, data["steps"], data["result"])
    deviation = verify(Replay.from_json(data)) if data["game"] == "poker" else found(data)
    assert deviation is not None
    assert deviation.step == step
    assert what in deviation.what
    assert str(deviation) == (deviation.what if step is None else f"step {step}: {deviation.what}")


@pytest.mark.parametrize("step", [0, 1, 6])
def test_chance_is_checked_without_a_seed_too(step: int) -> None:
    impossible = {0: 7, 1: ["c1"] * 12, 6: ["W", "0"]}
    data = plain_match() | {"seed": None, "commitment": None}
    data["steps"][step]["outcome"] = impossible[step]
    deviation = found(data)
    assert deviation is not None
    assert deviation.step == step


def test_a_replay_of_another_game_is_not_taken_for_this_one() -> None:
    deviation = found(plain_match() | {"game": "karteneck"})
    assert deviation == Deviation(None, "this is a match of 'karteneck', not of 'toy'")


class Lenient(ToyGame):
    """Overlooks what else a move has."""

    def decode_move(self, data: object) -> Move:
        return super().decode_move({key: value for key, value in data.items() if key in ("show", "bid")})  # type: ignore[attr-defined]


def test_a_move_has_exactly_its_keys_even_if_a_game_overlooks_others() -> None:
    data = plain_match()
    assert verify(Replay.from_json(data), Lenient()) is None
    data["steps"][3]["move"]["comment"] = "ha"
    deviation = verify(Replay.from_json(data), Lenient())
    assert deviation == Deviation(3, "the move of seat 0 must have exactly the keys ['bid']")


def test_the_first_of_several_deviations_is_reported() -> None:
    data = faulty_match()
    data["result"]["places"].reverse()
    data["steps"][-1]["outcome"] = ["0", "0"]
    data["result"]["faults"].pop(0)
    data["steps"][2]["move"] = {"show": "c0"}
    where = [2, 9, len(data["steps"]) - 1, None]
    fixed = faulty_match()
    repairs: list[Callable[[], object]] = [
        lambda: data["steps"].__setitem__(2, fixed["steps"][2]),
        lambda: data["result"].update(faults=fixed["result"]["faults"]),
        lambda: data["steps"].__setitem__(-1, fixed["steps"][-1]),
        lambda: data["result"].update(places=fixed["result"]["places"]),
    ]
    for step, repair in zip(where, repairs, strict=True):
        deviation = found(data)
        assert deviation is not None
        assert deviation.step == step
        repair()
    assert found(data) is None


# Who is to blame


def test_every_fault_of_a_match_is_needed_once_with_its_step_and_seat() -> None:
    faults = faulty_match()["result"]["faults"]
    assert [fault["seat"] for fault in faults] == [1, 0, 1]
    for index, fault in enumerate(faults):
        others = faults[:index] + faults[index + 1 :]
        wrong = [others, [*faults, fault]]
        wrong += [[*others, fault | {"step": fault["step"] + shift}] for shift in (-1, 1, 2)]
        wrong += [[*others, fault | {"seat": (fault["seat"] + shift) % 3}] for shift in (1, 2)]
        for listed in wrong:
            data = faulty_match()
            data["result"]["faults"] = listed
            # A forfeit can also come from grace time, so the last fault before it may be absent.
            allowed = listed == others and index == 2
            assert (found(data) is None) == allowed


def test_no_fault_is_listed_after_the_forfeit() -> None:
    data = faulty_match()
    last = max(index for index, step in enumerate(data["steps"]) if step.get("seat") == 1)
    data["result"]["faults"].append(_fault(last, 1))
    deviation = found(data)
    assert deviation is not None
    assert deviation.step == last
    assert "after it has forfeited" in deviation.what


def test_a_seat_does_not_come_back_after_its_forfeit() -> None:
    data = faulty_match()
    last = max(index for index, step in enumerate(data["steps"]) if step.get("seat") == 1)
    del data["steps"][last]["by"]
    deviation = found(data)
    assert deviation is not None
    assert deviation.step == last
    assert "decides itself after it has forfeited" in deviation.what


def test_who_is_played_by_the_fallback_has_forfeited() -> None:
    data = faulty_match()
    last = data["result"]["faults"][-1]["step"]
    del data["result"]["forfeits"]
    what = "the fallback decides for seat 1 after 2 faults, but it is not among the forfeits"
    assert found(data) == Deviation(last, what)
    del data["max_faults"]
    later = next(i for i, step in enumerate(data["steps"]) if i > last and step.get("by"))
    what = "the fallback decides for seat 1 without a fault, but it is not among the forfeits"
    assert found(data) == Deviation(later, what)


def test_the_limit_of_faults_settles_when_a_seat_forfeits() -> None:
    data = faulty_match()
    last = data["result"]["faults"][-1]["step"]
    later = next(i for i, step in enumerate(data["steps"]) if i > last and step.get("seat") == 1)
    del data["steps"][later]["by"]
    assert found(data) == Deviation(later, "seat 1 decides itself after it has forfeited")
    del data["max_faults"]
    assert found(data) is None  # two faults, a decision of its own, and then out of grace time


@pytest.mark.parametrize("limit", [0, 1, 3, None])
def test_the_limit_of_faults_is_kept(limit: int | None) -> None:
    data = forfeited_match()
    assert data["max_faults"] == 2
    data["max_faults"] = limit
    if limit is None:
        del data["max_faults"]
    expected = {0: len(data["steps"]), 1: 4, 3: len(data["steps"])}
    deviation = found(data)
    assert (deviation and deviation.step) == (None if limit is None else expected[limit])


def graceful_match() -> Json:
    """Four players; seat 1 runs out of grace time in the first round, seat 2 in the third."""
    referee = new_referee(TOY, 4)
    for gone in (1, 2):
        while len(referee.waiting) == 1:
            referee.answer(referee.waiting[0], referee.legal(referee.waiting[0])[0])
        referee.forfeit(gone)
        for seat in referee.waiting:
            referee.answer(seat, Bid(1))
    return finish(referee)


def test_forfeits_happen_in_the_order_listed() -> None:
    data = graceful_match()
    assert data["result"]["forfeits"] == [1, 2]
    places = data["result"]["places"]
    assert (places[1], places[2]) == (4, 3)
    data["result"] |= {"forfeits": [2, 1], "places": [places[0], 3, 4, places[3]]}
    first_of_1 = next(index for index, step in enumerate(data["steps"]) if step.get("by"))
    own_of_2 = next(i for i, step in enumerate(data["steps"]) if i > first_of_1 and step.get("seat") == 2)
    assert found(data) == Deviation(own_of_2, "seat 2 decides itself after it has forfeited")


def test_who_forfeited_stays_out_when_an_earlier_one_is_played_again() -> None:
    data = graceful_match()
    last = max(index for index, step in enumerate(data["steps"]) if step.get("seat") == 2)
    assert data["steps"][last - 1]["seat"] == 1
    del data["steps"][last]["by"]
    assert found(data) == Deviation(last, "seat 2 decides itself after it has forfeited")


def test_the_fault_that_ended_the_match_is_that_of_the_last_to_forfeit() -> None:
    referee = new_referee(TOY, 3)
    for _ in range(2):
        referee.answer(referee.waiting[0], referee.legal(referee.waiting[0])[0])
        referee.answer(0, Bid(1))
        referee.fault(1, Fault.LATE)
        if not referee.faults:
            referee.answer(2, Bid(1))
    referee.forfeit(2)
    data = finish(referee)
    assert (data["result"]["forfeits"], data["result"]["places"]) == ([2, 1], [1, 2, 3])
    data["result"] |= {"forfeits": [1, 2], "places": [1, 3, 2]}
    assert found(data) == Deviation(len(data["steps"]), "a fault of seat 1 is listed that did not end the match")


def test_nothing_is_played_once_at_most_one_is_left() -> None:
    data = forfeited_match()
    assert [fault["step"] for fault in data["result"]["faults"]] == [4, len(data["steps"])]
    data["result"]["faults"].clear()
    assert found(data) == Deviation(4, "the match goes on although at most one seat has not forfeited")


@pytest.mark.parametrize(("length", "due"), [(0, "starter"), (1, "deck"), (5, "roll")])
def test_a_forfeit_ends_the_match_at_a_decision(length: int, due: str) -> None:
    data = forfeited_match()
    del data["steps"][length:]
    data["result"]["faults"] = [fault for fault in data["result"]["faults"] if fault["step"] < length]
    deviation = found(data)
    assert deviation is not None
    assert deviation.step == length
    assert f"chance {due!r} is due" in deviation.what


def test_a_forfeit_needs_all_but_one_seat() -> None:
    data = forfeited_match()
    data["result"]["forfeits"] = []
    assert found(data) is not None
    data["result"]["faults"].pop()
    assert "nobody wins by forfeit" in str(found(data))


def test_the_fault_that_ended_the_match_is_that_of_the_seat_to_decide() -> None:
    data = forfeited_match()
    last = len(data["steps"])
    data["result"] |= {"forfeits": [1, 0], "places": [1, 2]}
    data["result"]["faults"][-1]["seat"] = 0
    del data["max_faults"]
    assert found(data) == Deviation(last, "a fault of seat 0 is listed where seat 1 has to decide")


def test_two_faults_do_not_end_one_match() -> None:
    data = forfeited_match()
    data["result"]["faults"].append(data["result"]["faults"][-1])
    assert "did not end the match" in str(found(data))


def test_after_a_forfeit_the_match_stands_still() -> None:
    data = forfeited_match()
    data["steps"].append({"seat": 1, "move": {"bid": 0}, "by": "fallback"})
    deviation = found(data)
    assert deviation is not None


def test_a_refused_move_must_be_illegal() -> None:
    data = faulty_match()
    fault = data["result"]["faults"][0]
    for sent, wrong in (({"bid": 2}, True), ({"show": "c1"}, False), ("bid 2", False), (None, False)):
        fault |= {"kind": "illegal", "sent": sent}
        expected = (
            Deviation(fault["step"], "the move of seat 1 that was refused as illegal is legal") if wrong else None
        )
        assert found(data) == expected
    fault |= {"kind": "malformed", "sent": {"bid": 2}}
    assert found(data) == Deviation(fault["step"], "the move of seat 1 that was refused as malformed is legal")
    fault |= {"sent": {"bid": 3}}
    assert found(data) is None


# Any edit


def leaves(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if not isinstance(data, dict | list):
        yield path
    else:
        for key, value in data.items() if isinstance(data, dict) else enumerate(data):
            yield from leaves(value, (*path, key))


def at(data: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        data = data[key]
    return data


def other_values(data: Json, path: tuple[Any, ...]) -> list[Any]:
    """What may be there instead: something near, something of another type, something from beside it."""
    value = at(data, path)
    if isinstance(value, bool):
        return [not value, int(value), None]
    if isinstance(value, int | float):
        return [value + 1, value - 1, str(value)]
    if value is None:
        return ["normal", "fly", False]
    beside = at(data, path[:-1])
    others = [each for each in beside if isinstance(each, str) and each != value] if isinstance(beside, list) else []
    return [f"{value}0", 1, *others[:1]]


def is_not_adjudicated(path: tuple[Any, ...]) -> bool:
    """Names, times, why exactly a bot failed, and how often it might have: no step or result follows from these."""
    return path[0] in ("match", "seats", "max_faults") or path[-1] in ("ms", "kind", "reason") or "sent" in path


def reenacted(replay: Replay, game: AnyGame) -> Replay:
    """The match that a referee records when the bots do what `replay` says, for matches without grace time."""
    assert replay.seed is not None
    given = game.options(replay.options)
    referee: Referee[Any, Any] = Referee(
        game, replay.seats, bytes.fromhex(replay.seed), options=given, max_faults=2, match=replay.match
    )
    faults = {fault.step: fault for fault in replay.result.faults}
    for index, step in enumerate((*replay.steps, None)):
        if isinstance(step, Outcome) or (step and step.seat not in referee.waiting):
            continue
        if fault := faults.get(index):
            referee.fault(fault.seat, fault.kind, 0.0, fault.sent)
        elif step:
            assert referee.answer(step.seat, game.decode_move(step.move)) is None
    return referee.replay()


def timeless(replay: Replay) -> Replay:
    steps = tuple(step._replace(ms=None) if isinstance(step, Decision) else step for step in replay.steps)
    return replace(replay, steps=steps)


def outcome_of(data: Json, game: AnyGame) -> str:
    """`found`, or `consistent` if the edited record is that of another match which could have happened just so."""
    try:
        replay = Replay.from_line(json.dumps(data))
    except ReplayError:
        return "found"
    if verify(replay, game) is not None:
        return "found"
    replay = timeless(replace(replay, seed=replay.seed or SEED.hex(), commitment=commitment_of(SEED), max_faults=2))
    again = reenacted(replay, game)
    # A forfeit by grace time leaves no trace but the places, which are compared.
    forfeits, forfeited = replay.result.forfeits, replay.result.forfeited
    again = replace(again, result=again.result._replace(forfeits=forfeits, forfeited=forfeited))
    assert again == replay
    return "consistent"


def game_of(name: str) -> AnyGame:
    return TOY if name == "toy" else get_game(name)


@cache
def match_of(name: str) -> str:
    """A match of three in which a seat forfeits because of its faults and the others play to the end."""
    options: Json = {"slap": True} if name == "haecmaec" else {}
    for number in range(100):
        referee = new_referee(game_of(name), 3, SEED, **options)
        play_out(referee, Random(number), fault_rate=0.2 if name == "toy" else 0.04)
        if referee.forfeits and referee.replay().result.termination == "finished":
            return referee.replay().to_line()
    pytest.fail("no match with a forfeit")


ALL = ["toy", "karteneck", "bratwurmeck", "haecmaec"]


@pytest.mark.short(2)
@pytest.mark.parametrize("name", ALL)
def test_a_changed_value_is_found_or_gives_a_match_that_could_be(name: str) -> None:
    original: Json = json.loads(match_of(name))
    rng = Random(1)
    # All values of a long match would take a minute; these are spread over everything.
    paths = list(leaves(original))
    for path in rng.sample(paths, min(len(paths), 120)):
        for value in other_values(original, path):
            data = copy.deepcopy(original)
            at(data, path[:-1])[path[-1]] = value
            outcome = outcome_of(data, game_of(name))
            if not is_not_adjudicated(path) and "move" not in path:
                assert outcome == "found", (path, value)


def test_no_step_can_be_dropped_doubled_swapped_with_the_next_or_made_the_last() -> None:
    original: Json = json.loads(match_of("toy"))
    steps = original["steps"]
    for index, step in enumerate(steps):
        before, after = steps[:index], steps[index + 1 :]
        edits = [before, before + after, [*before, step, step, *after]]
        edits += [[*before, after[0], step, *after[1:]]] if after else []
        for edit in edits:
            assert found(original | {"steps": edit}) is not None


@pytest.mark.parametrize("name", ALL)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_moved_steps_are_found_or_give_a_match_that_could_be(name: str, data: st.DataObject) -> None:
    edited: Json = json.loads(match_of(name))
    steps = edited["steps"]
    one, two = data.draw(st.integers(0, len(steps) - 1)), data.draw(st.integers(0, len(steps) - 1))
    match data.draw(st.sampled_from(["drop", "double", "swap", "cut", "move", "turn"])):
        case "drop":
            steps.pop(one)
        case "double":
            steps.insert(two, steps[one])
        case "swap":
            _swap(steps, one, two)
        case "cut":
            del steps[one:]
        case "move":
            steps.insert(two, steps.pop(one))
        case "turn":
            steps[one:two] = reversed(steps[one:two])
    outcome_of(edited, game_of(name))


@pytest.mark.short(2)
@pytest.mark.parametrize("name", ALL)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_edits_are_found_or_give_a_match_that_could_be(name: str, data: st.DataObject) -> None:
    edited: Json = json.loads(match_of(name))
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(list(leaves(edited))))
        beside = at(edited, path[:-1])
        match data.draw(st.sampled_from(["change", "remove", "double"])):
            case "change":
                beside[path[-1]] = data.draw(st.sampled_from(other_values(edited, path)))
            case "remove":
                del beside[path[-1]]
            case "double" if isinstance(beside, list):
                beside.append(beside[path[-1]])
    outcome_of(edited, game_of(name))


@pytest.mark.parametrize("name", ["karteneck", "bratwurmeck", "haecmaec"])
@settings(max_examples=100, deadline=None)
@given(
    value=st.recursive(
        st.none() | st.booleans() | st.integers(-(2**62), 2**62) | st.floats(-9, 99) | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
        max_leaves=30,
    ),
    option=st.sampled_from(["signposts", "portions", "tiles", "ingredients", "slap"]),
)
def test_no_options_make_it_fail(name: str, value: Any, option: str) -> None:
    data: Json = json.loads(match_of(name))
    data["options"][option] = value
    if value != json.loads(match_of(name))["options"].get(option, ...):
        verify(Replay.from_json(data))
