"""A competition in which the host rules at some moment."""

import asyncio
from pathlib import Path

from roost_server.accounts import rulings
from roost_server.clocks import epoch_ms
from roost_server.competition.file import PhaseName
from roost_server.export.writer import export
from roost_server.store import Store, open_store
from tests.support.records.export_world import NAMES, Play
from tests.support.records.matches import on_record

CARL = 1 + NAMES.index("carl")


def let_time_pass() -> None:
    """Rulings and phases of the same millisecond have no order that can be seen."""
    now = epoch_ms()
    while epoch_ms() == now:
        pass


def rule(store: Store) -> str:
    """Dora is out, a match of the others is void, and Bert is called Bertha. Returns the match."""
    let_time_pass()
    rulings.disqualify_bot(store, "cup", "dora", "two accounts", "host")
    voided = next(match.id for match in on_record(store) if match.facts is not None and 4 not in match.facts.bots)
    rulings.void_match(store, voided, "power cut", "host")
    rulings.rename_bot(store, "bert", "bertha", "rude", "host")
    let_time_pass()
    return voided


def play(folder: Path, schedule: str, moment: str) -> tuple[Path, str]:
    """The export of a competition in which the host rules at a moment, and the match that was voided.

    After the freeze, Carl is also withdrawn.
    """
    with open_store(f"sqlite:///{folder}/roost.db") as store:
        world, voided = Play(store, schedule), ""

        async def script() -> None:
            nonlocal voided
            await world.begin()
            await world.phase(PhaseName.LADDER, 1)
            if moment == "before the finals":
                voided = rule(store)
                await world.director.review()
            if moment == "after the freeze":
                await world.director.change_phase(PhaseName.FREEZE, "test")
                voided = rule(store)
                await world.director.withdraw(CARL, "owner of carl")
                let_time_pass()
            if moment != "after an end without finals":
                await world.phase(PhaseName.FINALS, 1 if moment == "in the finals" else None)
            if moment == "in the finals":
                voided = rule(store)
                contest = world.director.contest
                assert contest is not None
                while await world.round(contest):
                    pass
            await world.end()
            if moment in ("after the end", "after an end without finals"):
                voided = rule(store)

        asyncio.run(script())
        export(store, "cup", folder / "export")
    return folder / "export", voided
