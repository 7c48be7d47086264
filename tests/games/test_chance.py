"""The tape against hand-written code that follows docs/formats/chance.md, and against the vectors printed there."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise, permutations
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost_games.chance import Chance, Outcome, Quick, Recording, Tape, commitment_of, outcome_name, seed_of
from roost_games.registry import get_game

T = TypeVar("T")

PAGE = (Path(__file__).parents[2] / "docs/formats/chance.md").read_text(encoding="utf-8")
SEED = bytes(range(32))
FACES = ("1", "2", "3", "4", "5", "W")

KARTENECK_DECK = [kind for kind in "12345" for _ in range(17)] + [f"W{signpost}" for signpost in range(1, 26)]
HAECMAEC_DECK = [
    f"{kind}-{value}"
    for kind in ("patty", "cheese", "tomato", "lettuce", "onion")
    for value, count in ((1, 5), (2, 4), (3, 4), (4, 2), (5, 2))
    for _ in range(count)
] + ["fly"] * 3
DECKS = {"Karteneck": KARTENECK_DECK, "Häc Mäc": HAECMAEC_DECK}

CHI_SQUARE_999 = {5: 20.515, 6: 22.458, 35: 66.619}
"""Published values that chi-square exceeds once in a thousand times, by degrees of freedom."""


class ByHand:
    """The page's rules, written out one byte and one word at a time."""

    def __init__(self, seed: bytes, purpose: str) -> None:
        digits = "".join(f"{byte:02x}" for byte in seed)
        text = "roost-tape/1:" + digits + ":" + purpose
        self.stream = hashlib.shake_256(text.encode("utf-8")).digest(20_000)
        self.position = 0

    def byte(self) -> int:
        self.position += 1
        return self.stream[self.position - 1]

    def word(self) -> int:
        word = 0
        for _ in range(8):
            word = word * 256 + self.byte()
        return word

    def pick(self, items: Sequence[Any]) -> Any:
        fair = 2**64 - 2**64 % len(items)
        while True:
            word = self.word()
            if word < fair:
                return items[word % len(items)]

    def draw(self, items: Sequence[Any], count: int) -> list[Any]:
        while True:
            keys = [self.word() for _ in items]
            if len(set(keys)) == len(keys):
                order = sorted(range(len(items)), key=lambda index: keys[index])
                return [items[index] for index in order[:count]]

    def dice(self, faces: Sequence[str], count: int) -> list[str]:
        rolled: list[str] = []
        while len(rolled) < count:
            byte = self.byte()
            if byte < 252:
                rolled.append(faces[byte % 6])
        return rolled


def page_vectors() -> list[tuple[str, dict[str, Any]]]:
    """Each vector of the page with the game it is listed under, its `items` spelled out."""
    vectors = []
    for title, block in re.findall(r"^(\S[^\n]*), \w+ players:\n\n```json\n(.*?)```", PAGE, re.MULTILINE | re.DOTALL):
        for vector in json.loads(block):
            if vector["items"] == "deck":
                vector["items"] = DECKS[title]
            vectors.append((title, vector))
    return vectors


VECTORS = page_vectors()


def asked(chance: Chance, vector: dict[str, Any]) -> object:
    purpose, items = vector["purpose"], vector["items"]
    if vector["ask"] == "pick":
        return chance.pick(purpose, items)
    if vector["ask"] == "draw":
        return chance.draw(purpose, items, vector["count"])
    return [items[die] for die in chance.dice(purpose, items, vector["count"])]


def by_hand(vector: dict[str, Any]) -> object:
    hand = ByHand(SEED, vector["purpose"])
    if vector["ask"] == "pick":
        return hand.pick(vector["items"])
    if vector["ask"] == "draw":
        return hand.draw(vector["items"], vector["count"])
    return hand.dice(vector["items"], vector["count"])


def chi_square(seen: Counter[Any], outcomes: int) -> float:
    expected = seen.total() / outcomes
    missing = outcomes - len(seen)
    return sum((count - expected) ** 2 / expected for count in seen.values()) + missing * expected


class Asked(Tape):
    """A tape that notes the questions, which a recording does not: purposes with their numbers, and the items."""

    def __init__(self, seed: bytes) -> None:
        super().__init__(seed)
        self.questions: list[tuple[str, list[Any]]] = []

    def pick(self, purpose: str, items: Sequence[T]) -> T:
        self.questions.append((purpose, [*items]))
        return super().pick(purpose, items)

    def draw(self, purpose: str, items: Sequence[T], count: int) -> list[T]:
        self.questions.append((purpose, [*items]))
        return super().draw(purpose, items, count)

    def dice(self, purpose: str, faces: Sequence[str], count: int) -> bytes:
        self.questions.append((purpose, [*faces]))
        return super().dice(purpose, faces, count)


def questions(
    name: str, players: int, options: dict[str, object], choose: Callable[[Sequence[Any]], Any] | None = None
) -> list[tuple[str, list[Any]]]:
    """All that a match asks of chance, played at random unless `choose` says otherwise."""
    game, tape, choose = get_game(name), Asked(SEED), choose or Random(5).choice
    state = game.start(players, game.options(options), tape)
    while state.to_move:
        for seat in state.to_move:
            state.apply(seat, choose(state.legal(seat)))
    return tape.questions


class TestPage:
    def test_has_vectors_of_every_kind_for_every_game(self) -> None:
        assert {title for title, _ in VECTORS} == {"Karteneck", "Bratwurmeck", "Häc Mäc"}
        assert {vector["ask"] for _, vector in VECTORS} == {"pick", "draw", "dice"}

    @pytest.mark.parametrize("vector", [v for _, v in VECTORS], ids=[f"{t}-{v['purpose']}" for t, v in VECTORS])
    def test_vectors(self, vector: dict[str, Any]) -> None:
        assert by_hand(vector) == vector["outcome"]
        assert asked(Tape(SEED), vector) == vector["outcome"]

    def test_console_example(self) -> None:
        text, digits = re.findall(r"printf '(.*?)' \|.*?SHAKE-256\(stdin\)= (\w+)", PAGE, re.DOTALL)[0]
        assert hashlib.shake_256(text.encode()).hexdigest(8) == digits

    def test_word_of_the_worked_example(self) -> None:
        digits, decimal = re.findall(r"hexadecimal (\w+), decimal (\d+)", PAGE)[0]
        assert ByHand(SEED, "starter").word() == int(digits, 16) == int(decimal)

    def test_seeds_of_a_run(self) -> None:
        rows = re.findall(r"^\| `(\w+)` \| (\d+) \| `(\w{64})` \|$", PAGE, re.MULTILINE)
        assert len(rows) == 2
        for text, match, seed in rows:
            assert hashlib.sha256(f"roost-seed/1:{text}:{match}".encode()).hexdigest() == seed
            assert seed_of(text, int(match)).hex() == seed

    def test_commitment(self) -> None:
        (printed,) = re.findall(r"commitment of the example's seed is `(\w{64})`", PAGE)
        assert printed == hashlib.sha256(SEED).hexdigest() == commitment_of(SEED)


class TestGamesAskAsThePageSays:
    """A deal recomputed from the page alone is the deal that a game makes."""

    @pytest.mark.parametrize(("title", "players"), [("Karteneck", 3), ("Bratwurmeck", 2), ("Häc Mäc", 4)])
    def test_set_up(self, title: str, players: int) -> None:
        game = get_game(title.lower().replace("ä", "ae").replace(" ", ""))
        outcomes: list[Outcome] = []
        game.start(players, game.options({}), Recording(Tape(SEED), outcomes.append))
        expected = {outcome_name(v["purpose"]): v["outcome"] for t, v in reversed(VECTORS) if t == title}
        asked_by_game = {name: list(value) if isinstance(value, tuple) else value for name, value in outcomes}
        assert outcomes[0].name == "starter"
        assert asked_by_game.items() <= expected.items()
        assert len(asked_by_game) >= 2

    @pytest.mark.parametrize(("players", "portions"), [(2, 18), (3, 24), (4, 28)])
    def test_karteneck_portions_by_players(self, players: int, portions: int) -> None:
        game = get_game("karteneck")
        outcomes: list[Outcome] = []
        game.start(players, game.options({}), Recording(Tape(b"a seed"), outcomes.append))
        dealt = ByHand(b"a seed", "portions").draw([0, 0, 0, *range(16, 43)], portions)
        assert outcomes[1] == Outcome("portions", tuple(dealt))

    def test_signposts_are_shuffled_in_the_order_of_the_option(self) -> None:
        game = get_game("karteneck")
        signposts = [*range(25, 0, -1)]
        outcomes: list[Outcome] = []
        game.start(2, game.options({"signposts": signposts}), Recording(Tape(SEED), outcomes.append))
        items = KARTENECK_DECK[:85] + [f"W{signpost}" for signpost in signposts]
        assert outcomes[2] == Outcome("deck", tuple(ByHand(SEED, "deck").draw(items, 110)))

    def test_karteneck_reshuffles_are_numbered_and_sorted(self) -> None:
        """Who never passes while there is something to lay needs many cards."""
        asks = questions("karteneck", 4, {}, lambda moves: moves[:2][-1])
        asks = [ask for ask in asks if ask[0].startswith("reshuffle")]
        assert [purpose for purpose, _ in asks] == [f"reshuffle/{k}" for k in range(1, len(asks) + 1)]
        assert len(asks) >= 2
        for _, items in asks:
            assert items == sorted(items, key=KARTENECK_DECK.index)

    def test_bratwurmeck_rolls_are_numbered(self) -> None:
        rolls = [purpose.split("/") for purpose, _ in questions("bratwurmeck", 3, {})[1:]]
        numbers = [(int(turn), int(roll)) for _, turn, roll in rolls]
        assert {name for name, _, _ in rolls} == {"roll"}
        assert numbers[0] == (0, 0)
        assert any(roll > 1 for _, roll in numbers)
        for (turn, roll), following in pairwise(numbers):
            assert following in {(turn, roll + 1), (turn + 1, 0)}

    def test_haecmaec_slaps_are_numbered_by_rounds_of_reactions(self) -> None:
        asks = [ask for ask in questions("haecmaec", 5, {"slap": True}) if ask[0].startswith("slap")]
        numbers = [int(purpose.removeprefix("slap/")) for purpose, _ in asks]
        assert len(numbers) >= 2
        assert numbers == sorted(set(numbers))
        for _, items in asks:
            assert len(items) >= 2
            assert items == sorted(items)


class TestTape:
    @given(seed=st.binary(max_size=40), purpose=st.text(max_size=20), size=st.integers(1, 40))
    def test_pick_by_hand(self, seed: bytes, purpose: str, size: int) -> None:
        items = range(size)
        assert Tape(seed).pick(purpose, items) == ByHand(seed, purpose).pick(items)

    @given(seed=st.binary(max_size=40), purpose=st.text(max_size=20), size=st.integers(0, 40), data=st.data())
    def test_draw_by_hand(self, seed: bytes, purpose: str, size: int, data: st.DataObject) -> None:
        count = data.draw(st.integers(0, size))
        assert Tape(seed).draw(purpose, range(size), count) == ByHand(seed, purpose).draw(range(size), count)

    @given(seed=st.binary(max_size=40), purpose=st.text(max_size=20), count=st.integers(0, 300))
    def test_dice_by_hand(self, seed: bytes, purpose: str, count: int) -> None:
        rolled = [FACES[die] for die in Tape(seed).dice(purpose, FACES, count)]
        assert rolled == ByHand(seed, purpose).dice(FACES, count)

    def test_has_no_position(self) -> None:
        tape = Tape(SEED)
        first = tape.draw("deck", range(30), 30)
        tape.pick("starter", range(4))
        tape.dice("roll/0/0", FACES, 8)
        assert tape.draw("deck", range(30), 30) == first

    def test_purposes_and_seeds_are_independent(self) -> None:
        """Pairs of dice from neighbouring purposes, and from neighbouring seeds, are uniform over all 36 pairs."""
        by_purpose: Counter[tuple[int, int]] = Counter()
        by_seed: Counter[tuple[int, int]] = Counter()
        for turn in range(7200):
            tape, other = Tape(turn.to_bytes(32)), Tape((turn + 1).to_bytes(32))
            by_purpose[tape.dice("roll/0/0", FACES, 1)[0], tape.dice("roll/0/1", FACES, 1)[0]] += 1
            by_seed[tape.dice("roll/0/0", FACES, 1)[0], other.dice("roll/0/0", FACES, 1)[0]] += 1
        assert chi_square(by_purpose, 36) < CHI_SQUARE_999[35]
        assert chi_square(by_seed, 36) < CHI_SQUARE_999[35]


class TestUniform:
    @pytest.mark.parametrize("chance", [Tape(SEED), Quick(Random(3))], ids=["tape", "quick"])
    def test_pick(self, chance: Chance) -> None:
        seen = Counter(chance.pick(f"starter/{k}", range(7)) for k in range(7000))
        assert chi_square(seen, 7) < CHI_SQUARE_999[6]

    @pytest.mark.parametrize("chance", [Tape(SEED), Quick(Random(3))], ids=["tape", "quick"])
    def test_draw(self, chance: Chance) -> None:
        """Two of three items, in order: six ordered selections, equally likely."""
        seen = Counter(tuple(chance.draw(f"deck/{k}", "abc", 2)) for k in range(6000))
        assert set(seen) == set(permutations("abc", 2))
        assert chi_square(seen, 6) < CHI_SQUARE_999[5]

    @pytest.mark.parametrize("chance", [Tape(SEED), Quick(Random(3))], ids=["tape", "quick"])
    def test_dice(self, chance: Chance) -> None:
        """Neighbouring dice of one roll: 36 pairs, equally likely."""
        rolls = [chance.dice(f"roll/{k}/0", FACES, 8) for k in range(2000)]
        seen = Counter((roll[first], roll[first + 1]) for roll in rolls for first in (0, 2, 4, 6))
        assert chi_square(seen, 36) < CHI_SQUARE_999[35]


class TestRejection:
    """The unfair parts of a stream are so rare that the tests must write the stream themselves."""

    @staticmethod
    def tape_of(monkeypatch: pytest.MonkeyPatch, stream: bytes) -> Tape:
        def prefix(_tape: Tape, _purpose: str, length: int) -> bytes:
            return stream[:length]

        monkeypatch.setattr(Tape, "_stream", prefix)
        return Tape(SEED)

    def test_pick_skips_words_that_are_not_fair(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """2^64 = 3 * 6148914691236517205 + 1, so of three items only the greatest word is unfair."""
        words = [2**64 - 1, 2**64 - 1, 2**64 - 2]
        tape = self.tape_of(monkeypatch, b"".join(word.to_bytes(8) for word in words))
        assert tape.pick("starter", "abc") == "c"

    def test_pick_of_a_power_of_two_rejects_nothing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        tape = self.tape_of(monkeypatch, b"\xff" * 8 + b"\x00" * 8)
        assert tape.pick("starter", "abcd") == "d"

    def test_draw_throws_equal_keys_away(self, monkeypatch: pytest.MonkeyPatch) -> None:
        words = [5, 1, 5, 9, 9, 9, 3, 1, 2]
        tape = self.tape_of(monkeypatch, b"".join(word.to_bytes(8) for word in words))
        assert tape.draw("deck", "abc", 3) == ["b", "c", "a"]

    def test_draw_throws_equal_keys_away_even_if_they_are_not_drawn(self, monkeypatch: pytest.MonkeyPatch) -> None:
        words = [1, 5, 5, 3, 2, 1]
        tape = self.tape_of(monkeypatch, b"".join(word.to_bytes(8) for word in words))
        assert tape.draw("deck", "abc", 1) == ["c"]

    def test_dice_skip_bytes_that_are_not_fair(self, monkeypatch: pytest.MonkeyPatch) -> None:
        tape = self.tape_of(monkeypatch, bytes([252, 251, 253, 6, 254, 255, 13]) + bytes(20))
        assert list(tape.dice("roll", FACES, 3)) == [5, 0, 1]

    def test_dice_read_on_after_many_unfair_bytes(self, monkeypatch: pytest.MonkeyPatch) -> None:
        tape = self.tape_of(monkeypatch, b"\xff" * 100 + bytes([4, 3]) + bytes(200))
        assert list(tape.dice("roll", FACES, 3)) == [4, 3, 0]


class TestQuick:
    def test_follows_its_random_numbers(self) -> None:
        one, same, other = Quick(Random(1)), Quick(Random(1)), Quick(Random(2))
        drawn = one.draw("deck", range(50), 50)
        assert same.draw("deck", range(50), 50) == drawn != other.draw("deck", range(50), 50)

    def test_is_not_tied_to_its_purposes(self) -> None:
        quick = Quick(Random(1))
        assert quick.draw("deck", range(50), 50) != quick.draw("deck", range(50), 50)

    def test_draw_repeats_nothing(self) -> None:
        assert sorted(Quick(Random(1)).draw("deck", range(50), 50)) == [*range(50)]
        assert len(set(Quick(Random(1)).draw("deck", range(50), 9))) == 9


class TestRecording:
    def test_passes_on_and_notes_in_order(self) -> None:
        noted: list[Outcome] = []
        tape, recording = Tape(SEED), Recording(Tape(SEED), noted.append)
        assert recording.draw("deck", "abcd", 3) == (drawn := tape.draw("deck", "abcd", 3))
        assert recording.dice("roll/12/0", FACES, 4) == (rolled := tape.dice("roll/12/0", FACES, 4))
        assert recording.pick("starter", range(5)) == (picked := tape.pick("starter", range(5)))
        assert noted == [
            Outcome("deck", tuple(drawn)),
            Outcome("roll", tuple(FACES[die] for die in rolled)),
            Outcome("starter", picked),
        ]

    def test_names_leave_the_numbers_out(self) -> None:
        assert [outcome_name(purpose) for purpose in ("deck", "reshuffle/2", "roll/12/0")] == [
            "deck",
            "reshuffle",
            "roll",
        ]


class TestSeeds:
    def test_hex_digits_are_the_seed_of_match_0(self) -> None:
        assert seed_of(SEED.hex()) == SEED
        assert seed_of(SEED.hex().upper()) == SEED
        assert seed_of(SEED.hex(), 1) == hashlib.sha256(f"roost-seed/1:{SEED.hex()}:1".encode()).digest()

    def test_64_other_characters_are_a_text(self) -> None:
        text = "g" * 64
        assert seed_of(text) == hashlib.sha256(f"roost-seed/1:{text}:0".encode()).digest()

    def test_matches_of_a_run_differ(self) -> None:
        assert len({seed_of("spring", match) for match in range(100)}) == 100
