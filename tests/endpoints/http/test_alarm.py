"""An alarm rings once, for a wait that takes too long, and leaves no thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from math import inf

from tests.endpoints.leaks import nothing_left
from tests.patience import PATIENCE
from toolproto.endpoints.http.alarm import Alarm

SOON = 0.1


def moved(move: Callable[[Alarm], None]) -> tuple[Alarm, threading.Event]:
    """An alarm that was about to ring and was moved in time, and whether it rings."""
    while True:
        rang = threading.Event()
        alarm = Alarm(rang.set)
        alarm.set(time.monotonic() + SOON)
        latest = time.monotonic() + SOON / 2
        move(alarm)
        if time.monotonic() < latest:
            return alarm, rang
        alarm.stop()  # a crowded machine was slower than that


def test_an_alarm_rings_for_a_wait_past_its_time():
    rang = threading.Event()
    with nothing_left():
        alarm = Alarm(rang.set)
        alarm.set(time.monotonic() + 60)
        alarm.set(time.monotonic() + 0.01)
        assert rang.wait(PATIENCE)
        alarm.stop()


def test_a_time_that_moves_on_does_not_ring():
    with nothing_left():
        alarm, rang = moved(lambda alarm: alarm.set(time.monotonic() + 60))
        assert not rang.wait(2 * SOON)
        alarm.stop()
    assert not rang.is_set()


def test_nothing_rings_while_nobody_waits():
    alarm, rang = moved(Alarm.rest)
    assert not rang.wait(2 * SOON)
    alarm.set(time.monotonic() - 1)
    assert rang.wait(PATIENCE)
    alarm.stop()


def test_without_a_time_there_is_no_thread():
    with nothing_left():
        alarm = Alarm(lambda: None)
        alarm.set(inf)
        assert not any(each.name == "toolproto-alarm" for each in threading.enumerate())
        alarm.stop()
