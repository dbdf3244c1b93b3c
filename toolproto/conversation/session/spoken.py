"""What a turn says to a person, out of its events."""

from __future__ import annotations

from ...protocol.events import TextDelta
from ..turn.events import SessionEvent, StepStarted

__all__ = ["Spoken"]


class Spoken:
    """Joins the text of several replies with an empty line between them."""

    def __init__(self) -> None:
        self._end = ""  # of what was said so far; empty while nothing was
        self._apart = False

    def hear(self, event: SessionEvent) -> str:
        """What *event* adds to the text; usually nothing."""
        if type(event) is StepStarted:
            self._apart = bool(self._end.strip())
        if type(event) is not TextDelta:
            return ""
        text = event.text
        if self._apart:
            text = text.lstrip()
            if not text:
                return ""
            breaks = len(self._end) - len(self._end.rstrip("\n"))
            text, self._apart = "\n" * max(2 - breaks, 0) + text, False
        # Two line ends and what stands before them are all that matters later.
        self._end = (self._end + text)[-3:]
        return text
