"""Bots of the SDK for the arena's benchmark, as a program of its own: it runs with the SDK of any version.

    python benchmarks/arena_bots.py quick HOST:PORT NAME MATCHES SECONDS
    python benchmarks/arena_bots.py heavy HOST:PORT NAME

The first one plays with bots that answer at once and prints the decisions a second and the share of a processor that it
took. The second one plays one match with a bot that computes 200 ms in plain Python for each decision, until it is
stopped.
"""

import os
import sys
import threading
import time
from collections.abc import Sequence
from typing import Any

from roost_sdk import Bot, Client
from roost_sdk.program import play

HEAVY_SECONDS = 0.2


class AtOnce(Bot):
    """Answers at once with the last legal move: matches of a usual length, without any thinking."""

    def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        return legal[-1]


class Heavy(Bot):
    """Computes in plain Python, as a search does."""

    def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        until = time.perf_counter() + HEAVY_SECONDS
        while time.perf_counter() < until:
            sum(number * number for number in range(100))
        return legal[-1]


def report(client: Client, matches: int, seconds: float) -> None:
    """Print the rate once matches begin and end at different times, and end the process."""
    while client.stats.matches <= 2 * matches:
        time.sleep(0.05)
    before, began, computed = client.stats.decisions, time.perf_counter(), time.process_time()
    time.sleep(seconds)
    took = time.perf_counter() - began
    print((client.stats.decisions - before) / took, (time.process_time() - computed) / took, flush=True)
    os._exit(0)


def main() -> None:
    """Play as the arguments say."""
    kind, server, name, *rest = sys.argv[1:]
    if kind == "heavy":
        play(Client(Heavy, name=name, version="1"), server)
        return
    matches = int(rest[0])
    client = Client(AtOnce, name=name, version="1", max_matches=matches)
    threading.Thread(target=report, args=(client, matches, float(rest[1])), daemon=True).start()
    play(client, server)


if __name__ == "__main__":
    main()
