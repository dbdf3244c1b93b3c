"""Code fences at the top level: one around calls, and one that shows code.

A fence that holds nothing but calls says nothing about their place: they have the repair `fenced`,
and its two lines are no text. All else in a fence is code, in which no call is looked for. The
standard decides whether a line opens a fence (`PlaceTracker.opens_fence`). A fence in a list or a
quote is read like any other text: `place/` says of each call in it where it stands.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ..patterns import Pattern
from ..source import Pull
from .attempts import FENCED, Attempts
from .landmarks import Found, Landmark
from .marked import CallBody

#: A fence's first line, its run of characters in group 1. Behind backticks no other backtick stands
#: on that line (CommonMark 4.5). A longer line is read as text, in which `place/` sees the fence.
FENCE = Pattern(r"(`{3,100}+(?=[^`\n]{0,150}+\n)|~{3,100}+(?!~))([^\n]{0,150}+)\n")
_SPACE = re.compile(r"[\s,]++")
_BETWEEN = re.compile(r"[\s,;)\]}\"'”’»*_]++")  # what counts as nothing between calls
_GAP = Pattern(r"[\s,]{0,64}")
# Markers around calls, and tokens of templates, which are no text.
_NOT_READ = frozenset(
    {Landmark.DROPPED, Landmark.END_OF_CALL, Landmark.LEAK, Landmark.TURN, Landmark.END_OF_REPLY}
)
_MOST_AROUND = 8  # markers around one call
_RUN = Pattern(r"`{1,100}+")
# A line that may close a fence, by its first character that is no space: all others are code.
_MAY_CLOSE = {char: re.compile(rf" {{0,3}}+(?:{char}|\Z)") for char in "`~"}
_NEXT_MAY_CLOSE = {char: re.compile(rf"\n(?={line.pattern})") for char, line in _MAY_CLOSE.items()}


@lru_cache(maxsize=1024)
def _closing(run: str) -> Pattern:
    """What closes a fence that *run* opened, where a line begins."""
    return Pattern(_closer(run))


@lru_cache(maxsize=1024)
def _closing_line(run: str) -> Pattern:
    """A line that closes a fence of code which *run* opened."""
    return Pattern(rf" {{0,3}}+{_closer(run)}(?:\n|\Z)")


def _closer(run: str) -> str:
    return rf"{re.escape(run[0])}{{{len(run)},100}}+[ \t\r]{{0,150}}+"


class CodeFence:
    """An open fence that shows code. *run* are the characters it was opened with."""

    def __init__(self, run: str, *, in_line: bool = False) -> None:
        self._line_begins = not in_line
        self._closes = _closing_line(run)
        self._may_close, self._next_may_close = _MAY_CLOSE[run[0]], _NEXT_MAY_CLOSE[run[0]]

    def code(self, text: str, at: int, final: bool) -> tuple[int, bool]:
        """How far the text from *at* is certainly code or its end, and whether it is the end."""
        if self._line_begins:
            if not final and self._closes.may_change(text, at):
                return at, False
            if found := self._closes.match(text, at):
                return found.end(), True
        newline = self._next_may_close.search(text, at)
        self._line_begins = newline is not None
        return (newline.end() if newline else len(text)), False

    def takes(self, text: str) -> bool:
        """Is all of *text* code, and nothing else, whatever follows?"""
        if (self._line_begins and self._may_close.match(text)) or self._next_may_close.search(text):
            return False
        self._line_begins = False
        return True


def read_fence(reader: Attempts, fence: re.Match[str]) -> Pull[None]:
    """A *fence* begins at the top level: around calls, or around code."""
    source, run = reader.source, fence.group(1)
    length = len(fence.group())
    if _names_call(reader, fence.group()) or not (yield from _call_ahead(reader, length)):
        reader.say(source.at + length)
        yield from in_code(reader, CodeFence(run))
        return
    reader.out.withhold(source)  # the line is no text if a call follows
    reader.skip(source.at + length)
    if (yield from _in_calls(reader, _closing(run))):
        yield from in_code(reader, CodeFence(run, in_line=True))


def read_span(reader: Attempts, length: int) -> Pull[bool]:
    """Is the whole reply calls in a code span, which a run of that *length* opens? Then read it.

    Models that were told to write nothing but a call do this; within a text, a span shows its call.
    """
    source, out = reader.source, reader.out
    if not (yield from _call_ahead(reader, length)):
        return False
    out.withhold(source)
    source.at += length
    is_closed = False
    while not is_closed:
        yield from source.skip_to()
        if (yield from source.length(_RUN)) == length:
            source.at += length
            is_closed = True
            continue
        body = yield from _call_in(reader)
        out.repairs = (FENCED,)
        if body is None or (yield from reader.read_body(body)):
            break
        if (yield from source.peek()) in (",", ";"):
            source.at += 1
    out.repairs = ()
    is_all = is_closed and out.withholds_call and not (yield from source.skip_to())
    if not is_all:
        source.again(out.drop_withheld()[0])
        return False
    out.let_go("")
    return True


def in_code(reader: Attempts, fence: CodeFence) -> Pull[None]:
    """In a fence that shows code: all of it is text."""
    source, closed = reader.source, False
    reader.inside = "code"
    while not closed:
        at = source.at
        if at < len(source.text):
            stop, closed = fence.code(source.text, at, source.final)
            reader.say(stop)
        elif source.final:
            return
        if source.at == at:
            reader.takes = (
                fence.takes if at == len(source.text) and not reader.place.waits else None
            )
            yield
            reader.takes = None
    reader.inside = ""
    reader.place.fence_ended()


def _in_calls(reader: Attempts, closes: Pattern) -> Pull[bool]:
    """Read the calls in a fence to the line that *closes* it. True: something else is in it."""
    source, out = reader.source, reader.out
    begins_line = True
    while char := (yield from source.peek()):
        if found := (_SPACE if out.withholding else _BETWEEN).match(source.text, source.at):
            begins_line = begins_line or "\n" in found.group()
            reader.skip(found.end())
            continue
        if begins_line and (yield from _closes_here(reader, closes)):
            break
        landmark = yield from source.ask(reader.landmark_at)
        if isinstance(landmark, Found) and landmark.kind in _NOT_READ:
            source.at = landmark.end
            continue
        if not begins_line and char == "`":
            reader.skip(source.at + (yield from source.length(_RUN)))
            continue
        body = yield from _call_in(reader)
        out.repairs = (FENCED,)
        if body is None or not (yield from reader.try_body(body)):
            if out.withholding:
                reader.show_withheld()
            return True
        begins_line = False
        if reader.has_enough:
            yield from reader.behind_last_call()
            return False
    if out.withholding:
        reader.show_withheld()
    return False


def _closes_here(reader: Attempts, closes: Pattern) -> Pull[bool]:
    """Does the line end here that *closes* a fence? Tokens behind it are no text, so pass them."""
    source = reader.source
    closing = yield from source.match(closes)
    if closing is None:
        return False
    ahead, may_open = len(closing.group()), False
    while (
        len((yield from source.peek(ahead + 1))) > ahead and source.text[source.at + ahead] != "\n"
    ):
        found = yield from source.ask(reader.landmark_at, ahead)
        if not isinstance(found, Found) or found.kind not in _NOT_READ:
            return False
        ahead, may_open = found.end - source.at, found.kind is Landmark.DROPPED
    if may_open and (yield from _call_ahead(reader, ahead)):
        return False  # the marker around calls is a part of the call below it, and so on this line
    reader.skip(source.at + len(closing.group()))
    source.at += ahead - len(closing.group())
    if source.text[source.at : source.at + 1] == "\n":
        reader.skip(source.at + 1)
    reader.place.fence_ended()
    return True


def _names_call(reader: Attempts, line: str) -> bool:
    """Does a call begin on the *line* that opens a fence? By the standard, it stands in no fence.

    What is below that line is code, even where the call goes on there.
    """
    return any(
        isinstance(found := reader.landmark_at(line, telling.start(), True), Found)
        and found.kind in (Landmark.CALL, Landmark.DROPPED)
        for telling in reader.landmarks.telling.finditer(line, 3)
    )


def _call_ahead(reader: Attempts, length: int) -> Pull[bool]:
    """Does a call begin *length* ahead, behind blanks and markers around calls?"""
    source = reader.source
    for _ in range(_MOST_AROUND):
        length += yield from source.length(_GAP, length)
        if len((yield from source.peek(length + 1))) <= length:
            return False
        found = yield from source.ask(reader.landmark_at, length)
        if not isinstance(found, Found):
            return (yield from reader.bare.in_fence(source, length)) is not None
        if found.kind is not Landmark.DROPPED:
            return found.call is not None
        length = found.end - source.at
    return False


def _call_in(reader: Attempts) -> Pull[CallBody | None]:
    """What reads the call that begins here, if one does."""
    if not (yield from reader.source.peek()):
        return None
    found = yield from reader.source.ask(reader.landmark_at)
    if isinstance(found, Found) and found.call is not None:
        return reader.marked(found.call, found.end)
    opening = yield from reader.bare.in_fence(reader.source)
    return None if opening is None else reader.unmarked(opening)
