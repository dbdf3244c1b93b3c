"""Not too often, and never too late."""

from __future__ import annotations

import threading

from tests.patience import PATIENCE
from toolproto.cli.chat.pace import Pace


def test_the_first_is_at_once_and_the_last_is_never_left_out():
    acted, seen = threading.Semaphore(0), []
    said: list[str] = []

    def act() -> None:
        seen.append(list(said))
        acted.release()

    pace = Pace(act, threading.RLock())
    for word in ("a", "b", "c"):
        said.append(word)
        pace.soon()
    while not seen or seen[-1] != said:
        assert acted.acquire(timeout=PATIENCE)
    assert seen[0] == ["a"] and len(seen) <= 3


def test_often_asked_is_seldom_done():
    times = iter(range(1_000))
    done: list[int] = []
    pace = Pace(lambda: done.append(1), threading.RLock(), lambda: next(times) / 100)
    for _ in range(100):
        pace.soon()
    pace.stop()
    assert 5 < len(done) < 30


def test_what_was_stopped_is_not_done():
    done: list[int] = []
    lock = threading.RLock()
    pace = Pace(lambda: done.append(1), lock, lambda: 0.0)
    with lock:  # the timer may be due before it is stopped
        pace.soon()
        pace.soon()
        pace.stop()
    for timer in threading.enumerate():
        if isinstance(timer, threading.Timer):
            timer.join(PATIENCE)
    assert done == [1]
