"""How long transactions of workers are open, as their PostgreSQL tells.

A transaction that a client began shows as ``active`` or ``idle in transaction``, and is as old as
its ``xact_start`` says. One on a connection that is merely ``idle`` is the server's own: it begins
one to read each notification for a connection that listens, mostly in microseconds, and takes
the time of the connection's last statement for its beginning: ``LISTEN``, minutes ago, say. See
ProcessIncomingNotify in PostgreSQL's async.c, and StartTransaction in its xact.c. Such a one is as
old as we know it.
"""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

from psycopg import Connection

__all__ = ["OpenTransactions"]

#: Transactions of ours: for how many ms each is open, and what it did last.
_OPEN = """\
SELECT pid, state, 1000 * extract(epoch FROM clock_timestamp() - xact_start)::float, left(query, 80)
FROM pg_stat_activity WHERE application_name = 'toolproto' AND xact_start IS NOT NULL"""


class OpenTransactions:
    """What was seen in many looks at a server; those open for more than *most* ms are ``held``.

    ``servers_own`` counts transactions of the server's own. ``longest`` is in ms, and
    ``longest_stopped`` as well: while a worker was stopped, perhaps in the middle of a transaction.
    """

    def __init__(self, most: float) -> None:
        self._most, self._reading = most, dict[int, float]()
        self.looks = self.servers_own = 0
        self.longest = self.longest_stopped = 0.0
        self.held = Counter[str]()

    def look(self, watcher: Connection[Any], *, stopped: bool = False) -> None:
        """Look once."""
        self.looks += 1
        found = watcher.execute(_OPEN).fetchall()
        now, known = time.monotonic(), self._reading
        self._reading = {pid: known.get(pid, now) for pid, state, *_ in found if state == "idle"}
        self.servers_own += len(self._reading)
        for pid, state, open_for, query in found:
            if pid in self._reading:
                open_for = 1000 * (now - self._reading[pid])
            if stopped:
                self.longest_stopped = max(self.longest_stopped, open_for)
            else:
                self.longest = max(self.longest, open_for)
            if open_for > self._most:
                self.held[f"{state}: {query}"] += 1
