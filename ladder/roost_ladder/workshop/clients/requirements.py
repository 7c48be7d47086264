"""What the protocol asks of a client, with the remedy and the section of docs/formats/protocol.md for each."""

from typing import NamedTuple

from roost_ladder.workshop.findings import Finding, Mark

PAGE = "docs/formats/protocol.md"


class Requirement(NamedTuple):
    """Something that a client must do, and what is said of one that does not."""

    name: str
    """What its finding is called, in `--json` too."""
    failure: str
    """What the client did."""
    remedy: str
    section: str
    """The section of the page on the protocol that says so."""
    mark: Mark = Mark.DEFECT

    def finding(self, when: str, more: str = "", times: int = 1) -> Finding:
        """The finding about a client that failed, first during `when`."""
        often = f", {times} times" if times > 1 else ""
        details = (*([more] if more else []), self.remedy, f"{PAGE}#{self.section}")
        return Finding(self.name, self.mark, f"{self.failure}{often} (first: {when})", details)


# How a stream begins.
HELLO_MISSING = Requirement(
    "hello-missing",
    "its first message has no hello",
    "send the hello as soon as the stream is open, before you wait for anything",
    "hello-and-welcome",
)
HELLO_NOT_ALONE = Requirement(
    "hello-not-alone",
    "the message with its hello has something else in it",
    "send the hello alone; everything else comes after the welcome",
    "botmessage",
)
HELLO_AGAIN = Requirement(
    "hello-again",
    "sent a second hello on one stream",
    "a stream has one hello; an arena ends a stream with two",
    "botmessage",
)
HELLO_REFUSED = Requirement(
    "hello-refused",
    "sent a hello that every arena refuses",
    "name, version and games have the form that the table of the hello says",
    "hello",
)
HELLO_CHANGED = Requirement(
    "hello-changed",
    "came back with another name or version",
    "a bot that reconnects says the name and the version that it said first",
    "when-the-connection-breaks",
)
GAMES_UNNAMED = Requirement(
    "games-unnamed",
    "does not name its games",
    "list them in the hello: a game that an arena adds later is one that this bot cannot play",
    "name-your-games",
    Mark.WARNING,
)
DEADLINE = Requirement(
    "deadline",
    "set a deadline on the call",
    "the stream lasts for hours: make the call without a deadline",
    "in-short",
)
SECOND_STREAM = Requirement(
    "second-stream",
    "opened a second stream while the first was open, without its token",
    "one stream carries all matches; a second process needs another name or version",
    "hello",
)

# What a client sends.
NOT_A_MESSAGE = Requirement(
    "not-a-message",
    "sent bytes that are not a BotMessage",
    "generate the messages from the .proto files, and send nothing else on the stream",
    "botmessage",
)
MESSAGE_TOO_LARGE = Requirement(
    "message-too-large",
    "sent a message above max_message_bytes of the welcome",
    "send as many answers as fit, and the others in the next message; an arena ends the stream",
    "welcome",
)
PONG_MISSING = Requirement(
    "pong-missing",
    "did not return a ping",
    "look at ping first in every message, and send a message with the same number as pong",
    "arenamessage",
)
PONG_WRONG = Requirement(
    "pong-wrong",
    "sent a pong that no ping asked for",
    "return the number of the ping, once; 0 means that there is none",
    "arenamessage",
)
PONG_LATE = Requirement(
    "pong-late",
    "thought about a whole batch before it returned the ping",
    "send the pong before you look at the decisions: until then all of this counts as your latency",
    "arenamessage",
    Mark.WARNING,
)
READY_MISSING = Requirement(
    "ready-missing",
    "did not get ready for a match",
    "send the number of every match in started as ready; several can come in one message",
    "a-match",
)
READY_UNKNOWN = Requirement(
    "ready-unknown",
    "is ready for a match that was not announced",
    "send the field match of started, not match_id, the seat or a count of your own",
    "a-match",
)
ANSWER_MISSING = Requirement(
    "answer-missing",
    "left decisions unanswered",
    "one message carries decisions of several matches: answer each of them",
    "a-message-is-a-batch",
)
ANSWER_UNKNOWN = Requirement(
    "answer-unknown",
    "answered in a match that was not announced",
    "the field match of an answer is that of its decision",
    "answer",
)
REQUEST_WRONG = Requirement(
    "request-wrong",
    "answered a request that was not made",
    "repeat the field request of the decision: it is not a count of your own, and it may leave out numbers",
    "answer",
)
ANSWERED_TWICE = Requirement(
    "answered-twice",
    "answered a request twice on one stream",
    "only the first answer counts, and an arena ends a stream with too many useless ones",
    "answer",
    Mark.WARNING,
)
MOVE_MISSING = Requirement(
    "move-missing",
    "answered without a move",
    "set the field of the game even if all of the move's fields have their defaults, as a pass in Karteneck",
    "move",
)
MOVE_TOO_LARGE = Requirement(
    "move-too-large",
    "sent a move above max_move_bytes of the welcome",
    "a legal move takes fewer than 240 bytes in every game",
    "welcome",
)
MOVE_MALFORMED = Requirement(
    "move-malformed",
    "sent a move that does not belong to the game",
    "check the fields of the move; if you copy one from legal, copy the whole message",
    "the-games-on-the-wire",
)
MOVE_ILLEGAL = Requirement(
    "move-illegal",
    "sent a move that is not allowed",
    "answer with one of legal, which the arena lists if the hello says wants_legal",
    "decision",
)
CRASHED = Requirement(
    "crashed",
    "said that its own code failed",
    "its log says where; each time is a fault",
    "answer",
    Mark.WARNING,
)

# What a client must cope with.
STREAM_ENDED = Requirement(
    "stream-ended",
    "hung up",
    "read until the arena ends the stream; look into the log of your bot for an error",
    "how-a-stream-ends",
)
HALF_CLOSED = Requirement(
    "half-closed",
    "ended its side of the stream",
    "that is a lost connection: keep your side open until the arena ends the stream",
    "leaving",
)
UNREAD = Requirement(
    "unread",
    "does not read what the arena sends",
    "read while you think; an arena ends a stream that accepts nothing for ten seconds",
    "the-clock",
)
UNKNOWN_REFUSED = Requirement(
    "unknown-refused",
    "does not go on after fields, messages and values that it does not know",
    "skip what you do not know: newer arenas send more than today's",
    "what-is-ignored",
)
OVERTAKEN = Requirement(
    "overtaken",
    "is stuck when a decision is followed by the next one before it was answered",
    "its time was up: forget the decision, and answer the one with the higher request number",
    "decision",
)
VOID_REFUSED = Requirement(
    "void-refused",
    "does not go on after a match that ended early or was voided",
    "a match can end before you are ready or have decided; places is empty if it was voided",
    "matchended",
)

# What a client does when the connection breaks.
NOT_BACK = Requirement(
    "not-back",
    "did not come back after a lost connection",
    "connect again after UNAVAILABLE, a little later each time",
    "when-the-connection-breaks",
)
TOKEN_MISSING = Requirement(
    "token-missing",
    "came back without the resume token, and so forfeits its matches",
    "keep resume_token of the welcome, and put it into the next hello",
    "when-the-connection-breaks",
)
TOKEN_OLD = Requirement(
    "token-old",
    "came back with a resume token that is not that of the last welcome",
    "every welcome has a token; keep the latest one",
    "when-the-connection-breaks",
)
HAMMERING = Requirement(
    "hammering",
    "tries to connect again without a pause",
    "wait between attempts, longer each time, with some randomness",
    "when-the-connection-breaks",
)
REPEAT_UNANSWERED = Requirement(
    "repeat-unanswered",
    "did not answer a decision that was repeated after it came back",
    "the first answer was lost: send it again",
    "when-the-connection-breaks",
)
READY_NOT_REPEATED = Requirement(
    "ready-not-repeated",
    "did not say again that it is ready after it came back",
    "send ready for every match in started, also if it is known: the first one may have been lost",
    "when-the-connection-breaks",
)
NOT_FORGOTTEN = Requirement(
    "not-forgotten",
    "went on with a match that was over when it came back",
    "matches that are neither in resumed nor in ended are over: drop them",
    "when-the-connection-breaks",
)
TOKEN_KEPT = Requirement(
    "token-kept",
    "does not connect afresh when the arena does not know its token",
    "after PERMISSION_DENIED connect without a token; all matches are gone, and numbers begin again",
    "when-the-connection-breaks",
)

# How a client leaves.
LEFT_SILENTLY = Requirement(
    "left-silently",
    "was stopped without saying leaving",
    "on Ctrl-C send leaving and stay in the loop: otherwise the running matches are forfeited",
    "leaving",
    Mark.WARNING,
)
LEFT_MATCHES = Requirement(
    "left-matches",
    "said leaving, and did not play on",
    "running matches and those that still start are played to the end; then the arena ends the stream",
    "leaving",
)
CAME_BACK = Requirement(
    "came-back",
    "connected again after the arena had ended the stream with OK",
    "after leaving, the end of the stream is the end: let the program end",
    "how-a-stream-ends",
)
