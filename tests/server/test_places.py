"""Places: who is given how many matches at once, and what a match uses up that somebody is not ready for."""

from roost_server.play.pacing.allowances import Allowances
from roost_server.play.pacing.places import PATIENT_SECONDS, Gathering, Places
from roost_server.play.pacing.width import Width
from roost_server.settings import Settings

READY_SECONDS = 10.0
SOON = PATIENT_SECONDS / 2
LATER = PATIENT_SECONDS * 2


class Bot:
    """A bot that takes part in some matches."""

    def __init__(self, most: int) -> None:
        self.matches = 0
        self.rooms = 0
        self.places = Places(Width(most, fixed=most), lambda: self.matches)
        self.places.on_room = self._count

    def _count(self) -> None:
        self.rooms += 1


def dealt(*bots: Bot) -> Gathering:
    """A match between these bots, dealt at time 0."""
    for bot in bots:
        bot.matches += 1
    return Gathering([bot.places for bot in bots], 0.0, READY_SECONDS)


def proven(most: int) -> Bot:
    """A bot that has been ready, and is given this many matches at once."""
    bot = Bot(most)
    bot.places.note_ready()
    return bot


def test_a_bot_is_given_one_match_until_it_has_been_ready_once() -> None:
    bot = Bot(4)
    assert bot.places.at_once == 1
    bot.places.note_ready()
    bot.places.note_ready()
    assert (bot.places.at_once, bot.rooms) == (4, 1)
    bot.places.note_not_ready()
    assert bot.places.at_once == 1


def test_a_match_that_waits_for_somebody_takes_up_no_place_of_the_others() -> None:
    ready, late = proven(1), proven(2)
    match = dealt(ready, late)
    match.ready(0)
    assert not match.may_begin(SOON)
    assert (match.is_held_up, ready.places.is_free) == (False, False)
    assert not match.may_begin(LATER)
    assert (match.is_held_up, ready.places.is_free) == (True, True)
    assert late.places.holds_up
    # It takes up a place of the bot that others wait for.
    assert (ready.places.playing, late.places.playing) == (0, 1)
    match.ready(1)
    assert match.may_begin(LATER)
    match.begin()
    assert (match.is_held_up, ready.places.playing, late.places.playing) == (False, 1, 1)
    assert not late.places.holds_up


def test_nobody_is_asked_in_more_matches_at_once_than_it_wants() -> None:
    """Two matches wait for others while a third is played. They begin one after the other, as soon as there is room."""
    bot = proven(1)
    others = [proven(1), proven(1), proven(1)]
    first, second, third = (dealt(bot, other) for other in others)
    for match in (first, second):
        match.ready(0)
        assert not match.may_begin(LATER)
    assert bot.places.playing == 1
    third.ready(0)
    third.ready(1)
    assert third.may_begin(SOON)
    third.begin()
    for match in (first, second):
        match.ready(1)
        assert not match.may_begin(LATER)
    # Nothing else is begun before them.
    assert (bot.places.playing, bot.places.is_free) == (3, False)
    bot.matches -= 1
    assert first.may_begin(LATER)
    first.begin()
    assert not second.may_begin(LATER)
    bot.matches -= 1
    assert second.may_begin(LATER)


def test_who_is_not_ready_in_time_starts_again_with_one_match() -> None:
    ready, late = proven(3), proven(3)
    match = dealt(ready, late)
    match.ready(0)
    assert not match.may_begin(READY_SECONDS)
    assert match.may_begin(READY_SECONDS + SOON)
    match.begin()
    assert (ready.places.at_once, late.places.at_once) == (3, 1)
    assert match.unready == {1}


def test_a_bot_that_leaves_holds_up_nobody() -> None:
    ready, late = proven(1), proven(1)
    match = dealt(ready, late)
    match.ready(0)
    assert not match.may_begin(LATER)
    match.leave(1)
    assert match.may_begin(LATER)
    match.begin()
    assert ready.places.playing == 1
    assert not late.places.holds_up


def test_another_version_of_a_bot_has_no_allowance_of_its_own() -> None:
    allowances = Allowances(Settings(arena_seconds_per_hour=100.0))
    for version, name in ((1, "staller"), (2, "staller"), (3, "other")):
        allowances.know(version, name)
    allowances.wait(1, 200.0)
    assert [allowances.at_once(version, 8) for version in (1, 2, 3)] == [0, 0, 8]
