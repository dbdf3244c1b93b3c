"""Code fences: where they begin and end, and whether the calls in them are meant.

A fence that holds nothing but calls is *undecided*: its calls are meant, at a guess, if the reply
ends with it, and doubted if anything is said behind it. A fence that holds something else shows
code.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from ...messages import Grade, Repair
from ..calls.names import leading_key
from ..markers import MORE, NO
from ..patterns import Pattern
from ..source import Pull
from .landmarks import Found, Landmark
from .lines import VEILED
from .place import OF_TALK, REASONS, Verdict

if TYPE_CHECKING:
    from .attempts import Attempts
    from .marked import CallBody

#: A fence's first line, its run of characters in group 1. Longer runs are somebody's drawing.
FENCE = Pattern(r"(`{3,64}+|~{3,64}+)([^`\n]{0,80}+)\n")
FENCED = Repair("fenced", Grade.GUESSED)
# What a fence says to be in it where that is a call: no more than words, or how calls are written.
_OF_CALLS = re.compile(
    r"\W*(?:\Z|[^\x00-\x7f]|(?i:(?:jsonc?5?l?|xml|html|ya?ml|toml|py(?:thon)?3?|js|javascript|ts"
    r"|typescript|text|txt|plain(?:text)?|raw|code|output|response)(?![\w+-])"
    r"|\w{0,20}(?:tool|func|call|action|invo|request|api|agent)))"
)

_SPACE = re.compile(r"[\s,]++")
_TOKENS = frozenset({Landmark.LEAK, Landmark.TURN, Landmark.END_OF_REPLY})
# A line that may close a fence, by its first character that is no space: all others are code.
_MAY_CLOSE = {char: re.compile(rf"[ \t{VEILED}]{{0,8}}+(?:{char}|\Z)") for char in "`~"}
_NEXT_MAY_CLOSE = {char: re.compile(rf"\n(?={line.pattern})") for char, line in _MAY_CLOSE.items()}


@lru_cache(maxsize=256)  # there are no more: each run has up to 64 characters of one kind
def _closing(run: str, at_margin: bool) -> tuple[Pattern, Pattern]:
    """What closes a fence that *run* opened, anywhere and on a line of its own."""
    closer = rf"{re.escape(run[0])}{{{len(run)},64}}+"
    # Where code begins *at_margin*, what is indented only quotes a fence, as a docstring does.
    indent = rf"[ {VEILED}]{{0,3}}" if at_margin else rf"[ \t{VEILED}]{{0,8}}"
    alone = Pattern(rf"{indent}{closer}[ \t\r\v\f{VEILED}]{{0,8}}(?=\n|\Z)")
    return Pattern(rf"{closer}(?!{re.escape(run[0])})"), alone


@lru_cache(maxsize=256)
def _opening(run: str) -> re.Pattern[str]:
    """A line that opens a fence in one that *run* opened: it says what is in it."""
    return re.compile(rf"[ \t]{{0,8}}{re.escape(run[0])}{{{len(run)},64}}+[ \t]{{0,8}}\w")


class CodeFence:
    """An open fence. *run* are the characters it was opened with; *in_line* if a line is begun."""

    def __init__(self, run: str, *, in_line: bool = False, at_margin: bool = False) -> None:
        self._line_begins = not in_line
        self.run = run
        #: Has a line come in it that opens another one? What closes that may not close this.
        self.holds_another = False
        self._closes, self._closes_line = _closing(run, at_margin)
        self._may_close, self._next_may_close = _MAY_CLOSE[run[0]], _NEXT_MAY_CLOSE[run[0]]

    def closes(self, text: str, at: int, final: bool) -> int:
        """Where the run that closes the fence at *at* ends, or NO, or MORE."""
        if not final and self._closes.may_change(text, at):
            return MORE
        found = self._closes.match(text, at)
        return found.end() if found else NO

    def code(self, text: str, at: int, final: bool) -> tuple[int, bool]:
        """How far the text from *at* is certainly code or its end, and whether it is the end."""
        if self._line_begins:
            if not final and self._closes_line.may_change(text, at):
                return at, False
            found = self._closes_line.match(text, at)
            if found:
                return found.end(), True
            self.holds_another |= _opening(self.run).match(text, at) is not None
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
    """A *fence* begins: perhaps one around a call, which its end and what follows decides."""
    source = reader.source
    if reader.place.standing().verdict is Verdict.SHOWN:
        reader.out.text(fence.group(), source.offset)
        source.at = fence.end()
        yield from in_code(reader, CodeFence(fence.group(1)))
        return
    reader.out.withhold(source)
    yield from _fences(reader, fence)


def behind_fence(reader: Attempts) -> Pull[None]:
    """A call that was its own fence is over: what is behind it decides."""
    if fence := (yield from _behind(reader)):
        yield from _fences(reader, fence)


def _fences(reader: Attempts, fence: re.Match[str] | None) -> Pull[None]:
    while fence:
        standing = reader.place.standing()
        # Words around a fence count when it ends; what it stands in counts at once.
        open_place = standing.verdict is Verdict.PLAIN or standing.reason in OF_TALK
        doubts = [] if open_place else [standing.doubt]
        if not _OF_CALLS.match(fence.group(2)):
            doubts.append(REASONS["fence_of_code"].doubt)
        reader.out.repairs = (FENCED, *doubts)
        reader.source.at = fence.end()
        reader.inside = "code_block"
        holds_calls = yield from _inside(reader, fence.group(1))
        reader.inside = ""
        fence = (yield from _behind(reader)) if holds_calls else None


def _inside(reader: Attempts, run: str) -> Pull[bool]:
    """Read a fence that *run* opened; did it hold calls and nothing else? If not, it is text."""
    source, fence, holds_calls = reader.source, CodeFence(run), False
    while (yield from source.peek()):
        if space := _SPACE.match(source.text, source.at):
            source.at = space.end()
            continue
        end = yield from source.ask(fence.closes)
        if end != NO:
            source.at = end
            if not holds_calls:
                reader.show_withheld()
            return holds_calls
        found = yield from source.ask(reader.landmark_at)
        if isinstance(found, Found) and found.kind is Landmark.DROPPED:
            source.at = found.end  # a marker around calls
            continue
        body = yield from _call_in(reader, found)
        holds_calls = body is not None and not (yield from reader.read_body(body))
        too_often = reader.has_failed_too_often
        if not holds_calls or too_often:
            line = reader.show_withheld("code_block").rpartition("\n")[2]
            if too_often:
                reader.give_up()
            else:
                yield from in_code(reader, CodeFence(run, at_margin=line[:1] not in (" ", "\t")))
            return False
    reader.end_withheld()
    return False


def _call_in(reader: Attempts, found: Found | int) -> Pull[CallBody | None]:
    """What reads the call that begins here, with the landmark *found* perhaps, if one does."""
    if isinstance(found, Found) and found.call is not None:
        return reader.marked(found.call, found.end)
    opening = yield from reader.bare.in_fence(reader.source)
    return None if opening is None else reader.unmarked(opening)


def in_code(reader: Attempts, fence: CodeFence) -> Pull[None]:
    """In a fence that shows code, or an example: all of it is text."""
    source, closed = reader.source, False
    reader.inside = "code_block"
    while not closed:
        at = source.at
        if at < len(source.text):
            source.at, closed = fence.code(source.text, at, source.final)
            reader.out.text(source.text[at : source.at], source.base + at)
        elif source.final:
            return
        if source.at == at:
            reader.takes = fence.takes if at == len(source.text) else None
            yield
            reader.takes = None
    reader.inside = ""
    reader.place.end_block(fence.run if fence.holds_another else "")


def _behind(reader: Attempts) -> Pull[re.Match[str] | None]:
    """Behind a fence around calls: they are meant if nothing more is said but in another fence.

    That fence, if there is one.
    """
    source = reader.source
    while char := (yield from source.peek()):
        if space := _SPACE.match(source.text, source.at):
            source.at = space.end()
            continue
        if fence := (yield from source.match(FENCE)):
            return fence
        found = yield from source.ask(reader.landmark_at)
        key = (yield from source.ask(leading_key)) if char in "{[" else ""
        kind = found.kind if isinstance(found, Found) else None
        if isinstance(found, Found) and kind in _TOKENS:
            source.at = found.end
            continue
        if kind is Landmark.RESULT or (key and key == reader.form.result_key):
            yield from reader.run_withheld()
        elif reader.out.withholds_guess:
            reader.show_withheld("fence_with_talk")
        else:  # perhaps the fence only showed them
            reader.out.doubt_withheld(REASONS["fence_with_talk"].doubt)
            yield from reader.run_withheld()
        return None
    reader.end_withheld()
    return None


def open_fence(text: str) -> CodeFence | None:
    """The fence that *text*, which was taken for a call and is none, begins with, if it does."""
    fence = FENCE.match(text)
    return CodeFence(fence.group(1), in_line=not text.endswith("\n")) if fence else None
