"""What the process beside a program on a terminal says, and when."""

import re
import threading

from roost_sdk.troubles.bystander import ANSWERED, Bystander

DUMP = f"""Timeout (0:00:05)!
Thread 0x00007f33897fa6c0 (most recent call first):
  File "{threading.__file__}", line 331 in wait

Thread 0x00007f33a5091b80 (most recent call first):
  File "{re.__file__}", line 166 in match
  File "/home/ann/mybot.py", line 5 in choose
""".encode()
AT = "/home/ann/mybot.py, line 5, in choose"


class Beside:
    """A bystander, and what it has said and done."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.watch = Bystander("mybot", self.said.append, lambda: self.said.append("KILLED"))

    def look(self, now: float) -> list[str]:
        self.said.clear()
        self.watch.look(now)
        return self.said


def test_it_names_the_line_at_once_and_then_less_and_less_often() -> None:
    beside = Beside()
    told = []
    for dump in range(1, 9):
        beside.watch.read(DUMP)
        told += beside.look(5.0 * dump)
    assert told == [f"mybot has not answered for {seconds} s; it is at {AT}" for seconds in (5, 10, 20, 35)]


def test_later_it_counts_from_the_start() -> None:
    beside = Beside()
    for moment in (5.0, 10.0, 100.0):
        beside.watch.read(DUMP)
        beside.look(moment)
    assert beside.said == [f"mybot has not answered for 5 s; it is at {AT}"]


def test_a_program_that_answers_ctrl_c_needs_nobody() -> None:
    beside = Beside()
    beside.watch.interrupted(1.0)
    beside.watch.read(ANSWERED)
    assert beside.look(50.0) == []


def test_it_answers_the_first_ctrl_c_and_obeys_the_second() -> None:
    beside = Beside()
    beside.watch.read(DUMP)
    beside.look(5.0)
    beside.watch.interrupted(6.0)
    assert beside.look(6.1) == []
    (answer,) = beside.look(7.0)
    assert answer == f"mybot holds the interpreter (at {AT}); leaving when it lets go; press Ctrl-C again to stop"
    assert beside.look(60.0) == []
    beside.watch.interrupted(60.0)
    assert beside.look(61.0) == []
    assert beside.look(64.0) == ["mybot was stopped", "KILLED"]
    assert beside.watch.stopped
