"""Frames: a recorded match as the document `roost-frames/1`, from which a viewer draws it (docs/formats/frames.md).

    recorded = Recorded(replay)
    document = recorded.document("open")

An eye sees what it could see then: that of a seat has nothing but the views of that seat. So a document does not have
to hide anything.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from typing import Literal
from unicodedata import bidirectional

from roost_games.errors import UsageError
from roost_games.game import AnyOptions, JsonValue
from roost_games.narration import Look, Narration, Span, Words, narration_of
from roost_games.narrator import TextLine
from roost_games.playback import NotDealt, Playback
from roost_games.referee import Ended, Faulted, Forfeited, Played
from roost_games.registry import AnyGame, get_game
from roost_games.replay import Decision, Replay, Result, Seat
from roost_games.wording import counted
from roost_sdk.plain import plain_field, plain_fields, plain_result, plain_view
from roost_sdk.viewing.moments import Blame, Choice, Chronicle, Moment, Remark

FORMAT = "roost-frames/1"
OPEN: Literal["open"] = "open"
"""The eye that sees everything that anybody saw."""
SPECTATOR: Literal["spectator"] = "spectator"
Eye = int | Literal["open", "spectator"]
"""Who looks: a seat, or one of the two above."""
Document = dict[str, JsonValue]
MOST_CHARACTERS = 2_000_000
"""The longest text that `frames_of` reads. The record of a long match is a tenth of that."""
MOST_STEPS = 20_000
"""The longest record that `frames_of` plays back. No match of ours is longer than that."""
WORMS = re.compile(r"~(\d+)|(~+)")
DIRECTION_MARKS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
RIGHT_TO_LEFT = ("R", "AL", "AN")


def frames_of(text: str, eye: Eye = OPEN, number: int = 1) -> Document:
    """The document for a record in `text`, which may come from anybody: one replay, or several, each on a line.

    `number` says which of them, from 1. Raises `UsageError` if it is too long or not there, and `ReplayError` if it is
    not the record of a match that can happen.
    """
    return recorded_of(text, number).document(eye)


def recorded_of(text: str, number: int = 1) -> "Recorded":
    """The same, played back once for every eye."""
    if len(text) > MOST_CHARACTERS:
        raise UsageError(f"this is too long for a replay: only {MOST_CHARACTERS:,} characters are read")
    lines = [line for line in text.splitlines() if line.strip()]
    if not 1 <= number <= len(lines):
        raise UsageError(f"there is no match number {number} in this file, which has {counted(len(lines), 'line')}")
    replay = Replay.from_line(lines[number - 1])
    if len(replay.steps) > MOST_STEPS:
        raise UsageError(f"this match is too long to be shown: only {MOST_STEPS:,} steps are played back")
    return Recorded(replay)


def eye_of(text: str) -> Eye:
    """The eye that `text` names: `open`, `spectator` or the number of a seat. Raises `UsageError`."""
    named: dict[str, Eye] = {OPEN: OPEN, SPECTATOR: SPECTATOR}
    if text in named:
        return named[text]
    if re.fullmatch(r"[0-9]{1,2}", text):
        return int(text)
    raise UsageError(f"{text[:20]!r} is not an eye; use {OPEN}, {SPECTATOR} or the number of a seat")


class Recorded:
    """A recorded match, played back once, to be shown to any eye.

    Raises `ReplayError` if the record is wrong, and `UsageError` if there is no such game.
    """

    def __init__(self, replay: Replay) -> None:
        self.replay = replay
        self.narration = narration_of(replay.game, [seat.bot for seat in replay.seats])
        game = get_game(replay.game)
        options = game.options(replay.options)
        self._head = head(game, options, replay.seats, replay.match, replay.commitment, replay.seed)
        self.eyes = _eyes(self.narration, len(replay.seats))
        self.moments: list[Moment] = []
        """None if the match was voided before the deal."""
        self.chance: list[Document] = []
        """Everything that chance decided, each with the number of decisions before it."""
        with suppress(NotDealt):
            self._play(Playback(replay))

    def _play(self, playback: Playback) -> None:
        chronicle = Chronicle(self.narration, _look(playback), self.moments.append)
        playback.play(_Listener(self.replay, playback, chronicle).hear)
        self.chance = list(_outcomes(self.replay, playback.purposes))

    def documents(self) -> dict[str, Document]:
        """The documents for every eye, by its name."""
        return {str(eye): self.document(eye) for eye in self.eyes}

    def check(self, eye: Eye) -> None:
        """Raise `UsageError` if there is no such seat."""
        if isinstance(eye, int) and eye not in range(len(self.replay.seats)):
            raise UsageError(f"there is no seat {eye} in this match; its seats are 0 to {len(self.replay.seats) - 1}")

    def remark(self, step: int, remark: Remark) -> None:
        """Add a remark about the decision at this step of the record, counted from 0 as replays do."""
        decisions = self.replay.position(step)
        moment = next((moment for moment in self.moments if moment.step >= decisions), None)
        if moment is not None:
            moment.remarks.append(remark)

    def document(self, eye: Eye = OPEN) -> Document:
        """The document for one eye. Raises `UsageError` if there is no such seat."""
        self.check(eye)
        return {
            **self._head,
            "eye": eye,
            "eyes": list(self.eyes),
            "result": plain_ending(self.replay.result),
            "chance": self.chance if eye == OPEN else None,
            "frames": [frame(moment, self.narration, eye) | swing for moment, swing in self._with_swings()],
        }

    def _with_swings(self) -> Iterator[tuple[Moment, Document]]:
        """Every moment with what it was worth, if decisions of this match were weighed."""
        weighed = any(remark.swing for moment in self.moments for remark in moment.remarks)
        for moment in self.moments:
            swing = max((remark.swing for remark in moment.remarks), default=0.0)
            yield moment, {"swing": swing} if weighed else {}


def _eyes(narration: Narration, players: int) -> tuple[Eye, ...]:
    """Everybody who sees something else than others do."""
    return (OPEN, SPECTATOR, *range(players)) if narration.private else (OPEN,)


def head(
    game: AnyGame, options: AnyOptions, seats: Sequence[Seat], match: str, commitment: str | None, seed: str | None
) -> Document:
    """What a document says about the match itself."""
    return {
        "format": FORMAT,
        "match": match or None,
        "game": game.name,
        "title": game.title,
        "variant": game.variant(options.to_json()).name,
        "options": plain_fields(options),
        "players": len(seats),
        "seats": [{"bot": seat.bot, "version": seat.version} for seat in seats],
        "commitment": commitment,
        "seed": seed,
        "clock": None,
    }


def _outcomes(replay: Replay, purposes: Mapping[int, str]) -> Iterator[Document]:
    decisions = 0
    for at, step in enumerate(replay.steps):
        if isinstance(step, Decision):
            decisions += 1
        else:
            value = list(step.value) if isinstance(step.value, tuple) else step.value
            yield {"step": decisions, "purpose": purposes[at], "outcome": value}


def plain_ending(result: Result) -> Document:
    """How a match ended, with the keys that replays use."""
    reason: Document = {"reason": result.reason} if result.reason else {}
    return {**plain_result(result), **reason}


def _look(playback: Playback) -> Look:
    public = playback.view(None)
    return Look(public, tuple(map(playback.view, range(public.players))))


class _Listener:
    """Tells a chronicle what is played back."""

    def __init__(self, replay: Replay, playback: Playback, chronicle: Chronicle) -> None:
        self._playback = playback
        self._chronicle = chronicle
        self._faults = iter(sorted(replay.result.faults))
        self._decisions = (step for step in replay.steps if isinstance(step, Decision))

    def hear(self, notice: object) -> None:
        match notice:
            case Played():
                self._hear_move(notice)
            case Faulted():
                self._chronicle.fault(notice, next(self._faults).sent)
            case Forfeited():
                self._chronicle.forfeit(notice)
            case Ended():
                self._chronicle.flush()
            case event:
                self._chronicle.event(event)

    def _hear_move(self, played: Played) -> None:
        decision = next(self._decisions)
        choice = Choice(played.seat, decision.move, played.fallback, decision.ms)
        self._chronicle.move(played, choice, _look(self._playback))


def frame(moment: Moment, narration: Narration, eye: Eye) -> Document:
    """A moment as JSON, as `eye` saw it."""
    remarks = (remark.text for remark in moment.remarks if eye in (OPEN, remark.seat))
    lines = [*moment.lines, *(TextLine((Span(text, "notice"),), follows=True) for text in remarks)]
    return {
        "step": moment.step,
        "turn": moment.turn,
        "round": moment.round,
        "moves": [_move(choice) for choice in moment.choices if moment.resolved or eye in (OPEN, choice.seat)],
        "faults": [_fault(blame, eye) for blame in moment.blames],
        "lines": [{"words": _words(line.words), "follows": line.follows} for line in lines],
        "text": " ".join(_plain_sentence(line.words) for line in lines),
        "marks": list(moment.marks),
        "points": list(moment.points),
        "view": _position(moment.look, narration, eye),
    }


def _move(choice: Choice) -> Document:
    return {**choice._asdict(), "move": dict(choice.move)}


def _fault(blame: Blame, eye: Eye) -> Document:
    """A fault. What was sent is known to the seat that sent it, since it may show what the others must not see."""
    known = blame.sent is not None and eye in (OPEN, blame.seat)
    sent = blame.sent if isinstance(blame.sent, str) else json.dumps(blame.sent, ensure_ascii=False)
    return {"seat": blame.seat, "kind": str(blame.kind), "detail": sent if known else None}


def _words(words: Words) -> list[JsonValue]:
    """Words as JSON. Plain ones that follow each other are put together, since most words are plain."""
    runs = [(role, list(spans)) for role, spans in groupby(words, key=lambda span: span.role)]
    joined = (_joined(spans) if role == "plain" else spans for role, spans in runs)
    return [_word(span) for spans in joined for span in spans]


def _joined(spans: list[Span]) -> list[Span]:
    return [Span("".join(span.text for span in spans))]


def _word(span: Span) -> Document:
    role: Document = {} if span.role == "plain" else {"role": span.role}
    number: Document = {} if span.number is None else {"number": span.number}
    return {"text": span.text, **role, **number}


def _plain_sentence(words: Words) -> str:
    """Words to be read aloud: `31~~~` becomes `31 (3 worms)`."""
    text = WORMS.sub(_worms_aloud, "".join(map(_aloud, words))).rstrip(".")
    return f"{text[:1].upper()}{text[1:]}."


def _aloud(span: Span) -> str:
    """A piece of a sentence. A bot's name is isolated, so that it cannot turn the words after it."""
    if span.role != "seat":
        return span.text
    seat, bracket, name = span.text.partition("(")
    return f"{seat}{bracket}{isolated(name.removesuffix(')'))})" if bracket else seat


def isolated(name: str) -> str:
    """A name within plain text: marks of direction are left out, and letters that run to the left are kept apart."""
    plain = DIRECTION_MARKS.sub("", name)
    return f"\u2068{plain}\u2069" if any(bidirectional(letter) in RIGHT_TO_LEFT for letter in plain) else plain


def _worms_aloud(signs: "re.Match[str]") -> str:
    return f" ({counted(int(signs[1]) if signs[1] else len(signs[2]), 'worm')})"


def _position(look: Look, narration: Narration, eye: Eye) -> Document:
    """The table as `eye` saw it, without what is not needed to draw it."""
    view = look.seats[eye] if isinstance(eye, int) else look.public
    left_out = narration.omitted | narration.private.keys()
    position = {name: value for name, value in plain_view(view).items() if name not in left_out}
    return position | {together: _by_seat(look, name, eye) for name, together in narration.private.items()}


def _by_seat(look: Look, name: str, eye: Eye) -> list[JsonValue]:
    """By seat, what only that seat knows, or `None` if `eye` does not see it."""
    seen = (look.seats[seat] if eye in (OPEN, seat) else None for seat in range(look.public.players))
    return [None if view is None else plain_field(view, name) for view in seen]
