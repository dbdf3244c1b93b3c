"""Ending a process with all that it has started, in its session or not.

On Linux the process is to be a *subreaper*: what its children leave behind becomes its own child,
so that all of it is found below it (prctl(2), PR_SET_CHILD_SUBREAPER). Elsewhere only its process
group is ended.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

__all__ = ["end_tree"]

_PROC = Path("/proc")
# Each look finds what was started since the one before; what is stopped starts nothing more.
_MOST_LOOKS = 200
_PAUSE = 0.002


def end_tree(process: subprocess.Popen[bytes]) -> None:
    """Kill all that *process* has started, then itself with its group, and wait for its end."""
    stopped: set[int] = set()
    for _ in range(_MOST_LOOKS):
        below = _below(process.pid) if process.returncode is None else set()
        if not below:
            break
        for pid in below - stopped:
            _tell(pid, signal.SIGSTOP)
        # Only what was stopped is killed: its last children would be found nowhere.
        for pid in below & stopped:
            _tell(pid, signal.SIGKILL)
        stopped |= below
        time.sleep(_PAUSE)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _tell(pid: int, what: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, what)


def _below(pid: int) -> set[int]:
    """The living processes that *pid* and those below it have started."""
    children: dict[int, list[int]] = {}
    for entry in _PROC.glob("[0-9]*/stat"):
        with suppress(OSError, ValueError):
            # The name stands in parentheses and may hold others.
            state, parent, *_ = entry.read_text("utf-8", "replace").rpartition(")")[2].split()
            if state not in "ZX":
                children.setdefault(int(parent), []).append(int(entry.parent.name))
    found: set[int] = set()
    pending = [pid]
    while pending:
        new = set(children.get(pending.pop(), ())) - found
        found |= new
        pending += new
    return found
