"""Turns that are due, in PostgreSQL: any of many workers takes the next one.

A turn is taken by writing who has it and until when: a row is locked for that one statement, with
``SKIP LOCKED``, so that workers do not wait for each other, and nothing is locked while a model
talks. Who has a turn says now and then that he still does; of who does not, another takes it over.
What he may still write is refused by the store, which knows how many records there should be.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, text

from ....protocol.errors import StoreFull, UsageError
from ..text import checked_id, readable
from .location import located
from .postgres import PostgresDatabase

__all__ = ["DueTurn", "QueueFigures", "TurnQueue"]

_TABLES = (
    """\
CREATE TABLE IF NOT EXISTS toolproto_due (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session TEXT NOT NULL,
    message TEXT NOT NULL,
    outcome TEXT,
    worker TEXT,
    turns BIGINT,
    attempts BIGINT NOT NULL DEFAULT 0,
    put TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
    taken TIMESTAMPTZ,
    until TIMESTAMPTZ,
    done TIMESTAMPTZ
)""",
    "CREATE INDEX IF NOT EXISTS toolproto_due_next ON toolproto_due (id) WHERE done IS NULL",
    "CREATE INDEX IF NOT EXISTS toolproto_due_of ON toolproto_due (session, id) WHERE done IS NULL",
)
#: Only what would not fit is counted, however much is due.
_PUT = """\
INSERT INTO toolproto_due (session, message)
SELECT :session, :message
WHERE (SELECT count(*) FROM (
    SELECT 1 FROM toolproto_due WHERE done IS NULL LIMIT :room) AS due) < :room
RETURNING id"""
#: The first that nobody has, and before which its session has nothing else to do.
_TAKE = """\
UPDATE toolproto_due SET
    worker = :worker, attempts = attempts + 1, taken = coalesce(taken, clock_timestamp()),
    until = clock_timestamp() + make_interval(secs => :lease)
WHERE id = (
    SELECT id FROM toolproto_due AS due
    WHERE done IS NULL AND (until IS NULL OR until < clock_timestamp())
    AND NOT EXISTS (
        SELECT 1 FROM toolproto_due AS before
        WHERE before.session = due.session AND before.id < due.id AND before.done IS NULL)
    ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
RETURNING id, session, message, turns, attempts"""
_MINE = "WHERE id = :id AND worker = :worker AND attempts = :attempts AND done IS NULL"
_BEGIN = f"UPDATE toolproto_due SET turns = :turns {_MINE} AND turns IS NULL"
_HOLD = f"""\
UPDATE toolproto_due SET until = clock_timestamp() + make_interval(secs => :lease) {_MINE}"""
_DONE = f"UPDATE toolproto_due SET done = clock_timestamp(), outcome = :outcome {_MINE}"
_FREE = f"UPDATE toolproto_due SET until = NULL, worker = NULL {_MINE}"
_FORGET = """\
DELETE FROM toolproto_due WHERE id IN (
    SELECT id FROM toolproto_due WHERE done < clock_timestamp() - make_interval(secs => :age)
    LIMIT :limit FOR UPDATE SKIP LOCKED)"""
_WAIT = "extract(epoch FROM taken - put)"
_FIGURES = f"""\
SELECT count(*) FILTER (WHERE done IS NULL), count(*) FILTER (WHERE done IS NOT NULL),
    coalesce(sum(attempts), 0)::bigint,
    coalesce(percentile_cont(0.5) WITHIN GROUP (ORDER BY {_WAIT}), 0)::float8,
    coalesce(percentile_cont(0.95) WITHIN GROUP (ORDER BY {_WAIT}), 0)::float8
FROM toolproto_due"""


@dataclass(frozen=True, slots=True)
class DueTurn:
    """A turn that a worker has: *message* to *session*, at the *attempts*-th attempt.

    *turns* is how many turns the session had when somebody first began; None before that.
    """

    id: int
    session: str
    message: str
    turns: int | None
    attempts: int


@dataclass(frozen=True, slots=True)
class QueueFigures:
    """How many turns are *due* and *done*, how often one was *taken*, and seconds they waited."""

    due: int
    done: int
    taken: int
    median_wait: float
    p95_wait: float


class TurnQueue:
    """The turns that are due in the database at *url*, of which *room* may be.

    A worker that is not heard of for *lease* seconds has lost its turn.
    """

    def __init__(self, url: str, *, room: int = 10_000, lease: float = 30.0) -> None:
        if room < 1 or lease <= 0:
            raise UsageError(f"room={room!r}, lease={lease!r}: both must be above 0")
        database = located(url)
        if not isinstance(database, PostgresDatabase):
            database.close()
            raise UsageError("workers share turns in PostgreSQL; give a postgresql:// URL")
        self._database, self._room, self.lease = database, room, lease
        database.write(self._prepare, durable=True)

    def put(self, session: str, message: str) -> int:
        """Have *message* said to *session*, which answers in its turn; StoreFull where none fits.

        Gives the number of the turn. Turns of one session are taken one after the other.
        """
        asked = {"session": checked_id(session), "message": readable(message), "room": self._room}
        rows = self._run(_PUT, asked, durable=True)
        if not rows:
            raise StoreFull(f"{self._room:,} turns are waiting already; try again later")
        return int(rows[0][0])

    def take(self, worker: str) -> DueTurn | None:
        """The next turn, which is *worker*'s for the lease; None if none is to be had."""
        rows = self._run(_TAKE, {"worker": worker, "lease": self.lease})
        return DueTurn(*rows[0]) if rows else None

    def begin(self, turn: DueTurn, worker: str, turns: int) -> None:
        """Note how many *turns* the session had before this one; only the first note counts."""
        self._change(_BEGIN, turn, worker, durable=True, turns=turns)

    def hold(self, turn: DueTurn, worker: str) -> bool:
        """Say that *worker* still has *turn*; False if it does not."""
        return self._change(_HOLD, turn, worker, lease=self.lease)

    def finish(self, turn: DueTurn, worker: str, outcome: str) -> bool:
        """The *turn* is over, with that *outcome*; False if somebody else has it now."""
        return self._change(_DONE, turn, worker, durable=True, outcome=readable(outcome))

    def give_back(self, turn: DueTurn, worker: str) -> bool:
        """Let others take *turn* at once."""
        return self._change(_FREE, turn, worker)

    def forget(self, age: float, limit: int = 10_000) -> int:
        """Delete turns that were done more than *age* seconds ago, so many at a time; how many."""
        return int(
            self._database.write(
                lambda c: c.execute(text(_FORGET), {"age": age, "limit": limit}).rowcount
            )
        )

    def figures(self) -> QueueFigures:
        """How it stands."""
        (row,) = self._run(_FIGURES, {})
        return QueueFigures(*row)

    def close(self) -> None:
        """Close the connections to the database."""
        self._database.close()

    def _prepare(self, connection: Connection) -> None:
        self._database.lock_tables(connection)
        for statement in _TABLES:
            connection.execute(text(statement))

    def _run(self, statement: str, values: dict[str, Any], *, durable: bool = False) -> list[Any]:
        return self._database.write(
            lambda connection: list(connection.execute(text(statement), values).all()),
            durable=durable,
        )

    def _change(
        self, statement: str, turn: DueTurn, worker: str, *, durable: bool = False, **values: Any
    ) -> bool:
        named = {"id": turn.id, "worker": worker, "attempts": turn.attempts, **values}
        changed = self._database.write(
            lambda connection: connection.execute(text(statement), named).rowcount, durable=durable
        )
        return bool(changed)
