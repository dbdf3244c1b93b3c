"""The processes of servers: started in a group of their own, and ended with all their children."""

from __future__ import annotations

import asyncio
import atexit
import os
import signal
import subprocess
import sys
import threading
from asyncio.subprocess import Process
from contextlib import suppress
from pathlib import Path

from . import reaper

__all__ = ["ended", "watched"]

#: Seconds that a server gets to end by itself once its input is closed, and after SIGTERM.
_PATIENCE = 1.0


class _Reaper:
    """The program that ends our servers if we cannot (:mod:`.reaper`); started with the first."""

    def __init__(self) -> None:
        self._program: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def tell(self, sign: str, group: int) -> None:
        """``+``: end *group* when we are gone; ``-``: not any more."""
        with self._lock, suppress(OSError):  # without it servers end in every way but one
            if self._program is None and sign == "+":
                self._program = self._started()
            if self._program and self._program.stdin:
                self._program.stdin.write(f"{sign}{group}\n".encode())
                self._program.stdin.flush()

    def _started(self) -> subprocess.Popen[bytes] | None:
        if not sys.executable:  # an embedded interpreter
            return None
        program = subprocess.Popen(
            [sys.executable, "-I", "-S", str(Path(reaper.__file__))],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        atexit.register(self._stop, program)
        return program

    def _stop(self, program: subprocess.Popen[bytes]) -> None:
        assert program.stdin is not None
        with suppress(OSError):
            program.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            program.wait(5)


_reaper = _Reaper()


def watched(process: Process) -> None:
    """See to it that the group of *process* does not outlive us."""
    _reaper.tell("+", process.pid)


async def ended(process: Process) -> None:
    """Close the input of *process*, and wait, ask, or make it end, with all of its group."""
    if process.stdin:
        process.stdin.close()
    for number in (None, signal.SIGTERM, signal.SIGKILL):
        if number is not None:
            _signal_group(process.pid, number)
        if await _has_ended(process):
            break
    _signal_group(process.pid, signal.SIGKILL)  # children that it left behind
    _reaper.tell("-", process.pid)


async def _has_ended(process: Process) -> bool:
    with suppress(TimeoutError):
        # Not ``wait()``: that also waits for the pipes, which a child may hold open.
        async with asyncio.timeout(_PATIENCE):
            while process.returncode is None:
                await asyncio.sleep(0.01)
    return process.returncode is not None


def _signal_group(group: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
