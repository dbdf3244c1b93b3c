"""Sessions kept in memory: gone with the process, and what a store's tests start from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from threading import Lock

from .base import Record, SessionInfo, now
from .refusals import closed, conflict, no_session, taken
from .text import Written, checked_id, counted, folded, readable, unwritten, written

__all__ = ["MemoryStore"]


@dataclass(slots=True)
class _Session:
    info: SessionInfo
    # As text, so that nobody can change a record that was written.
    records: list[Written] = field(default_factory=list)

    def holds(self, needle: str) -> bool:
        return needle in folded(self.info.title) or any(needle in r.search for r in self.records)


class MemoryStore:
    """A :class:`Store` that forgets everything when it is closed."""

    def __init__(self) -> None:
        self._sessions: dict[str, _Session] = {}
        self._lock = Lock()
        self._closed = False

    def __repr__(self) -> str:
        return "MemoryStore()"

    def create(self, id: str, title: str = "", workspace: str = "") -> SessionInfo:
        """A new session without records."""
        at = now()
        made = SessionInfo(checked_id(id), readable(title), at, at, 0, readable(workspace))
        with self._lock:
            if id in self._open():
                raise taken(id)
            self._sessions[id] = _Session(made)
        return made

    def info(self, id: str) -> SessionInfo | None:
        """The session, or None if there is none of that id."""
        with self._lock:
            session = self._open().get(checked_id(id))
            return session.info if session else None

    def read(self, id: str, after: int = 0) -> list[Record]:
        """The records of a session but the first *after*, in order."""
        with self._lock:
            texts = self._known(id).records[counted("after", after) :]
        return unwritten([(each.kind, each.data) for each in texts])

    def append(self, id: str, records: Sequence[Record], at: int, *, durable: bool) -> None:
        """Add *records* behind the first *at*; nothing in memory is ever *durable*."""
        texts = [written(each) for each in records]
        with self._lock:
            session = self._known(id)
            if counted("at", at) != session.info.records:
                raise conflict(id, at, session.info.records)
            if texts:
                session.records += texts
                session.info = replace(session.info, updated=now(), records=at + len(texts))

    def list(
        self,
        search: str = "",
        *,
        workspace: str | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> Sequence[SessionInfo]:
        """Sessions whose title or text holds *search*, the last used first."""
        needle, end = folded(search), counted("offset", offset) + counted("limit", limit)
        with self._lock:
            found = [each.info for each in self._open().values() if each.holds(needle)]
        if workspace is not None:
            found = [info for info in found if info.workspace == readable(workspace)]
        found.sort(key=lambda info: (-info.updated, -info.created, info.id))
        return found[offset:end]

    def rename(self, id: str, title: str) -> None:
        """Give the session another title."""
        with self._lock:
            session = self._known(id)
            session.info = replace(session.info, title=readable(title))

    def assign(self, id: str, workspace: str) -> None:
        """Let the session belong to *workspace*."""
        with self._lock:
            session = self._known(id)
            session.info = replace(session.info, workspace=readable(workspace))

    def delete(self, id: str) -> None:
        """Forget the session and all its records."""
        with self._lock:
            self._known(id)
            del self._sessions[id]

    def close(self) -> None:
        """Forget everything."""
        with self._lock:
            self._sessions.clear()
            self._closed = True

    def _open(self) -> dict[str, _Session]:
        if self._closed:
            raise closed()
        return self._sessions

    def _known(self, id: str) -> _Session:
        session = self._open().get(checked_id(id))
        if session is None:
            raise no_session(id)
        return session
