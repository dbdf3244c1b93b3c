"""A JSON object in prose that is no call: what looks like a call inside it is data."""

from __future__ import annotations

from collections.abc import Sequence

from .json_end import JsonTokens
from .scanner import Marker

__all__ = ["OtherJson"]


class OtherJson:
    """Follows one object to its end. ``done`` there, or where it shows that it was no JSON: at a
    blank line, or at one of the markers *ends* outside a string.

    ``at_calls`` when the member *wrapper* of the object itself has opened a list: those are calls
    after all, behind members nobody asked for.
    """

    def __init__(self, wrapper: str | None, ends: Sequence[Marker] = ()) -> None:
        self._wrapper = wrapper
        self._tokens = JsonTokens(self, ends)
        self._depth = 0
        self._key: list[str] = []
        self._calls_next = False
        self._newlines = 0  # since the last thing that was not space
        self._too_far = 0
        self.done = False
        self.at_calls = False

    def feed(self, text: str, at: int, final: bool) -> int:
        """Read on from *at*; return where reading stopped."""
        if self._tokens.stopped and not self.done:
            self._tokens.resume()
        stop = self._tokens.feed(text, at, final)
        self.done = self.done or self._tokens.interrupted
        return stop - self._too_far

    def fits(self, bracket: str) -> bool:
        return True

    def space(self, text: str) -> None:
        lines = text.split("\n")
        missing = 2 - self._newlines  # newlines to a blank line
        if len(lines) > missing:
            # It ends with the blank line, however much more space has come with it.
            self._too_far = len("\n".join(lines[missing:]))
            self._end()
        self._newlines += len(lines) - 1

    def opened(self, bracket: str, at: int) -> None:
        self._newlines = 0
        self._depth += 1
        if self._calls_next and bracket == "[":
            self.at_calls = True
            self._tokens.stop()
        self._calls_next = False

    def closed(self, bracket: str, at: int) -> None:
        self._newlines = 0
        self._depth -= 1
        if self._depth <= 0:
            self._end()

    def comma(self) -> None:
        self._newlines = 0
        self._calls_next = False

    def colon(self) -> None:
        self._newlines = 0
        self._calls_next = self._depth == 1 and "".join(self._key) == self._wrapper

    def scalar(self, text: str, at: int) -> None:
        self._newlines = 0

    def string_opened(self, quote: str, at: int) -> None:
        self._newlines = 0
        self._key = []

    def string_part(self, text: str) -> None:
        if len(self._key) < 32:
            self._key.append(text)

    def string_controls(self, text: str, at: int) -> None: ...
    def string_fault(self, text: str, at: int) -> None: ...
    def string_closed(self, at: int) -> None: ...

    def _end(self) -> None:
        self.done = True
        self._tokens.stop()
