"""A worker that takes turns of any session, one after the other, as long as it lives.

It may die at any moment: what the store has of its turn is gone on with by another worker, and what
the store does not have was not done. No turn is begun twice, and none is lost.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ...protocol.errors import SessionConflict, UsageError
from ...protocol.messages import random_id
from .chat import ChatSession

if TYPE_CHECKING:
    from ..stores.sql.queue import DueTurn, TurnQueue

__all__ = ["SessionWorker"]

#: Seconds between two looks for something to do, where there was nothing.
_IDLE = 0.2
#: A turn that so many workers died of is given up, so that it kills no more.
_MOST_ATTEMPTS = 20


class SessionWorker:
    """Takes turns from *queue*; *opened* makes the session of an id, with a store to keep it."""

    def __init__(
        self, queue: TurnQueue, opened: Callable[[str], ChatSession], name: str | None = None
    ) -> None:
        self.queue = queue
        self.name = name or random_id().replace("call_", "worker_")
        self._opened = opened

    def work(self, stop: threading.Event) -> None:
        """Take turn after turn until *stop* is set; then the turn at hand is finished."""
        while not stop.is_set():
            if not self.take_one():
                stop.wait(_IDLE)

    def take_one(self) -> bool:
        """Take the next turn, if there is one, and see it through. Whether there was one."""
        turn = self.queue.take(self.name)
        if turn is None:
            return False
        if turn.attempts > _MOST_ATTEMPTS:
            self.queue.finish(turn, self.name, f"given up after {_MOST_ATTEMPTS} attempts")
            return True
        with self._held(turn):
            try:
                outcome = self._seen_through(turn)
            except SessionConflict:  # it is somebody else's by now
                self.queue.give_back(turn, self.name)
                return True
            except UsageError as error:  # nobody could do it
                outcome = f"refused: {error}"
        self.queue.finish(turn, self.name, outcome)
        return True

    def _seen_through(self, turn: DueTurn) -> str:
        session = self._opened(turn.session)
        try:
            known = len(session.turns)
            if turn.turns is None:
                self.queue.begin(turn, self.name, known)
            elif known > turn.turns:
                # Somebody began it, and died in it, or before he could say that it was over.
                return session.resume({}).status if session.interrupted else "completed"
            return session.send(turn.message).status
        finally:
            session.close()

    @contextmanager
    def _held(self, turn: DueTurn) -> Iterator[None]:
        """Say now and then that the turn is still ours: with a short statement, and no lock."""
        over = threading.Event()

        def hold() -> None:
            while not over.wait(self.queue.lease / 3):
                if not self.queue.hold(turn, self.name):
                    return

        thread = threading.Thread(target=hold, daemon=True, name=f"holding {turn.id}")
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()
