"""Did every bot see what its seat may see, and nothing else? Each view that came over the wire, beside the replay."""

from collections.abc import Iterable, Iterator, Mapping

from roost.v1.play_pb2 import View
from roost_games.chance import Tape
from roost_games.registry import get_game
from roost_games.replay import Decision, Replay
from roost_sdk.wire import codec_for
from tests.chaos.notes import Asked

Views = Mapping[tuple[int, int], bytes]
"""By request and seat."""


def views_of(replay: Replay) -> dict[tuple[int, int], bytes]:
    """What `observe` shows to each seat that has to decide, point by point, as it would be sent."""
    game = get_game(replay.game)
    options = game.options(replay.options)
    codec = codec_for(replay.game).for_match(options)
    state = game.start(len(replay.seats), options, Tape(bytes.fromhex(replay.seed or "")))
    decisions = [step for step in replay.steps if isinstance(step, Decision)]
    views: dict[tuple[int, int], bytes] = {}
    request = 0
    while to_move := state.to_move:
        request += 1
        for seat in to_move:
            message = View()
            codec.view_to_wire(state.observe(seat), message)
            views[request, seat] = message.SerializeToString(deterministic=True)
        if not decisions:
            break
        for _ in to_move:
            if decisions:
                step = decisions.pop(0)
                state.apply(step.seat, game.decode_move(step.move))
    return views


def wrong_views(bot: str, asked: Iterable[Asked], replays: Mapping[str, Replay]) -> Iterator[str]:
    """What a bot was shown that its seat does not see. Of matches that were not recorded only the seat is known."""
    known: dict[str, Views] = {}
    for match_id, seat, request, view in asked:
        if View.FromString(view).seat != seat:
            yield f"{bot} was shown the view of another seat in match {match_id}"
        if match_id in replays:
            if match_id not in known:
                known[match_id] = views_of(replays[match_id])
            if replays[match_id].seats[seat].bot != bot:
                yield f"{bot} was asked in seat {seat} of match {match_id}, where it does not sit"
            elif known[match_id].get((request, seat)) != view:
                yield f"{bot} was shown something else than its view at request {request} of match {match_id}"
