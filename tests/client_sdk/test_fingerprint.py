"""What counts as the same code, and what as changed."""

import importlib
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from roost_bots import SAMPLES
from roost_games.errors import UsageError
from roost_sdk import Bot, fingerprint, load_bot

BOT = """
from roost_sdk import Bot
import search.tree
from tables import ODDS

class One(Bot):
    def choose(self, view, legal):
        import late
        return legal[0]

class Two(Bot):
    def choose(self, view, legal):
        return legal[-1]
"""


@pytest.fixture(autouse=True)
def _loaded_modules() -> Iterator[None]:
    """Bots of different folders bring modules of the same names."""
    modules, path = set(sys.modules), sys.path[:]
    yield
    sys.path[:] = path
    forget_modules_but(modules)


def forget_modules_but(names: set[str]) -> None:
    for name in set(sys.modules) - names:
        del sys.modules[name]
    importlib.invalidate_caches()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "bots"
    write(folder / "mybot.py", BOT)
    write(folder / "tables.py", "from constants import SIX\nODDS = SIX / 6\n")
    write(folder / "constants.py", "SIX = 6\n")
    write(folder / "search/__init__.py", "")
    write(folder / "search/tree.py", "from . import node\n")
    write(folder / "search/node.py", "")
    write(folder / "late.py", "")
    write(folder / "unrelated.py", "")
    return folder


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def version_in(folder: Path, name: str = "mybot.py:One") -> str:
    """The version of a bot as a process has it that starts now."""
    modules, path = set(sys.modules), sys.path[:]
    try:
        return fingerprint(load_bot(f"{folder}/{name}", {}).bot_class)
    finally:
        sys.path[:] = path
        forget_modules_but(modules)


def test_it_is_short_and_repeats(folder: Path) -> None:
    version = version_in(folder)
    assert len(version) == 16
    assert set(version) <= set("0123456789abcdef")
    assert version_in(folder) == version


def test_the_same_code_elsewhere_is_the_same_version(folder: Path, tmp_path: Path) -> None:
    other = shutil.copytree(folder, tmp_path / "somewhere/else")
    assert version_in(other) == version_in(folder)


def test_a_program_has_the_version_of_the_file(folder: Path) -> None:
    with (folder / "mybot.py").open("a") as file:
        file.write("if __name__ == '__main__':\n    import roost_sdk\n    print(roost_sdk.fingerprint(One))\n")
    done = subprocess.run([sys.executable, folder / "mybot.py"], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == version_in(folder)


def test_line_ends_do_not_matter(folder: Path) -> None:
    before = version_in(folder)
    (folder / "mybot.py").write_bytes(BOT.replace("\n", "\r\n").encode())
    assert version_in(folder) == before


@pytest.mark.parametrize(
    "file",
    ["mybot.py", "tables.py", "constants.py", "search/__init__.py", "search/tree.py", "search/node.py", "late.py"],
)
def test_changed_code_is_a_new_version(folder: Path, file: str) -> None:
    before = version_in(folder)
    with (folder / file).open("a") as changed:
        changed.write("# improved\n")
    assert version_in(folder) != before


def test_what_the_bot_does_not_import_does_not_count(folder: Path) -> None:
    before = version_in(folder)
    write(folder / "unrelated.py", "changed = True\n")
    write(folder / "random.py", "raise RuntimeError('a sibling called like a module of the standard library')\n")
    write(folder / "weights.bin", "data")
    assert version_in(folder) == before


def test_what_else_the_process_has_loaded_does_not_count(folder: Path) -> None:
    alone = version_in(folder)
    write(folder / "other.py", "import unrelated\nfrom roost_sdk import Bot\nclass Other(Bot): ...\n")
    load_bot(f"{folder}/other.py", {})
    assert fingerprint(load_bot(f"{folder}/mybot.py:One", {}).bot_class) == alone


def test_two_bots_in_one_file_are_two_versions(folder: Path) -> None:
    assert version_in(folder, "mybot.py:One") != version_in(folder, "mybot.py:Two")


def test_a_bot_can_name_what_its_code_does_not_show(folder: Path) -> None:
    loaded = load_bot(f"{folder}/mybot.py:One", {}).bot_class
    before = fingerprint(loaded)
    loaded.version = "weights of May"
    in_may = fingerprint(loaded)
    loaded.version = "weights of June"
    assert len({before, in_may, fingerprint(loaded)}) == 3


def test_a_module_that_cannot_be_read_counts_as_it_is(folder: Path) -> None:
    write(folder / "late.py", "this is (not Python")
    before = version_in(folder)
    write(folder / "late.py", "this is (not Python either")
    assert version_in(folder) != before


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installed package with two bots, beside other installed packages."""
    site = tmp_path / "site"
    write(site / "fowl/__init__.py", "from fowl.hen import Hen\nfrom fowl.duck import Duck\n")
    hen = "import otherpackage\nfrom fowl import worms\nfrom .coop import nest\nfrom roost_sdk import Bot\n"
    write(site / "fowl/hen.py", f"{hen}class Hen(Bot): ...\n")
    write(site / "fowl/duck.py", "from roost_sdk import Bot\nclass Duck(Bot): ...\n")
    write(site / "fowl/worms.py", "")
    write(site / "fowl/coop/__init__.py", "")
    write(site / "fowl/coop/nest.py", "")
    write(site / "otherpackage.py", "")
    monkeypatch.syspath_prepend(str(site))
    return site


def version_of_hen() -> str:
    modules = set(sys.modules)
    try:
        bot_class: type[Bot] = importlib.import_module("fowl.hen").Hen
        return fingerprint(bot_class)
    finally:
        forget_modules_but(modules)


@pytest.mark.parametrize("file", ["hen.py", "worms.py", "coop/__init__.py", "coop/nest.py"])
def test_in_a_package_what_it_imports_of_the_package_counts(package: Path, file: str) -> None:
    before = version_of_hen()
    with (package / "fowl" / file).open("a") as changed:
        changed.write("# improved\n")
    assert version_of_hen() != before


@pytest.mark.parametrize("file", ["fowl/__init__.py", "fowl/duck.py", "otherpackage.py"])
def test_in_a_package_the_rest_does_not_count(package: Path, file: str) -> None:
    before = version_of_hen()
    with (package / file).open("a") as changed:
        changed.write("# improved\n")
    assert version_of_hen() == before


def test_in_a_package_a_thing_from_its_top_counts(package: Path) -> None:
    write(package / "fowl/hen.py", "import fowl\nfrom roost_sdk import Bot\nclass Hen(Bot): ...\n")
    before = version_of_hen()
    write(package / "fowl/__init__.py", "# improved\n")
    assert version_of_hen() != before


def test_samples_have_a_version() -> None:
    assert len({fingerprint(sample) for sample in SAMPLES.values()}) == len(SAMPLES)


def test_code_without_a_file_needs_a_version() -> None:
    space: dict[str, type[Bot]] = {}
    exec("from roost_sdk import Bot\nclass Typed(Bot): ...", space)  # noqa: S102
    space["Typed"].__module__ = "nowhere"
    with pytest.raises(UsageError, match="no file with the code of Typed"):
        fingerprint(space["Typed"])
