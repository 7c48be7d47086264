"""Which changes to a competition's file are allowed: all before the first match, hardly any after it.

The rules must be the same for everybody, and those who check the result have only the last file.
"""

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from roost_server.competition.file import CompetitionFile, CompetitionFileError
from roost_server.competition.file_errors import SettingPath, place_of
from roost_server.competition.phases import ahead

ALWAYS = {
    ("title",),
    ("spectators",),
    ("pace",),
    ("challenges",),
    ("entry", "names_per_owner"),
    ("entry", "versions_per_hour"),
}
"""Parts of the file that do not affect how a match is played that counts."""
PLAN = {"schedule", "rounds", "blocks_per_pairing", "budget", "most_groups"}
"""Settings of finals that can be mended as long as the finals cannot be played with the bots that take part."""
REMEDY = "change it back, or start a new competition under another name"


class Change(NamedTuple):
    """A setting that has changed. A setting that is not in a file has its default."""

    path: SettingPath
    before: object
    now: object

    def __str__(self) -> str:
        if _are_parts(self.now):
            return "matches have been played with others"
        return f"matches have been played {_shown(self.before)}, not {_shown(self.now)}"


def changes(old: CompetitionFile, new: CompetitionFile) -> list[Change]:
    """Every setting that differs."""
    return list(_differences((), old.model_dump(), new.model_dump()))


def check_changes(
    found: list[Change], new: CompetitionFile, phase: str, text: str, name: str, *, stuck: bool = False
) -> None:
    """Raise `CompetitionFileError` for changes that come too late in a competition that is in `phase`.

    Of later phases the times may change, and when their results are shown. The plan of the finals and who may play may
    change if the competition is `stuck` because they cannot be played. `text` is the new file, and `name` its name in
    messages.
    """
    late = [each for each in found if not _allowed(each.path, new, phase, stuck)]
    if late:
        said = [f"{place_of(text, each.path, name)}{each}; {REMEDY}" for each in late]
        raise CompetitionFileError("\n".join(said))


def _allowed(path: SettingPath, new: CompetitionFile, phase: str, stuck: bool) -> bool:
    match path:
        case ("phases", int(), "qualification", *_) if stuck:
            return True
        case ("phases", int(number), str(setting)) if stuck and setting in PLAN:
            return new.phases[number] in ahead(new, phase)
        case ("phases", int(number), "starts" | "results"):
            return new.phases[number] in ahead(new, phase)
    return any(path[:length] in ALWAYS for length in (1, 2))


def _differences(path: SettingPath, old: Any, new: Any) -> Iterator[Change]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in old | new:
            yield from _differences((*path, key), old.get(key), new.get(key))
    elif _are_parts(old) and _are_parts(new) and len(old) == len(new):
        for number, (before, now) in enumerate(zip(old, new, strict=True)):
            yield from _differences((*path, number), before, now)
    elif old != new:
        yield Change(path, old, new)


def _are_parts(value: object) -> bool:
    return isinstance(value, tuple) and bool(value) and all(isinstance(each, dict) for each in value)


def _shown(value: object) -> str:
    if value is None:
        return "without it"
    if isinstance(value, datetime):
        return f"with {value:%Y-%m-%dT%H:%M:%SZ}"
    return f"with {json.dumps(value, default=str)}"
