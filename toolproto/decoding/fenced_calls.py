"""Calls in a code fence: meant, or only shown?

A fence that holds nothing but calls is *undecided*: its calls are meant if the reply ends with it,
or if what is said behind it goes on from them. A fence that holds anything else shows code.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..messages import Grade, Repair
from .candidates import MORE_KEY, leading_key
from .fences import FENCE, FENCE_BEGUN, CodeFence
from .forms import ReplyForm
from .landmarks import Landmark
from .scanner import MORE, NO

if TYPE_CHECKING:
    from .reply_reader import ReplyReader

__all__ = ["Fences"]

_SPACE = re.compile(r"[\s,]++")
# Behind a fenced call that is meant, models speak of its result, or of what they will do next;
# behind one that is only shown they speak to the reader.
_GOES_ON = re.compile(
    r"\b(?:results?|outputs?|I['’]ll|I (?:will|can)|let me|also)\b", re.IGNORECASE
)
_WAITS = re.compile(r"\bwait for (?:the|this|its) (?:results?|outputs?)\b", re.IGNORECASE)
_SPEAKS_TO = re.compile(r"\byou(?:rs?)?\b", re.IGNORECASE)
_TALK = 200


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
        self._reader.outbox.repairs = (Repair("fenced", Grade.GUESSED),)
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
        landmark, end, number = self._reader.landmarks.at(text, at, final)
        if end == MORE:
            return at
        if landmark is Landmark.CALL:
            return self._reader.at_call(text, at, end, number)
        stop = self._reader.at_bare(self._reader.bare.in_fence(text, at, final), at)
        if stop == NO:
            self._show()
        return max(at, stop)

    def end_attempt(self, refused: bool) -> None:
        """What was tried in the fence is over: a call, unless it was *refused*."""
        assert self.open is not None, "the fence around the attempt"
        self.open.holds_call = True
        self._reader.mode = self.inside
        if refused:
            self._show()

    def _show(self) -> None:
        """The fence holds something else than calls: all of it is text."""
        self._reader.show_withheld()
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
            self._reader.around.restart()
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
        landmark, end, _ = self._reader.landmarks.at(text, at, final)
        if end == MORE or (not final and FENCE_BEGUN.match(text, at)):
            return at
        if text[at] in "{[" and leading_key(text, at, final) == MORE_KEY:
            return at
        if landmark is Landmark.LEAK:
            self._reader.outbox.keep(text[at:end])
            return end
        if landmark is Landmark.RESULT or self._result_begins(text, at, final):
            self._reader.run_withheld()
            return at
        return self._behind_talk(text, at, final)

    def _behind_talk(self, text: str, at: int, final: bool) -> int:
        """Words behind a fence around calls: they tell if the calls were meant."""
        if not final and len(text) - at < _TALK:
            return at
        talk = text[at : at + _TALK]
        goes_on = _GOES_ON.search(talk) and not _SPEAKS_TO.search(talk)
        if goes_on or _WAITS.search(talk):
            self._reader.run_withheld()
        else:
            self._reader.show_withheld()
        return at

    def _result_begins(self, text: str, at: int, final: bool) -> bool:
        return self._form.result_key is not None and (
            leading_key(text, at, final) == self._form.result_key
        )
