"""How many there are, in words."""

from roost_games.wording import counted


def test_one_is_not_many() -> None:
    assert [counted(1, thing) for thing in ("block", "match")] == ["1 block", "1 match"]
    assert [counted(number, "match") for number in (0, 2)] == ["0 matches", "2 matches"]
    assert counted(12, "block") == "12 blocks"
