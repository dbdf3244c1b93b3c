"""Files that a store keeps beside its sessions, for several to share.

Every write is a record; whoever looks takes in what others have written since. Of two who write at
the same time, the second writes upon what the first has written.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any

from ...protocol.errors import SessionConflict, StoreError, ToolFailed, UsageError
from ..stores import Record, Store, open_store
from .files import FileLimits, FolderListing
from .memory import MemoryFiles

__all__ = ["FILES", "StoredFiles"]

#: What the names of places begin with among the ids of a store; no session is called so.
FILES = "files:"
_DEFAULT = FileLimits()
#: How often to write upon what others have written meanwhile, before something must be wrong.
_TRIES = 100


class StoredFiles:
    """The files called *name* in *store*: a store, a path or a URL. They are made if not there.

    A store that was opened for them is closed with :meth:`close`.
    """

    def __init__(
        self, store: Store | str | Path, name: str = "files", limits: FileLimits = _DEFAULT
    ) -> None:
        self._store = open_store(store)
        self._owns_store = self._store is not store
        self._id = f"{FILES}{name}"
        self._files = MemoryFiles(limits=limits)
        self._count = 0
        self._lock = Lock()
        if self._store.info(self._id) is None:
            # Another who makes them in this moment has made them for us, too.
            with suppress(UsageError):
                self._store.create(self._id, f"files of {name}")
        self._look()

    def __repr__(self) -> str:
        return f"StoredFiles({self._store!r}, {self._id.removeprefix(FILES)!r})"

    @property
    def limits(self) -> FileLimits:
        """How much there may be of everything."""
        return self._files.limits

    def list(self, path: str = "/") -> FolderListing:
        """What the directory holds."""
        return self._look().list(path)

    def read(self, path: str) -> bytes:
        """The whole content of the file."""
        return self._look().read(path)

    def write(self, path: str, content: bytes) -> bool:
        """Make *content* the file's content; True if the file is new."""
        return self._change(Record("file", {"path": path, **_written(bytes(content))}))

    def remove(self, path: str) -> None:
        """Take the file away."""
        self._change(Record("removed", {"path": path}))

    def contents(self) -> dict[str, bytes]:
        """Every file there is, by path."""
        return self._look().contents()

    def close(self) -> None:
        """Close the store, if it was opened for these files."""
        if self._owns_store:
            self._store.close()

    def _look(self) -> MemoryFiles:
        """The files as they are now."""
        with self._lock:
            self._catch_up()
            return self._files

    def _catch_up(self) -> None:
        for record in self._store.read(self._id, self._count):
            self._count += 1
            try:
                _take(self._files, record)
            except (ToolFailed, LookupError, TypeError, ValueError) as error:
                raise StoreError(
                    f"record {self._count} of {self._id!r} is damaged, or too large: {error}"
                ) from None

    def _change(self, record: Record) -> bool:
        with self._lock:
            for _ in range(_TRIES):
                self._catch_up()
                changed = self._files.copy()
                is_new = _take(changed, record)  # refused? Then nothing is written
                try:
                    self._store.append(self._id, [record], self._count, durable=True)
                except SessionConflict:
                    continue
                self._files, self._count = changed, self._count + 1
                return is_new
        raise StoreError(f"others write to {self._id!r} all the time; nothing was written")


def _take(files: MemoryFiles, record: Record) -> bool:
    """Do to *files* what *record* tells; whether it made a file."""
    if record.kind == "removed":
        files.remove(record.data["path"])
        return False
    return files.write(record.data["path"], _content(record.data))


def _written(content: bytes) -> dict[str, Any]:
    """*content* as text, so that it is found, or in base64 if it is none."""
    try:
        return {"text": content.decode()}
    except UnicodeDecodeError:
        return {"base64": b64encode(content).decode("ascii")}


def _content(told: Mapping[str, Any]) -> bytes:
    if "text" in told:
        return str(told["text"]).encode()
    try:
        return b64decode(told["base64"], validate=True)
    except NotBase64 as error:
        raise ValueError(f"it is not base64: {error}") from None
