"""The rules of a competition in words, for people who do not read its file."""

from collections.abc import Iterator, Sequence

from roost_games.registry import get_game
from roost_games.wording import counted
from roost_server.competition.file import BY_ROUNDS, CompetitionFile, PhaseName, PhasePart
from roost_server.competition.ranking import Criterion

SCHEDULES = {
    "least-played": "The groups that have played least play next.",
    "sure": "The bots whose order is least certain play next.",
    "round-robin": "Everybody meets everybody equally often.",
    "swiss": "Bots of about equal success meet.",
    "knockout": "The loser of a duel is out.",
}
CRITERIA = {
    Criterion.RATING: "the rating",
    Criterion.CLONE_PROOF: "the clone-proof score, against the mix of bots that nothing beats",
    Criterion.SCORE: "the share of its opponents that a bot finished ahead of",
    Criterion.WORST_PAIR: "the lowest of its shares against single opponents",
}


def rules_in_words(file: CompetitionFile) -> list[str]:
    """The rules, a sentence or two each."""
    return [
        *_tables(file),
        ranking_in_words(file),
        *_entry(file),
        *qualification_in_words(file),
        _clock(file),
        *_faults(file),
        *_challenges(file),
        *_spectators(file),
    ]


def _tables(file: CompetitionFile) -> Iterator[str]:
    for table in file.games:
        game = get_game(table.game)
        options = game.options(table.options).to_json()
        variant = game.variant(options)
        others = sorted(options.keys() - variant.options.keys())
        own = f" with options of its own ({', '.join(others)})" if others else ""
        yield f"{game.title}{own} is played at tables of {_listed(table.players)}."
        if variant.options:
            yield f"Its variant {variant.name} is played: {variant.summary}."
    seats = "in every order of the seats" if file.rotation == "full" else "once in every seat"
    deal = "with a deal of its own" if file.deals == "own" else "with the same deal"
    yield f"A group of bots plays a block of matches: each bot sits {seats}, in each match {deal}."


def ranking_in_words(file: CompetitionFile) -> str:
    """What decides where standings do."""
    first, *then = (CRITERIA[each] for each in file.order)
    return f"Standings are decided by {first}; between equal bots by {', then by '.join([*then, 'the seeding'])}."


def _listed(numbers: Sequence[int]) -> str:
    *most, last = map(str, numbers)
    return f"{', '.join(most)} or {last}" if most else last


def _entry(file: CompetitionFile) -> Iterator[str]:
    entry = file.entry
    who = "Anybody who registers" if entry.who == "open" else "An owner with an invitation"
    yield f"{who} may enter {counted(entry.bots_per_owner, 'bot')}."
    if entry.bots_per_owner > 1:
        yield f"Bots of one owner {'may' if entry.own_bots_may_meet else 'do not'} meet each other."
    if entry.hide_names:
        yield "Bots do not learn the names of their opponents. Everybody does when all matches of a block are over."


def qualification_in_words(file: CompetitionFile) -> Iterator[str]:
    """What a bot has to show before it takes part; nothing if it need not."""
    part, rules = file.qualification, file.qualification_rules()
    if part is None or rules is None:
        return
    demands = [f"that it is better with a confidence of {100 * part.confidence:g} %"] if part.confidence else []
    if part.clean_matches:
        demands.append(f"{counted(part.clean_matches, 'match')} in a row without a fault")
    opponents = " and ".join(part.opponent)
    yield (
        f"Before a bot plays the {file.demanding}, it shows {' and '.join(demands)} against {opponents} "
        f"in {rules.game} at a table of {rules.players}. These matches are not rated."
    )
    yield (
        f"A version has {counted(part.most_blocks, 'block')} for that, and {counted(part.most_versions, 'version')} "
        "of a bot may try. Once one has qualified, later versions of the bot need not."
    )


def _clock(file: CompetitionFile) -> str:
    decision, bank = file.clock.decision_ms / 1000, file.clock.bank_ms / 1000
    return f"A bot has {decision:g} s for a decision, and {bank:g} s more for the whole match."


def _faults(file: CompetitionFile) -> Iterator[str]:
    faults = file.faults
    yield f"With {counted(faults.max_faults, 'fault')} in a match, a bot forfeits it."
    counts = "count like any other result" if faults.forfeits == "count" else "do not count for the ratings"
    yield f"Forfeited matches {counts}."
    yield (
        f"A bot with faults in {counted(faults.quarantine_after, 'match')} in a row pauses "
        "until it answers in a practice match."
    )
    if file.phase(PhaseName.FINALS) is not None:
        yield f"A bot that stays away from the finals for {faults.absence_seconds} s forfeits its matches there."


def _challenges(file: CompetitionFile) -> Iterator[str]:
    most = file.challenges.matches_per_owner_hour
    if most and file.challenges.matches_per_opponent_hour:
        yield f"An owner may ask for {counted(most, 'match')} an hour against named bots. They are not rated."


def _spectators(file: CompetitionFile) -> Iterator[str]:
    if not file.spectators.public:
        yield "Only people with a key can look."
    if file.spectators.delay_seconds:
        yield f"Spectators see matches {file.spectators.delay_seconds} s later."


def phase_in_words(file: CompetitionFile, part: PhasePart) -> str:
    """What happens in a phase."""
    if part.phase is PhaseName.DONE and any(each.is_held for each in file.phases):
        return "The result is final. It and the master seed are public when all results are released."
    return " ".join([_what_happens(part), *([_when_shown(part)] if part.is_held else [])])


def _what_happens(part: PhasePart) -> str:
    match part.phase:
        case PhaseName.REGISTRATION:
            return "Bots enter. Nothing is played yet."
        case PhaseName.LADDER:
            return f"Everybody can enter, and new versions may come at any time. {SCHEDULES[part.plays_by]}"
        case PhaseName.FREEZE:
            return "Nothing is played. Every bot stays at the version that it declared last."
        case PhaseName.DONE:
            return "The result is final, and the master seed is public."
    return f"The frozen versions play, from a clean rating. {SCHEDULES[part.plays_by]} {_amount(part)}".rstrip()


def held_in_words(part: PhasePart) -> str:
    """That the results of a phase are held back, and until when."""
    return _when_shown(part) + (" The rest is held back." if part.results == BY_ROUNDS else "")


def _when_shown(part: PhasePart) -> str:
    """The rule by which results are shown. It stays in force after the end."""
    until = part.results_until
    if part.results == BY_ROUNDS:
        return f"The host releases the results of the {part.phase} round by round."
    when = "the host releases them" if until is None else f"{until:%Y-%m-%d %H:%M} UTC"
    return f"The results of the {part.phase} are held back until {when}."


def _amount(part: PhasePart) -> str:
    if part.plays_by == "sure":
        return f"The finals end when the order is sure, or after {counted(part.budget or 0, 'block')}."
    if part.plays_by == "knockout":
        return f"A duel has {counted(part.blocks_per_pairing, 'block')}."
    return f"There are {counted(part.rounds, 'round')}." if part.plays_by == "swiss" else _times(part.rounds)


def _times(rounds: int) -> str:
    return "Every group meets once." if rounds == 1 else f"Every group meets {rounds} times."
