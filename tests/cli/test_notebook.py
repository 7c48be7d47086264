"""The notebook of the docs: its cells run from top to bottom, and every result can be shown below its cell."""

import ast
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from roost_cli.notebook import ladder, play
from roost_games.errors import UsageError
from tests.support.commands.pages import ROOT

NOTEBOOK = ROOT / "docs/bots/notebook.ipynb"


def cells() -> list[str]:
    """The code of the notebook, cell by cell."""
    content = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in content["cells"] if cell["cell_type"] == "code"]


def value_of(code: str, names: dict[str, Any]) -> Any:
    """Run a cell as a notebook does. Its value is that of its last line, if that is an expression."""
    *before, last = ast.parse(code).body
    final = last if isinstance(last, ast.Expr) else None
    exec(compile(ast.Module([*before, *([] if final else [last])], []), "cell", "exec"), names)  # noqa: S102  our own notebook
    return None if final is None else eval(compile(ast.Expression(final.value), "cell", "eval"), names)  # noqa: S307


@pytest.mark.long
def test_the_cells_run_from_top_to_bottom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    values = [value_of(code, names) for code in cells()]
    shown = [value._repr_html_() for value in values if value is not None]
    assert len(shown) == len(values) - 1
    assert all("<table" in each or "<iframe" in each for each in shown)
    assert values[4]["verdict"].tolist() == [names["compared"].rows()[0]["verdict"]]


def test_results_are_rows() -> None:
    """Two seats a match; the places of each match are 1 and 2, or shared."""
    rows = play("karteneck", "greedy", "random", matches=3, seed="rows").rows()
    assert [(row["match"], row["seat"], row["bot"]) for row in rows[:3]] == [
        (0, 0, "greedy"),
        (0, 1, "random"),
        (1, 0, "greedy"),
    ]
    assert all(sorted(row["place"] for row in rows if row["match"] == match) in ([1, 2], [1, 1]) for match in range(3))


def test_a_frame_without_pandas_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    played = play("bratwurmeck", "random", "random", seed="rows")
    with pytest.raises(UsageError, match="pip install pandas"):
        played.frame()


@pytest.mark.long
def test_a_ladder_has_rows_and_a_report() -> None:
    rated = ladder("random", "greedy", games=["karteneck"], players=[2], blocks=4, seed="rows")
    assert {row["name"] for row in rated.rows()} == {"random", "greedy"}
    assert rated.html().startswith("<!doctype html>")
