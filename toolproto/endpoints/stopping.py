"""Ending a reply at a stop sequence, where whoever writes it does not."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["StopSequences"]


class StopSequences:
    """Feed it text as it comes; what it gives holds none of *stops*, nor the beginning of one."""

    def __init__(self, stops: Iterable[str]) -> None:
        self._stops = tuple(stop for stop in stops if stop)
        self._held = ""
        self.found = ""  #: the stop sequence that came, if one has

    def feed(self, text: str) -> str:
        """The part of all text so far that is certain, and was not given yet."""
        if self.found:
            return ""
        text = self._held + text
        places = [(at, stop) for stop in self._stops if (at := text.find(stop)) >= 0]
        if places:
            # The longest of those that begin at the same place: ``</s>`` before ``<``.
            at, self.found = min(places, key=lambda place: (place[0], -len(place[1])))
            self._held = ""
            return text[:at]
        held = max((_begun(stop, text) for stop in self._stops), default=0)
        self._held = text[len(text) - held :]
        return text[: len(text) - held]

    def finish(self) -> str:
        """What was held back: no more comes."""
        rest, self._held = self._held, ""
        return rest


def _begun(stop: str, text: str) -> int:
    """How many characters at the end of *text* may be the beginning of *stop*."""
    most = min(len(stop) - 1, len(text))
    return next((n for n in range(most, 0, -1) if text.endswith(stop[:n])), 0)
