"""Text that comes in pieces, made visible as if it had come at once."""

from __future__ import annotations

from ...protocol.foreign_text import visible

__all__ = ["Readable"]

#: What they are depends on the character behind them, which may not have come yet.
_UNDECIDED = "\r\u200c\u200d"


class Readable:
    """Makes pieces of a text visible; those at the end that could be either are held back."""

    def __init__(self) -> None:
        self._held = ""
        self._before = " "

    def feed(self, text: str) -> str:
        """The next piece, so far as it can be told."""
        text = self._held + text
        decided = text.rstrip(_UNDECIDED)
        self._held = text[len(decided) :]
        return self._shown(decided)

    def finish(self) -> str:
        """What was held back."""
        held, self._held = self._held, ""
        return self._shown(held)

    def _shown(self, text: str) -> str:
        if not text:
            return ""
        # The character before tells whether a joiner joins anything.
        before, self._before = self._before, text[-1]
        return visible(before + text.replace("\r\n", "\n"))[len(visible(before)) :]
