"""The progress and the result of a challenge. `docs/bots/improve.md` documents the keys of the JSON."""

from collections.abc import Iterable

from roost.v1 import records_pb2
from roost_cli.terminal.console import remark, results
from roost_games.errors import RoostError
from roost_games.wording import counted

STEPS = 10
"""How many lines tell at most how far it is."""


def note_challenge(challenge_id: str, option: str) -> None:
    """Say that it will be played even if nobody waits for it."""
    remark(f"{challenge_id}: it is played even if you do not wait; to see it later:")
    remark(f"  roost challenge --follow {challenge_id} {option}")


def progress_shown(news: Iterable[records_pb2.GetChallengeResponse]) -> records_pb2.GetChallengeResponse:
    """The last of these. A line for every tenth of the matches, and whenever it waits for something."""
    told, last = (0, ""), None
    for last in news:
        now = (STEPS * last.played // last.matches, last.remark)
        if now != told and not last.over:
            waits = f"; {last.remark}" if last.remark else ""
            remark(f"{last.played} of {counted(last.matches, 'match')} played{waits}")
        told = now
    if last is None:
        raise RoostError("the arena said nothing about the challenge; ask again")
    return last


def print_challenge(found: records_pb2.GetChallengeResponse, option: str) -> None:
    """Its result, with uncertainty."""
    console = results()
    bot, *opponents = found.bots
    title = f"{bot} against {' and '.join(opponents)} in {found.game}"
    if not found.played:
        console.print(f"{title}: no match was played", soft_wrap=True)
    else:
        share = f"{found.share:.0%} (95 % interval {found.share_low:.0%} to {found.share_high:.0%})"
        ahead = f"ahead in {share}" if len(opponents) == 1 else f"ahead of {share} of its opponents"
        console.print(f"{title}: {counted(found.played, 'match')}, {ahead}, not rated", soft_wrap=True)
    if found.remark:
        console.print(found.remark, soft_wrap=True, markup=False)
    if found.match_ids:
        console.print(f"See one: roost replay {found.match_ids[-1]} --show {option}", soft_wrap=True)


def challenge_json(found: records_pb2.GetChallengeResponse) -> dict[str, object]:
    """`roost challenge --json`. The shares are null if nothing was played."""
    return {
        "challenge_id": found.challenge_id,
        "game": found.game,
        "bots": list(found.bots),
        "versions": list(found.versions),
        "asked_ms": found.asked_ms,
        "matches": found.matches,
        "played": found.played,
        "over": found.over,
        "remark": found.remark or None,
        "share": found.share if found.played else None,
        "share_low": found.share_low if found.played else None,
        "share_high": found.share_high if found.played else None,
        "match_ids": list(found.match_ids),
    }
