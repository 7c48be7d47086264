"""`roost verify FOLDER`: recomputes the result of a competition from its export, and says what differs.

It needs the folder and this package, no arena and no database. The schedule of the ladder cannot be checked, because it
depends on who was connected when; the deals and matches of the ladder are.
"""

import contextlib
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from importlib.metadata import version
from itertools import chain, pairwise, zip_longest
from math import isclose
from os.path import lexists
from pathlib import Path
from typing import NamedTuple

from roost_games.chance import commitment_of
from roost_games.errors import ReplayError, UsageError
from roost_games.replay import VOIDED, Replay, parse_lines
from roost_games.strict_json import short
from roost_games.verify import verify
from roost_ladder.blocks import seed_of_block
from roost_ladder.rating.facts import MatchFacts, facts_of
from roost_ladder.rating.fit import Method
from roost_ladder.schedules.schedule import Kind, Pairing, Past
from roost_sdk.bounded_files import open_regular, read_regular
from roost_sdk.replay_files import Checked, Progress, RecordFlaw, no_progress
from roost_server.competition.demands import QUALIFICATION
from roost_server.competition.file import PhaseName
from roost_server.competition.finals import block_id_of, schedule_of
from roost_server.competition.phases import CLOCK
from roost_server.export.deals import BlockDeals, DealCheck
from roost_server.export.files import (
    BLOCKS_FILE,
    COMPETITION_FILE,
    DONE,
    MANIFEST_FILE,
    MATCHES_FILE,
    MEBIBYTE,
    README_FILE,
    RULES_FILE,
    SEALS_FILE,
    ExportedBlock,
    digest,
    most_bytes,
)
from roost_server.export.qualification import Played, qualifying_blocks, wrong_qualification
from roost_server.export.reader import (
    Damaged,
    Exported,
    as_block,
    commitments_in,
    read_export,
    read_lines,
    read_manifest,
    readable,
    seeded_elsewhere,
)
from roost_server.export.reports import (
    ReportMatches,
    derived,
    finalists,
    not_compared,
    pinned_in,
    results_by_block,
    winner_of,
)
from roost_server.export.rulings import Struck, field_settled_ms, names_in, owners_in, struck, wrong_rulings
from roost_server.export.seals import remarks, wrong_seals

TOLERANCE = 1e-6
"""Relative, and absolute below 1: other machines round a little differently."""
ROUNDED = 0.02
"""Numbers that are rounded to two places, as on a page, may differ by this."""
NUMBER = re.compile(r"(?<![\w.(-])-?\d+(?:\.\d+(?:e[+-]\d+)?|e[+-]\d+)(?![\w.])")
"""A fraction by itself: neither part of a name, nor a version."""
LOOKS = re.compile(
    r'<style>[^<]*</style>|<p class="say">[^<]*</p>|<span class="unseen">[^<]*</span>|<[^<>]*>|\s+', re.DOTALL
)
"""Everything of a page but its words: other versions of Roost may lay it out, mark it up and explain it differently."""
BEFORE, SHOWN = 20, 60
NOT_DERIVED = {README_FILE, RULES_FILE, COMPETITION_FILE, BLOCKS_FILE, MATCHES_FILE, MANIFEST_FILE, SEALS_FILE}


Tell = Callable[[RecordFlaw], None] | None
"""Hears about each finding at once."""


Counts = Callable[[Replay | ReplayError], None]
"""Is told about each record before it is checked."""


class Wrong(NamedTuple):
    """Something wrong with an export."""

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


class ExportedMatch(NamedTuple):
    """A match of an export, without its steps."""

    id: str
    block: ExportedBlock
    rotation: int
    facts: MatchFacts | None
    """`None` if it was voided, or lacks results."""


def is_export(folder: Path) -> bool:
    """Whether a folder looks like an export."""
    return lexists(folder / MANIFEST_FILE)


def verify_folder(
    folder: Path,
    tell: Tell = None,
    progress: Progress = no_progress,
    *,
    shown_as: Path | None = None,
    matches: bool = True,
    commitment: str | None = None,
    seals: Collection[str] = (),
) -> Checked:
    """Check the export of a competition.

    Without `matches` their records are not replayed, because that has been done. `commitment` is the one that was
    published, if it is known, and so are `seals`. Findings name `shown_as` instead of a temporary folder.
    """
    if not is_export(folder):
        raise UsageError(f"{folder} is not the export of a competition; name the files of replays in it")
    checked = Checked(tell)
    with progress("verifying", _lines_in(folder / MATCHES_FILE)) as advance:

        def count(replay: Replay | ReplayError) -> None:
            checked.count(replay)
            advance(1)

        wrong = check_export(folder, count, matches=matches, commitment=commitment, seals=seals)
        checked.gather(RecordFlaw((shown_as or folder) / each.where, None, "", None, each.what) for each in wrong)
    if commitment is None:
        checked.commitments |= commitments_in(folder)
    if seeded_elsewhere(folder):
        checked.remarks.append("the seeding of the finals comes from the ladder, which is not in this export")
    with contextlib.suppress(Damaged):
        exported = read_export(folder)
        checked.remarks += remarks(exported)
        if ended_by_hand(exported) and any(block.phase == PhaseName.FINALS for block in exported.blocks):
            checked.remarks.append("the host ended the finals, so their last round may lack matches")
        if not_compared(exported.competition):
            checked.remarks.append("its standings may have the form of an unreleased version, and were not compared")
    return checked


def _lines_in(file: Path) -> int:
    """The number of lines; 0 if the file cannot be read, which the check reports."""
    with contextlib.suppress(OSError), open_regular(file, follow=False) as content:
        if file.stat().st_size > most_bytes(file.name):
            return 0
        return sum(piece.count(b"\n") for piece in iter(lambda: content.read(MEBIBYTE), b""))
    return 0


def check_export(
    folder: Path,
    advance: Counts = lambda _: None,
    *,
    matches: bool = True,
    commitment: str | None = None,
    seals: Collection[str] = (),
) -> Iterator[Wrong]:
    """Everything that is wrong with an export. Raises `UsageError` if the folder is none.

    `advance` is told about every line of matches that is checked. Without `matches` none is replayed.
    `commitment` is what was published of the master seed: an export can only be checked against the one that it names.
    `seals` are digests that were published while results were held back.
    """
    if not is_export(folder):
        raise UsageError(f"{folder} is not the export of a competition: it has no {MANIFEST_FILE}")
    told: set[Wrong] = set()
    try:
        for wrong in chain(wrong_hashes(folder), _wrong_contents(folder, advance, matches, commitment, seals)):
            if wrong not in told:
                yield wrong
            told.add(wrong)
    except Damaged as error:
        if (wrong := Wrong(error.file, error.what)) not in told:
            yield wrong


def _wrong_contents(
    folder: Path, advance: Counts, matches: bool, commitment: str | None, seals: Collection[str]
) -> Iterator[Wrong]:
    exported = read_export(folder)
    yield from _wrong_name(exported)
    yield from _wrong_part(exported)
    if commitment is not None and commitment.strip().lower() != exported.competition.commitment:
        yield Wrong(COMPETITION_FILE, f"the commitment is {exported.competition.commitment}, not the published one")
    yield from _wrong_seeds(exported)
    yield from _wrong_epochs(exported)
    yield from _wrong_deals(exported)
    yield from (Wrong(where, what) for where, what in wrong_seals(exported, seals))
    ids = {match for block in exported.blocks for match, _ in block.matches}
    yield from (Wrong(COMPETITION_FILE, what) for what in wrong_rulings(exported.competition, ids))
    played: list[ExportedMatch] = []
    yield from _wrong_matches(exported, played, advance, matches)
    yield from _wrong_blocks(exported, played)
    qualifying = _qualifying(exported, played)
    for where, what in wrong_qualification(exported.file, exported.competition, exported.blocks, qualifying):
        yield Wrong(where, what)
    try:
        yield from _wrong_schedule(exported, played)
        yield from _wrong_reports(exported, played)
    except UsageError as error:  # such as a schedule that the rules do not allow
        yield Wrong(RULES_FILE, str(error))


def wrong_hashes(folder: Path) -> Iterator[Wrong]:
    """The files of an export that are missing, changed or strange. Raises `Damaged` if the manifest cannot be read."""
    hashes = read_manifest(folder).sha256
    for file in sorted(folder.iterdir()):
        if file.name not in hashes and file.name != MANIFEST_FILE:
            yield Wrong(file.name, "is not in the manifest")
    for name, recorded in hashes.items():
        if Path(name).name != name or "\0" in name:
            yield Wrong(MANIFEST_FILE, f"names {short(name)}, which is not a file of an export")
            continue
        try:
            with readable(name):
                if digest(folder / name) != recorded:
                    yield Wrong(name, "was changed: its hash is not that of the manifest")
        except Damaged as error:
            yield Wrong(name, error.what)


def _wrong_part(exported: Exported) -> Iterator[Wrong]:
    """An export of one phase has no blocks of another, and its seeding has each finalist once."""
    competition = exported.competition
    for block in exported.blocks:
        if competition.only not in ("", block.phase):
            yield Wrong(block.id, f"is of the {block.phase}, and the export of the {competition.only} alone")
    pinned = sorted(each.version_id for each in pinned_in(competition))
    if competition.seeding and (competition.only != PhaseName.FINALS or sorted(competition.seeding) != pinned):
        yield Wrong(COMPETITION_FILE, "the seeding does not name every finalist once")


def _wrong_name(exported: Exported) -> Iterator[Wrong]:
    if exported.competition.name != exported.file.name:
        yield Wrong(COMPETITION_FILE, f"is about {exported.competition.name!r}, the rules about {exported.file.name!r}")


def _wrong_seeds(exported: Exported) -> Iterator[Wrong]:
    competition = exported.competition
    if not competition.seed:
        if competition.phase == PhaseName.DONE and not competition.held:
            yield Wrong(COMPETITION_FILE, "the competition is over, but its master seed is not there")
        return
    master = bytes.fromhex(competition.seed)
    if commitment_of(master) != competition.commitment:
        yield Wrong(COMPETITION_FILE, "the master seed is not the one that was promised by the commitment")
    for block in exported.blocks:
        if block.id != block_id_of(competition.name, block.phase, block.serial):
            yield Wrong(block.id, f"block {block.serial} of the {block.phase} has another name")
        if block.seed != seed_of_block(master, block.id, block.epoch).hex():
            yield Wrong(block.id, "its deal does not follow from the master seed")


def _wrong_epochs(exported: Exported) -> Iterator[Wrong]:
    """Epochs rise, and once one has begun, no block of a phase is dealt from an earlier one."""
    known = [0, *(began_ms for began_ms, _ in exported.competition.epochs)]
    if known != sorted(set(known)):
        yield Wrong(COMPETITION_FILE, "the epochs are not in the order in which they began")
    latest: dict[str, int] = {}
    for block in sorted(exported.blocks, key=lambda each: each.serial):
        if block.epoch not in known:
            yield Wrong(block.id, f"there was no epoch {block.epoch}")
        if block.epoch < latest.get(block.phase, 0):
            yield Wrong(block.id, f"was dealt in epoch {block.epoch}, after a block of a later one")
        latest[block.phase] = max(block.epoch, latest.get(block.phase, 0))


def _wrong_deals(exported: Exported) -> Iterator[Wrong]:
    """All blocks are dealt as the rules say. Older rules say nothing, but the blocks must be alike."""
    for block in exported.blocks:
        rules = exported.file.played_with(exported.blocks[0].deals).deals
        if block.deals != rules:
            yield Wrong(block.id, f"was played with {block.deals} deals; the rules of the competition are {rules} ones")


def _wrong_matches(exported: Exported, played: list[ExportedMatch], advance: Counts, again: bool) -> Iterator[Wrong]:
    """Check every match by itself and against its block, and collect the facts in `played`."""
    places = {match: (block, rotation) for block in exported.blocks for match, rotation in block.matches}
    names = names_in(exported.competition)
    owners: defaultdict[int, set[str]] = defaultdict(set)
    voids: Counter[int] = Counter()
    deals = DealCheck()
    for number, replay in parse_lines(read_lines(exported.folder, MATCHES_FILE)):
        advance(replay)
        where = f"{MATCHES_FILE}:{number}"
        if isinstance(replay, ReplayError):
            yield Wrong(where, str(replay))
        elif replay.match not in places:
            yield Wrong(where, f"match {replay.match} belongs to no block")
        else:
            block, rotation = places.pop(replay.match)
            if again:
                yield from _wrong_record(replay, block, rotation, deals)
            yield from _not_of_block(replay, block, rotation, names)
            for version_id, seat in zip(_seating(block, rotation), replay.seats, strict=False):
                owners[version_id].add(seat.owner)
            voids.update(_seating(block, rotation)[seat] for seat in replay.result.asked)
            played.append(ExportedMatch(replay.match, block, rotation, _facts(replay, block, rotation)))
    yield from _wrong_owners(exported, owners)
    yield from _wrong_voids(exported, voids)
    for match in places:
        yield Wrong(f"match {match}", f"is missing in {MATCHES_FILE}")


def _wrong_record(replay: Replay, block: ExportedBlock, rotation: int, deals: DealCheck) -> Iterator[Wrong]:
    where = f"match {replay.match}"
    if deviation := verify(replay):
        yield Wrong(where, str(deviation))
    of_block = BlockDeals(block.id, block.seed, block.deals, block.resumed)
    if not deals.follows(of_block, rotation, replay.seed, voided=replay.result.termination == VOIDED):
        yield Wrong(where, f"its deal does not follow from block {block.id}")


def _not_of_block(
    replay: Replay, block: ExportedBlock, rotation: int, names: Mapping[int, Collection[tuple[str, str]]]
) -> Iterator[Wrong]:
    where = f"match {replay.match}"
    if (replay.game, replay.options) != (block.game, block.options):
        yield Wrong(where, f"is not of the game of block {block.id}")
    expected = [names.get(version_id, ()) for version_id in _seating(block, rotation)]
    seated = [(seat.bot, seat.version) for seat in replay.seats]
    if len(seated) != len(expected) or not all(seat in may for seat, may in zip(seated, expected, strict=True)):
        yield Wrong(where, f"does not have the bots of block {block.id} in the seats of rotation {rotation}")


def _seating(block: ExportedBlock, rotation: int) -> tuple[int, ...]:
    return as_block(block).seating(rotation)


def _wrong_owners(exported: Exported, owners: Mapping[int, Collection[str]]) -> Iterator[Wrong]:
    """Compare the owners of bots with the matches, which do not name the owner of a bot that was absent."""
    may = owners_in(exported.competition)
    for bot in exported.competition.bots:
        for owner in sorted(set(owners.get(bot.version_id, ())) - may[bot.version_id]):
            yield Wrong(COMPETITION_FILE, f"says that {bot.name} belongs to {bot.owner!r}, the matches say {owner!r}")


def _wrong_voids(exported: Exported, voids: Counter[int]) -> Iterator[Wrong]:
    for bot in exported.competition.bots:
        if bot.voids != (true := voids[bot.version_id]):
            yield Wrong(
                COMPETITION_FILE, f"says that {bot.voids} matches were voided while {bot.name} was asked, not {true}"
            )


def _facts(replay: Replay, block: ExportedBlock, rotation: int) -> MatchFacts | None:
    result, players = replay.result, len(block.version_ids)
    if result.termination == VOIDED or (len(result.places), len(result.scores)) != (players, players):
        return None
    return facts_of(replay, block.id, _seating(block, rotation))


def _wrong_blocks(exported: Exported, played: Sequence[ExportedMatch]) -> Iterator[Wrong]:
    """No number of a block is missing, and each rotation of a block that is done counts once."""
    yield from _missing_blocks(exported)
    by_block: defaultdict[str, list[int]] = defaultdict(list)
    for each in played:
        if each.facts is not None:
            by_block[each.block.id].append(each.rotation)
    for block in exported.blocks:
        rotations = by_block.get(block.id, [])
        if len(set(rotations)) < len(rotations):
            yield Wrong(block.id, "a rotation of it was counted twice")
        if block.phase == PhaseName.FINALS and block.state == DONE:
            missing = set(range(as_block(block).rotations)) - set(rotations)
            if missing:
                yield Wrong(block.id, f"is called done, but {len(missing)} of its matches were not played")


def _missing_blocks(exported: Exported) -> Iterator[Wrong]:
    """A finished competition has every block, from number 0 on. An unfinished one may have open ones."""
    if exported.competition.phase != PhaseName.DONE:
        return
    for phase in (PhaseName.LADDER.value, QUALIFICATION, PhaseName.FINALS.value):
        if exported.competition.only not in ("", phase):
            continue
        serials = sorted(block.serial for block in exported.blocks if block.phase == phase)
        for before, serial in pairwise([-1, *serials]):
            if serial > before + 1:
                many = f"blocks {before + 1} to {serial - 1} are" if serial > before + 2 else f"block {before + 1} is"
                yield Wrong(phase, f"{many} missing")


def _wrong_schedule(exported: Exported, played: Sequence[ExportedMatch]) -> Iterator[Wrong]:
    """Plan the finals again, round by round, and compare."""
    part = exported.file.phase(PhaseName.FINALS)
    blocks = [block for block in exported.blocks if block.phase == PhaseName.FINALS]
    if part is None or not blocks or not exported.competition.seed:
        return
    competition = exported.competition
    schedule = schedule_of(competition.name, bytes.fromhex(competition.seed), part, Method(competition.ratings))
    facts = _played(exported, played)
    field = finalists(exported.file, competition, facts.ladder_then)
    results = results_by_block(facts.finals)
    past = Past()
    left = [block for block in blocks if block.state == DONE]
    by_pairing: dict[Pairing, list[ExportedBlock]] = {}
    for block in left:
        by_pairing.setdefault(_pairing(block), []).append(block)
    missing: list[Pairing] = []
    while left and not missing and (round_ := schedule.next_round(field, past)):
        for pairing in round_:
            past.give(pairing)
        for pairing in round_:
            if found := by_pairing.get(pairing):
                block = found.pop(0)
                left.remove(block)
                past.finish(results.get(block.id, ()))
            else:
                missing.append(pairing)
    if not left and not missing and _played_out(exported):
        missing += schedule.next_round(field, past)
    if missing and (left or not ended_by_hand(exported)):
        yield Wrong("finals", f"{_named(exported, missing[0])} should have been played, and was not")
        return
    for block in left:
        yield Wrong(block.id, f"{_named(exported, _pairing(block))} was played, but is not in the schedule")


def ended_by_hand(exported: Exported) -> bool:
    """Whether a host ended the competition: the last round of its finals need not be whole then."""
    phases = exported.competition.phases
    return exported.competition.phase == PhaseName.DONE and bool(phases) and phases[-1][2] != CLOCK


def _played_out(exported: Exported) -> bool:
    """Whether the competition ended by itself because its finals were over, and not by hand or at a set time."""
    done = exported.file.phase(PhaseName.DONE)
    by_itself = exported.competition.phases[-1:] and exported.competition.phases[-1][2] == CLOCK
    return exported.competition.phase == PhaseName.DONE and bool(by_itself) and (done is None or done.starts is None)


def _pairing(block: ExportedBlock) -> Pairing:
    return Pairing(Kind(block.game, len(block.version_ids)), block.version_ids)


def _named(exported: Exported, pairing: Pairing) -> str:
    names = {bot.version_id: bot.name for bot in exported.competition.bots}
    return f"{pairing.kind.game} with {', '.join(names.get(bot, '?') for bot in pairing.group)}"


def _played(exported: Exported, played: Sequence[ExportedMatch]) -> ReportMatches:
    """The matches that reports and plan are made of."""
    rulings, settled_ms = exported.competition.rulings, field_settled_ms(exported.competition)
    now, nothing = struck(rulings), struck(())
    return ReportMatches(
        {phase.value: _of_phase(played, phase, now) for phase in (PhaseName.LADDER, PhaseName.FINALS)},
        _of_phase(played, PhaseName.LADDER, struck(rulings, settled_ms)),
        _of_phase(played, PhaseName.FINALS, nothing),
        _qualifying(exported, played),
    )


def _qualifying(exported: Exported, played: Sequence[ExportedMatch]) -> Played:
    by_block: dict[str, list[MatchFacts]] = {}
    for facts in _of_phase(played, QUALIFICATION, struck(())):
        by_block.setdefault(facts.block_id, []).append(facts)
    return qualifying_blocks(exported.blocks, by_block)


def _of_phase(played: Sequence[ExportedMatch], phase: str, without: Struck) -> list[MatchFacts]:
    """The matches of a phase that count, in the order of recording."""
    of_phase = [each for each in played if (each.block.phase, each.block.state) == (phase, DONE)]
    return [
        each.facts for each in of_phase if each.facts is not None and not without.has(each.id, each.block.version_ids)
    ]


def _wrong_reports(exported: Exported, played: Sequence[ExportedMatch]) -> Iterator[Wrong]:
    """Write the reports again, and compare."""
    facts = _played(exported, played)
    said, true = exported.competition.winner, winner_of(exported.file, exported.competition, facts)
    if said is not None and said != true:
        yield Wrong(COMPETITION_FILE, f"says that {said or 'nobody'} won, the matches say {true or 'nobody'}")
    texts = derived(exported.file, exported.competition, facts)
    strange = not_compared(exported.competition)
    changed = list(_changed(exported.folder, {name: text for name, text in texts.items() if name not in strange}))
    yield from changed
    if changed and exported.manifest.roost != (ours := version("roost")):
        theirs = exported.manifest.roost or "an older one"
        yield Wrong(
            MANIFEST_FILE, f"is of Roost {theirs}, this is {ours}, which may write otherwise; check it with that"
        )
    for name in sorted({file.name for file in exported.folder.iterdir()} - texts.keys() - NOT_DERIVED):
        yield Wrong(name, "is not part of this export")


def _changed(folder: Path, texts: Mapping[str, str]) -> Iterator[Wrong]:
    for name, text in texts.items():
        try:
            differs = difference(_text(folder, name), text, page=name.endswith(".html"))
        except Damaged as error:
            differs = error.what
        if differs:
            yield Wrong(name, differs)


def _text(folder: Path, name: str) -> str:
    """The text of a report, even if it is not valid UTF-8. Raises `Damaged`."""
    with readable(name):
        return read_regular(folder / name, most_bytes(name), follow=False).decode(errors="surrogateescape")


def difference(said: str, true: str, *, page: bool = False) -> str | None:
    """Where two texts differ, in words; `None` if they agree. Of a `page` only what it says is compared."""
    if page:
        said, true = (re.sub("\n+", "\n", LOOKS.sub("\n", text)) for text in (said, true))
    if said == true:
        return None
    lines = zip_longest(said.split("\n"), true.split("\n"))
    for number, (one, other) in enumerate(lines, 1):
        if one is None or other is None:
            return f"ends {'before' if one is None else 'after'} line {number}, where it should not"
        if not _agree(one, other, ROUNDED if page else TOLERANCE):
            alike = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
            return f"line {number} says {_shown(one, alike)}, the matches say {_shown(other, alike)}"
    return None


def _agree(one: str, other: str, tolerance: float) -> bool:
    if one == other:
        return True
    if NUMBER.split(one) != NUMBER.split(other):
        return False
    pairs = zip(NUMBER.findall(one), NUMBER.findall(other), strict=True)
    return all(isclose(float(a), float(b), rel_tol=TOLERANCE, abs_tol=tolerance) for a, b in pairs)


def _shown(line: str, at: int) -> str:
    start = max(at - BEFORE, 0)
    return repr(line[start : start + SHOWN].strip())
