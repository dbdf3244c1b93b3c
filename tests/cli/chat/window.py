"""A terminal window with ``toolproto chat`` in it: what is typed, and what is on the screen."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pexpect
import pyte

from tests.patience import PATIENCE, ended

#: Colours, the cursor in its row and up, erasing to the end; how the cursor looks and its keys are
#: sent, whether lines wrap by themselves, bracketed paste.
_OURS = re.compile(r"\x1b\[[0-9;]*[mAGKCD]|\x1b\[J|\x1b\[\?(?:1|7|12|25|2004)[hl]")


class Window:
    """Runs the chat in a pseudo-terminal; every wait ends as soon as what it waits for is there."""

    def __init__(
        self,
        folder: Path,
        *arguments: str,
        rows: int = 40,
        columns: int = 80,
        kind: str = "xterm-256color",
    ) -> None:
        environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith("TOOLPROTO")},
            "TERM": kind,
            "XDG_STATE_HOME": str(folder / "state"),
            "HOME": str(folder),
        }
        for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "VISUAL"):
            environment.pop(name, None)
        self.screen = pyte.HistoryScreen(columns, rows, history=5_000)
        self._stream = pyte.Stream(self.screen)
        self.raw = ""
        self._child = pexpect.spawn(
            sys.executable,
            ["-m", "toolproto", "chat", *arguments],
            cwd=folder,
            env=environment,
            encoding="utf-8",
            dimensions=(rows, columns),
            timeout=PATIENCE,
        )

    def __enter__(self) -> Window:
        return self

    def __exit__(self, *_: object) -> None:
        ended(self._child)

    @property
    def text(self) -> str:
        """What is on the screen, without blanks at the ends of lines."""
        return "\n".join(line.rstrip() for line in self.screen.display).rstrip()

    @property
    def everything(self) -> str:
        """What is on the screen, and what has scrolled off it."""
        above = [
            "".join(line[at].data for at in range(self.screen.columns)).rstrip()
            for line in self.screen.history.top
        ]
        return "\n".join([*above, self.text])

    def until(self, found: str | Callable[[str], Any]) -> str:
        """Read until *found* is on the screen; the screen."""
        is_there = found if callable(found) else lambda text: found in text
        while not is_there(self.text):
            try:
                piece = self._child.read_nonblocking(4096, timeout=PATIENCE)
            except (pexpect.EOF, pexpect.TIMEOUT) as end:
                raise AssertionError(f"{found!r} never came:\n{self.everything}") from end
            self.raw += piece
            self._stream.feed(piece)
        return self.text

    def prompt(self) -> str:
        """Read until a message can be typed."""
        return self.until(lambda text: text.endswith("\n>"))

    def question(self) -> str:
        """Read until somebody is asked whether a call may run."""
        return self.until(lambda text: "run it?" in text[-120:] and text.endswith(">"))

    def type(self, text: str) -> None:
        self._child.send(text)

    def say(self, text: str) -> None:
        """Type *text* and press Enter."""
        self._child.send(f"{text}\r")

    def paste(self, text: str) -> None:
        """Paste *text*, as a terminal tells it apart from typing."""
        assert self.raw.rfind("\x1b[?2004h") > self.raw.rfind("\x1b[?2004l")
        self._child.send(f"\x1b[200~{text}\x1b[201~")

    def send_bytes(self, pressed: bytes) -> None:
        os.write(self._child.child_fd, pressed)

    def interrupt(self) -> None:
        """Press Ctrl-C."""
        self._child.send("\x03")

    def signal(self) -> None:
        """Send the signal of Ctrl-C from elsewhere; the terminal knows nothing of it."""
        self._child.kill(signal.SIGINT)

    def resize(self, rows: int, columns: int) -> None:
        self.screen.resize(rows, columns)
        self._child.setwinsize(rows, columns)

    def ended(self) -> int:
        """Read to the end; the exit code, or which signal ended it, below zero."""
        self.raw += self._child.read()
        self._child.close()
        code, ended_by = self._child.exitstatus, self._child.signalstatus
        return -int(ended_by or 0) if code is None else int(code)

    def without_our_own_sequences(self) -> str:
        """All that was written, but for the sequences that colour it and move the cursor."""
        return _OURS.sub("", self.raw)
