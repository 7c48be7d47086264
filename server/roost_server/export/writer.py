"""`roost export`: writes a competition into a folder.

An export is read from one state of the records, so that it is consistent while an arena plays.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

from roost_games.errors import UsageError
from roost_ladder.rating.facts import MatchFacts
from roost_server.competition import ledger
from roost_server.competition.file import CompetitionFile, PhaseName
from roost_server.competition.ledger import Competition
from roost_server.competition.phases import plays
from roost_server.competition.qualification import blocks_by_version, versions_let_in
from roost_server.export.files import (
    BLOCKS_FILE,
    COMPETITION_FILE,
    FORMAT,
    MANIFEST_FILE,
    MATCHES_FILE,
    README_FILE,
    RULES_FILE,
    ExportedBlock,
    ExportedBot,
    ExportedCompetition,
    ExportedRuling,
    Manifest,
    block_lines,
    competition_text,
    digest,
    manifest_text,
)
from roost_server.export.reports import ReportMatches, derived, finalists, winner_of
from roost_server.store import Store, queries
from roost_server.store.copies.epochs import epochs
from roost_server.store.measures.rulings import Ruling, rulings_about
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
qualification.csv if bots had to qualify: how far each version came, and the block with which it had shown everything
result.csv        once the competition is done: the place of every bot, and what put it ahead of the next one
bracket.json      of a knockout: the champion, and who met whom in each round and won; .csv the same as a table
manifest.json     the SHA-256 of every file

To check all of it:   roost verify FOLDER
It checks the hashes, that the seed is the promised one, that every deal follows from it, that every match was played by
the rules and ended as recorded, that the finals were scheduled as the rules say; and it writes everything that follows
from the matches again, to compare it.
"""


def export(store: Store, name: str, folder: Path, phase: str = "") -> list[Path]:
    """Write everything about a competition, or about one `phase` of it, into a new folder.

    Returns the files. Raises `UsageError`.
    """
    with store.reading() as reading:
        competition = ledger.read(reading, name)
        if phase and not (plays(phase) and competition.file.phase(PhaseName(phase))):
            raise UsageError(f"{name} has no phase {phase!r} in which matches are played; it may be ladder or finals")
        _make(folder)
        _write(folder, _texts(reading, competition, phase))
        with (folder / MATCHES_FILE).open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(
                f"{line}\n" for line in queries.finished_replays(reading, store.backend, competition.id, phase)
            )
    return _manifest(folder)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        raise UsageError(f"{folder} already exists; name a new folder") from None
    except OSError as error:
        raise UsageError(f"{folder} cannot be made: {error.strerror}") from None


def _texts(reading: Reading, competition: Competition, only: str) -> dict[str, str]:
    """The files by name, except the matches, which may be very many."""
    blocks = [block for block in _blocks(reading, competition.id) if only in ("", block.phase)]
    whole = _competition(reading, competition, only, {match for block in blocks for match, _ in block.matches})
    played = _played(reading, competition.id, competition.file, {block.phase for block in blocks if plays(block.phase)})
    if only == PhaseName.FINALS:
        seeded = finalists(competition.file, whole, _ladder_then(reading, competition.id))
        whole = replace(whole, seeding=seeded.bots)
    if only != PhaseName.LADDER:
        whole = replace(whole, winner=winner_of(competition.file, whole, played))
    return {
        RULES_FILE: competition.document,
        COMPETITION_FILE: competition_text(whole),
        BLOCKS_FILE: block_lines(blocks),
        README_FILE: READ_ME,
        **derived(competition.file, whole, played),
    }


def _played(reading: Reading, competition_id: int, file: CompetitionFile, phases: Collection[str]) -> ReportMatches:
    """The matches of these phases that reports are made of."""
    return ReportMatches(
        {phase: _facts(reading, competition_id, phase) for phase in sorted(phases)},
        _ladder_then(reading, competition_id) if PhaseName.LADDER in phases else [],
        _facts(reading, competition_id, PhaseName.FINALS, 0) if PhaseName.FINALS in phases else [],
        blocks_by_version(reading, competition_id, file),
    )


def _ladder_then(reading: Reading, competition_id: int) -> list[MatchFacts]:
    """The matches of the ladder that counted when the field of the finals was settled."""
    return _facts(reading, competition_id, PhaseName.LADDER, ledger.field_settled_ms(reading, competition_id))


def _facts(reading: Reading, competition_id: int, phase: str, struck_before: int | None = None) -> list[MatchFacts]:
    return list(facts(reading, MatchFilter(competition_id=competition_id, phase=phase), struck_before=struck_before))


def _competition(
    reading: Reading, competition: Competition, only: str, matches: Collection[str]
) -> ExportedCompetition:
    """The competition as a whole, with its master seed once it is done. `matches` are those of the export."""
    changes = ledger.phase_changes(reading, competition.id)
    voids = queries.voids_by_version(reading, competition.id, only)
    let_in = versions_let_in(reading, competition.id, competition.file)
    return ExportedCompetition(
        name=competition.file.name,
        phase=competition.phase,
        commitment=competition.commitment,
        seed=competition.seed.hex() if competition.phase == PhaseName.DONE else "",
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
    )


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


def _blocks(reading: Reading, competition_id: int) -> list[ExportedBlock]:
    """The blocks that are over. What is still being played stays a secret."""
    found = queries.finished_blocks(reading, competition_id)
    return [ExportedBlock(**{**block._asdict(), "options": json.loads(block.options)}) for block in found]


def _write(folder: Path, texts: Mapping[str, str]) -> None:
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


def _manifest(folder: Path) -> list[Path]:
    files = sorted(folder.iterdir())
    manifest = Manifest(FORMAT, {file.name: digest(file) for file in files}, version("roost"))
    _write(folder, {MANIFEST_FILE: manifest_text(manifest)})
    return [*files, folder / MANIFEST_FILE]
