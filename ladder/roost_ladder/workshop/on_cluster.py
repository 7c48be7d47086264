"""An examination whose parts are done at the same time, by the workers of a cluster."""

import contextlib
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path

from roost_ladder.cluster.connection import ClusterAddress
from roost_ladder.cluster.executor import cluster_executor
from roost_ladder.running.fixtures import BotSpec, MatchLimits
from roost_ladder.running.process import WORKER_PROCESSES
from roost_ladder.workshop.doctor import SHARES, USUAL_EFFORT, Effort, Examination, examine
from roost_ladder.workshop.parts import Opponents
from roost_sdk.load import STDIO


def examine_on_cluster(
    address: ClusterAddress,
    bot: str,
    opponents: Opponents,
    *,
    games: Sequence[str] = (),
    seed: str = "doctor",
    effort: Effort = USUAL_EFFORT,
    tell: Callable[[str], None] = lambda what: None,
    remark: Callable[[str], None] = lambda line: None,
    sandbox: bool = False,
) -> Examination:
    """Like `examine`, each part on a worker. Raises `UsageError` if there is no cluster, or a machine of it differs.

    The bot is loaded here first, so that a mistake in its file is told without a cluster.
    """
    first = examine(bot, opponents, games=games, seed=seed, effort=effort, remark=remark, parts=(), sandbox=sandbox)
    if not first.healthy or not first.games:
        return first
    examined = _spec(opponents.known.get(bot, bot))
    others = [_spec(text) for text in opponents.known.values()]
    limits = MatchLimits(sandbox=sandbox)
    with cluster_executor(address, [examined, *others], limits, remark) as executor:
        asked = [
            executor.call(_examine_part, _text(examined), part, opponents, tuple(games), seed, each, sandbox)
            for part, each in _efforts(effort, executor.workers).items()
        ]
        return _put_together(first, asked, tell)


def _efforts(effort: Effort, workers: int) -> dict[str, Effort]:
    """For each part: with more workers it may take longer, up to all of the time."""
    return {
        part: effort._replace(seconds=effort.seconds * min(1 / share, max(1, workers)))
        for part, share in SHARES.items()
    }


def _put_together(
    first: Examination, asked: Sequence["Future[Examination]"], tell: Callable[[str], None]
) -> Examination:
    """One report of all parts, in their order; of those that are there at Ctrl-C."""
    found: list[Examination] = []
    with contextlib.suppress(KeyboardInterrupt):
        for part, future in zip(SHARES, asked, strict=True):
            tell(part)
            found.append(future.result())
    return first._replace(
        findings=[*first.findings, *(each for part in found for each in part.findings[len(first.findings) :])],
        times=[each for part in found for each in part.times],
        duels=[each for part in found for each in part.duels],
        interrupted=len(found) < len(asked),
    )


def _examine_part(
    text: str, part: str, opponents: Opponents, games: Sequence[str], seed: str, effort: Effort, sandbox: bool
) -> Examination:
    """On a worker."""
    names = {known: name for name, known in opponents.known.items()}
    return examine(
        names.get(text, text),
        opponents,
        games=games,
        seed=seed,
        effort=effort,
        remark=WORKER_PROCESSES.tell,
        parts=(part,),
        sandbox=sandbox,
    )


def _spec(text: str) -> BotSpec:
    """What a cluster has to know about a bot before it plays."""
    if text.startswith(STDIO):
        return BotSpec(text, "", text, "")
    source, _, class_name = text.rpartition(":") if not text.endswith(".py") else (text, "", "")
    file = Path(source).resolve() if source.endswith(".py") else source
    return BotSpec(text, "", str(file), class_name, trusted=not source.endswith(".py"))


def _text(bot: BotSpec) -> str:
    return f"{bot.source}:{bot.class_name}" if bot.class_name else bot.source
