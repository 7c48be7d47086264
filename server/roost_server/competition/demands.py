"""What a bot has to show before it takes part in a phase, and whether it has shown it.

A version meets the opponents that the host names, block by block, one after the other. It has qualified after the first
block with which it has shown everything that is demanded. That follows from the record alone, so that anybody can work
it out: docs/formats/export.md says how.
"""

from collections.abc import Iterable, Sequence
from typing import Annotated, NamedTuple

from pydantic import BeforeValidator, Field, model_validator

from roost_ladder.rating.facts import MatchFacts
from roost_server.competition.betting import Evidence
from roost_server.competition.file_errors import FilePart, wrong

QUALIFICATION = "qualification"
"""What takes the place of a phase for blocks in which bots qualify."""


def _as_list(names: object) -> object:
    return [names] if isinstance(names, str) else names


class QualificationPart(FilePart):
    """What a bot has to show before it takes part in a phase, against opponents that the host names."""

    opponent: Annotated[tuple[str, ...], BeforeValidator(_as_list)] = Field(min_length=1, max_length=9, strict=False)
    """The names of the bots that it meets, all of them at one table."""
    game: str | None = None
    """By default the first game of the competition."""
    players: int | None = None
    """The opponents and the bot: it need not be written."""
    confidence: float | None = Field(default=None, ge=0.5, lt=1, strict=False)
    """How surely it is to be better than its opponents; `None` if it need not be."""
    clean_matches: int = Field(default=0, ge=0, le=10_000)
    """How many matches in a row it is to play without a fault."""
    most_blocks: int = Field(default=200, ge=1, le=10_000)
    """How many blocks a version may play for it."""
    most_versions: int = Field(default=5, ge=1, le=1_000)
    """How many versions of a bot may try."""

    @property
    def table_size(self) -> int:
        """How many play at a table."""
        return len(self.opponent) + 1

    @property
    def evidence_needed(self) -> float:
        """What bets on a version must win, see `betting`; each of its bot's versions may try."""
        return 1.0 if self.confidence is None else self.most_versions / (1 - self.confidence)

    @model_validator(mode="after")
    def _demands_something(self) -> "QualificationPart":
        if self.confidence is None and not self.clean_matches:
            raise wrong("demands nothing; write confidence = 0.95, clean_matches = 10, or both")
        if len(set(self.opponent)) < len(self.opponent):
            raise wrong("write every opponent once; each has one seat", "opponent")
        if self.players not in (None, self.table_size):
            missing = f'write {self.players - 1} opponents, as in opponent = ["one", "other"]'
            raise wrong(f"a table of {self.players} has {self.players - 1} opponents; {missing}", "players")
        return self


class QualifyingBlock(NamedTuple):
    """A block that is done, in which a version had to show something."""

    id: str
    rotations: int
    """How many matches it should have. One that is missing is lost: its bot had left."""
    matches: Sequence[MatchFacts]
    """In the order in which they ended."""


class Trial(NamedTuple):
    """The progress of a version."""

    version_id: int
    blocks: int = 0
    score: float = 0.5
    """The mean share of its opponents that it finished ahead of, a tie as half."""
    confidence: float = 0.0
    """How surely it is better than its opponents."""
    clean: int = 0
    """How many matches in a row it has played without a fault, up to the last one."""
    decided: str = ""
    """The block with which it has qualified; empty if it has not."""
    failed: bool = False
    """Whether it has played all blocks that it may play, and not qualified."""


def trial_of(part: QualificationPart, version_id: int, blocks: Iterable[QualifyingBlock]) -> Trial:
    """The progress of a version after these blocks, in the order in which they were planned."""
    evidence, clean = Evidence(), 0
    for block in blocks:
        scores = [match.score_of(version_id) for match in block.matches]
        evidence.add(sum(scores) / block.rotations)
        for match in block.matches:
            clean = 0 if _faulty(match, version_id) else clean + 1
        decided = evidence.best >= part.evidence_needed and clean >= part.clean_matches
        if decided or evidence.blocks == part.most_blocks:
            return _trial(part, version_id, evidence, clean, block.id if decided else "")
    return _trial(part, version_id, evidence, clean)


def _trial(part: QualificationPart, version_id: int, evidence: Evidence, clean: int, decided: str = "") -> Trial:
    confidence = max(0.0, 1 - part.most_versions / evidence.best)
    failed = not decided and evidence.blocks >= part.most_blocks
    return Trial(version_id, evidence.blocks, evidence.score, confidence, clean, decided, failed)


def _faulty(match: MatchFacts, version_id: int) -> bool:
    seat = match.bots.index(version_id)
    return bool(match.faults[seat]) or match.forfeited[seat]


class BotQualification(NamedTuple):
    """The progress of a bot: that of its version that has qualified, or else of the one that came last."""

    trials: tuple[Trial, ...]
    """Of each version that has tried, in the order in which they began."""
    exempt: bool = False
    """Whether it is one of the opponents, which need not qualify."""

    @property
    def qualified(self) -> bool:
        """Whether the bot may take part, in any version."""
        return self.exempt or any(trial.decided for trial in self.trials)

    @property
    def shown(self) -> Trial | None:
        """The trial that counts, or the last one; `None` if it has not begun."""
        return next((trial for trial in self.trials if trial.decided), self.trials[-1] if self.trials else None)

    def with_trial(self, trial: Trial) -> "BotQualification":
        """The same bot after another block of a version."""
        known = {each.version_id: each for each in self.trials}
        return self._replace(trials=tuple({**known, trial.version_id: trial}.values()))

    def may_try(self, part: QualificationPart, version_id: int) -> bool:
        """Whether a version may play another block."""
        if self.qualified:
            return False
        tried = {trial.version_id: trial for trial in self.trials}
        if version_id in tried:
            return not tried[version_id].failed
        return len(tried) < part.most_versions


def in_words(part: QualificationPart, bot: BotQualification) -> str:
    """The progress of a bot, for its owner."""
    if bot.exempt:
        return "need not qualify: it is the opponent"
    trial = bot.shown
    if trial is None:
        return f"has to qualify against {' and '.join(part.opponent)}"
    if trial.decided:
        return f"qualified with block {trial.decided}"
    return f"{', '.join(_progress(part, trial))}; {_outlook(part, bot, trial)}"


def _progress(part: QualificationPart, trial: Trial) -> Iterable[str]:
    yield f"block {trial.blocks} of at most {part.most_blocks}"
    if part.confidence is not None:
        yield f"score {trial.score:.0%}"
        yield f"better with confidence {_percent(trial.confidence)} of {_percent(part.confidence)}"
    if part.clean_matches:
        yield f"{min(trial.clean, part.clean_matches)} of {part.clean_matches} matches in a row without a fault"


def _outlook(part: QualificationPart, bot: BotQualification, trial: Trial) -> str:
    left = part.most_versions - len(bot.trials)
    if not trial.failed:
        return "it goes on"
    return f"this version has failed; {left} more may try" if left else "it has failed, and no other version may try"


def _percent(share: float) -> str:
    return f"{100 * share:.4g} %"
