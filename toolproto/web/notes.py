"""Small values that a store keeps beside its sessions: settings, and what is shared.

Every change is a record, as with :class:`~toolproto.conversation.toolsets.StoredFiles`; whoever
looks takes in what other processes have written since.
"""

from __future__ import annotations

from contextlib import suppress
from threading import Lock
from typing import Any

from ..conversation.stores import Record, Store
from ..protocol.errors import SessionConflict, StoreError, UsageError

__all__ = ["Notes"]

#: What the ids of notes begin with in a store; see ``stores.base.NO_SESSIONS``.
_NOTES = "web:"
#: How often to write upon what others have written meanwhile, before something must be wrong.
_TRIES = 100
#: Records after which only the last values are kept.
_MOST = 500


class Notes:
    """Values by name, kept in *store* under *name*; made with the first value."""

    def __init__(self, store: Store, name: str) -> None:
        self._store = store
        self._id = f"{_NOTES}{name}"
        self._values: dict[str, Any] = {}
        self._count = 0
        self._lock = Lock()

    def all(self) -> dict[str, Any]:
        """Every value there is."""
        with self._lock:
            self._catch_up()
            return dict(self._values)

    def get(self, name: str) -> Any:
        """The value, None if there is none."""
        return self.all().get(name)

    def set(self, name: str, value: Any) -> None:
        """Keep *value*; None forgets it."""
        record = Record("note", {"name": name, "value": value})
        with self._lock:
            if self._store.info(self._id) is None:
                # Another who makes them in this moment has made them for us, too.
                with suppress(UsageError):
                    self._store.create(self._id, self._id)
            for _ in range(_TRIES):
                self._catch_up()
                try:
                    self._store.append(self._id, [record], self._count, durable=False)
                except SessionConflict:
                    continue
                self._take(record)
                if self._count > _MOST:
                    self._begin_anew()
                return
        raise StoreError(f"others write to {self._id!r} all the time; nothing was written")

    def forget(self) -> None:
        """Delete all of them."""
        with self._lock:
            if self._store.info(self._id) is not None:
                self._store.delete(self._id)
            self._values, self._count = {}, 0

    def _catch_up(self) -> None:
        info = self._store.info(self._id)
        if info is None or info.records < self._count:  # begun anew by somebody else
            self._values, self._count = {}, 0
        if info is not None and info.records != self._count:
            for record in self._store.read(self._id, self._count):
                self._take(record)

    def _take(self, record: Record) -> None:
        self._count += 1
        name, value = record.data.get("name"), record.data.get("value")
        if value is None:
            self._values.pop(str(name), None)
        else:
            self._values[str(name)] = value

    def _begin_anew(self) -> None:
        """Write the last values only: what was changed for years would take long to read."""
        kept = [
            Record("note", {"name": name, "value": each}) for name, each in self._values.items()
        ]
        self._store.delete(self._id)
        self._store.create(self._id, self._id)
        self._store.append(self._id, kept, 0, durable=False)
        self._count = len(kept)
