"""What a registered game consists of, beside its rules: a checker for each part that CONTRIBUTING.md lists."""

import re
from collections.abc import Callable
from inspect import isabstract
from pathlib import Path
from typing import Any, NamedTuple

from roost_games.game import STANDARD
from roost_games.narration import Narration
from roost_games.registry import get_game, part_of, rules_of
from roost_games.situations import Situation
from roost_sdk import Bot
from roost_sdk.pettingzoo import Coding
from roost_sdk.wire import Codec

ROOT = Path(__file__).parents[3]
ONEOFS = ("options", "view", "move")


class Part(NamedTuple):
    """Something that a game needs in order to be complete."""

    where: str
    """The file, as CONTRIBUTING.md names it: GAME stands for the game's name."""
    there: Callable[[str, Path], bool]
    """Whether the game with this name has it, in the checkout with this root."""


def lacking(game: str, root: Path = ROOT) -> list[str]:
    """Where the parts belong that `game` does not have."""
    return [part.where for part in PARTS if not has(part, game, root)]


def has(part: Part, game: str, root: Path = ROOT) -> bool:
    """Whether `game` has `part`. What cannot be read or imported is not there."""
    try:
        return part.there(game, root)
    except (ImportError, AttributeError, OSError):
        return False


def _attribute(game: str, name: str, part: str = "", package: str = "roost_games") -> Any:
    return getattr(part_of(game, part, package), name)


def _rules(game: str, root: Path) -> bool:
    package = part_of(game)
    return get_game(game).name == game and all(hasattr(package, name) for name in ("View", "Move", "Options"))


def _narration(game: str, root: Path) -> bool:
    """Whether it tells everything: what the viewer needs, such as points and rounds, is abstract too."""
    narration = _attribute(game, "NARRATION", "narration")
    return issubclass(narration, Narration) and not isabstract(narration)


def _situations(game: str, root: Path) -> bool:
    known = _attribute(game, "SITUATIONS", "situations")
    policies = _attribute(game, "POLICIES", "situations")
    return bool(policies) and bool(known) and all(isinstance(each, Situation) for each in known)


def _decisions(game: str, root: Path) -> bool:
    return callable(_attribute(game, "KIND_OF", "decisions"))


def _messages(game: str, root: Path) -> list[str]:
    """The names of the game's messages in the three `oneof`s, as far as it has them."""
    text = (root / "proto/roost/v1/play.proto").read_text(encoding="utf-8")
    bodies = (re.search(rf"oneof {name} \{{(.*?)\}}", text, re.DOTALL) for name in ONEOFS)
    found = (re.search(rf"(\w+) {game} = \d+;", body[1]) for body in bodies if body)
    return [each[1] for each in found if each]


def _starter(game: str, root: Path) -> bool:
    bot = _attribute(game, "MyBot", package="roost_bots.starters")
    return issubclass(bot, Bot) and bot.plays(game)


def _board(game: str, root: Path) -> bool:
    text = (root / f"viewer/roost_viewer/boards/{game}.js").read_text(encoding="utf-8")
    return "export function createBoard(" in text and "export const styles" in text


def _deal(game: str, root: Path) -> bool:
    text = (root / "viewer/roost_viewer/chance.js").read_text(encoding="utf-8")
    deals = re.search(r"^const DEALS = \{\n(.*?)^\};", text, re.DOTALL | re.MULTILINE)
    return deals is not None and re.search(rf"^  {game}: ", deals[1], re.MULTILINE) is not None


def _playthroughs(game: str, root: Path) -> bool:
    tables = (
        f"{game}-{players}.txt" if variant == STANDARD else f"{game}-{variant.name}-{players}.txt"
        for variant, players in get_game(game).tables()
    )
    return all((root / "tests/golden" / file).exists() for file in tables)


def _in_table_of(page: str) -> Callable[[str, Path], bool]:
    """Whether a table of the page has a row that begins with the game's name."""
    return lambda game, root: f"\n| `{game}` |" in (root / page).read_text(encoding="utf-8")


def _headed_in(page: str) -> Callable[[str, Path], bool]:
    """Whether the page has a heading with the game's title, or with the end of it."""

    def there(game: str, root: Path) -> bool:
        headings = re.findall(r"^##+ (.+)$", (root / page).read_text(encoding="utf-8"), re.MULTILINE)
        return any(get_game(game).title.endswith(heading) for heading in headings)

    return there


def _on_protocol_page(game: str, root: Path) -> bool:
    page = (root / "docs/formats/protocol.md").read_text(encoding="utf-8")
    messages = _messages(game, root)
    return bool(messages) and all(f"### `{message}`\n" in page for message in messages)


PARTS = (
    Part("games/roost_games/GAME/__init__.py", _rules),
    Part("games/roost_games/GAME/rules.md", lambda game, root: bool(rules_of(game).strip())),
    Part("games/roost_games/GAME/narration.py", _narration),
    Part("games/roost_games/GAME/situations.py", _situations),
    Part("games/roost_games/GAME/decisions.py", _decisions),
    Part("proto/roost/v1/GAME.proto", lambda game, root: (root / f"proto/roost/v1/{game}.proto").exists()),
    Part("proto/roost/v1/play.proto", lambda game, root: len(_messages(game, root)) == len(ONEOFS)),
    Part(
        "client_sdk/roost_sdk/wire/GAME.py",
        lambda game, root: isinstance(_attribute(game, "CODEC", package="roost_sdk.wire"), Codec),
    ),
    Part(
        "client_sdk/roost_sdk/pettingzoo/GAME.py",
        lambda game, root: issubclass(_attribute(game, "CODING", package="roost_sdk.pettingzoo"), Coding),
    ),
    Part("sample_bots/roost_bots/starters/GAME.py", _starter),
    Part("viewer/roost_viewer/boards/GAME.js", _board),
    Part("viewer/roost_viewer/chance.js", _deal),
    Part("tests/golden/", _playthroughs),
    Part("docs/games.md", _in_table_of("docs/games.md")),
    Part("docs/formats/chance.md", _in_table_of("docs/formats/chance.md")),
    Part("docs/formats/replays.md", _headed_in("docs/formats/replays.md")),
    Part("docs/formats/protocol.md", _on_protocol_page),
    Part("docs/bots/training.md", _headed_in("docs/bots/training.md")),
)
