"""What a person said in earlier chats, for the arrow keys: in a file that only they can read."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from prompt_toolkit.history import History as Remembered

__all__ = ["InputHistory"]

_KEPT = 1_000
_LONGEST = 4_000


class InputHistory(Remembered):
    """The lines of *path*, the oldest first. What cannot be kept is not kept, and nobody minds.

    *redact* takes keys out of a line. A line that begins with a blank is not kept, as in a shell.
    """

    def __init__(self, path: Path, redact: Callable[[str], str] = str) -> None:
        super().__init__()
        self._path = path
        self._redact = redact

    def lines(self) -> list[str]:
        """What was said last; the file is made shorter when it has grown long."""
        try:
            lines = self._path.read_text(encoding="utf-8", errors="replace").split("\n")
        except OSError:
            return []
        kept = [line for line in lines if line][-_KEPT:]
        if len(lines) > 2 * _KEPT:
            with suppress(OSError):
                self._write("".join(f"{line}\n" for line in kept), os.O_TRUNC)
        return kept

    def load_history_strings(self) -> Iterator[str]:
        """The lines, the last one first."""
        return reversed(self.lines())

    def append_string(self, string: str) -> None:
        """Remember a message, unless it is blank."""
        if string.strip():
            super().append_string(string)

    def store_string(self, string: str) -> None:
        """Keep each line of a message."""
        for line in string.split("\n"):
            self._add(line)

    def _add(self, line: str) -> None:
        """Keep *line*, without its secrets."""
        if not line.strip() or line[0].isspace() or len(line) > _LONGEST:
            return
        with suppress(OSError):
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._write(f"{self._redact(line)}\n", os.O_APPEND)

    def _write(self, text: str, how: int) -> None:
        handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | how, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
