"""Does a game keep the promises of `game.py`? `check_game` finds out by playing random matches of it.

Run it on a game of your own before you list it anywhere:

    from roost_games.conformance import check_game
    check_game(MyGame())

The first broken promise raises `ConformanceError`. Its message names the promise, the player count, the step (how many
decisions came before) and the seed; `check_game(game, seed=SEED, matches=1, players=[COUNT])` plays that match again.

What random play cannot find: whether the rules are the right ones, whether a view lacks something, and whether
`determinise` samples uniformly. Those need tests that know the game.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

from roost_games.chance import Tape, seed_of
from roost_games.conformance.match import CheckedMatch, Setting
from roost_games.conformance.promises import ConformanceError, Promise, Snapshot, snapshot
from roost_games.errors import OptionError, UsageError
from roost_games.game import STANDARD, JsonValue
from roost_games.registry import AnyGame

__all__ = ["ConformanceError", "Promise", "Snapshot", "check_game", "snapshot"]


def check_game(
    game: AnyGame,
    *,
    matches: int = 10,
    seed: str = "conformance",
    options: Mapping[str, JsonValue] | None = None,
    players: Iterable[int] | None = None,
    most_decisions: int = 20_000,
) -> None:
    """Play `matches` random matches with each of `players` (all counts if `None`) and check every promise in each.

    A match that is not over after `most_decisions` counts as endless. Raises `ConformanceError`.
    """
    chosen = game.options(options or {})
    counts = game.players(chosen)
    _check_options(game, chosen)
    _check_variants(game)
    _check_players(game, chosen, counts)
    for count in counts if players is None else players:
        _check_matches([Setting(game, chosen, count, most_decisions, seed_of(seed, match)) for match in range(matches)])


def _check_options(game: AnyGame, options: Any) -> None:
    def fail(detail: str) -> NoReturn:
        raise ConformanceError(Promise.OPTIONS, f"{game.name}: {Promise.OPTIONS}: {detail}")

    if game.options({}).to_json():
        fail(f"the default options are shown as {game.options({}).to_json()}, not as {{}}")
    shown = options.to_json()
    if game.options(json.loads(json.dumps(shown))) != options:
        fail(f"{shown} does not give the same options back")
    try:
        game.options({"no such option": 1})
    except OptionError:
        return
    fail("an unknown option is accepted")


def _check_variants(game: AnyGame) -> None:
    def fail(detail: str) -> NoReturn:
        raise ConformanceError(Promise.VARIANTS, f"{game.name}: {Promise.VARIANTS}: {detail}")

    names = [variant.name for variant in game.variants]
    if game.variants[:1] != (STANDARD,) or len(set(names)) < len(names):
        fail(f"they are {names}")
    for variant in game.variants:
        try:
            shown = game.options(variant.options).to_json()
        except OptionError as error:
            fail(f"{variant.name}: {error}")
        if shown != variant.options:
            fail(f"{variant.name} is played with {shown}, not with {dict(variant.options)}")


def _check_players(game: AnyGame, options: Any, counts: range) -> None:
    for count in (counts[0] - 1, counts[-1] + 1, -1):
        try:
            game.start(count, options, Tape(b""))
        except UsageError:
            continue
        raise ConformanceError(Promise.PLAYERS, f"{game.name}: {Promise.PLAYERS}: {count} players can start")


def _check_matches(settings: list[Setting]) -> None:
    """Play and check the matches with one player count, then what should have happened in at least one of them."""
    played = [_checked(setting) for setting in settings]
    if any(match.hides for match in played) and not any(match.scrambles for match in played):
        detail = "seats have secrets, yet scramble never changed another's view"
        raise settings[-1].broken(Promise.NO_LEAK, detail, 0)
    deals = {str(match.deal) for match in played}
    starts = {str(match.snapshots[0]) for match in played}
    if len(deals) > 1 and len(starts) == 1:
        detail = "chance decided differently at the start, and it changed nothing"
        raise settings[-1].broken(Promise.SAME_SEED, detail, 0)


def _checked(setting: Setting) -> CheckedMatch:
    match = CheckedMatch(setting)
    try:
        match.play()
        match.check_same_seed()
    except ConformanceError:
        raise
    except Exception as error:
        raise match.broken(Promise.NO_CRASH, f"{type(error).__name__}: {error}") from error
    return match
