"""A bot that forfeits when it is behind, where the matches that it forfeits do not count.

A competition file could say so (`forfeits = "ignore"`), and then forfeiting was worth 223 points. The opponents are the
same greedy bot without the trick, so that whatever the attacker has more than they do, it has from forfeiting. In the
matches here it wins 500 points if those that it forfeits do not count, and loses 150 if they do.
"""

from hashlib import sha256
from pathlib import Path

import pytest

from roost.v1 import play_pb2
from roost_bots.greedy import GreedyBot
from roost_games.bratwurmeck import View
from roost_games.referee import Referee
from roost_games.registry import get_game
from roost_games.replay import Fault, Seat
from roost_ladder.rating.results import MatchResult
from roost_ladder.rating.standings import Standing, standings
from roost_sdk.wire import codec_for
from roost_server.competition.file import CompetitionFileError, parse_competition
from roost_server.competition.ledger import draw_up
from roost_server.store import open_store, queries
from tests.support.arenas.hall import bounded, hall, settings, until
from tests.support.arenas.raw_bot import Answers, RawBot
from tests.support.records.matches import counted

GAME = get_game("bratwurmeck")
CODEC = codec_for(GAME.name).for_match(GAME.options({}))
MATCHES = 240
"""About 160 of them with the attacker."""
LATE = 12
"""From this turn on it pays to look at who is ahead."""
WORTHWHILE = 100.0
"""In points. Without the forfeited matches the attacker has far more; see above."""
ATTACKER, HONEST = 1, 2
PAIRS = 100
MANY = 2_000
RESOLVED = 30.0
"""In points: half the width of an interval."""
CUP = """\
name = "cup"
[[games]]
game = "bratwurmeck"
players = [2]
[faults]
forfeits = "ignore"
[[phases]]
phase = "ladder"
[[phases]]
phase = "done"
"""


class Greedy(RawBot):
    """Plays as the sample does."""

    def answers(self, decision: play_pb2.Decision) -> Answers:
        answer = play_pb2.Answer(match=decision.match, request=decision.request)
        view = CODEC.view_from_wire(decision.view)
        if not self.gives_up(view):
            CODEC.move_to_wire(GreedyBot().bratwurmeck(view, GAME.legal(view)), answer.move)
        return (answer,)

    def gives_up(self, view: View) -> bool:
        return False


class Quitter(Greedy):
    """Answers nothing that is a move once it is behind late in a match."""

    def gives_up(self, view: View) -> bool:
        return is_behind(view)


def is_behind(view: View) -> bool:
    """Whether somebody has more worms, late in the match."""
    worms = [sum(tile.worms for tile in stack) for stack in view.stacks]
    return view.turn >= LATE and worms[view.seat or 0] < max(worms)


def seed_of(match: int) -> bytes:
    return sha256(f"forfeits {match}".encode()).digest()


def places_of(match: int, quits: int | None) -> MatchResult:
    """A match of two by the real referee. The seat `quits` is the attacker's; with `None` both play on."""
    referee = Referee(GAME, [Seat("quitter"), Seat("greedy")], seed_of(match), max_faults=1)
    while not referee.over:
        (seat,) = referee.waiting
        view = referee.view(seat)
        if seat == quits and is_behind(view):
            referee.fault(seat, Fault.MALFORMED)
        else:
            referee.answer(seat, GreedyBot().bratwurmeck(view, GAME.legal(view)))
    assert referee.result is not None
    bots = (HONEST, ATTACKER) if quits == 1 else (ATTACKER, HONEST)
    return MatchResult(f"block {match}", GAME.name, bots, referee.result.places, bool(referee.result.forfeits))


def of(bot: int, results: list[MatchResult], *, forfeits: bool) -> Standing:
    return next(each for each in standings(results, forfeits=forfeits) if each.bot == bot)


def test_a_forfeit_never_makes_a_place_better() -> None:
    """The same deals are played twice, to the end and until the attacker gives up."""
    pairs = [(places_of(match, None), places_of(match, match % 2)) for match in range(PAIRS)]
    assert sum(left.forfeited for _, left in pairs) > PAIRS / 2
    for match, (stayed, left) in enumerate(pairs):
        assert left.places[match % 2] >= stayed.places[match % 2], match


@pytest.mark.long
def test_over_many_matches_forfeiting_loses_points() -> None:
    """Enough of them to see a gain of 30 points, if there were one."""
    played = [places_of(match, match % 2) for match in range(MANY)]
    before, now = (of(ATTACKER, played, forfeits=forfeits) for forfeits in (False, True))
    assert before.low > 1500 + WORTHWHILE
    assert now.high < 1500
    assert now.high - now.low < 2 * RESOLVED


@pytest.mark.long
def test_forfeiting_when_behind_gains_nothing(tmp_path: Path) -> None:
    """The same matches are rated twice: as they count, and as they would have been counted before."""
    played: list[MatchResult] = []
    attackers: list[int] = []

    async def script() -> None:
        rules = settings("bratwurmeck", max_faults=1, quarantine_after=10_000)
        async with (
            hall(tmp_path, rules) as place,
            Quitter(place.address, "quitter", max_matches=8) as quitter,
            Greedy(place.address, "greedy", max_matches=8),
            Greedy(place.address, "eager", max_matches=8),
        ):
            attackers.append(quitter.welcome.version_id)
            await until(lambda: queries.match_count(place.store) >= MATCHES, pause=0.2)
            played.extend(match.facts.result() for match in counted(place.store) if match.facts is not None)

    bounded(script)
    before, now = (of(attackers[0], played, forfeits=forfeits) for forfeits in (False, True))
    assert before.low > 1500
    assert before.rating > 1500 + WORTHWHILE
    assert now.low < 1500


def test_no_new_competition_lets_a_bot_forfeit_for_nothing(tmp_path: Path) -> None:
    with open_store(f"sqlite:///{tmp_path}/roost.db") as store:
        remedy = r"cup\.toml, line 6: faults\.forfeits: a forfeit counts as a last place, .*; leave it out"
        with pytest.raises(CompetitionFileError, match=remedy):
            draw_up(store, parse_competition(CUP), CUP, "cup.toml")
