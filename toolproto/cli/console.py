"""Where output goes: data to stdout, everything else to stderr.

Colour is for terminals; ``NO_COLOR`` takes it away and ``FORCE_COLOR`` keeps it, as everywhere.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from .visible import visible

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["err", "note", "out", "print_json", "print_text"]


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
