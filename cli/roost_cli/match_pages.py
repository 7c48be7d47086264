"""Matches of an arena, page by page."""

from roost.v1 import arena_pb2
from roost_cli.arena_source import Source

PAGE = 1000
"""An arena gives no more at once."""


def newest_matches(source: Source, wanted: arena_pb2.ListMatchesRequest) -> list[arena_pb2.MatchSummary]:
    """The newest matches of the kind that is `wanted`, as many as `wanted.limit` says if there are so many."""
    found: list[arena_pb2.MatchSummary] = []
    while len(found) < wanted.limit:
        request = arena_pb2.ListMatchesRequest()
        request.CopyFrom(wanted)
        request.limit = min(PAGE, wanted.limit - len(found))
        request.before_match_id = found[-1].match_id if found else ""
        page = source.matches(request).matches
        found += page
        # Running matches come on one page: they have no order that lasts.
        if len(page) < request.limit or wanted.running:
            break
    return found
