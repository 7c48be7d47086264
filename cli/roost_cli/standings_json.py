"""`roost standings --json`: the standings for programs. `docs/hosting/arena.md` explains the keys."""

from roost.v1 import arena_pb2


def standings_json(answer: arena_pb2.GetStandingsResponse, wanted: arena_pb2.GetStandingsRequest) -> dict[str, object]:
    """The answer to what was `wanted`, as plain data."""
    return {
        "game": wanted.game or None,
        "players": wanted.players or None,
        "competition": wanted.competition or None,
        "phase": wanted.phase or None,
        "matches": answer.matches,
        "standings": [_standing(row) for row in answer.standings],
    }


def _standing(row: arena_pb2.Standing) -> dict[str, object]:
    return {
        "rank_low": row.rank_low,
        "rank_high": row.rank_high,
        "version_id": row.version_id,
        "name": row.name,
        "version": row.version,
        "rating": row.rating,
        "rating_low": row.rating_low,
        "rating_high": row.rating_high,
        "above_next": row.above_next if row.HasField("above_next") else None,
        "matches": row.matches,
        "blocks": row.blocks,
        "wins": row.wins,
        "faults": row.faults,
        "places": [{"players": at.players, "matches": at.matches, "mean_place": at.mean_place} for at in row.places],
    }
