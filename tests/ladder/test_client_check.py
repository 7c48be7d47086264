"""`roost try --listen`: an honest client gets a clean report, and each mistake of a wrong one is named."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from roost_ladder.workshop.clients import examinee, exercises, requirements
from roost_ladder.workshop.clients.check import check_client
from roost_ladder.workshop.clients.requirements import Requirement
from roost_ladder.workshop.doctor import Effort, Examination
from roost_ladder.workshop.findings import Mark
from roost_sdk import Bot, Client
from roost_sdk.arena.link import grpc_links
from tests.support.arenas import dialling_clients as clients
from tests.support.arenas.dialling_clients import DiallingClient

PROTOCOL = Path(__file__).parents[2] / "docs" / "formats" / "protocol.md"
EXERCISES = {"matches", "voided", "overtaken", "unknown", "batches", "resume", "restart", "leaving"}
PATIENT = Effort(matches=1, seconds=60.0, patience=60.0)
HASTY = Effort(matches=1, seconds=60.0, patience=1.0)
"""For clients that never do something: waiting for longer would prove nothing."""


async def examined(client_class: type[DiallingClient], *parts: str, effort: Effort = PATIENT) -> Examination:
    running: list[asyncio.Task[None]] = []
    client: DiallingClient | None = None

    def obey(prompt: str) -> None:
        nonlocal client
        if client is None:
            client = client_class(prompt.split()[2].rstrip(";"))
            running.append(asyncio.create_task(client.run()))
        else:
            running.append(asyncio.create_task(client.leave()))

    report = await check_client("127.0.0.1:0", effort=effort, prompt=obey, exercises=parts)
    for task in running:
        while not task.done():  # gRPC may take a cancellation for one of its call
            task.cancel()
            await asyncio.wait([task], timeout=0.1)
        with suppress(asyncio.CancelledError, ConnectionError):
            task.result()
    return report


def names(report: Examination, *marks: Mark) -> list[str]:
    return [finding.check for finding in report.findings if finding.mark in marks]


@pytest.fixture
def briefly(monkeypatch: pytest.MonkeyPatch) -> None:
    """The arena is away, and watches who has left, for a moment: honest clients make nothing of that time."""
    monkeypatch.setattr(exercises, "CLOSED_SECONDS", 0.1)
    monkeypatch.setattr(exercises, "GOODBYE_SECONDS", 0.1)


@pytest.mark.usefixtures("briefly")
def test_an_honest_client_gets_a_clean_report() -> None:
    report = asyncio.run(examined(DiallingClient))
    assert {finding.mark for finding in report.findings} == {Mark.FINE}
    assert set(names(report, Mark.FINE)) == {"hello", *EXERCISES, "time"}
    assert report.healthy
    assert report.bot == "dialling"
    assert report.games == ["bratwurmeck"]


def test_a_bot_that_thinks_for_long_is_examined_less_thoroughly() -> None:
    """Here no time is left for it after the first decision of each match."""
    report = asyncio.run(examined(DiallingClient, "matches", effort=PATIENT._replace(seconds=0.0)))
    (matches,) = [finding for finding in report.findings if finding.check == "matches"]
    assert matches.title == "2 decisions in 2 matches, all answered legally (there was no time for more)"


class First(Bot):
    """Sees everything, and has coroutines: the SDK with all that it can do."""

    async def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        return legal[0]

    def seen(self, seat: int, move: object) -> None:
        pass


@pytest.mark.long
@pytest.mark.usefixtures("briefly")
def test_the_sdk_gets_a_clean_report() -> None:
    async def script() -> Examination:
        client = Client(First, name="first", version="1", max_matches=500)
        running: list[asyncio.Task[None]] = []

        def obey(prompt: str) -> None:
            if running:
                running.append(asyncio.create_task(client.leave()))
            else:
                running.append(asyncio.create_task(client.run(grpc_links(prompt.split()[2].rstrip(";")))))

        report = await check_client("127.0.0.1:0", effort=PATIENT, prompt=obey)
        await asyncio.gather(*running)
        return report

    report = asyncio.run(script())
    assert {finding.mark for finding in report.findings} == {Mark.FINE}, report.findings
    (batches,) = [finding for finding in report.findings if finding.check == "batches"]
    assert batches.title == "answers 500 decisions in one message"


WRONG: dict[type[DiallingClient], tuple[str, str]] = {
    clients.SaysReadyWithHello: ("hello-not-alone", "matches"),
    clients.NamesNoGames: ("games-unnamed", "voided"),
    clients.SetsADeadline: ("deadline", "voided"),
    clients.SaysHelloAgain: ("hello-again", "voided"),
    clients.ConfusesSeatAndMatch: ("ready-unknown", "voided"),
    clients.TakesAFaceThatIsNone: ("move-malformed", "matches"),
    clients.TakesAFaceThatIsNotThere: ("move-illegal", "matches"),
    clients.SendsNoMove: ("move-missing", "matches"),
    clients.Crashes: ("crashed", "matches"),
    clients.AnswersTwice: ("answered-twice", "matches"),
    clients.FearsTheUnknown: ("unknown-refused", "unknown"),
    clients.ExpectsPlaces: ("void-refused", "voided"),
    clients.KeepsItsFirstToken: ("token-old", ""),
    clients.ForgetsItsToken: ("token-missing", "resume"),
    clients.InsistsOnItsToken: ("token-kept", "restart"),
    clients.NeverPauses: ("hammering", "resume"),
    clients.ForgetsNothing: ("not-forgotten", "resume"),
    clients.EndsItsSide: ("half-closed", "leaving"),
    clients.HangsUp: ("left-silently", "leaving"),
    clients.NeverGoes: ("came-back", "leaving"),
}
"""What each does wrong, and the exercise in which that shows; in any of them if it is empty."""
SILENT: dict[type[DiallingClient], tuple[str, str]] = {
    clients.ReturnsNoPing: ("pong-missing", "voided"),
    clients.CountsItsPongs: ("pong-wrong", "voided"),
    clients.IsNeverReady: ("ready-missing", "voided"),
    clients.AnswersOnlyTheFirst: ("answer-missing", "matches"),
    clients.CountsItsRequests: ("request-wrong", "matches"),
    clients.ConfusesMatches: ("answer-unknown", "matches"),
    clients.NeverComesBack: ("not-back", "resume"),
    clients.HasAnsweredThatAlready: ("repeat-unanswered", "resume"),
    clients.WasReadyAlready: ("ready-not-repeated", "resume"),
    clients.StopsPlaying: ("left-matches", "leaving"),
}
"""The same for what only shows when one waits in vain."""


def assert_named(report: Examination, name: str) -> None:
    (finding,) = [finding for finding in report.findings if finding.check == name]
    requirement = next(each for each in vars(requirements).values() if getattr(each, "name", "") == name)
    assert finding.mark is requirement.mark
    assert requirement.remedy in finding.details
    assert report.healthy == (finding.mark is not Mark.DEFECT) or names(report, Mark.DEFECT) != [name]


@pytest.mark.short(2)
@pytest.mark.parametrize("client_class", WRONG)
def test_what_a_client_does_wrong_is_named(client_class: type[DiallingClient]) -> None:
    name, exercise = WRONG[client_class]
    assert_named(asyncio.run(examined(client_class, *([exercise] if exercise else []))), name)


@pytest.mark.short(1)
@pytest.mark.parametrize("client_class", SILENT)
def test_what_a_client_does_not_do_is_named(
    client_class: type[DiallingClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examinee, "SHORTEST_RETURN", HASTY.patience)
    name, exercise = SILENT[client_class]
    assert_named(asyncio.run(examined(client_class, exercise, effort=HASTY)), name)


@pytest.mark.long
def test_a_batch_in_one_message_that_is_too_large() -> None:
    report = asyncio.run(examined(clients.SendsWhateverItHas, "batches"))
    assert set(names(report, Mark.DEFECT, Mark.WARNING)) == {"message-too-large", "pong-late"}


@pytest.mark.parametrize("client_class", [clients.SaysNoHello, clients.HasNoName])
def test_without_a_proper_hello_nothing_is_examined(client_class: type[DiallingClient]) -> None:
    report = asyncio.run(examined(client_class))
    assert not report.loads
    assert names(report, Mark.DEFECT)[0] in ("hello-missing", "hello-refused")


def test_every_requirement_is_in_the_protocol() -> None:
    """Its section exists, and names are names of one thing."""
    sections = {
        line.lstrip("#").strip().strip("`").lower().replace(" ", "-").replace("'", "").replace(",", "")
        for line in PROTOCOL.read_text(encoding="utf-8").splitlines()
        if line.startswith("#")
    }
    known = [each for each in vars(requirements).values() if isinstance(each, Requirement)]
    assert {each.section for each in known} <= sections
    assert len({each.name for each in known}) == len(known)
