"""A store whose user does not live to see all of its writes done, or finds its disk full."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from signal import SIGKILL
from typing import Any

from toolproto.conversation.stores import Record, Store

__all__ = ["MOMENTS", "NEVER", "Death", "Mortal", "die_in_commit"]

#: When a child kills itself: around an append, or in the middle of a transaction.
MOMENTS = ("before", "inside", "after")


@dataclass(frozen=True, slots=True)
class Death:
    """Die at the *n*-th write, at one of the :data:`MOMENTS`; never, if *n* is 0."""

    n: int = 0
    moment: str = "before"


NEVER = Death()


class Mortal:
    """A store whose user is killed at one of its writes; the disk is full for the writes *short*.

    With *result_only* it is also a worse store, the control: that a call was started is not written
    before it is done.
    """

    def __init__(
        self,
        store: Store,
        death: Death,
        result_only: bool,
        short: range = range(0),
        full: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self._store, self._death, self._result_only = store, death, result_only
        self._short, self._full = short, full
        self._held: list[Record] = []
        self.writes = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def append(self, id: str, records: Sequence[Record], at: int, *, durable: bool) -> None:
        """Add *records*, and perhaps do not live to tell."""
        self.writes += 1
        due = self.writes == self._death.n
        if due and self._death.moment == "before":
            os.kill(os.getpid(), SIGKILL)
        at, written = at - len(self._held), [*self._held, *records]
        held = written[-1:] if self._result_only and records[-1].kind == "started" else []
        written = written[:-1] if held else written
        with self._full() if self.writes in self._short else nullcontext():
            self._store.append(id, written, at, durable=durable)
        self._held = held
        if due and self._death.moment == "after":
            os.kill(os.getpid(), SIGKILL)


def die_in_commit(n: int) -> None:
    """Die at the *n*-th commit of this process, with everything done but that."""
    from sqlalchemy import Engine, event

    left = iter(range(n - 1, -1, -1))

    @event.listens_for(Engine, "commit")
    def commit(connection: Any) -> None:
        if next(left, 1) == 0:
            os.kill(os.getpid(), SIGKILL)
