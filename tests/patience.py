"""How long a test waits for what must happen, and how long a test may take."""

from __future__ import annotations

import faulthandler
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, TypeVar

import pytest

from .merged import TookTooLong

T = TypeVar("T")

#: Seconds to wait for an event. A crowded machine needs a few of them; what hangs, all of them.
PATIENCE = 60.0
#: Seconds for each of set-up, call and tear-down of a test without a mark ``time_limit``.
TIME_LIMIT = 240.0
# A run that tries every case may take that much longer for one test: 5,000 examples and not 32.
_WHOLE = 10
#: Seconds for those that fetch, install or build something first, by where they stand.
LONGER = {
    "tests/endpoints/libraries/": 1800.0,
    "tests/endpoints/local/": 900.0,
    "tests/gateway/frameworks/": 1800.0,
    "tests/gateway/proxy/agents/": 1800.0,
    "tests/gateway/proxy/clients/": 1800.0,
    "tests/cli/scaffold/": 600.0,
    "tests/testing/probe/test_page.py": 900.0,
    "tests/conversation/mcp/references/": 900.0,
    "tests/conversation/session/test_crashes.py": 600.0,
    "tests/conversation/session/test_races.py": 300.0,
    "tests/conversation/stores/": 300.0,
    "tests/test_demo.py": 1200.0,
    "tests/web/": 900.0,
    "tests/test_docs.py": 600.0,
}


def ended(child: Any) -> None:
    """End a program in a terminal of its own (of pexpect, which waits a tenth of a second)."""
    child.kill(signal.SIGKILL)
    child.wait()
    child.close()


def limit_of(item: pytest.Item) -> float:
    """The seconds that *item* may take: ``@pytest.mark.time_limit(600)``, or the usual ones."""
    mark = item.get_closest_marker("time_limit")
    found = (limit for place, limit in LONGER.items() if item.nodeid.startswith(place))
    seconds = float(mark.args[0]) if mark else next(found, TIME_LIMIT)
    return seconds * _WHOLE if os.environ.get("TOOLPROTO_WHOLE") else seconds


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Fails what runs longer than *seconds* inside, and lets the other tests run."""

    def end(signum: int, frame: FrameType | None) -> None:
        raise TookTooLong(f"took more than {seconds:g} seconds (see tests/patience.py)")

    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        yield  # no such signal, or nobody who would hear it
        return
    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def ended_for_good(seconds: float, stderr: int) -> Iterator[None]:
    """Ends the process when what is inside takes longer and has not heard :func:`limited`.

    C code that waits for a lock hears no exception. The stacks of all threads are written to the
    file descriptor *stderr* first; pytest-xdist reports the test and starts another worker.
    """
    faulthandler.dump_traceback_later(seconds, exit=True, file=stderr)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


def hear_interrupts() -> None:
    """Give this process, and so every child it starts, the usual answer to Ctrl-C.

    A background job of a shell inherits a SIGINT that is ignored, and so would the programs that
    tests start and interrupt.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def unhurried(
    attempt: Callable[[float], T], reached: Callable[[T], object], seconds: float = 0.05
) -> T:
    """What *attempt* comes to when its time, *seconds*, is over only behind what must be *reached*.

    A crowded machine needs more seconds to get there: then it is tried again with more of them.
    """
    while True:
        result = attempt(seconds)
        if reached(result) or seconds > PATIENCE:
            return result
        seconds *= 4


def interrupt(process: subprocess.Popen[Any]) -> None:
    """Press Ctrl-C at *process*, and wait until it has ended.

    Python does not see a signal that comes when it is just about to wait: it is pressed again, as a
    person would, but not so soon that it meets a process that is ending.
    """
    for _ in range(3):
        process.send_signal(signal.SIGINT)
        try:
            process.wait(PATIENCE / 3)
            return
        except subprocess.TimeoutExpired:
            pass
    pytest.fail("it takes no notice of Ctrl-C")


def real_stderr() -> int:
    """A descriptor of the standard error that outlives pytest's capturing."""
    return os.dup(sys.__stderr__.fileno() if sys.__stderr__ else 2)
