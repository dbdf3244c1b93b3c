"""What a store owes a session: records, kept in order, that nobody else has written between.

A session's journal is a list of records that only ever grows. Whoever appends says how many there
were when he last looked; if there are more by now, somebody else is using the session, and nothing
is written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import time
from typing import Any, NamedTuple, Protocol, runtime_checkable

__all__ = ["NO_SESSIONS", "Record", "SessionInfo", "Store", "now"]

#: What the ids of other things begin with that are kept beside sessions: files, and notes of the
#: web page.
NO_SESSIONS = ("files:", "web:")


def now() -> float:
    """Return the seconds since 1970; a clock that stands before that is taken to stand there."""
    return max(0.0, time())


class Record(NamedTuple):
    """One entry of a session's journal: its kind, and its data as JSON."""

    kind: str
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """A session as a list shows it.

    Times are seconds since 1970, *records* how many it has. *workspace* is what it belongs to.
    """

    id: str
    title: str
    created: float
    updated: float
    records: int
    workspace: str = ""


@runtime_checkable
class Store(Protocol):
    """Keeps sessions. May be used from several threads.

    Raises UsageError for a session that is not there (or is, for :meth:`create`) and for what
    cannot be kept, SessionConflict when another writer was faster, and StoreError for what the
    database says. ``tests/conversation/stores/conformance.py`` tests all that is promised here.
    """

    def create(self, id: str, title: str = "", workspace: str = "") -> SessionInfo:
        """A new session without records."""
        ...

    def info(self, id: str) -> SessionInfo | None:
        """The session, or None if there is none of that id."""
        ...

    def read(self, id: str, after: int = 0) -> list[Record]:
        """The records of a session but the first *after*, in order."""
        ...

    def append(self, id: str, records: Sequence[Record], at: int, *, durable: bool) -> None:
        """Add *records* behind the first *at*, all or none; SessionConflict if there are others.

        What is *durable* survives a power cut once this returns; all survives a killed process.
        """
        ...

    def list(
        self,
        search: str = "",
        *,
        workspace: str | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> Sequence[SessionInfo]:
        """Sessions whose title or text holds *search*, the last used first.

        With *workspace*, those that belong to just that one; an empty one is that of the others.
        The text is every string in the records' data but the names of fields. Upper and lower case
        are the same, and so are the ways of writing an accent; no character is a wildcard.
        """
        ...

    def rename(self, id: str, title: str) -> None:
        """Give the session another title. It counts as used no later than before."""
        ...

    def assign(self, id: str, workspace: str) -> None:
        """Let the session belong to *workspace*. It counts as used no later than before."""
        ...

    def delete(self, id: str) -> None:
        """Forget the session and all its records."""
        ...

    def close(self) -> None:
        """Give back what the store holds open."""
        ...
