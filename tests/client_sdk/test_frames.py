"""Frames of recorded matches: what every eye is shown, and what it is not."""

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from roost_games.chance import Outcome, Tape, seed_of
from roost_games.errors import ReplayError, RoostError, UsageError
from roost_games.game import Variant
from roost_games.playback import Playback
from roost_games.referee import Fault, Referee, Seat
from roost_games.registry import GAME_NAMES, get_game, rules_of
from roost_games.replay import Replay
from roost_games.verify import verify
from roost_sdk.viewing import frames
from roost_sdk.viewing.frames import OPEN, SPECTATOR, Eye, Recorded, eye_of, frames_of
from tests.support.games.toy import play_out
from tests.support.shown_matches import documents, replay_of

TABLES = [(game, variant, players) for game in GAME_NAMES for variant, players in get_game(game).tables()]
HIDING = [table for table in TABLES if table[0] != "bratwurmeck"]


def at_table(game: str, variant: Variant, players: int, seed: str, **settings: Any) -> Referee[Any, Any]:
    rules = get_game(game)
    seats = [Seat(f"bot{seat}") for seat in range(players)]
    return Referee(rules, seats, seed_of(seed), options=rules.options(variant.options), match=seed, **settings)


def played(game: str, variant: Variant, players: int, seed: str = "frames", fault_rate: float = 0.0) -> Replay:
    referee = at_table(game, variant, players, seed)
    play_out(referee, Random(seed), fault_rate)
    return referee.replay()


def broken_off(game: str, variant: Variant, players: int, decisions: int) -> Replay:
    """A match that was voided after this many decisions."""
    referee = at_table(game, variant, players, f"{decisions}")
    rng = Random(decisions)
    for _ in range(decisions):
        if referee.over:
            return referee.replay()
        seat = rng.choice(referee.waiting)
        referee.answer(seat, rng.choice(referee.legal(seat)))
    referee.void("the host stopped")
    return referee.replay()


def shown(document: Any) -> list[Any]:
    found: list[Any] = document["frames"]
    return found


def table_id(table: tuple[str, Variant, int]) -> str:
    return f"{table[0]}-{table[1].name}-{table[2]}"


@pytest.mark.short(4)
@pytest.mark.parametrize("table", TABLES, ids=table_id)
def test_a_match_is_shown_decision_by_decision(table: tuple[str, Variant, int]) -> None:
    replay = played(*table)
    recorded = Recorded(replay)
    document = json.loads(json.dumps(recorded.document()))
    assert (document["format"], document["game"], document["variant"]) == ("roost-frames/1", table[0], table[1].name)
    assert document["title"] in rules_of(table[0]).splitlines()[0]
    assert document["players"] == len(document["seats"]) == table[2]
    told = [move for frame in shown(document) for move in frame["moves"]]
    assert [(move["seat"], move["move"], move["ms"]) for move in told] == [
        (step.seat, step.move, step.ms) for step in replay.steps if not isinstance(step, Outcome)
    ]
    assert [frame["step"] for frame in shown(document)] == [*accumulated(shown(document))]
    assert shown(document)[-1]["view"]["to_move"] == []
    assert document["result"]["places"] == list(replay.result.places)
    assert all(frame["text"] for frame in shown(document))


def accumulated(told: list[Any]) -> Iterator[int]:
    step = 0
    for frame in told:
        step += len(frame["moves"])
        yield step


@pytest.mark.parametrize("table", TABLES, ids=table_id)
def test_turns_and_rounds_only_rise_and_points_end_as_they_should(table: tuple[str, Variant, int]) -> None:
    told = shown(Recorded(played(*table)).document())
    for before, after in pairwise(told):
        assert after["turn"] - before["turn"] in (0, 1)
        assert after["round"] >= before["round"]
    assert (told[0]["step"], told[0]["turn"], told[0]["round"], told[0]["moves"]) == (0, 0, 1, [])
    assert told[-1]["turn"] > 3


@pytest.mark.parametrize("game", ["karteneck", "bratwurmeck"])
def test_points_on_the_table_are_the_scores_at_the_end(game: str) -> None:
    replay = played(game, get_game(game).variants[0], 3)
    assert shown(Recorded(replay).document())[-1]["points"] == list(replay.result.scores)


def observations(replay: Replay, seat: int | None) -> list[Any]:
    """All that a seat saw of a match, by the rules alone."""
    playback = Playback(replay)
    seen = [playback.view(seat)]
    playback.play(lambda notice: seen.append(playback.view(seat)))
    return seen


def with_other_hidden_cards(replay: Replay, eye: int | None, rng: Random) -> Iterator[Replay]:
    """The same match with another deck, in which this eye saw the same."""
    saw = observations(replay, eye)
    at, deck = next((at, step) for at, step in enumerate(replay.steps) if getattr(step, "name", "") == "deck")
    assert isinstance(deck, Outcome)
    assert isinstance(deck.value, tuple)
    for _ in range(15):
        cards = list(deck.value)
        first, second = rng.randrange(len(replay.seats) * 6), rng.randrange(len(cards))
        cards[first], cards[second] = cards[second], cards[first]
        steps = (*replay.steps[:at], Outcome("deck", tuple(cards)), *replay.steps[at + 1 :])
        other = replace(replay, steps=steps, seed=None, commitment=None)
        if cards != list(deck.value) and verify(other) is None and observations(other, eye) == saw:
            yield other


@pytest.mark.short(4)
@pytest.mark.parametrize("table", HIDING, ids=table_id)
def test_a_document_does_not_depend_on_hidden_cards(table: tuple[str, Variant, int]) -> None:
    rng = Random("hidden")
    tried = 0
    eyes: list[Eye] = [SPECTATOR, 0, table[2] - 1]
    for decisions in (1, 5, 14, 15, 16):
        replay = replace(broken_off(*table, decisions), seed=None, commitment=None)
        recorded = Recorded(replay)
        everything = recorded.document(OPEN)
        for eye in eyes:
            for other in with_other_hidden_cards(replay, eye if isinstance(eye, int) else None, rng):
                tried += 1
                assert Recorded(other).document(eye) == recorded.document(eye)
                assert Recorded(other).document(OPEN) != everything
    assert tried > 20


@pytest.mark.short(4)
@pytest.mark.parametrize("table", TABLES, ids=table_id)
def test_a_document_does_not_change_when_hidden_things_are_scrambled(
    table: tuple[str, Variant, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    replay = played(*table, fault_rate=0.02)
    recorded = Recorded(replay)
    everything = recorded.document(OPEN)
    eyes: list[Eye] = [SPECTATOR, 0, table[2] - 1]
    for eye in eyes:
        monkeypatch.setattr(frames, "Playback", scrambling(eye if isinstance(eye, int) else None))
        scrambled = Recorded(replay)
        assert scrambled.document(eye) == recorded.document(eye)
        assert (scrambled.document(OPEN) != everything) == (table in HIDING)


def scrambling(eye: int | None) -> type[Playback]:
    """A playback that shows everybody a table on which everything that `eye` has not seen is scrambled."""

    class Scrambling(Playback):
        def __init__(self, replay: Replay) -> None:
            super().__init__(replay)
            self.view = self._scrambled
            self._rng = Random("scramble")

        def _scrambled(self, seat: int | None) -> Any:
            twin = self._state.copy()
            twin.scramble(eye, self._rng)
            return twin.observe(seat)

    return Scrambling


@pytest.mark.parametrize("table", HIDING, ids=table_id)
def test_only_the_open_eye_sees_all_hands(table: tuple[str, Variant, int]) -> None:
    recorded = Recorded(played(*table))
    assert recorded.eyes == (OPEN, SPECTATOR, *range(table[2]))
    for frame, seen in zip(shown(recorded.document(OPEN)), shown(recorded.document(1)), strict=True):
        hands = frame["view"]["hands"]
        assert list(map(len, hands)) == frame["view"]["hand_sizes"]
        assert seen["view"]["hands"] == [hand if seat == 1 else None for seat, hand in enumerate(hands)]
        assert seen["view"]["seat"] == 1
    for frame in shown(recorded.document(SPECTATOR)):
        assert frame["view"]["hands"] == [None] * table[2]
        assert frame["view"]["seat"] is None


def test_what_a_bot_sent_is_shown_to_itself_and_to_the_open_eye() -> None:
    referee = at_table("karteneck", get_game("karteneck").variants[0], 2, "sent")
    (seat,) = referee.waiting
    referee.fault(seat, Fault.MALFORMED, sent="I hold W23")
    play_out(referee, Random(1))
    recorded = Recorded(referee.replay())
    details = {eye: shown(recorded.document(eye))[1]["faults"][0]["detail"] for eye in recorded.eyes}
    assert details == {OPEN: "I hold W23", SPECTATOR: None, seat: "I hold W23", 1 - seat: None}
    assert "I hold W23" not in json.dumps(recorded.document(1 - seat))
    assert shown(recorded.document())[1]["marks"][0] == "fault"
    assert f"Seat {seat} (bot{seat}) is at fault: malformed." in shown(recorded.document())[1]["text"]


def test_a_fault_that_ends_the_match_is_a_frame_of_its_own() -> None:
    referee = at_table("karteneck", get_game("karteneck").variants[0], 2, "ends", max_faults=1)
    referee.answer(referee.waiting[0], referee.legal(referee.waiting[0])[0])
    (seat,) = referee.waiting
    referee.fault(seat, Fault.CRASHED)
    _, move, last = shown(Recorded(referee.replay()).document())
    assert (move["step"], last["step"]) == (1, 2)
    assert (last["moves"], last["marks"]) == ([], ["fault", "forfeit"])
    assert last["faults"] == [{"seat": seat, "kind": "crashed", "detail": None}]
    assert last["view"] == move["view"]


def test_a_match_voided_before_the_deal_has_no_frames() -> None:
    replay = replace(broken_off("karteneck", get_game("karteneck").variants[0], 2, 0), steps=(), seed=None)
    document = Recorded(replay).document()
    assert document["frames"] == []
    assert document["result"] == {
        "places": [], "scores": [], "termination": "voided", "forfeits": [], "faults": [], "reason": "the host stopped",
    }  # fmt: skip


def test_reactions_that_were_never_resolved_stay_with_their_seats() -> None:
    """Three lay a card each, the next asks for reactions; one has reacted when the match is voided."""
    referee = at_table("haecmaec", get_game("haecmaec").variants[0], 3, "open", at_once=True)
    while len(referee.waiting) == 1:
        (seat,) = referee.waiting
        referee.answer(seat, referee.legal(seat)[0])
    early, late = referee.waiting
    referee.answer(early, referee.legal(early)[1])
    referee.void("power cut")
    recorded = Recorded(referee.replay())
    last = {eye: shown(recorded.document(eye))[-1] for eye in recorded.eyes}
    assert [move["seat"] for move in last[OPEN]["moves"]] == [early]
    assert last[OPEN]["moves"] == last[early]["moves"]
    assert (
        last[OPEN]["view"]["answers"][early] == last[early]["view"]["answers"][early] == {"suspect": True, "slap": None}
    )
    assert last[SPECTATOR]["moves"] == last[late]["moves"] == []
    assert last[SPECTATOR]["view"]["answers"] == last[late]["view"]["answers"] == [None] * 3


@pytest.mark.parametrize("rates", [(0.1, 0.0), (0.0, 0.02), (0.05, 0.02)])
@pytest.mark.parametrize("game", GAME_NAMES)
def test_matches_with_faults_and_forfeits_open(game: str, rates: tuple[float, float]) -> None:
    for number in range(6):
        referee = at_table(game, get_game(game).variants[-1], 4, f"faults{number}")
        play_out(referee, Random(number), *rates)
        told = shown(Recorded(referee.replay()).document())
        result = referee.replay().result
        assert [(fault["seat"], fault["kind"]) for frame in told for fault in frame["faults"]] == [
            (fault.seat, fault.kind) for fault in result.faults
        ]
        assert sum("forfeit" in frame["marks"] for frame in told) >= bool(result.forfeits)
        steps = [frame["step"] for frame in told]
        assert steps == sorted(set(steps))


@pytest.mark.parametrize("game", GAME_NAMES)
def test_another_leader_is_marked(game: str) -> None:
    """The seat that alone has the most points leads until another one does."""
    told = shown(Recorded(played(game, get_game(game).variants[0], 3)).document())
    leader = None
    changes: list[int] = []
    for frame in told:
        best = [seat for seat, points in enumerate(frame["points"]) if points == max(frame["points"])]
        if len(best) == 1 and best[0] != leader:
            changes += [frame["step"]] if leader is not None else []
            leader = best[0]
    assert [frame["step"] for frame in told if "lead" in frame["marks"]] == changes != []


@pytest.mark.parametrize(
    ("table", "marks"),
    [
        (("karteneck", "standard"), {"steal", "lead"}),
        (("bratwurmeck", "standard"), {"steal", "lead"}),
        (("haecmaec", "standard"), {"closed", "spoiled", "suspicion", "lead"}),
        (("haecmaec", "slap"), {"closed", "spoiled", "suspicion", "slap", "lead"}),
    ],
)
def test_the_marks_of_a_game(table: tuple[str, str], marks: set[str]) -> None:
    variant = next(each for each in get_game(table[0]).variants if each.name == table[1])
    found = set()
    for number in range(12):
        told = shown(Recorded(played(table[0], variant, 4, f"marks{number}")).document())
        found |= {mark for frame in told for mark in frame["marks"]}
    assert found == marks


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("bob", "Seat 0 (bob) "),
        ("a (b)", "Seat 0 (a (b)) "),
        ("x\u202ey\u2069", "Seat 0 (xy) "),
        ("\u05d0b", "Seat 0 (\u2068\u05d0b\u2069) "),
    ],
)
def test_a_name_cannot_turn_the_words_of_the_text(name: str, said: str) -> None:
    replay = played("karteneck", get_game("karteneck").variants[0], 2)
    seats = (replay.seats[0]._replace(bot=name), *replay.seats[1:])
    told = shown(Recorded(replace(replay, seats=seats)).document())
    assert all(frame["text"].startswith(said) for frame in told[1:] if frame["moves"][0]["seat"] == 0)


def test_words_are_short_and_read_aloud() -> None:
    told = shown(Recorded(played("bratwurmeck", get_game("bratwurmeck").variants[0], 2)).document())
    first = told[0]
    assert first["lines"][0]["words"][0]["role"] == "seat"
    assert {key for frame in told for line in frame["lines"] for word in line["words"] for key in word} == {
        "text", "role", "number",
    }  # fmt: skip
    assert "~" not in "".join(frame["text"] for frame in told)
    taken = next(frame["text"] for frame in told if " takes the " in frame["text"])
    assert "worm" in taken


@pytest.mark.short(4)
@pytest.mark.parametrize("table", TABLES, ids=table_id)
def test_the_seed_gives_what_chance_decided(table: tuple[str, Variant, int]) -> None:
    """The purposes are those of the tape, so that a browser can recompute every outcome."""
    replay = played(*table)
    document = Recorded(replay).document()
    chance: Any = document["chance"]
    assert [each["outcome"] for each in chance] == [
        list(step.value) if isinstance(step.value, tuple) else step.value
        for step in replay.steps
        if isinstance(step, Outcome)
    ]
    assert len({each["purpose"] for each in chance}) == len(chance)
    tape = Tape(bytes.fromhex(str(document["seed"])))
    for each in chance:
        if each["purpose"] == "starter":
            assert each["outcome"] == tape.pick("starter", range(table[2]))
        if each["purpose"].startswith("roll/"):
            faces = "12345W"
            rolled = tape.dice(each["purpose"], faces, len(each["outcome"]))
            assert each["outcome"] == [faces[die] for die in rolled]
    assert Recorded(replay).document(SPECTATOR)["chance"] is None


class TestUploads:
    LINE = played("bratwurmeck", get_game("bratwurmeck").variants[0], 2).to_line()

    def test_a_line_becomes_a_document(self) -> None:
        assert frames_of(self.LINE) == Recorded(Replay.from_line(self.LINE)).document()

    def test_one_of_several_lines(self) -> None:
        other = played("karteneck", get_game("karteneck").variants[0], 2).to_line()
        assert frames_of(f"{self.LINE}\n\n{other}\n", SPECTATOR, 2)["game"] == "karteneck"

    @pytest.mark.parametrize(
        ("text", "error", "words"),
        [
            ("", UsageError, "no match number 1 in this file, which has 0 lines"),
            ("{" * 100_000, ReplayError, "not readable|not JSON"),
            ("PNG", ReplayError, "not JSON at character 0"),
            ("x" * 2_000_001, UsageError, "too long for a replay"),
            (LINE.replace('"bratwurmeck"', '"chess"'), RoostError, "no game 'chess'"),
            (LINE.replace('"places":[1,1]', '"places":[1,2]'), ReplayError, "wrong"),
        ],
    )
    def test_anything_else_is_refused_in_a_line(self, text: str, error: type[RoostError], words: str) -> None:
        with pytest.raises(error, match=words):
            frames_of(text)

    def test_a_record_that_is_too_long(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(frames, "MOST_STEPS", 10)
        with pytest.raises(UsageError, match="only 10 steps"):
            frames_of(self.LINE)

    def test_a_seat_that_is_not_there(self) -> None:
        with pytest.raises(UsageError, match="no seat 2 in this match; its seats are 0 to 1"):
            frames_of(self.LINE, 2)

    def test_eyes_by_name(self) -> None:
        assert [eye_of(text) for text in ("open", "spectator", "0", "3")] == ["open", "spectator", 0, 3]
        for text in ("", "-1", "everything", "1.0", "٣"):
            with pytest.raises(UsageError, match="is not an eye; use open, spectator"):
                eye_of(text)


@pytest.mark.parametrize("name", ["faulty", "forfeited"])
def test_a_fault_on_record_is_found_at_its_position(name: str) -> None:
    """Replays count the outcomes of chance, too; frames count decisions, and some have several."""
    replay, found = replay_of(name), documents(name)["open"]["frames"]
    assert replay.result.faults
    for fault in replay.result.faults:
        shown = next(frame for frame in found if frame["step"] >= replay.position(fault.step))
        assert fault.seat in [each["seat"] for each in shown["faults"]]
