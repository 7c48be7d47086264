"""A competition that is played without an arena, and ways to tamper with its export."""

import asyncio
import json
import shutil
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from itertools import count
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from structlog.testing import capture_logs

from roost_games.referee import Referee, Seat
from roost_games.registry import get_game
from roost_server.accounts import owners
from roost_server.competition import ledger
from roost_server.competition.file import PhaseName, parse_competition
from roost_server.competition.phases import CLOCK
from roost_server.export.checker import check_export
from roost_server.export.files import MANIFEST_FILE, digest
from roost_server.export.writer import export
from roost_server.metrics import Metrics
from roost_server.play.block import OpenBlock
from roost_server.play.contest import Contest
from roost_server.play.director import Director
from roost_server.play.pacing.places import Places
from roost_server.play.pacing.width import Width
from roost_server.play.recorder import Recorder
from roost_server.settings import Settings
from roost_server.store import FinishedMatch, Store, open_store

CUP = """
name = "cup"
[[games]]
game = "karteneck"
players = [2, 3]
[[phases]]
phase = "ladder"
[[phases]]
phase = "freeze"
[[phases]]
phase = "finals"
schedule = "SCHEDULE"
rounds = 2
[[phases]]
phase = "done"
"""
NAMES = ("anna", "bert", "carl", "dora")
MATCHES = count(1)


class Play:
    """Plays a competition without an arena: everybody moves at random, and everything is recorded as an arena does."""

    def __init__(self, store: Store, schedule: str, results: str = "", more: str = "", top: str = "") -> None:
        """`more` is added to the competition's file, `top` to its first settings."""
        self.store = store
        length = "budget = 40" if schedule == "sure" else "rounds = 2"
        text = CUP.replace("SCHEDULE", schedule).replace('"cup"', f'"cup"\n{top}') + more
        text = text.replace("rounds = 2", f"{length}\nresults = {results}" if results else length)
        competition = ledger.draw_up(store, parse_competition(text), text)
        self.versions = dict(enumerate(self._enter(competition), 1))
        self.director = Director(store, competition, Settings())
        self.recorder = Recorder(store, Metrics())
        self.rng = Random(schedule)
        bots: Any = [
            SimpleNamespace(version_id=number, bot_id=number, since=0.0, places=Places(Width(1)), plays=lambda *_: True)
            for number in self.versions
        ]
        self.present = bots

    def _enter(self, competition: ledger.Competition) -> list[str]:
        for name in NAMES:
            owner_id = owners.add_owner(self.store, f"owner of {name}", "test")
            bot = owners.add_bot(self.store, f"owner of {name}", name, "test")
            self.store.register_version(name, "v1", bot_id=bot.id)
            ledger.enter(self.store, competition, bot.id, owner_id)
        return list(NAMES)

    def restored(self, store: Store) -> None:
        """Go on with these records, which were restored."""
        self.store, self.recorder = store, Recorder(store, Metrics())
        self.director = Director(store, ledger.find(store, "cup"), Settings())

    async def whole(self, ladder_rounds: int) -> None:
        """From the ladder to the end."""
        await self.begin()
        await self.phase(PhaseName.LADDER, ladder_rounds)
        await self.phase(PhaseName.FINALS)
        await self.end()

    async def begin(self) -> None:
        """As it was drawn up."""
        await self.director.start()

    async def phase(self, phase: PhaseName, rounds: int | None = None) -> None:
        """Play this number of rounds of a phase, or all of them."""
        contest = await self._change_phase(phase)
        for _ in count() if rounds is None else range(rounds):
            if not await self.round(contest):
                break

    async def cut_short(self) -> None:
        """A round of the ladder and the first block of the finals, and then the host ends it."""
        await self.begin()
        await self.phase(PhaseName.LADDER, 1)
        await self.director.change_phase(PhaseName.FINALS, "test")
        assert self.director.contest is not None
        first, *_ = planned = await self.director.contest.plan(self.present)
        await self.recorder.plan(planned)
        for rotation in first.to_play:
            await self.match(first, rotation)
        await self.recorder.close(first)
        await self.director.change_phase(PhaseName.DONE, "host")
        await self.recorder.aclose()

    async def end(self) -> None:
        """The finals were over, and the clock ends it."""
        await self.director.change_phase(PhaseName.DONE, CLOCK)
        await self.recorder.aclose()

    async def plan_ladder(self) -> list[OpenBlock]:
        """The first round of the ladder, on record, of which nothing is played."""
        await self.director.start()
        contest = await self._change_phase(PhaseName.LADDER)
        planned = await contest.plan(self.present)
        await self.recorder.plan(planned)
        return planned

    async def _change_phase(self, phase: PhaseName) -> Contest:
        """The contest of that phase, once it knows what was played before: on a busy machine that is not at once."""
        await self.director.change_phase(phase, "test")
        contest, reading = self.director.contest, self.director._reading
        assert contest is not None
        assert reading is not None
        await reading
        return contest

    async def round(self, contest: Contest) -> bool:
        """Play a round. False if there was none."""
        planned = await contest.plan(self.present)
        await self.recorder.plan(planned)
        contest.add(planned)
        everybody = set(self.versions)
        while (open_block := contest.take(everybody, everybody)) is not None:
            for rotation in open_block.to_play:
                await self.match(open_block, rotation)
            await self.recorder.close(open_block)
            contest.finish(open_block)
        return bool(planned)

    async def match(self, open_block: OpenBlock, rotation: int) -> None:
        """Play a match of a block that has been planned, and record it."""
        block, rules = open_block.block, open_block.rules
        seating = block.seating(rotation)
        names = [self.versions[version_id] for version_id in seating]
        seats = [Seat(name, "v1", f"owner of {name}") for name in names]
        referee: Referee[Any, Any] = Referee(
            get_game(rules.game), seats, open_block.seed_of(rotation), options=rules.options, match=f"m{next(MATCHES)}"
        )
        while referee.waiting:
            seat = referee.waiting[0]
            referee.answer(seat, self.rng.choice(referee.legal(seat)), 1.0)
        finished = FinishedMatch(referee.replay(), block.block_id, rotation, seating, 1, 2)
        await self.recorder.match(open_block, finished, last=False)
        open_block.record(finished.replay.match, rotation, finished.replay.result)


def play_and_export(folder: Path, schedule: str, top: str = "") -> Path:
    """A competition, exported into a folder there, beside its database. It is played once, and then copied.

    `top` are settings for its file.
    """
    shutil.copytree(_exported(schedule, top).name, folder, dirs_exist_ok=True)
    return folder / "cup"


@cache
def _exported(schedule: str, top: str) -> TemporaryDirectory[str]:
    folder = TemporaryDirectory()
    # The same deals in every run, so that the same bots win.
    drawn = SimpleNamespace(token_bytes=lambda length: sha256(f"{schedule} {top}".encode()).digest()[:length])
    with open_store(f"sqlite:///{folder.name}/roost.db") as store, capture_logs():
        with patch.object(ledger, "secrets", drawn):
            play = Play(store, schedule, top=top)
        asyncio.run(play.whole(ladder_rounds=2))
        export(store, "cup", Path(folder.name, "cup"))
    return folder


def complaints(folder: Path) -> list[str]:
    return [str(wrong) for wrong in check_export(folder)]


def sign_again(folder: Path) -> None:
    """Update the manifest after files were changed, as a forger would who knows about it."""
    manifest = json.loads((folder / MANIFEST_FILE).read_text())
    manifest["sha256"] = {name: digest(folder / name) for name in manifest["sha256"]}
    (folder / MANIFEST_FILE).write_text(json.dumps(manifest))


def change(folder: Path, name: str, edit: Callable[[list[dict[str, Any]]], object]) -> None:
    """Change the objects of a file of JSON, and sign again."""
    path = folder / name
    text = path.read_text()
    lines = [json.loads(line) for line in text.splitlines()] if name.endswith("jsonl") else [json.loads(text)]
    edit(lines)
    indent = None if name.endswith("jsonl") else 2
    path.write_text("".join(json.dumps(line, indent=indent) + "\n" for line in lines))
    sign_again(folder)
