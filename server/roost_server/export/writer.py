"""`roost export`: writes a competition into a folder.

An export is read from one state of the records, so that it is consistent while an arena plays.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from roost_games.errors import UsageError
from roost_ladder.rating.facts import MatchFacts
from roost_server.competition import ledger
from roost_server.competition.file import CompetitionFile, PhaseName
from roost_server.competition.ledger import Competition
from roost_server.competition.phases import plays
from roost_server.competition.qualification import blocks_by_version, versions_let_in
from roost_server.competition.staging import check_exportable
from roost_server.export.files import (
    BLOCKS_FILE,
    COMPETITION_FILE,
    FORMAT,
    MANIFEST_FILE,
    MATCHES_FILE,
    README_FILE,
    RULES_FILE,
    SEALS_FILE,
    ExportedBlock,
    ExportedBot,
    ExportedCompetition,
    ExportedRelease,
    ExportedRuling,
    ExportedSeal,
    Manifest,
    block_lines,
    competition_text,
    digest,
    manifest_text,
    seal_lines,
)
from roost_server.export.reports import ReportMatches, derived, finalists, winner_of
from roost_server.sealing import SealedBlock
from roost_server.store import Store, queries
from roost_server.store.copies.epochs import epochs
from roost_server.store.measures.holds import PHASES, Held, Veil, held_now, releases
from roost_server.store.measures.rulings import Ruling, rulings_about
from roost_server.store.measures.seals import newest_seals, sealed_blocks
from roost_server.store.results import MatchFilter, facts
from roost_server.store.store import Reading

READ_ME = """\
This folder is the whole record of a competition of Roost, in plain files.

competition.toml  the rules, as the host wrote them
competition.json  what was promised (the commitment) and, after the end, what was hidden (the master seed); when the
                  phases began; who took part, in which versions. A version is what a bot declared when it connected:
                  the arena does not run bots and cannot see their code
blocks.jsonl      every deal that was planned, in the order of the plan, with its seed and the matches played with it
matches.jsonl     every match in the open format roost-replay/1: seats, chance, decisions with their times, result
standings-*.csv   who came where in a phase, with 95 % intervals; .json the same with every statistic, .html to look at
crosstable-*.csv  how often each finished ahead of each other
ratings-*.csv     classic Elo ratings at regular intervals
seals.jsonl       if results were held back: the digests that were published meanwhile, and of which blocks they are
qualification.csv if bots had to qualify: how far each version came, and the block with which it had shown everything
result.csv        once the competition is done: the place of every bot, and what put it ahead of the next one
bracket.json      of a knockout: the champion, and who met whom in each round and won; .csv the same as a table
manifest.json     the SHA-256 of every file

To check all of it:   roost verify FOLDER
It checks the hashes, that the seed is the promised one, that every deal follows from it, that every match was played by
the rules and ended as recorded, that the finals were scheduled as the rules say; and it writes everything that follows
from the matches again, to compare it.
"""


def export(store: Store, name: str, folder: Path, phase: str = "", *, everything: bool = True) -> list[Path]:
    """Write everything about a competition, or about one `phase` of it, into a new folder.

    Without `everything`, what the host holds back is left out. Returns the files. Raises `UsageError`, or `NotYetError`
    if all of the phase is held back.
    """
    with store.reading() as reading:
        competition, held = ledger.read(reading, name), () if everything else held_now(reading)
        if phase and not (plays(phase) and competition.file.phase(PhaseName(phase))):
            raise UsageError(f"{name} has no phase {phase!r} in which matches are played; it may be ladder or finals")
        check_exportable(competition, phase, held)
        _make(folder)
        _write(folder, _texts(reading, competition, phase, held))
        with (folder / MATCHES_FILE).open("w", encoding="utf-8", newline="\n") as file:
            replays = queries.finished_replays(reading, store.backend, competition.id, phase, held)
            file.writelines(f"{line}\n" for line in replays)
    return _manifest(folder)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        raise UsageError(f"{folder} already exists; name a new folder") from None
    except OSError as error:
        raise UsageError(f"{folder} cannot be made: {error.strerror}") from None


def _texts(reading: Reading, competition: Competition, only: str, held: Held) -> dict[str, str]:
    """The files by name, except the matches, which may be very many."""
    blocks = [block for block in _blocks(reading, competition.id, held) if only in ("", block.phase)]
    matches = {match for block in blocks for match, _ in block.matches}
    whole = replace(
        _competition(reading, competition, only, matches, held), **_staged(reading, competition, held, only)
    )
    phases = {block.phase for block in blocks if plays(block.phase)}
    played = _played(reading, competition.id, competition.file, phases, held)
    if only == PhaseName.FINALS:
        seeded = finalists(competition.file, whole, _ladder_then(reading, competition.id, held))
        whole = replace(whole, seeding=seeded.bots)
    if only != PhaseName.LADDER:
        whole = replace(whole, winner=winner_of(competition.file, whole, played))
    seals = _seals(reading, competition, held, only)
    return {
        RULES_FILE: competition.document,
        COMPETITION_FILE: competition_text(whole),
        BLOCKS_FILE: block_lines(blocks),
        README_FILE: READ_ME,
        **({SEALS_FILE: seal_lines(seals)} if seals else {}),
        **derived(competition.file, whole, played),
    }


def _played(
    reading: Reading, competition_id: int, file: CompetitionFile, phases: Collection[str], held: Held
) -> ReportMatches:
    """The matches of these phases that reports are made of."""
    return ReportMatches(
        {phase: _facts(reading, competition_id, phase, held) for phase in sorted(phases)},
        _ladder_then(reading, competition_id, held) if PhaseName.LADDER in phases else [],
        _facts(reading, competition_id, PhaseName.FINALS, held, 0) if PhaseName.FINALS in phases else [],
        blocks_by_version(reading, competition_id, file),
    )


def _ladder_then(reading: Reading, competition_id: int, held: Held) -> list[MatchFacts]:
    """The matches of the ladder that counted when the field of the finals was settled."""
    return _facts(reading, competition_id, PhaseName.LADDER, held, ledger.field_settled_ms(reading, competition_id))


def _facts(
    reading: Reading, competition_id: int, phase: str, held: Held, struck_before: int | None = None
) -> list[MatchFacts]:
    wanted = MatchFilter(competition_id=competition_id, phase=phase, held=held)
    return list(facts(reading, wanted, struck_before=struck_before))


def _competition(
    reading: Reading, competition: Competition, only: str, matches: Collection[str], held: Held
) -> ExportedCompetition:
    """The competition as a whole, with its master seed once it is done and all results are released.

    `matches` are those of the export.
    """
    changes = ledger.phase_changes(reading, competition.id)
    voids = queries.voids_by_version(reading, competition.id, only, Veil(held))
    revealed = competition.phase == PhaseName.DONE and not Veil(held).holds_back(competition.id)
    let_in = versions_let_in(reading, competition.id, competition.file)
    return ExportedCompetition(
        name=competition.file.name,
        phase=competition.phase,
        commitment=competition.commitment,
        seed=competition.seed.hex() if revealed else "",
        phases=tuple((phase, round(at.timestamp() * 1000), actor) for phase, at, actor in changes),
        bots=tuple(
            ExportedBot(
                **each._asdict(), voids=voids[each.version_id], let_in=let_in is None or each.version_id in let_in
            )
            for each in ledger.entered_versions(reading, competition.id)
        ),
        epochs=tuple((each.began_ms, each.cause) for each in epochs(reading)),
        only=only,
        rulings=tuple(
            _ruling(ruling, versions)
            for ruling, versions in rulings_about(reading, competition.id)
            if ruling.match_id is None or ruling.match_id in matches
        ),
        ratings=competition.method.value,
    )


def _staged(reading: Reading, competition: Competition, held: Held, only: str) -> dict[str, Any]:
    """The fields of an export about what is or was held back, in all phases or `only` one."""
    mine = {each.phase: each.first for each in held if each.competition_id == competition.id}
    wanted = [phase for phase in PHASES if only in ("", phase)]
    return {
        "releases": tuple(
            ExportedRelease(**each._asdict()) for each in releases(reading, competition.id) if each.phase in wanted
        ),
        "held": tuple((phase, mine[phase]) for phase in wanted if phase in mine),
    }


def _seals(reading: Reading, competition: Competition, held: Held, only: str) -> list[ExportedSeal]:
    """The seals of all phases, or `only` one."""
    mine = {each.phase: each.first for each in held if each.competition_id == competition.id}
    wanted = [phase for phase in PHASES if only in ("", phase)]
    return [seal for phase in wanted for seal in _seals_of(reading, competition.id, phase, mine.get(phase))]


def _seals_of(reading: Reading, competition_id: int, phase: str, first_held: int | None) -> Iterator[ExportedSeal]:
    blocks: dict[int, list[SealedBlock]] = {}
    for each in sealed_blocks(reading, competition_id, phase):
        blocks.setdefault(each.seal, []).append(each)
    for seal in reversed(newest_seals(reading, competition_id, phase)):
        shown = [_shown(each, first_held) for each in blocks.get(seal.number, ())]
        told = tuple(shown) if any(id for id, _ in shown) or first_held is None else None
        yield ExportedSeal(**seal._asdict(), blocks=told)


def _shown(block: SealedBlock, first_held: int | None) -> tuple[str, str]:
    hidden = first_held is not None and int(block.block_id.rpartition("-")[2]) >= first_held
    return "" if hidden else block.block_id, block.digest


def _ruling(ruling: Ruling, versions: tuple[int, ...]) -> ExportedRuling:
    return ExportedRuling(
        ruling.at_ms,
        ruling.actor,
        ruling.kind.value,
        ruling.subject,
        ruling.reason,
        ruling.before,
        ruling.after,
        versions,
        ruling.match_id or "",
    )


def _blocks(reading: Reading, competition_id: int, held: Held) -> list[ExportedBlock]:
    """The blocks that are over and not held back. What is still being played stays a secret."""
    found = queries.finished_blocks(reading, competition_id, held)
    return [ExportedBlock(**{**block._asdict(), "options": json.loads(block.options)}) for block in found]


def _write(folder: Path, texts: Mapping[str, str]) -> None:
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


def _manifest(folder: Path) -> list[Path]:
    files = sorted(folder.iterdir())
    manifest = Manifest(FORMAT, {file.name: digest(file) for file in files}, version("roost"))
    _write(folder, {MANIFEST_FILE: manifest_text(manifest)})
    return [*files, folder / MANIFEST_FILE]
