"""Where output goes: data to stdout, everything else to stderr.

Colour is for terminals; ``NO_COLOR`` takes it away and ``FORCE_COLOR`` keeps it, as everywhere.
"""

from __future__ import annotations

import io
import json
import os
import sys
from typing import TYPE_CHECKING, Any, Literal, TextIO

from ..protocol.foreign_text import visible

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["err", "mark", "note", "out", "print_json", "print_text", "set_up_streams"]

#: A check mark and the like, and what stands for it where a terminal has no such character.
_MARKS = {"fine": ("✓", "+"), "missing": ("·", "-"), "broken": ("✗", "x")}


def set_up_streams() -> None:
    """Let nothing that is printed fail for its characters.

    A file or a pipe gets UTF-8, so that a prompt is in it as it is, whatever the locale (or
    Windows) says. A terminal gets a question mark for a character that it does not have. Streams
    that were closed before (``<&-``, a service without a console) are empty, and take anything.
    """
    sys.stdin = sys.stdin or open(os.devnull, encoding="utf-8")  # noqa: SIM115
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors != "backslashreplace":
            is_data = stream is sys.stdout and not stream.isatty()
            stream.reconfigure(encoding="utf-8" if is_data else None, errors="replace")


def mark(state: Literal["fine", "missing", "broken"], stream: TextIO | None = None) -> str:
    """A sign for how something is, in characters that *stream* (stdout) has."""
    sign, plain = _MARKS[state]
    try:
        sign.encode((stream or sys.stdout).encoding or "ascii")
    except UnicodeEncodeError:
        return plain
    return sign


def out() -> Console:
    """The console on stdout."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=False)


def err() -> Console:
    """The console on stderr."""
    from rich.console import Console

    return Console(stderr=True, highlight=False)


def note(text: str) -> None:
    """Tell the person at the terminal something that is not the data they asked for."""
    err().print(visible(text), style="dim", markup=False, soft_wrap=True)


def print_text(text: str) -> None:
    """*text* as a line on stdout: as it is for a file, and so that a terminal obeys none of it."""
    sys.stdout.write(f"{visible(text) if sys.stdout.isatty() else text}\n")


def print_json(value: Any) -> None:
    """*value* as one line of JSON on stdout, in ASCII, whatever the terminal's encoding."""
    sys.stdout.write(json.dumps(value) + "\n")
