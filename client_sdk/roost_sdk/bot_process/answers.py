"""What a bot's process writes: an answer to each call, in the order of the calls, as data.

An answer is a header with its kind, the milliseconds that it took and the length of what follows. That is the move in
replay notation, an error, or the contents of a file, each as JSON. Moves recur, so both sides remember them.
"""

import json
from enum import IntEnum
from functools import lru_cache
from struct import Struct
from typing import Any, NamedTuple, Self

from roost_games.errors import MalformedMove, RoostError
from roost_games.game import JsonValue
from roost_games.registry import GAME_NAMES, get_game
from roost_games.strict_json import parse
from roost_games.wording import as_text, harmless, presentable
from roost_sdk.load import LoadedBot
from roost_sdk.version import fingerprint

HEADER = Struct("<BdI")
LONGEST_MOVE = 4096
"""In bytes, as at an arena."""
LONGEST_ANSWER = 1 << 20
"""In bytes. Only a file with many bots comes near."""
LONGEST_NAME = 200
"""How many characters the name of a bot's file or class may have."""
LONGEST_TEXT = 8000
"""How many characters of an error are kept."""
REMEMBERED = 1 << 14
SHORT_MOVE = 128
"""Moves of up to this many bytes are remembered. A sensible bot's moves are shorter; others may be huge."""


class NotAnAnswer(RoostError):
    """What a bot's process wrote is not an answer."""


class AnswerKind(IntEnum):
    """What an answer says."""

    DONE = 0
    """The call is done, and there is nothing to tell."""
    MOVE = 1
    REFUSED = 2
    """What a decision returned is not a move; a short text or JSON about it follows."""
    ERROR = 3
    """The bot raised an error: its headline, the author's lines, and whether the bot says that it is late."""
    UNSTARTED = 4
    """The bot did not start, so it has no answer."""
    LOADED = 5
    NOT_LOADED = 6
    """What was named is not a bot; why follows."""


class Answer(NamedTuple):
    """The outcome of a call."""

    kind: AnswerKind
    ms: float
    data: bytes = b""

    def to_bytes(self) -> bytes:
        """As a bot's process writes it."""
        return HEADER.pack(self.kind, self.ms, len(self.data)) + self.data

    def value(self) -> JsonValue:
        """The JSON in it. Raises `NotAnAnswer`."""
        try:
            return parse(self.data)
        except RoostError as error:
            raise NotAnAnswer(str(error)) from None

    def text(self) -> str:
        """The text in it, safe to be shown. Raises `NotAnAnswer`."""
        return shown(self.value())

    def error(self) -> tuple[str, str, bool]:
        """The headline, the author's lines, and whether the bot says that it is late. Raises `NotAnAnswer`."""
        told = self.value()
        if not isinstance(told, list) or len(told) != 3:
            raise NotAnAnswer("an error without its parts")
        return shown(told[0]), shown(told[1]), told[2] is True


def take_answers(data: bytearray) -> list[Answer]:
    """Take the answers that `data` begins with, and leave what is only part of one. Raises `NotAnAnswer`."""
    answers = []
    at = 0
    whole = bytes(data)
    head = HEADER.size
    while at + head <= len(whole):
        kind, ms, size = HEADER.unpack_from(whole, at)
        if kind >= len(KINDS) or not 0 <= ms < float("inf") or size > LONGEST_ANSWER:
            raise NotAnAnswer("what it wrote is not an answer")
        end = at + head + size
        if end > len(whole):
            break
        answers.append(Answer(KINDS[kind], ms, whole[at + head : end]))
        at = end
    del data[:at]
    return answers


class BotDescription(NamedTuple):
    """A bot, as its file says."""

    name: str
    class_name: str
    version: str
    """The fingerprint of its code."""
    games: tuple[str, ...]
    """The games that it can play."""
    player_counts: tuple[int, ...]
    """The table sizes at which it plays; empty for all that a game allows."""

    @classmethod
    def of(cls, bot: LoadedBot) -> Self:
        """That of a bot which has been imported. Raises `UsageError` if its code is nowhere."""
        kind = bot.bot_class
        games = tuple(game for game in GAME_NAMES if kind.plays(game))
        return cls(bot.name, kind.__name__, fingerprint(kind), games, tuple(kind.player_counts))


def read_descriptions(told: JsonValue) -> list[BotDescription]:
    """Descriptions as they came from a bot's process. Raises `NotAnAnswer`."""
    try:
        return [_description(*each) for each in told]  # type: ignore[attr-defined]  # refused below
    except (TypeError, ValueError) as error:
        raise NotAnAnswer("not the description of a bot") from error


def _description(name: str, class_name: str, version: str, games: list[str], counts: list[int]) -> BotDescription:
    texts = name, class_name, version
    if not all(isinstance(text, str) and text.isprintable() and 0 < len(text) <= LONGEST_NAME for text in texts):
        raise ValueError("not the name of a bot")
    if not (set(games) <= set(GAME_NAMES) and all(type(count) is int for count in counts)):
        raise ValueError("not the games of a bot")
    return BotDescription(*texts, tuple(games), tuple(counts))


def move_answer(game: str, move: Any, ms: float) -> Answer:
    """The answer to a decision for which the bot returned `move`, whatever that is."""
    try:
        data = _text_of(move) if isinstance(move, dict) else _remembered_text(game, move)
    except Exception:
        # A bot may return anything, and nothing about it may end the process.
        data = b""
    if 0 < len(data) <= LONGEST_MOVE:
        return Answer(AnswerKind.MOVE, ms, data)
    return Answer(AnswerKind.REFUSED, ms, _text_of(presentable(move)))


def read_move(game: str, data: bytes) -> Any:
    """The move in an answer, legal or not. Raises `MalformedMove`."""
    return _remembered_move(game, data) if len(data) <= SHORT_MOVE else _read(game, data)


def shown(text: object, most: int = LONGEST_TEXT) -> str:
    """`text` as it may be written to a terminal."""
    return harmless(as_text(text, most))


@lru_cache(REMEMBERED, typed=True)
def _remembered_text(game: str, move: Any) -> bytes:
    return _text_of(get_game(game).encode_move(move))


def _text_of(value: object) -> bytes:
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode()


@lru_cache(REMEMBERED)
def _remembered_move(game: str, data: bytes) -> Any:
    return _read(game, data)


def _read(game: str, data: bytes) -> Any:
    try:
        notation = parse(data)
    except RoostError as error:
        raise MalformedMove(str(error)) from None
    return get_game(game).decode_move(notation)


KINDS = tuple(AnswerKind)
