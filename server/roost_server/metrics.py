"""Metrics for a monitoring system: counters, and gauges that are read on each scrape.

docs/hosting/operations.md explains each of them and suggests alerts.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from roost_games.errors import UsageError
from roost_games.replay import Replay
from roost_sdk.arena.connection import host_and_port

COMMIT_SECONDS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


@dataclass(frozen=True, slots=True)
class Reading:
    """The values of the gauges at one moment."""

    connected: int
    running: int
    most_at_once: int
    """How many matches the arena would play at once: fewer if it is late itself."""
    at_once: Mapping[str, int]
    """How many matches each connected bot is given at once."""
    decision_seconds: Mapping[str, float]
    """How long each connected bot takes for a decision, as measured last; without those that were not measured yet."""
    quarantined: int
    delayed_seconds: float
    """The arena's own delay, summed since its start."""
    waiting_blocks: Mapping[str, int] = field(default_factory=dict)
    """By contest."""
    phases: Mapping[str, str] = field(default_factory=dict)
    """By competition."""
    problems: Mapping[str, str] = field(default_factory=dict)
    """By competition, why it is stuck; empty if it is not."""
    database_bytes: int = 0


def metrics_address(text: str) -> tuple[str, int]:
    """Host and port. Raises `UsageError`."""
    parts = host_and_port(text)
    if parts is None:
        raise UsageError(f"{text!r} is not an address for metrics; one is 127.0.0.1:9464")
    return parts


class Metrics:
    """The metrics of one arena. Without `serve` they cost next to nothing."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._matches = self._counter("roost_matches", "Matches that were recorded.", "game", "termination")
        self._decisions = self._counter("roost_decisions", "Decisions in matches that were recorded.", "game")
        self._faults = self._counter("roost_faults", "Faults of bots in matches that were recorded.", "kind")
        self._voids = self._counter("roost_voids", "Matches that were voided while a bot was being asked.", "bot")
        self._refused = self._counter("roost_refused_calls", "Calls that ended with an error.", "method", "status")
        self._not_recorded = self._counter("roost_failed_commits", "Commits that failed and were tried again.")
        self._backups = self._counter("roost_backups", "Backups by the clock.", "outcome")
        self._last_backup = Gauge(
            "roost_last_backup_timestamp_seconds", "When the last backup was made.", registry=self._registry
        )
        self._commit = Histogram(
            "roost_commit_seconds",
            "From the end of a match until it is on the disk.",
            registry=self._registry,
            buckets=COMMIT_SECONDS,
        )

    def _counter(self, name: str, what: str, *labels: str) -> Counter:
        return Counter(name, what, labels, registry=self._registry)

    def match_recorded(self, replay: Replay, seconds: float, *, named: bool = True) -> None:
        """A match is on the disk, this many seconds after it ended. Its bots are `named` unless that tells too much."""
        self._matches.labels(replay.game, replay.result.termination).inc()
        self._decisions.labels(replay.game).inc(len(replay.steps))
        for fault in replay.result.faults:
            self._faults.labels(str(fault.kind)).inc()
        for seat in replay.result.asked:
            self._voids.labels(replay.seats[seat].bot if named else "held back").inc()
        self._commit.observe(seconds)

    def commit_failed(self) -> None:
        """A commit failed."""
        self._not_recorded.inc()

    def backup_made(self, at: float) -> None:
        """A backup by the clock was made at this time, in seconds since 1970."""
        self._backups.labels("made").inc()
        self._last_backup.set(at)

    def backup_failed(self) -> None:
        """A backup by the clock failed."""
        self._backups.labels("failed").inc()

    def call_refused(self, method: str, status: str) -> None:
        """A call ended with an error."""
        self._refused.labels(method, status).inc()

    def read_from(self, read: Callable[[], Reading]) -> None:
        """Where the gauges come from."""
        self._registry.register(_Gauges(read))

    def serve(self, address: str) -> Callable[[], None]:
        """Serve `http://ADDRESS/metrics` in a thread. Returns a function that stops it. Raises `UsageError`."""
        host, port = metrics_address(address)
        try:
            server, thread = start_http_server(port, host, self._registry)
        except OSError as error:
            raise UsageError(f"metrics cannot be served at {address}: {error.strerror}") from None

        def stop() -> None:
            server.shutdown()
            server.server_close()
            thread.join()

        return stop


class _Gauges(Collector):
    """The gauges, read on each scrape."""

    def __init__(self, read: Callable[[], Reading]) -> None:
        self._read = read

    def describe(self) -> Iterable[Metric]:
        return ()

    def collect(self) -> Iterable[Metric]:
        now = self._read()
        yield GaugeMetricFamily("roost_connected_bots", "Bots that are connected.", now.connected)
        yield GaugeMetricFamily("roost_running_matches", "Matches that are being played.", now.running)
        yield GaugeMetricFamily("roost_most_matches_at_once", "How many matches it can serve.", now.most_at_once)
        at_once = GaugeMetricFamily("roost_bot_matches_at_once", "What a connected bot is given.", labels=["bot"])
        for bot, number in now.at_once.items():
            at_once.add_metric([bot], number)
        yield at_once
        seconds = GaugeMetricFamily("roost_bot_decision_seconds", "How long a decision takes it.", labels=["bot"])
        for bot, mean in now.decision_seconds.items():
            seconds.add_metric([bot], mean)
        yield seconds
        yield GaugeMetricFamily("roost_quarantined_bots", "Bots kept from playing because of faults.", now.quarantined)
        yield GaugeMetricFamily("roost_database_bytes", "The size of the database.", now.database_bytes)
        yield CounterMetricFamily("roost_own_delay_seconds", "How late the arena itself was.", now.delayed_seconds)
        waiting = GaugeMetricFamily("roost_waiting_blocks", "Planned and not begun.", labels=["contest"])
        for contest, count in now.waiting_blocks.items():
            waiting.add_metric([contest], count)
        yield waiting
        phases = GaugeMetricFamily(
            "roost_competition_phase", "1 for the present phase.", labels=["competition", "phase"]
        )
        for competition, phase in now.phases.items():
            phases.add_metric([competition, phase], 1)
        yield phases
        stuck = GaugeMetricFamily("roost_competition_stuck", "1 if it cannot go on.", labels=["competition"])
        for competition, problem in now.problems.items():
            stuck.add_metric([competition], bool(problem))
        yield stuck
