"""One process at a time."""

from __future__ import annotations

import signal
import subprocess
import sys
from threading import Event, Thread

from tests.patience import PATIENCE
from toolproto.endpoints.local.lock import alone

HOLDER = """
import sys
from pathlib import Path
from toolproto.endpoints.local.lock import alone
with alone(Path(sys.argv[1]), lambda: None):
    print("held", flush=True)
    sys.stdin.read()
"""


def unheard():
    raise AssertionError("nobody else holds it")


def test_a_lock_that_is_free_is_taken_at_once_and_given_back(tmp_path):
    taken = []
    for turn in range(2):
        with alone(tmp_path / "lock", unheard):
            taken.append(turn)
    assert taken == [0, 1]


def test_the_lock_of_a_killed_process_is_free(tmp_path):
    words = [sys.executable, "-c", HOLDER, str(tmp_path / "lock")]
    waits, taken = Event(), Event()

    def take():
        with alone(tmp_path / "lock", waits.set):
            taken.set()

    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(words, **pipes) as holder:
        assert holder.stdout.readline() == b"held\n"
        thread = Thread(target=take)
        thread.start()
        assert waits.wait(PATIENCE)
        assert not taken.is_set()
        holder.send_signal(getattr(signal, "SIGKILL", signal.SIGTERM))
        assert taken.wait(PATIENCE)
        thread.join()
