"""An alarm rings once, for a wait that takes too long, and leaves no thread."""

from __future__ import annotations

import threading
import time
from math import inf

from tests.patience import PATIENCE
from toolproto.endpoints.alarm import Alarm

from .leaks import nothing_left

#: A crowded machine may take some of this between two lines of a test.
SOON = 0.5


def test_an_alarm_rings_for_a_wait_past_its_time():
    rang = threading.Event()
    with nothing_left():
        alarm = Alarm(rang.set)
        alarm.set(time.monotonic() + 60)
        alarm.set(time.monotonic() + 0.01)
        assert rang.wait(PATIENCE)
        alarm.stop()


def test_a_time_that_moves_on_does_not_ring():
    rang = threading.Event()
    with nothing_left():
        alarm = Alarm(rang.set)
        alarm.set(time.monotonic() + SOON)
        alarm.set(time.monotonic() + 60)
        assert not rang.wait(2 * SOON)
        alarm.stop()
    assert not rang.is_set()


def test_nothing_rings_while_nobody_waits():
    rang = threading.Event()
    alarm = Alarm(rang.set)
    alarm.set(time.monotonic() + SOON)
    alarm.rest()
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
