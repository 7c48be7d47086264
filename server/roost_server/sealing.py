"""Seals: commitments to results that are held back, so that everybody can see later that nothing was changed meanwhile.

A seal covers the blocks of a phase that have ended since the seal before it, and it contains that one's digest. What is
hashed is in the export once it is released; docs/formats/export.md says how. Every match has a seed that nobody but its
players knows, so a digest cannot be guessed from possible results.
"""

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

FIRST = "0" * 64
"""What the first seal of a phase has in the place of the digest before it."""


class Seal(NamedTuple):
    """A commitment to the results of some blocks of a phase, and through the seal before it, to all earlier ones."""

    phase: str
    number: int
    """From 0."""
    at_ms: int
    epoch: int
    """The epoch of the records in which it was made."""
    digest: str


class SealedBlock(NamedTuple):
    """A block under a seal."""

    block_id: str
    seal: int
    digest: str


def digest_of_hashes(block_id: str, state: str, matches: Iterable[tuple[str, str]]) -> str:
    """The digest of a block: of its state, and in the order of recording each match and the hash of its line."""
    lines = [f"{block_id} {state}", *(f"{match} {hashed}" for match, hashed in matches)]
    return sha256("\n".join(["roost-sealed-block/1", *lines, ""]))


def digest_of_seal(competition: str, seal: Seal, before: str, blocks: Iterable[str]) -> str:
    """The digest of a seal with these digests of blocks, after a seal with the digest `before`."""
    about = f"{competition} {seal.phase} {seal.number} {seal.at_ms} {seal.epoch}"
    return sha256("\n".join(["roost-seal/1", about, before, *blocks, ""]))


def sha256(text: str) -> str:
    """The hash of a text, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()
