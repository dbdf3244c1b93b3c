"""What every store says when it refuses, so that one message fits them all."""

from __future__ import annotations

from ...protocol.errors import SessionConflict, UsageError

__all__ = ["closed", "conflict", "no_session", "taken"]


def no_session(id: str) -> UsageError:
    """There is no session of that id."""
    return UsageError(f"there is no session {id!r}; create() it, or see list()")


def taken(id: str) -> UsageError:
    """There is one already."""
    return UsageError(f"there is already a session {id!r}; choose another id, or delete() it")


def closed() -> UsageError:
    """The store was closed before."""
    return UsageError("the store is closed; open it again")


def conflict(id: str, at: int, records: int) -> SessionConflict:
    """The slower of two writers: nothing of his was written."""
    return SessionConflict(
        f"session {id!r} has {records} records, not {at}: somebody else has written to it, and "
        "nothing was added; open it again"
    )
