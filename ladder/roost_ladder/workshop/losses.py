"""Where the matches come from that a bot has lost, and the study of them: journals, an arena, files, or played now."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from itertools import count, islice
from pathlib import Path
from typing import NamedTuple

from roost.v1 import arena_pb2
from roost_games.chance import seed_of
from roost_games.errors import ReplayError, RoostError, UsageError
from roost_games.registry import GAME_NAMES, get_game
from roost_games.replay import VOIDED, Replay, parse_lines
from roost_games.wording import counted
from roost_ladder.running.entrants import Entrant, find_seated
from roost_ladder.running.fixtures import Fixture, MatchLimits
from roost_ladder.running.hall import Hall
from roost_ladder.workshop.guests import bot_to_ask
from roost_ladder.workshop.lessons import LEAST_MATCHES, Lesson, LostMatch, Study
from roost_sdk.arena.kept import KeptMatch, fetch_record, is_kept, read_kept
from roost_sdk.arena.reader import Reader, newest_matches
from roost_sdk.bot import Bot
from roost_sdk.bounded_files import lines_of
from roost_sdk.load import short_name

MOST_TRIES = 20
"""For each loss that is wanted, at most this many matches are played now."""


class Tutors(NamedTuple):
    """The samples, which callers hand in."""

    samples: Mapping[str, type[Bot]]
    strongest: Callable[[str], str]
    """The one that advises in a game."""
    playing_on: Callable[[str], str]
    """The one that plays on in a game."""


class LossOptions(NamedTuple):
    """The losses to study: the bot, and where its matches come from."""

    bot: str
    """What `load_bot` finds it by."""
    name: str = ""
    """What it is called in the records; by default the name of its file."""
    kept: Path | None = None
    file: Path | None = None
    game: str = ""
    """Only this one."""
    against: str = "careful"
    matches: int = 100
    worlds: int = 8
    seed: str = "lessons"

    def check(self, *, named: bool) -> None:
        """Raise `UsageError` for what does not belong together; `named`: whether an arena or a database is."""
        if self.file is not None and (self.kept is not None or named):
            raise UsageError("--file names the matches, so --kept, --server and --db do not apply")
        if self.kept is not None and not self.kept.is_dir():
            raise UsageError(f"there is no folder {self.kept}; roost submit --keep {self.kept} makes one")

    @property
    def own_name(self) -> str:
        """What it is called in the records."""
        return self.name or short_name(self.bot)


class Lessons(NamedTuple):
    """What was learnt."""

    bot: str
    better: str
    study: Study
    lessons: list[Lesson]
    said: list[str]
    """Sentences about what was looked at, and how."""
    interrupted: bool
    """Whether Ctrl-C ended it early."""


def study_losses(
    options: LossOptions, tutors: Tutors, reader: Reader | None, seconds: float, advance: Callable[[int], None]
) -> Lessons:
    """Look into the losses of a bot, beginning none after `seconds`. `advance` is called after each.

    Ctrl-C ends it early, with all that was found until then. Raises `RoostError`, also if there are no losses.
    """
    end = time.monotonic() + seconds
    interrupted = True
    with (
        bot_to_ask(options.bot, tutors.samples) as own,
        bot_to_ask(tutors.strongest(options.game or GAME_NAMES[0]), tutors.samples) as better,
        closing(_Source(options, tutors, reader)) as source,
    ):
        study = Study(own, better, lambda game: tutors.samples[tutors.playing_on(game)], options.worlds)
        with suppress(KeyboardInterrupt):
            for loss in islice(source.losses(), options.matches):
                study.add(loss)
                advance(1)
                if time.monotonic() > end:
                    break
            interrupted = False
    lessons = study.lessons()
    if not study.losses:
        raise RoostError(source.said(0))
    said = [source.said(study.losses), *_explained(study, lessons, own.name, better.name)]
    if study.losses < options.matches and time.monotonic() > end:
        said.append("The time was up before all losses were looked at; --budget TIME allows more.")
    return Lessons(own.name, better.name, study, lessons, said, interrupted)


def _explained(study: Study, lessons: list[Lesson], own: str, better: str) -> Iterator[str]:
    yield (
        f"{better} was asked about each of {counted(study.decisions, 'decision')}. Where {own} would still decide "
        f"otherwise, the match was played on with both moves, {counted(study.worlds, 'time')} each."
    )
    if lessons:
        sure = sum(lesson.is_sure for lesson in lessons)
        yield (
            f"{counted(len(lessons), 'kind')} of decisions differed in {LEAST_MATCHES} matches or more; {sure} of them "
            "cost something by more than chance allows. All intervals together are right with a chance of 95 %."
        )
    else:
        yield f"No kind of decision differed in {LEAST_MATCHES} matches; in fewer, chance decides. Look at more losses."


class _Source:
    """Where the losses come from."""

    def __init__(self, options: LossOptions, tutors: Tutors, reader: Reader | None) -> None:
        self._options = options
        self._tutors = tutors
        self._reader = reader
        self._played = 0
        self._missing = 0
        self._unusable: list[str] = []
        """Why journals cannot be used, one text each."""
        self._hall: Hall | None = None

    def losses(self) -> Iterator[LostMatch]:
        """All of them, the newest first. Raises `RoostError` if something cannot be read."""
        found = self._found()
        return (loss for loss in found if self._options.game in ("", loss.replay.game))

    def _found(self) -> Iterator[LostMatch]:
        options = self._options
        if options.kept is not None:
            return self._kept(options.kept)
        if options.file is not None:
            return self._in_file(options.file)
        return self._played_now() if self._reader is None else self._recorded(self._reader)

    def said(self, looked_at: int) -> str:
        """Where they came from, as a sentence."""
        options, name = self._options, self._options.own_name
        lost = counted(looked_at, "match") + " lost by " + name
        if options.kept is not None:
            more = f" {self._missing} more lack their records, which --server fetches." if self._missing else ""
            if self._unusable:
                more += f" {counted(len(self._unusable), 'journal')} left out, the first because {self._unusable[0]}."
            return f"{lost}, from its journals in {options.kept}.{more}"
        if options.file is not None:
            return f"{lost}, from {options.file}."
        if self._reader is not None:
            return f"{lost}, from the records."
        return (
            f"{lost}, of {self._played} that it played just now against {options.against}, since neither --kept, "
            "--file, --db nor --server names others."
        )

    def _kept(self, folder: Path) -> Iterator[LostMatch]:
        for file in sorted(filter(is_kept, folder.glob("*.jsonl")), reverse=True):
            try:
                yield from self._loss_in(read_kept(file))
            except (ReplayError, UsageError) as error:
                # One of another arena, perhaps, or of a program that was killed.
                self._unusable.append(str(error))

    def _loss_in(self, kept: KeptMatch) -> Iterator[LostMatch]:
        """The match, if the bot lost it and its record is there or can be fetched."""
        seat = kept.about.seat
        if kept.result is None or kept.result["termination"] == VOIDED or kept.result["places"][seat] == 1:
            return
        replay = kept.record() or (fetch_record(kept, self._reader) if self._reader else None)
        if replay is None:
            self._missing += 1
        else:
            yield LostMatch(replay, seat, kept.about.random)

    def _in_file(self, file: Path) -> Iterator[LostMatch]:
        try:
            for _, replay in parse_lines(lines_of(file)):
                if isinstance(replay, Exception):
                    raise replay
                yield from _losses_in(replay, self._options.own_name)
        except OSError as error:
            raise UsageError(f"cannot read {file}: {error.strerror}") from None

    def _recorded(self, reader: Reader) -> Iterator[LostMatch]:
        name, game, most = self._options.own_name, self._options.game, self._options.matches
        wanted = arena_pb2.ListMatchesRequest(limit=most, bot=name, game=game, outcome=arena_pb2.OUTCOME_NOT_WON)
        for match in newest_matches(reader, wanted).matches:
            yield from _losses_in(Replay.from_line(reader.replay(match.match_id)), name)

    def _played_now(self) -> Iterator[LostMatch]:
        own, other = find_seated([self._options.bot, self._options.against], self._tutors.samples)
        fixtures = islice(_fixtures(own, other, self._options), MOST_TRIES * self._options.matches)
        self._hall = Hall(MatchLimits())
        for table in self._hall.play(fixtures):
            self._played += 1
            seat = table.fixture.bots.index(own.spec)
            yield from (loss for loss in _losses_in(table.referee.replay(), own.spec.name) if loss.seat == seat)

    def close(self) -> None:
        """Nothing more is wanted."""
        if self._hall is not None:
            self._hall.close()


def _losses_in(replay: Replay, name: str) -> Iterator[LostMatch]:
    """The match, for each seat of a bot with this name that did not win it; nothing if it was voided."""
    result = replay.result
    for seat, each in enumerate(replay.seats):
        if each.bot == name and result.termination != VOIDED and result.places[seat] > 1:
            yield LostMatch(replay, seat)


def _fixtures(own: Entrant, other: Entrant, options: LossOptions) -> Iterator[Fixture]:
    """Matches without end, at the smallest table of each game that both play, in every seat in turn."""
    tables = []
    for game in map(get_game, [options.game] if options.game else GAME_NAMES):
        sizes = [size for size in game.players(game.options({})) if own.plays(game.name, size)]
        tables += [(game, size) for size in sizes[:1] if other.plays(game.name, size)]
    if not tables:
        raise UsageError(f"{own.spec.name} and {other.spec.name} play no game together; --against names another sample")
    for number in count():
        for game, size in tables:
            bots = [other.spec] * size
            bots[number % size] = own.spec
            seed = seed_of(options.seed, number)
            yield Fixture(f"{options.seed}-{number}", game.name, tuple(bots), seed, game.options({}))
