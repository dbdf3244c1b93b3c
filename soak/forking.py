"""Children that are forked to be killed, and what became of them."""

from __future__ import annotations

import faulthandler
import os
import select
import traceback
from collections.abc import Callable
from signal import SIGABRT, SIGKILL

__all__ = ["ended", "forked"]

#: A child that takes longer hangs.
_PATIENCE = 30.0


def forked(work: Callable[[], int]) -> tuple[int, int]:
    """A child that does *work*: its pid, and a pipe that ends when it does."""
    mine, its = os.pipe()
    if (pid := os.fork()) != 0:
        os.close(its)
        return pid, mine
    os.close(mine)
    code = 1
    faulthandler.enable()
    try:
        code = work()
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def ended(child: tuple[int, int], seconds: float | None = None) -> int:
    """How *child* ended, killed after *seconds*; without, one that hangs tells where."""
    pid, pipe = child
    if not select.select([pipe], [], [], seconds or _PATIENCE)[0]:
        os.kill(pid, SIGKILL if seconds else SIGABRT)
    os.close(pipe)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
