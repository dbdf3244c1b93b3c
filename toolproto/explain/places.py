"""Where does a call stand that is none, and what kept it from being one?

The text of a reply is gone through once more as its reader does (`decoding/surroundings.py`), with
the calls in it known beforehand. Fences are told by their end, as the reader tells them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..decoding.families.json_tokens import OtherJson
from ..decoding.fences import FENCE, CodeFence
from ..decoding.surroundings import Standing, Surroundings
from ..paradigms.parsed import Segment, SegmentKind
from .alone import Attempt
from .values import Reason

__all__ = ["Place", "places"]

#: What changes where things stand: runs that may fence, and objects with a quoted member.
_MARK = re.compile(r"`{1,64}+|~{1,64}+|\{(?=\s{0,80}+[\"'“])")
_SPACE = re.compile(r"[\s,]*+")


@dataclass(slots=True)
class _Fence:
    """A code fence with calls in it. *end* is behind it, once it was closed."""

    code: CodeFence
    holds_more: bool = False
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """How a call stands: *shown* if something around it says so, in a *fence*, or in the open."""

    shown: Reason | None = None
    fence: _Fence | None = None
    line_begins: bool = True

    def reason(self, reply: str, *, broken_off: bool) -> Reason | None:
        """Why a call that stands here is none; None where one would be in the open."""
        fence = self.fence
        if fence is None:
            return self.shown
        if fence.holds_more:
            return Reason.FENCE_WITH_MORE
        if fence.end is not None and reply[fence.end :].strip():
            return Reason.FENCE_WITH_TALK
        return Reason.BROKEN_OFF if broken_off else None


def places(
    reply: str, segments: Sequence[Segment], attempts: Sequence[Attempt]
) -> dict[int, Place]:
    """The place of each of *attempts* in a text segment, by where it starts."""
    walk = _Walk(reply)
    found: dict[int, Place] = {}
    for segment in segments:
        if segment.kind is SegmentKind.TEXT:
            start, end = segment.span
            found.update(walk.through([a for a in attempts if start <= a.start < end], start, end))
        elif segment.kind is not SegmentKind.MARKUP:
            walk.around.restart()
    return found


class _Walk:
    """Goes through the text of one reply."""

    def __init__(self, reply: str) -> None:
        self._reply = reply
        self.around = Surroundings()
        self._fence: _Fence | None = None
        self._json_end = 0

    def through(
        self, attempts: Iterable[Attempt], at: int, end: int
    ) -> Iterator[tuple[int, Place]]:
        """Go from *at* to *end*; the places of *attempts* on the way."""
        for attempt in attempts:
            self._prose(at, attempt.start)
            yield attempt.start, self._place(attempt)
            if self._fence is None:
                self.around.saw(self._reply[attempt.start : attempt.end])
            at = attempt.end
        self._prose(at, end)

    def _place(self, attempt: Attempt) -> Place:
        if self._fence is not None:
            return Place(fence=self._fence)
        return Place(self._shown(attempt), line_begins=self.around.blank_line)

    def _shown(self, attempt: Attempt) -> Reason | None:
        around = self.around
        standing = around.standing()
        if around.in_code:
            return Reason.INLINE_CODE
        if around.in_block_quote:
            return Reason.BLOCK_QUOTE
        if standing is Standing.SHOWN:
            in_table = self._line_before(attempt.start).lstrip().startswith("|")
            return Reason.TABLE if in_table else Reason.QUOTATION
        if attempt.start < self._json_end:
            return Reason.OTHER_JSON
        if standing is Standing.PLAIN:
            return None
        quote = around.closing_quote()
        quoted = quote and quote in self._line_behind(attempt.end)
        return Reason.QUOTATION if quoted else Reason.SENTENCE

    def _line_before(self, at: int) -> str:
        return self._reply[self._reply.rfind("\n", 0, at) + 1 : at]

    def _line_behind(self, at: int) -> str:
        newline = self._reply.find("\n", at)
        return self._reply[at:] if newline < 0 else self._reply[at:newline]

    # -- prose ----------------------------------------------------------------------------

    def _prose(self, start: int, end: int) -> None:
        """Go over what stands between two calls."""
        text, at = self._reply[start:end], 0
        while at < len(text):
            step = self._to_mark if self._fence is None else self._in_fence
            at = step(text, at, start)

    def _to_mark(self, text: str, at: int, base: int) -> int:
        """Go on to behind the next run of backticks or tildes, or into a fence."""
        mark = _MARK.search(text, at)
        if mark is None:
            self.around.saw(text[at:])
            return len(text)
        self.around.saw(text[at : mark.start()])
        if mark.group() == "{":
            self._at_object(base + mark.start())
        elif fence := self._fence_at(text, mark.start()):
            self._fence = _Fence(CodeFence(fence.group(1)))
            return fence.end()
        elif mark.group()[0] == "`":
            self.around.saw_backticks(len(mark.group()))
        self.around.saw(mark.group())
        return mark.end()

    def _fence_at(self, text: str, at: int) -> re.Match[str] | None:
        shown = self.around.in_code or self.around.in_block_quote
        return None if shown else FENCE.match(text, at)

    def _at_object(self, at: int) -> None:
        """At an object that is no call: what stands in it is data."""
        if at >= self._json_end:
            self._json_end = OtherJson(None).feed(self._reply, at, True)

    def _in_fence(self, text: str, at: int, base: int) -> int:
        fence = self._fence
        assert fence is not None, "a fence is open"
        if fence.holds_more:
            stop, closed = fence.code.code(text, at, True)
            return self._close(fence, stop, base) if closed else stop
        space = _SPACE.match(text, at)
        assert space is not None, "matches the empty string"
        at = space.end()
        end = fence.code.closes(text, at, True)
        if end >= 0:
            return self._close(fence, end, base)
        fence.holds_more = at < len(text)
        return at

    def _close(self, fence: _Fence, end: int, base: int) -> int:
        fence.end = base + end
        self._fence = None
        self.around.restart()
        return end
