"""A block while it is played: which of its matches have started, which are on record, and what became of it."""

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field

from roost_games.replay import VOIDED, Result
from roost_ladder.blocks import Block, Deals
from roost_ladder.rating.results import MatchResult
from roost_ladder.schedules.schedule import Pairing
from roost_server.clocks import epoch_ms
from roost_server.settings import Rules, Settings
from roost_server.store import BlockState, NewBlock, Planned, Purpose


@dataclass(slots=True, eq=False)
class OpenBlock:
    """A block whose matches are not all recorded. Only its own methods change it."""

    block: Block
    rules: Rules
    settings: Settings
    """How it is played: the settings of its contest."""
    to_play: list[int]
    """The rotations that have not been started."""
    plan: Planned | None = None
    resumed: int = 0
    """How often an arena has resumed it. Its matches have other deals than those that were being played then."""
    voids: Counter[int] = field(default_factory=Counter)
    """By rotation, how many matches were voided. Each is followed by another one, with another deal."""
    former_voids: int = 0
    """How many blocks of the same bots were voided before it, one after the other."""
    running: set[int] = field(default_factory=set)
    """The rotations that are being played, or recorded."""
    on_record: bool = False
    """Whether the store knows it."""
    voided: bool = False
    is_cut_short: bool = False
    """Whether no more of its matches are started."""
    ended: list[str] = field(default_factory=list)
    """The ids of its matches that have ended."""
    results: list[MatchResult] = field(default_factory=list)
    """The results of its matches that count."""
    created_ms: int = field(default_factory=epoch_ms)
    """Several of its matches may end before it is on record, and all of them must say the same about it."""
    waits_since: float = field(default_factory=time.monotonic)
    """When this run of the arena planned or resumed it, by the event loop's clock."""
    missing: frozenset[int] = frozenset()
    """The bots that stayed away for too long: they forfeit."""
    out: frozenset[int] = frozenset()
    """The bots that were withdrawn or ruled out, or have kept the round waiting for too long: they forfeit even if they
    are here."""
    passed_over: int = 0
    """How often another block with one of its bots was begun first."""
    begun: float = 0.0
    """When it was begun, by the same clock; 0 before."""
    purpose: Purpose = Purpose.RATED

    @property
    def id(self) -> str:
        """Its name in the records."""
        return self.block.block_id

    @property
    def group(self) -> tuple[int, ...]:
        """The bots that meet in it."""
        return self.block.group

    @property
    def needed(self) -> tuple[int, ...]:
        """The bots without which it is not played."""
        return tuple(bot for bot in self.group if bot not in self.missing) if self.missing else self.group

    @property
    def pairing(self) -> Pairing:
        """Who meets, at what kind of table."""
        return Pairing(self.rules.kind, self.group)

    @property
    def shares_deal(self) -> bool:
        """Whether its matches have one deal, which is secret until all of them are over."""
        return self.block.deals is Deals.DUPLICATE

    @property
    def is_over(self) -> bool:
        """Whether nothing is being played, and nothing is to be."""
        return not self.running and not self.to_play

    @property
    def state(self) -> BlockState:
        """What it is when it is over."""
        return BlockState.VOIDED if self.voided else BlockState.DONE

    @property
    def voidable(self) -> bool:
        """Whether its next match may be voided because the arena is late. Not without end: the block has to end."""
        return self.former_voids + self.voids.total() < self.settings.max_voids

    def ends_with(self, rotation: int, result: Result) -> bool:
        """Whether it is done when the match in this rotation is recorded, which ended like this."""
        last = not self.to_play and self.running == {rotation}
        return last and not self.voided and result.termination != VOIDED

    def begin(self, former_voids: int = 0) -> None:
        """It waits no longer: its first match is to be seated."""
        self.begun = time.monotonic()
        self.former_voids = former_voids

    def pass_over(self) -> None:
        """Another block with one of its bots was begun first."""
        self.passed_over += 1

    def play_without(self, missing: Collection[int], out: Collection[int] = ()) -> None:
        """Wait for these bots no longer. Those that are `out` are not seated even if they are here."""
        self.out = frozenset(out).intersection(self.group)
        self.missing = self.out.union(missing)

    def start_match(self) -> int:
        """The next rotation to play, which is running from now on."""
        rotation = self.to_play.pop(0)
        self.running.add(rotation)
        return rotation

    def seed_of(self, rotation: int) -> bytes:
        """The seed of the match in this rotation, if it is begun now."""
        return self.block.seed_of(rotation, self.voids[rotation] + self.resumed)

    def put_on_record(self) -> None:
        """The store knows it."""
        self.on_record = True

    def record(self, match_id: str, rotation: int, result: Result) -> None:
        """A match is recorded. If it was voided, it is to be played again, on another deal."""
        self.ended.append(match_id)
        self.running.discard(rotation)
        if result.termination != VOIDED:
            seating = self.block.seating(rotation)
            places, forfeited = tuple(result.places), bool(result.forfeits)
            self.results.append(MatchResult(self.id, self.rules.game, seating, places, forfeited))
        elif not self.voided and not self.is_cut_short:
            self.voids[rotation] += 1
            self.to_play.append(rotation)
        self._void_if_empty()

    def match_voided(self) -> None:
        """One of its matches is voided. If the others share its deal, none of them counts or is started."""
        if self.shares_deal:
            self.voided = True
            self.to_play.clear()

    def cut_short(self) -> None:
        """Start no more of its matches. What has been played counts; if that is nothing, it is voided."""
        self.is_cut_short = True
        self.to_play.clear()
        self._void_if_empty()

    def abandon(self) -> None:
        """Start no more of its matches, and have none of them count."""
        self.voided = True
        self.cut_short()

    def _void_if_empty(self) -> None:
        self.voided |= self.is_over and not self.results

    def as_new(self) -> NewBlock:
        """What the store has to know of it."""
        return NewBlock(
            self.id,
            self.block.game,
            self.rules.options.to_json(),
            seed=self.block.seed.hex(),
            rotation=self.block.rotation.value,
            version_ids=self.group,
            created_ms=self.created_ms,
            plan=self.plan,
            deals=self.block.deals.value,
            purpose=self.purpose,
        )


class Attendance:
    """Knows how long bots have been away. It counts from the start of the arena, which was away itself before.

    It goes by the event loop's clock: a jump of the time of day makes nobody absent.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._at = self._since = now()
        self.passed = 0.0
        """How many seconds lie between the last two notes."""
        self._seen: dict[int, float] = {}

    def note(self, version_ids: Iterable[int]) -> None:
        """These are here, ready to play."""
        before, self._at = self._at, self._now()
        self.passed = self._at - before
        self._seen.update(dict.fromkeys(version_ids, self._at))

    def missing(self, block: OpenBlock, seconds: float) -> frozenset[int]:
        """The bots of a block that had been away for longer than that at the last `note`.

        Time before the block was planned does not count.
        """
        if self._at - block.waits_since <= seconds:
            return frozenset()
        return frozenset(bot for bot in block.group if self.away(bot) > seconds)

    def away(self, version_id: int) -> float:
        """For how many seconds a bot had been away at the last `note`."""
        return self._at - self._seen.get(version_id, self._since)
