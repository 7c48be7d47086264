"""Every part of the toy game, so that tests can list it in the registry like a game of ours."""

import re
from pathlib import Path

import pytest

import roost_bots.starters
import roost_games
import roost_sdk.pettingzoo
import roost_sdk.wire
from roost_games import registry
from tests.support.games.parts import ONEOFS, ROOT
from tests.support.games.toy import TOY

RULES = """\
from tests.support.games.toy import TOY as GAME
from tests.support.games.toy import Move
from tests.support.games.toy import ToyOptions as Options
from tests.support.games.toy import ToyView as View

__all__ = ["GAME", "Move", "Options", "View"]
"""
NARRATION = """\
from roost_games.narration import Board, Narration, seat, sentence
from tests.support.games.toy import Bid, Scored


class ToyNarration(Narration):
    legend = "c3 is worth three"
    private = {"hand": "hands"}

    def move(self, seat, move, before, after):
        return sentence(f"bids {move.amount}" if isinstance(move, Bid) else f"shows {move.card}")

    def event(self, event):
        return sentence(seat(event.seat), f" scores {event.points}") if isinstance(event, Scored) else None

    def points(self, view):
        return view.scores

    def round(self, view):
        return view.round + bool(view.to_move)

    def mark(self, event):
        return None

    def board(self, look, before):
        view = look.public
        rows = (self.row(seat, view, sentence(str(score))) for seat, score in enumerate(view.scores))
        return Board(sentence(f"round {view.round}"), tuple(rows))


NARRATION = ToyNarration
"""
SITUATIONS = """\
from roost_games.situations import Situation, play_random

POLICIES = (play_random,)
SITUATIONS = (Situation("fewer than no points", lambda view, legal: min(view.scores) < 0),)
"""
DECISIONS = """\
from tests.support.games.toy import Bid


def KIND_OF(view, move):
    return "bids" if isinstance(move, Bid) else "shows a card"
"""
CODEC = """\
from roost_sdk.wire.codec import Codec
from tests.support.games.toy import TOY


class ToyCodec(Codec):
    game = TOY

    def options_to_wire(self, options, message): ...

    def _given(self, message): ...

    def for_match(self, options): ...


CODEC = ToyCodec()
"""
CODING = """\
from roost_sdk.pettingzoo.coding import Coding, flags, write_seats
from tests.support.games.toy import BIDS, CARDS, Show, ToyOptions


class ToyCoding(Coding):
    def __init__(self, players, options):
        super().__init__(players, [flags("leads", players)], [*BIDS, *map(Show, CARDS)])

    @classmethod
    def options_of(cls, view):
        return ToyOptions()

    def _write(self, values, view, own):
        write_seats(values, 0, [seat == view.leader for seat in range(view.players)], own)


CODING = ToyCoding
"""
STARTER = '''\
"""MyBot: a bot for Toy."""

from roost_sdk import Bot


class MyBot(Bot):
    def toy(self, view, legal):
        return legal[0]
'''
BOARD = """\
export const styles = "";

export function createBoard(root, frames) {
  return { show() {}, describe: () => "", close() {} };
}
"""
PAGES = {
    "docs/games.md": "| Name |\n|---|\n| `toy` | Toy |\n",
    "docs/formats/chance.md": "| Game |\n|---|\n| `toy` | `starter` |\n",
    "docs/formats/replays.md": "# Replays\n\n### Toy\n",
    "docs/formats/protocol.md": "### `ToyOptions`\n\n### `ToyView`\n\n### `ToyMove`\n",
    "docs/bots/training.md": "# Training\n\n## Toy\n",
}
FILES = {
    "games/roost_games/toy/__init__.py": RULES,
    "games/roost_games/toy/rules.md": "# Toy\n",
    "games/roost_games/toy/narration.py": NARRATION,
    "games/roost_games/toy/situations.py": SITUATIONS,
    "games/roost_games/toy/decisions.py": DECISIONS,
    "proto/roost/v1/toy.proto": 'syntax = "proto3";\n',
    "client_sdk/roost_sdk/wire/toy.py": CODEC,
    "client_sdk/roost_sdk/pettingzoo/toy.py": CODING,
    "sample_bots/roost_bots/starters/toy.py": STARTER,
    "viewer/roost_viewer/boards/toy.js": BOARD,
    "viewer/roost_viewer/chance.js": "const DEALS = {\n  toy: {},\n};\n",
    **{f"tests/golden/toy-{players}.txt": "Toy\n" for _, players in TOY.tables()},
    **PAGES,
}
PACKAGES = {
    "games/roost_games": roost_games,
    "client_sdk/roost_sdk/wire": roost_sdk.wire,
    "client_sdk/roost_sdk/pettingzoo": roost_sdk.pettingzoo,
    "sample_bots/roost_bots/starters": roost_bots.starters,
}


def play_proto(root: Path, without: str = "") -> None:
    """Write a `play.proto` that has the toy in its `oneof`s, but for one of them."""
    text = (ROOT / "proto/roost/v1/play.proto").read_text(encoding="utf-8")
    for name in ONEOFS:
        if name != without:
            text = re.sub(rf"(oneof {name} \{{\n)", rf"\1    Toy{name.capitalize()} toy = 99;\n", text)
    (root / "proto/roost/v1/play.proto").write_text(text, encoding="utf-8")


def list_toy(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write all parts of the toy below `root`, and list it in the registry."""
    for file, text in FILES.items():
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text(text, encoding="utf-8")
    play_proto(root)
    for folder, package in PACKAGES.items():
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(root / folder)])
    monkeypatch.setattr(registry, "GAME_NAMES", (*registry.GAME_NAMES, "toy"))
