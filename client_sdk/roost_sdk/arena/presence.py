"""What a bot version is doing at an arena, or why it does not play, for the command and the page."""

from enum import StrEnum

from roost.v1 import arena_pb2


class Presence(StrEnum):
    """What a bot version is doing, or why it does not play."""

    UNKNOWN = "unknown"
    PLAYING = "playing"
    WAITING = "waiting"
    NO_MATCHES = "no-matches"
    NOT_CONNECTED = "not-connected"
    QUARANTINED = "quarantined"
    REPLACED = "replaced"

    @property
    def in_words(self) -> str:
        """One line for people; empty if it is not known, as in a database."""
        return IN_WORDS[self]


IN_WORDS = {
    Presence.UNKNOWN: "",
    Presence.PLAYING: "Playing",
    Presence.WAITING: "Waiting for opponents or for its next block",
    Presence.NO_MATCHES: "Connected, but nothing is played now that it may take part in",
    Presence.NOT_CONNECTED: "Not connected",
    Presence.QUARANTINED: "In quarantine",
    Presence.REPLACED: "Replaced by a newer version",
}


def presence_of(bot: arena_pb2.BotVersion) -> Presence:
    """The presence that an arena tells; unknown from an older arena."""
    name = arena_pb2.Presence.Name(bot.presence).removeprefix("PRESENCE_").lower().replace("_", "-")
    return Presence.UNKNOWN if name == "unspecified" else Presence(name)


def since_ms(bot: arena_pb2.BotVersion) -> int | None:
    """Since when it has been so, in milliseconds since 1970."""
    return bot.quarantine_since_ms or bot.presence_since_ms or None
