"""The attack: a bot computes back what its `rng` was seeded with. That was the seed of the match, and so the deal.

Python seeds its generator with the text, followed by the SHA-512 of it, as 32-bit words. The mixing of these words into
624 others loses nothing, so it can be undone.
"""

from random import Random

from roost_games.chance import seed_of
from roost_sdk import rng_of

WORDS = 624
MASK = 0xFFFFFFFF
SEED = seed_of("attack")


def first_words() -> list[int]:
    """The state from which Python begins: `init_genrand(19650218)` of the Mersenne Twister."""
    state = [19650218]
    for number in range(1, WORDS):
        state.append((1812433253 * (state[-1] ^ (state[-1] >> 30)) + number) & MASK)
    return state


def mixed(previous: int, factor: int) -> int:
    return ((previous ^ (previous >> 30)) * factor) & MASK


def seeded_with(rng: Random, length: int) -> bytes:
    """The text of this length that a fresh generator was seeded with: `init_by_array`, backwards."""
    state = list(rng.getstate()[1][:WORDS])
    words = (length + 64 + 3) // 4
    # The second round went through 623 words, from the one after that of the last step of the first round.
    begin = WORDS % (WORDS - 1) + 1
    state[0] = state[WORDS - 1]
    order = [(begin + step - 1) % (WORDS - 1) + 1 for step in range(WORDS - 1)]
    for index in reversed(order):
        if index == 1:
            state[0] = state[WORDS - 1]
        state[index] = ((state[index] + index) & MASK) ^ mixed(state[index - 1], 1566083941)
    key = key_of(state, words)
    number = sum(word << (32 * place) for place, word in enumerate(key))
    return number.to_bytes(4 * words, "big").lstrip(b"\0")[:length]


def key_of(state: list[int], words: int) -> list[int]:
    """The words that the first round mixed in. Steps 3 and later changed a word of the beginning, not one changed."""
    before = first_words()
    found: dict[int, int] = {}
    for step in range(2, WORDS - 1):
        index = step + 1
        key = state[index] - (before[index] ^ mixed(state[index - 1], 1664525)) - step % words
        found.setdefault(step % words, key & MASK)
    return [found[place] for place in range(words)]


def test_the_attack_works_on_a_generator_that_is_seeded_with_the_secret() -> None:
    secret = f"roost-bot/1:{SEED.hex()}:1"
    assert seeded_with(Random(secret), len(secret)) == secret.encode()


def test_a_bot_finds_only_a_hash_in_its_rng() -> None:
    found = seeded_with(rng_of(SEED, 1), 64)
    assert Random(found.decode()).getstate() == rng_of(SEED, 1).getstate(), "the attack has found what is there"
    assert len(bytes.fromhex(found.decode())) == 32
    assert SEED.hex() not in found.decode()
