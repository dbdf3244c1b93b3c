"""What a server said about its tools before: one that says otherwise is asked about again.

A tool is pinned when it is first seen. If its description, its parameters or its claims change
afterwards, within a session or, with a file, from one to the next, the next call of it is put to a
person; if they let it run, the new ones are pinned.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...protocol.errors import UsageError

__all__ = ["CHANGED", "Pins", "digest_of"]

CHANGED = "what its server says about it changed since it was first seen"
_LENGTH = 32
#: Of one server; nobody has so many tools, but a list may be made up anew every minute.
_MOST_TOOLS = 5_000


def digest_of(listed: Mapping[str, Any]) -> str:
    """What stands for all that decides how a tool is used."""
    told = [listed.get(key) for key in ("name", "description", "inputSchema", "annotations")]
    written = json.dumps(told, sort_keys=True, default=repr)
    return hashlib.sha256(written.encode("utf-8", "surrogatepass")).hexdigest()[:_LENGTH]


class Pins:
    """Digests by server and tool, in memory or in a file."""

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self._path = None if path is None else Path(path)
        self._lock = threading.Lock()
        self._known: dict[str, dict[str, str]] = {}
        if self._path is not None and self._path.exists():
            self._known = _read(self._path)

    def changed(self, server: str, digests: Mapping[str, str]) -> set[str]:
        """Which tools of *server* are not as they were; those that are new are pinned."""
        with self._lock:
            known = self._known.setdefault(server, {})
            new = {tool: digest for tool, digest in digests.items() if tool not in known}
            if new and len(known) + len(new) <= _MOST_TOOLS:
                known |= new
                self._write()
            return {tool for tool, digest in digests.items() if known.get(tool) != digest}

    def accept(self, server: str, tool: str, digest: str) -> None:
        """A person let *tool* run as it is now."""
        with self._lock:
            self._known.setdefault(server, {})[tool] = digest
            self._write()

    def _write(self) -> None:
        if self._path is None:
            return
        # What other programs pinned meanwhile is kept.
        whole = _read(self._path) if self._path.exists() else {}
        for server, known in self._known.items():
            whole[server] = whole.get(server, {}) | known
        self._path.parent.mkdir(parents=True, exist_ok=True)
        draft = self._path.with_name(f"{self._path.name}.{os.getpid()}.tmp")
        draft.write_text(json.dumps(whole, indent=1, sort_keys=True), encoding="utf-8")
        draft.replace(self._path)


def _read(path: Path) -> dict[str, dict[str, str]]:
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        return {str(server): {str(k): str(v) for k, v in of.items()} for server, of in told.items()}
    except (ValueError, AttributeError, RecursionError):
        raise UsageError(
            f"{path} no longer contains pins; find out who changed it, and delete it"
        ) from None
