"""What is installed is locked: a version and hashes for everything that pyproject.toml asks for, and no addresses."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS = PROJECT["project"]["optional-dependencies"]
LOCKS = ["arena", "build", "development"]
REGENERATE = "run: make lock"


def text_of(lock: str) -> str:
    return (ROOT / "requirements" / f"{lock}.txt").read_text(encoding="utf-8")


def locked(lock: str) -> list[tuple[Requirement, list[str]]]:
    """Each package of a lock, and its hashes."""
    entries = re.split(r"\n(?=\S)", text_of(lock).strip())
    return [(Requirement(entry.split("\\\n")[0]), re.findall(r"--hash=(\S+)", entry)) for entry in entries]


def wanted(*extras: str) -> list[Requirement]:
    """What pyproject.toml asks for, with these extras and those that they name."""
    found = [*PROJECT["project"]["dependencies"], *PROJECT["build-system"]["requires"]]
    for extra in extras:
        found += EXTRAS[extra]
    direct = [Requirement(each) for each in found]
    inner = {extra for each in direct if each.name == "roost" for extra in each.extras}
    return [each for each in direct if each.name != "roost"] + (wanted(*inner) if inner else [])


@pytest.mark.parametrize("lock", LOCKS)
def test_every_package_has_one_version_and_hashes(lock: str) -> None:
    for package, hashes in locked(lock):
        (pin,) = package.specifier
        assert pin.operator == "=="
        assert hashes
        assert all(re.fullmatch("sha256:[0-9a-f]{64}", each) for each in hashes)


@pytest.mark.parametrize("lock", LOCKS)
def test_no_lock_names_an_address(lock: str) -> None:
    assert not re.search(r"://|--(extra-)?index-url|--find-links| @ ", text_of(lock))


@pytest.mark.parametrize(
    ("extras", "locks"), [(("dev",), ["development"]), (("server", "postgresql"), ["arena", "build"])]
)
def test_what_the_project_asks_for_is_locked(extras: tuple[str, ...], locks: list[str]) -> None:
    pins = [package for lock in locks for package, _ in locked(lock)]
    for asked in wanted(*extras):
        found = [pin for pin in pins if canonicalize_name(pin.name) == canonicalize_name(asked.name)]
        assert found, f"{asked} is not locked; {REGENERATE}"
        for pin in found:
            (exactly,) = pin.specifier
            assert asked.specifier.contains(exactly.version), f"{pin} is not {asked}; {REGENERATE}"


@pytest.mark.parametrize("lock", ["arena", "build"])
def test_the_container_has_the_versions_that_are_tested(lock: str) -> None:
    """For whichever platforms."""
    versions = [{f"{package.name}{package.specifier}" for package, _ in locked(each)} for each in (lock, "development")]
    assert versions[0] <= versions[1]


def test_everything_that_installs_asks_for_hashes() -> None:
    container = (ROOT / "deploy" / "Containerfile").read_text(encoding="utf-8")
    make = (ROOT / "Makefile").read_text(encoding="utf-8").split("$(READY): ")[-1]
    assert re.findall(r"requirements/(\w+)\.txt", container) == ["build", "arena"]
    for text, command in ((container, "pip (?:install|wheel)"), (make, re.escape("$(PIP)"))):
        for line in re.findall(rf"{command}.*", text):
            assert "--require-hashes" in line or "--no-deps" in line
