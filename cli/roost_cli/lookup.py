"""From what a person typed to games, options and bots. Errors are `UsageError` and say what would be right."""

import contextlib
import json
import sys
from collections.abc import Iterable, Sequence

from roost_bots import QUICK_SAMPLES, SAMPLES
from roost_games.errors import UsageError
from roost_games.game import JsonValue
from roost_games.registry import GAME_NAMES, AnyGame, get_game
from roost_ladder.workshop.worker import Opponents
from roost_sdk import LoadedBot, load_bot
from roost_sdk.load import did_you_mean, spelled_out


def find_game(name: str) -> AnyGame:
    """The game that a person calls `name`."""
    if name in GAME_NAMES:
        return get_game(name)
    raise UsageError(
        f"there is no game {name!r}; the games are: {', '.join(GAME_NAMES)}{did_you_mean(name, GAME_NAMES)}"
    )


def find_bots(texts: Sequence[str]) -> list[LoadedBot]:
    """The bots that a person named. What they print while they are imported goes to stderr."""
    with contextlib.redirect_stdout(sys.stderr):
        return [load_bot(text, SAMPLES) for text in texts]


def sources_of(texts: Sequence[str]) -> list[str]:
    """How any process finds these bots, samples included."""
    return [spelled_out(SAMPLES[text]) if text in SAMPLES else text for text in texts]


def opponents() -> Opponents:
    """The samples that a bot is examined with."""
    known = {name: spelled_out(sample) for name, sample in SAMPLES.items()}
    return Opponents(known, at_tables=("greedy", "random"), in_duels=tuple(QUICK_SAMPLES))


def parse_options(pairs: Iterable[str]) -> dict[str, JsonValue]:
    """Game options from `name=value`; a value is JSON, or else the text as it stands."""
    options: dict[str, JsonValue] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not (name and equals):
            raise UsageError(f"an option is written name=value, such as slap=true, not {pair!r}")
        if name in options:
            raise UsageError(f"option {name!r} is given twice")
        options[name] = _json_or_text(value)
    return options


def _json_or_text(value: str) -> JsonValue:
    try:
        parsed: JsonValue = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return parsed
