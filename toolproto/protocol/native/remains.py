"""What is left of a text from which calls are taken out, with the markers around them.

What the reader of replies says neither as text nor as thought, it read as part of a call, as a
marker around one, or as the tag of a thought. Such a gap between two texts goes if a lost call is
in it; calls in it that are only shown stay as they came.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection

from ..decoding.reply.landmarks import Found
from ..decoding.reply.thinking_tokens import THINKING_TAGS
from .openers import CLOSING, Marks
from .region import LostCall, Region, TextRun

__all__ = ["remains"]

# So servers show thoughts in a text; whatever else is no text there was to be read by nobody.
_SHOWN_TAGS = frozenset(tag for tags in THINKING_TAGS for tag in tags if "|" not in tag)
_blanks = re.compile(r"\s*+").match


def remains(
    region: Region, lost: Collection[LostCall], text: str, start: int, marks: Marks
) -> list[TextRun]:
    """Return what is left of *text*, which begins at *start*, without the *lost* calls of *region*.

    *marks* finds the markers of all forms.
    """
    return _Cut(region, lost, text, start, marks).kept()


class _Cut:
    """The text as it is being cut."""

    def __init__(
        self, region: Region, lost: Collection[LostCall], text: str, start: int, marks: Marks
    ) -> None:
        self._region, self._text, self._start, self._marks = region, text, start, marks
        self._lost = {read.span for read in lost}
        self._reads = region.reads
        self._starts = [read.span.start for read in self._reads]

    def kept(self) -> list[TextRun]:
        """What stays."""
        openers, end = self._region.openers, self._start + len(self._text)
        at = openers[0] if openers else self._start
        kept, was_cut = [TextRun(self._start, at)], False  # what stands before it went out, or may
        for said in self._region.said:
            if said.end <= at:
                continue
            if said.start > at:
                gap = self._kept_of(at, said.start)
                was_cut = not gap
                kept += gap
            kept.append(TextRun(max(at, said.start), said.end, said.thinks and was_cut))
            at = said.end
        return kept + self._kept_of(at, end)

    def _kept_of(self, start: int, end: int) -> list[TextRun]:
        """What stays of a gap: characters that are neither text nor thought."""
        first, behind = bisect_left(self._starts, start), bisect_left(self._starts, end)
        reads = self._reads[first:behind]
        lost = sum(read.span in self._lost for read in reads)
        if not lost:
            is_tag = self._text[start - self._start : end - self._start].strip() in _SHOWN_TAGS
            return [TextRun(start, end)] if (reads or is_tag) and start < end else []
        kept, at, ended = list[TextRun](), start, start
        for read in reads:
            # Between two calls of which neither is shown stands nothing but their markers.
            if read.span in self._lost and (ended == start or lost < len(reads)):
                kept.append(TextRun(at, self._begin(read, ended, at)))
            if read.span in self._lost:
                at = self._behind_marks(read.span.end)
            ended = read.span.end
        if lost < len(reads):
            kept.append(TextRun(at, end))
        return [each for each in kept if each.start < each.end]

    def _begin(self, read: LostCall, since: int, otherwise: int) -> int:
        """Where the first opener of *read* stands behind *since*."""
        openers = self._region.openers
        first = bisect_left(openers, since)
        is_there = first < len(openers) and openers[first] <= read.span.start
        return openers[first] if is_there else otherwise

    def _behind_marks(self, at: int) -> int:
        """Where the markers end that close a call which ends at *at*."""
        while True:
            blanks = _blanks(self._text, at - self._start)
            found = self._marks(self._text, blanks.end() if blanks else at - self._start, True)
            if not isinstance(found, Found) or found.kind not in CLOSING:
                return at
            at = found.end + self._start
