"""The choice of cases for the short run."""

import pytest

from tests.support.cases import spread


@pytest.mark.parametrize(
    ("cases", "wanted", "chosen"),
    [
        (9, 3, {0, 4, 8}),
        (18, 6, {0, 4, 8, 9, 13, 17}),
        (12, 1, {0}),
        (7, 3, {0, 3, 4}),
        (3, 5, {0, 1, 2}),
        (1, 1, {0}),
    ],
)
def test_cases_are_spread(cases: int, wanted: int, chosen: set[int]) -> None:
    assert spread(cases, wanted) == chosen
