"""Rulings of a host, as messages of `roost.v1`, on record in a store alone. A running arena acts on them, too."""

from roost.v1 import admin_pb2
from roost_server.accounts import rulings
from roost_server.accounts.requests import Caller
from roost_server.competition import ledger
from roost_server.errors import InvalidError
from roost_server.store import Store
from roost_server.store.measures.rulings import Ruling

LONGEST_REASON = 500
LONGEST_MS = 366 * 86_400_000


def ban_owner(store: Store, caller: Caller, request: admin_pb2.BanOwnerRequest) -> admin_pb2.Ruling:
    """Let nobody in with a key of an owner."""
    return message_of(rulings.ban_owner(store, request.owner, reason_of(request.reason), caller.actor))


def unban_owner(store: Store, caller: Caller, request: admin_pb2.UnbanOwnerRequest) -> admin_pb2.Ruling:
    """Let an owner in again."""
    return message_of(rulings.unban_owner(store, request.owner, reason_of(request.reason), caller.actor))


def disqualify_bot(store: Store, caller: Caller, request: admin_pb2.DisqualifyBotRequest) -> admin_pb2.Ruling:
    """Strike all matches of a bot in a competition."""
    reason = reason_of(request.reason)
    return message_of(rulings.disqualify_bot(store, request.competition, request.bot, reason, caller.actor))


def reinstate_bot(store: Store, caller: Caller, request: admin_pb2.ReinstateBotRequest) -> admin_pb2.Ruling:
    """Undo a disqualification."""
    reason = reason_of(request.reason)
    return message_of(rulings.reinstate_bot(store, request.competition, request.bot, reason, caller.actor))


def rename_bot(store: Store, caller: Caller, request: admin_pb2.RenameBotRequest) -> admin_pb2.Ruling:
    """Give a bot another name."""
    return message_of(rulings.rename_bot(store, request.bot, request.name, reason_of(request.reason), caller.actor))


def move_bot(store: Store, caller: Caller, request: admin_pb2.MoveBotRequest) -> admin_pb2.Ruling:
    """Give a bot to another owner."""
    return message_of(rulings.move_bot(store, request.bot, request.owner, reason_of(request.reason), caller.actor))


def void_match(store: Store, caller: Caller, request: admin_pb2.VoidMatchRequest) -> admin_pb2.Ruling:
    """Void a match on record."""
    return message_of(rulings.void_match(store, request.match_id, reason_of(request.reason), caller.actor))


def extend_phase(store: Store, caller: Caller, request: admin_pb2.ExtendPhaseRequest) -> admin_pb2.ExtendPhaseResponse:
    """Postpone the coming phases while the arena is stopped."""
    by_ms, reason = extension_of(request), reason_of(request.reason)
    return extension_message(ledger.extend(store, request.competition, by_ms, reason, caller.actor))


def extension_of(request: admin_pb2.ExtendPhaseRequest) -> int:
    """By how much to postpone phases. Raises `InvalidError` if that makes no sense."""
    if not 0 < request.by_ms <= LONGEST_MS:
        raise InvalidError("a phase is extended by a time of up to a year, such as 2h")
    return request.by_ms


def reason_of(text: str) -> str:
    """The reason for a ruling. Raises `InvalidError` if it is not a line of text."""
    if len(text) > LONGEST_REASON or not text.isprintable():
        raise InvalidError(f"a reason is one line of at most {LONGEST_REASON} characters")
    return text


def extension_message(made: list[Ruling]) -> admin_pb2.ExtendPhaseResponse:
    """The answer to a request to extend a phase."""
    return admin_pb2.ExtendPhaseResponse(rulings=map(message_of, made))


def message_of(ruling: Ruling) -> admin_pb2.Ruling:
    """A ruling on the wire."""
    return admin_pb2.Ruling(
        at_ms=ruling.at_ms,
        actor=ruling.actor,
        kind=ruling.kind,
        subject=ruling.subject,
        reason=ruling.reason,
        before=ruling.before,
        after=ruling.after,
    )
