"""Ends the servers of a process that was killed before it could.

Run as a program of its own, with the standard library alone: each line of its standard input is
``+`` or ``-`` and the id of a process group. The input ends when the process that wrote it is gone,
however it went; the groups that are left then are ended. One such program serves all servers.
"""

from __future__ import annotations

import os
import signal
import sys
import time

__all__ = ["end_groups", "main"]

#: Seconds between the polite signal and the other one.
_GRACE = 2.0


def main() -> None:
    """Keep account of groups until the input ends, then end them."""
    groups: set[int] = set()
    for line in sys.stdin.buffer:
        sign, number = line[:1], line[1:].strip()
        if not number.isdigit():
            continue
        if sign == b"+":
            groups.add(int(number))
        else:
            groups.discard(int(number))
    end_groups(groups, _GRACE)


def end_groups(groups: set[int], grace: float) -> None:
    """Ask every process of *groups* to end, and make it end if it does not within *grace*."""
    left = {group for group in groups if _signalled(group, signal.SIGTERM)}
    until = time.monotonic() + grace
    while left and time.monotonic() < until:
        time.sleep(0.02)
        left = {group for group in left if _signalled(group, 0)}
    for group in left:
        _signalled(group, signal.SIGKILL)


def _signalled(group: int, number: int) -> bool:
    """Send a signal; whether there is anybody who could get it."""
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    except PermissionError:  # on some systems that is said of one that is dead and not yet gone
        return number != 0
    return True


if __name__ == "__main__":
    # Ctrl-C at a terminal is for the program, which ends its servers by itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    main()
