"""The JSON API against its own OpenAPI document, asked what nobody would think of."""

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, assume, given, seed, settings
from hypothesis import strategies as st
from schemathesis.core.result import Ok

from roost_games.registry import get_game
from tests.support.games.spectated import watched
from tests.support.pages.fake_arena import HOSTILE, FakeArena, serving
from tests.support.pages.hosted import hosted

EXAMPLES = 12
"""Of each question, some of them valid and some not."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    fake = FakeArena(("greedy", *HOSTILE))
    variant, players = next(iter(get_game("karteneck").tables()))
    fake.replay = watched("karteneck", variant, players, "a match to ask for")[1].replay().to_line()
    fake.finish("autumn")
    with serving(fake) as arena, hosted(arena) as address:
        yield address


QUESTIONS = (
    "/arena",
    "/standings",
    "/cross-table",
    "/rating-history",
    "/bots",
    "/bots/{bot}",
    "/matches",
    "/running",
    "/matches/{match_id}",
    "/matches/{match_id}/frames",
    "/matches/{match_id}/replay",
    "/competitions",
    "/competitions/{competition}",
)


@pytest.fixture(scope="module")
def schema(address: str) -> schemathesis.BaseSchema:
    return schemathesis.openapi.from_url(f"{address}/api/v1/openapi.json")


def test_every_question_is_described(schema: schemathesis.BaseSchema) -> None:
    described = [each.ok().path for each in schema.get_all_operations() if isinstance(each, Ok)]
    assert sorted(described) == sorted(f"/api/v1{path}" for path in QUESTIONS)


@pytest.mark.parametrize("path", QUESTIONS)
def test_answers_are_as_described(schema: schemathesis.BaseSchema, path: str) -> None:
    operation = schema[f"/api/v1{path}"]["GET"]
    modes = st.sampled_from(list(schemathesis.GenerationMode))

    @seed(1)
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=modes.flatmap(lambda mode: operation.as_strategy(generation_mode=mode)))
    def ask(case: schemathesis.Case[Any]) -> None:
        # A schema cannot say that an outcome is that of a bot.
        assume(not case.query.get("outcome") or case.query.get("bot") or case.query.get("version_id"))
        case.call_and_validate()

    ask()
