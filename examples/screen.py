"""Printing with colours where they are wanted: NO_COLOR and FORCE_COLOR are heeded."""

from __future__ import annotations

import os
import sys

__all__ = ["Screen"]


class Screen:
    """Prints with or without colour."""

    def __init__(self, plain: bool = False) -> None:
        wanted = sys.stdout.isatty() or "FORCE_COLOR" in os.environ
        self._colour = wanted and not plain and "NO_COLOR" not in os.environ

    def paint(self, text: str, code: str) -> str:
        """*text* in the colour of an ANSI *code*."""
        return f"\x1b[{code}m{text}\x1b[0m" if self._colour else text

    def heading(self, text: str) -> None:
        """A line that begins something."""
        print(f"\n{self.paint(text, '1;36')}", flush=True)
