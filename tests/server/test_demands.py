"""What a bot has to show before it takes part: the table in the file, and blocks that a hand can add up."""

import pytest

from roost_ladder.rating.facts import MatchFacts
from roost_server.competition.demands import BotQualification, QualificationPart, QualifyingBlock, in_words, trial_of
from roost_server.competition.file import CompetitionFileError, PhaseName, parse_competition
from roost_server.competition.wording import rules_in_words

ME, OTHER = 7, 3
CUP = """
name = "cup"
[[games]]
game = "karteneck"
players = [2, 3]
[[phases]]
phase = "ladder"
[phases.qualification]
TABLE
[[phases]]
phase = "done"
"""


def cup(table: str) -> str:
    return CUP.replace("TABLE", table)


def match(place: int, *, faults: int = 0, forfeited: bool = False) -> MatchFacts:
    """A match of two; a place of 0 is a tie."""
    places = {1: (1, 2), 2: (2, 1), 0: (1, 1)}[place]
    return MatchFacts(
        "b", "karteneck", (ME, OTHER), places, (0, 0), (faults, 0), (forfeited, False), (1, 1), (1.0, 1.0)
    )


def block(number: int, *matches: MatchFacts) -> QualifyingBlock:
    return QualifyingBlock(f"cup-qualification-{number}", 2, matches)


def test_strength_is_shown_by_bets() -> None:
    part = QualificationPart(opponent=("greedy",), confidence=0.5, most_versions=1)
    won = [block(number, match(1), match(1)) for number in range(3)]
    # One block won makes 1.5 of the stake, two 2.29; two are needed for a confidence of 1/2.
    assert trial_of(part, ME, won[:1]).decided == ""
    shown = trial_of(part, ME, won)
    assert (shown.decided, shown.blocks, shown.score) == ("cup-qualification-1", 2, 1.0)
    assert shown.confidence == pytest.approx(1 - 3 / 6.875)
    # With two versions that may try, twice as much is needed: 1.5, 2.29, 3.56, 5.63.
    twice = part.model_copy(update={"most_versions": 2})
    assert trial_of(twice, ME, won).decided == ""
    assert trial_of(twice, ME, [*won, block(3, match(1), match(1))]).decided == "cup-qualification-3"


def test_a_match_that_is_missing_is_lost() -> None:
    part = QualificationPart(opponent=("greedy",), confidence=0.5, most_versions=1)
    assert trial_of(part, ME, [block(0, match(1)), block(1, match(0))]).score == (0.5 + 0.25) / 2


def test_clean_matches_are_counted_in_a_row() -> None:
    part = QualificationPart(opponent=("greedy",), clean_matches=3)
    faulty = block(1, match(1), match(2, faults=1))
    assert trial_of(part, ME, [block(0, match(2), match(2)), faulty]).clean == 0
    left = block(2, match(2, forfeited=True), match(1))
    assert trial_of(part, ME, [faulty, left]).clean == 1
    done = trial_of(part, ME, [faulty, left, block(3, match(2), match(2)), block(4, match(2), match(2, faults=1))])
    assert (done.decided, done.clean, done.blocks) == ("cup-qualification-3", 3, 3)


def test_a_version_fails_and_the_next_one_may_try() -> None:
    part = QualificationPart(opponent=("greedy",), clean_matches=100, most_blocks=2, most_versions=2)
    lost = [block(number, match(2), match(2)) for number in range(3)]
    bot = BotQualification((trial_of(part, ME, lost),))
    assert (bot.trials[0].failed, bot.trials[0].blocks) == (True, 2)
    assert [bot.may_try(part, version) for version in (ME, 8)] == [False, True]
    assert in_words(part, bot).endswith("this version has failed; 1 more may try")
    both = bot.with_trial(bot.trials[0]._replace(version_id=8))
    assert [both.may_try(part, version) for version in (ME, 8, 9)] == [False, False, False]
    assert not both.qualified
    assert in_words(part, both).endswith("it has failed, and no other version may try")


def test_how_far_a_bot_is_in_words() -> None:
    part = QualificationPart(opponent=("greedy",), confidence=0.95, clean_matches=10, most_versions=1)
    assert in_words(part, BotQualification(())) == "has to qualify against greedy"
    assert in_words(part, BotQualification((), exempt=True)) == "need not qualify: it is the opponent"
    some = BotQualification((trial_of(part, ME, [block(0, match(1), match(1))]),))
    assert in_words(part, some) == (
        "block 1 of at most 200, score 100%, better with confidence 33.33 % of 95 %, "
        "2 of 10 matches in a row without a fault; it goes on"
    )


def test_the_rules_in_words() -> None:
    file = parse_competition(cup('opponent = "greedy"\nconfidence = 0.95\nclean_matches = 10'))
    assert file.demanding is PhaseName.LADDER
    [told] = [line for line in rules_in_words(file) if "greedy" in line]
    assert told == (
        "Before a bot plays the ladder, it shows that it is better with a confidence of 95 % and 10 matches in a row "
        "without a fault against greedy in karteneck at a table of 2. These matches are not rated."
    )


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("confidence = 0.9", 'line 8: phases.1.qualification.opponent: is missing; write opponent = "greedy"'),
        ('opponent = "greedy"', "line 8: phases.1.qualification: demands nothing; write confidence = 0.95, clean_"),
        ('opponent = "greedy"\nconfidence = 1.0', "line 10: phases.1.qualification.confidence: input should be less"),
        ('opponent = ["a", "a"]\nclean_matches = 1', "line 9: phases.1.qualification.opponent: write every opponent"),
        (
            'opponent = "a"\nplayers = 3\nclean_matches = 1',
            "line 10: phases.1.qualification.players: a table of 3 has 2",
        ),
        (
            'opponent = "a"\ngame = "haecmaec"\nclean_matches = 1',
            "line 10: phases.1.qualification.game: the competition",
        ),
        (
            'opponent = ["a", "b", "c"]\nclean_matches = 1',
            "line 8: phases.1.qualification: the competition does not play",
        ),
        ('opponent = "a"\nclean = 1', "line 10: phases.1.qualification.clean: there is no such setting; here are opp"),
    ],
)
def test_errors_in_the_table(table: str, said: str) -> None:
    with pytest.raises(CompetitionFileError) as refused:
        parse_competition(cup(table), "cup.toml")
    assert said in str(refused.value)


def test_where_the_table_may_be() -> None:
    table = '[phases.qualification]\nopponent = "a"\nclean_matches = 1\n'
    with pytest.raises(CompetitionFileError, match="is for the ladder or the finals"):
        parse_competition(cup('opponent = "a"\nclean_matches = 1') + table)
    twice = cup('opponent = "a"\nclean_matches = 1').replace('[[phases]]\nphase = "done"', "")
    twice += f'[[phases]]\nphase = "finals"\n{table}[[phases]]\nphase = "done"'
    with pytest.raises(CompetitionFileError, match="one phase can demand it"):
        parse_competition(twice)
    alone = twice.replace(
        '[[phases]]\nphase = "ladder"\n[phases.qualification]\nopponent = "a"\nclean_matches = 1\n', ""
    )
    with pytest.raises(CompetitionFileError, match="bots have no time to qualify"):
        parse_competition(alone)
