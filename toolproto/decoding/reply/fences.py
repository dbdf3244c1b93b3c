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
from ..patterns import Pattern
from .forms import ReplyForm
from .landmarks import Found, Landmark
from .markers import MORE, NO
from .place import OF_TALK, REASONS, Verdict

if TYPE_CHECKING:
    from .reader import ReplyReader

__all__ = ["FENCE", "FENCED", "CodeFence", "Fences"]

#: A fence's first line, its run of characters in group 1. Longer runs are somebody's drawing.
FENCE = Pattern(r"(`{3,64}+|~{3,64}+)([^`\n]{0,80}+)\n")
FENCED = Repair("fenced", Grade.GUESSED)

_SPACE = re.compile(r"[\s,]++")


# A line that may close a fence, by its first character that is no space: all others are code.
_MAY_CLOSE = {char: re.compile(rf"[ \t]{{0,8}}+(?:{char}|\Z)") for char in "`~"}
_NEXT_MAY_CLOSE = {char: re.compile(rf"\n(?={line.pattern})") for char, line in _MAY_CLOSE.items()}


@lru_cache(maxsize=128)  # there are no more: each run has up to 64 characters of one kind
def _closing(run: str) -> tuple[Pattern, Pattern]:
    """What closes a fence that *run* opened, anywhere and on a line of its own."""
    closer = rf"{re.escape(run[0])}{{{len(run)},64}}+"
    return (
        Pattern(rf"{closer}(?!{re.escape(run[0])})"),
        Pattern(rf"[ \t]{{0,8}}{closer}[ \t]{{0,8}}(?=\n|\Z)"),
    )


class CodeFence:
    """An open fence. *run* are the characters it was opened with; *in_line* if a line is begun."""

    def __init__(self, run: str, *, in_line: bool = False) -> None:
        self.holds_call = False
        self._line_begins = not in_line
        self._closes, self._closes_line = _closing(run)
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
        newline = self._next_may_close.search(text, at)
        self._line_begins = newline is not None
        return (newline.end() if newline else len(text)), False

    def takes(self, text: str) -> bool:
        """Is all of *text* code, and nothing else, whatever follows?"""
        if (self._line_begins and self._may_close.match(text)) or self._next_may_close.search(text):
            return False
        self._line_begins = False
        return True


class Fences:
    """What *reader* does in and behind a fence; ``open`` is the fence it stands in, if any."""

    def __init__(self, reader: ReplyReader, form: ReplyForm) -> None:
        self._reader = reader
        self._form = form
        self.open: CodeFence | None = None

    def begin(self, fence: re.Match[str], at: int) -> int:
        """A fence begins: perhaps one around a call, which its end and what follows decides."""
        if not self._reader.outbox.withholding:
            self._reader.outbox.withhold(self._reader.base + at)
        self._reader.outbox.keep(fence.group())
        standing = self._reader.place.standing()
        # Words around a fence count when it ends; what it stands in counts at once.
        open_place = standing.verdict is Verdict.PLAIN or standing.reason in OF_TALK
        self._reader.outbox.repairs = (FENCED,) if open_place else (FENCED, standing.doubt)
        self.open = CodeFence(fence.group(1))
        self._reader.mode = self.inside
        return fence.end()

    def inside(self, text: str, at: int, final: bool) -> int:
        """In a fence that has held nothing but calls so far."""
        space = _SPACE.match(text, at)
        if space:
            self._reader.outbox.keep(space.group())
            return space.end()
        assert self.open is not None, "a fence is open"
        end = self.open.closes(text, at, final)
        if end == NO:
            return self._content(text, at, final)
        if end != MORE:
            self._reader.outbox.keep(text[at:end])
            if self.open.holds_call:
                self._reader.mode = self.behind
            else:
                self._reader.show_withheld()
            self.open = None
            return end
        return at

    def _content(self, text: str, at: int, final: bool) -> int:
        found = self._reader.landmark_at(text, at, final)
        if found == MORE:
            return at
        if isinstance(found, Found) and found.call is not None:
            return self._reader.at_call(found.call, text, at, found.end)
        stop = self._reader.at_bare(self._reader.bare.in_fence(text, at, final), at)
        if stop == NO:
            self._show()
        return max(at, stop)

    def end_attempt(self, refused: bool) -> None:
        """What was tried in the fence is over: a call, unless it was *refused*."""
        assert self.open is not None, "the fence around the attempt"
        self.open.holds_call = True
        self._reader.mode = self.inside
        too_often = self._reader.has_failed_too_often
        if refused or too_often:
            self._show()
        if too_often:
            self._reader.give_up()

    def _show(self) -> None:
        """The fence holds something else than calls: all of it is text."""
        self._reader.show_withheld("code_block")
        self._reader.mode = self.in_code

    def shown(self, text: str) -> None:
        """*text* was taken for a call and is none: if a fence begins it, that is open."""
        fence = FENCE.match(text)
        if fence:
            self.open = CodeFence(fence.group(1), in_line=not text.endswith("\n"))
            self._reader.mode = self.in_code

    def in_code(self, text: str, at: int, final: bool) -> int:
        """In a fence that shows code, or an example: all of it is text."""
        assert self.open is not None, "a fence is open"
        stop, closed = self.open.code(text, at, final)
        self._reader.outbox.text(text[at:stop], self._reader.base + at)
        if closed:
            self.open = None
            self._reader.mode = self._reader.in_prose
            self._reader.place.end_block()
        return stop

    def behind(self, text: str, at: int, final: bool) -> int:
        """Behind a fence around calls: they are meant if nothing more is said."""
        space = _SPACE.match(text, at)
        if space:
            self._reader.outbox.keep(space.group())
            return space.end()
        fence = FENCE.match(text, at)
        if fence:
            return self.begin(fence, at)
        found = self._reader.landmark_at(text, at, final)
        if found == MORE or (not final and FENCE.may_change(text, at)):
            return at
        key = leading_key(text, at, final) if text[at] in "{[" else ""
        if key == MORE:
            return at
        kind = found.kind if isinstance(found, Found) else None
        if isinstance(found, Found) and kind is Landmark.LEAK:
            self._reader.outbox.keep(text[at : found.end])
            return found.end
        if kind is Landmark.RESULT or (key and key == self._form.result_key):
            self._reader.run_withheld()
        else:
            self._with_talk()
        return at

    def _with_talk(self) -> None:
        """Something is said behind a fence around calls: perhaps it only showed them."""
        outbox = self._reader.outbox
        if outbox.withholds_guess:
            self._reader.show_withheld("fence_with_talk")
            return
        outbox.doubt_withheld(REASONS["fence_with_talk"].doubt)
        self._reader.run_withheld()
