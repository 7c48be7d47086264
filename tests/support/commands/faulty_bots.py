"""Bots for the doctor, each with one thing wrong. All of them play Heckmeck am Karteneck."""

import os
import random
import signal
import time
from collections.abc import Sequence
from typing import Any

from roost_sdk import Bot

SHARED: list[int] = []


class Healthy(Bot):
    """Nothing is wrong with this one."""

    def karteneck(self, view: Any, legal: Sequence[Any]) -> Any:
        return self.rng.choice(legal)


class CrashesWithFour(Healthy):
    def karteneck(self, view: Any, legal: Sequence[Any]) -> Any:
        neighbours = [0, 1, 2]
        return legal[neighbours[self.players - 1] % len(legal)]


class ClaimsThree(Healthy):
    """Plays with three, which it says, and with nobody else."""

    player_counts = (3,)

    def karteneck(self, view: Any, legal: Sequence[Any]) -> Any:
        return {3: legal[0]}[self.players]


class Steals(Healthy):
    def karteneck(self, view: Any, legal: Sequence[Any]) -> Any:
        return legal[0]._replace(steal=True)


class SaysNothing(Healthy):
    def karteneck(self, view: Any, legal: Sequence[Any]) -> Any:
        return None


class HangsWithThree(Healthy):
    def karteneck(self, view: Any, legal: Sequence[Any]) -> Any:
        while self.players == 3:
            pass
        return legal[0]


class Dreams(Healthy):
    """Answers the first two questions and then thinks for an hour."""

    def start(self) -> None:
        self.asked = 0

    def karteneck(self, view: Any, legal: Sequence[Any]) -> Any:
        self.asked += 1
        if self.asked > 2:
            time.sleep(3600)
        return legal[0]


class EndsTheProcess(Healthy):
    def karteneck(self, view: Any, legal: Sequence[Any]) -> Any:
        os._exit(3)


class KillsTheProcess(Healthy):
    def karteneck(self, view: Any, legal: Sequence[Any]) -> Any:
        os.kill(os.getpid(), signal.SIGSEGV)


class KeepsInItsClass(Healthy):
    matches = 0

    def start(self) -> None:
        type(self).matches += 1

    def karteneck(self, view: Any, legal: Sequence[Any]) -> Any:
        return legal[self.matches % len(legal)]


class KeepsInItsModule(Healthy):
    def end(self, result: Any) -> None:
        SHARED.append(result.places[self.seat])

    def karteneck(self, view: Any, legal: Sequence[Any]) -> Any:
        return legal[len(SHARED) % len(legal)]


class DrawsElsewhere(Healthy):
    def karteneck(self, view: Any, legal: Sequence[Any]) -> Any:
        return random.choice(legal)


class LooksAtTheClock(Healthy):
    def karteneck(self, view: Any, legal: Sequence[Any]) -> Any:
        return legal[time.perf_counter_ns() // 1000 % len(legal)]


class FearsReshuffles(Healthy):
    def karteneck(self, view: Any, legal: Sequence[Any]) -> Any:
        if view.trace:
            raise NotImplementedError("what is a trace?")
        return legal[0]


class FearsLongLists(Healthy):
    def karteneck(self, view: Any, legal: Sequence[Any]) -> Any:
        return legal[min(len(legal), 60) - 1] if len(legal) <= 60 else None


class NeverStarts(Healthy):
    def start(self) -> None:
        raise FileNotFoundError("weights.bin")


class CrashesAtTheEnd(Healthy):
    def end(self, result: Any) -> None:
        raise ZeroDivisionError


class Shouts(Healthy):
    """Fine, although it writes wherever it can."""

    def karteneck(self, view: Any, legal: Sequence[Any]) -> Any:
        os.write(1, b'{"finished": true}\n')
        print("{}")  # noqa: T201
        return self.rng.choice(legal)


class PlaysNothing(Bot):
    pass
