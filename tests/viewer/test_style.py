"""The viewer looks like the report: its tokens have the same values."""

import re
from importlib.resources import files

REPORT = (files("roost_ladder") / "report" / "style.css").read_text(encoding="utf-8")
VIEWER = (files("roost_viewer") / "style.js").read_text(encoding="utf-8")


def declared(css: str) -> dict[str, str]:
    """The colours that a piece of a style sheet declares, by name."""
    return dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", css))


def test_the_tokens_are_those_of_the_report_by_day_and_by_night() -> None:
    day, night = re.split(r"prefers-color-scheme: dark", REPORT, maxsplit=1)
    tokens = re.findall(r'(\w+): \["(#[0-9a-f]{6})", "(#[0-9a-f]{6})"\]', VIEWER)
    assert {"ink", "card", "accent", "c7"} <= {name for name, _, _ in tokens}
    for name, light, dark in tokens:
        assert (name, light, dark) == (name, declared(day)[name], declared(night)[name])
