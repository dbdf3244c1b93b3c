"""Calls in one JSON value, told of while it is being written.

The value may be a call, a list of calls, or an object with a list of them in it. Each call is
announced when its name is known, its arguments are handed out as they become certain, and when its
object closes it is read once more as a whole (`call_draft.py`), strictly or leniently.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto

from ..messages import Repair
from .call_draft import CallDraft, CallSetting, Outcome
from .heads import Head
from .json_delta import ArgumentsText
from .json_end import JsonTokens
from .json_text import unescape
from .scanner import Marker
from .strict import MAX_DEPTH
from .string_feed import StreamedString

__all__ = ["JsonCalls"]

_LONGEST_WORD = 1000  # no member name, tool name or id is longer


class _Role(Enum):
    """What a container is to the calls in it."""

    CALL = auto()  # an object that is a call, or holds a list of them
    NESTED = auto()  # an object inside a call that holds its name and arguments
    LIST = auto()  # a list of calls
    ARGUMENTS = auto()
    INSIDE = auto()  # anything further down, or beside the point


class _Frame:
    """An open container."""

    __slots__ = ("bracket", "draft", "key", "key_next", "marked", "role", "spent")

    def __init__(self, bracket: str, role: _Role, marked: bool, draft: CallDraft | None) -> None:
        self.bracket = bracket
        self.role = role
        self.marked = marked
        self.draft = draft
        self.key_next = bracket == "{"
        self.key = ""
        self.spent = False  # closed, unless another member follows: then by a bracket too many


class JsonCalls:
    """Reads the calls of one JSON value.

    *marked* says that a marker stands before the value, so that it is meant as a call whatever
    it holds; *drift* is how its calls depart from the asked form, unless they stand in the asked
    list; *ends* are markers that no JSON goes on behind. Unmarked, it has to look like a call, and
    ``refused`` tells when it did not. With a *head*, whose text was *lead*, the value is the
    arguments of the tool named there.
    ``pushback`` is text that was read but turned out to lie behind the end of a broken call.
    """

    def __init__(
        self,
        setting: CallSetting,
        *,
        marked: bool,
        drift: tuple[Repair, ...] = (),
        ends: Sequence[Marker] = (),
        head: Head | None = None,
        lead: str = "",
    ) -> None:
        self._setting = setting
        self._head = head
        self._lead = lead
        self._marked = marked
        self._drift = drift
        self._ends = ends
        self._tokens = JsonTokens(self, ends)
        self._frames: list[_Frame] = []
        self._excess = 0  # brackets open beyond the depth that is read
        self._drafts: list[CallDraft] = []
        self._args: ArgumentsText | None = None  # of the arguments being read right now
        self._word: list[str] | None = None  # of a string whose text matters
        self._text = ""
        self._base = self._mark = 0
        self._odd_items = False  # strings where calls should be
        self.done = False
        self.committed = False
        self.pushback = ""

    def feed(self, text: str, at: int, base: int, final: bool) -> int:
        """Read on from *at* in *text*, whose first character is *base* in the reply."""
        self._text, self._base, self._mark = text, base, at
        stop = self._tokens.feed(text, at, final)
        self._flush(stop)
        self._text = ""
        if self._drafts:
            self._drafts[-1].hand_out()
            self.committed = self.committed or self._drafts[-1].index is not None
        return stop

    def finish(self, reason: str | None) -> None:
        """The reply is over: the innermost open call is mended or truncated."""
        while self._frames and not self.pushback:
            self._end(self._frames.pop(), 0, cut=reason == "length")
        self.done = not self._frames

    def take_pushback(self) -> str:
        """The text to be read again, if any; reading then goes on as between two values."""
        pushback, self.pushback = self.pushback, ""
        if pushback and not self.done:
            self._tokens.resume()
        return pushback

    @property
    def interrupted(self) -> bool:
        """Did a marker that ends the call come before its last bracket?"""
        return self._tokens.interrupted

    @property
    def refused(self) -> bool:
        """Is the value over without anything in it being a call?"""
        return self.done and not self.committed

    @property
    def streaming(self) -> StreamedString | None:
        """The string argument in which reading stands, if that is so."""
        if self._args is None or not self._tokens.in_plain_string or not self._args.in_value:
            return None
        return self._drafts[-1].streaming

    # -- what the tokens say --------------------------------------------------------------

    def fits(self, bracket: str) -> bool:
        if bracket not in "}]" or not self._frames:
            return True
        return self._frames[-1].bracket == ("{" if bracket == "}" else "[")

    def space(self, text: str) -> None:
        if self._args is not None:
            self._args.space(text)

    def opened(self, bracket: str, at: int) -> None:
        if self._end_spent(at):
            self.pushback += bracket
            return
        depth = min(self._setting.limits.depth, MAX_DEPTH)
        if len(self._frames) >= depth:
            self._excess += 1
            if self._drafts:
                self._drafts[-1].spoil(f"nested deeper than {depth} levels")
            return
        frame = self._frame(bracket, at)
        self._frames.append(frame)
        if self._args is not None:
            self._args.opened(bracket, self._base + at)

    def closed(self, bracket: str, at: int) -> None:
        if self._excess:
            self._excess -= 1
            return
        if self._end_spent(at):
            self.pushback += bracket
            return
        opener = "{" if bracket == "}" else "["
        if not any(frame.bracket == opener for frame in self._frames):
            return
        while self._frames[-1].bracket != opener:
            self._end(self._frames.pop(), at)  # its own bracket is missing
            if self.pushback:
                self.pushback += bracket
                self._tokens.stop()
                return
        if self._args is not None:
            self._args.closed(bracket)
        frame = self._frames[-1]
        if frame.role is _Role.CALL and frame.draft is not None and frame.draft.nameless:
            frame.spent = True
            return
        self._end(self._frames.pop(), at + 1)
        if not self._frames:
            self.done = True
        if self.done or self.pushback:
            self._tokens.stop()

    def comma(self) -> None:
        if self._args is not None:
            self._args.comma()
        if self._frames and self._frames[-1].bracket == "{":
            self._frames[-1].key_next = True

    def colon(self) -> None:
        if self._args is not None:
            self._args.colon()
        if self._frames:
            self._frames[-1].key_next = False

    def scalar(self, text: str, at: int) -> None:
        if self._args is not None:
            self._args.scalar(text)
        if self._frames and self._frames[-1].key_next:
            self._named(self._frames[-1], text)

    def string_opened(self, quote: str, at: int) -> None:
        if self._frames and self._frames[-1].spent:
            self._frames[-1].spent = False
        frame = self._frames[-1] if self._frames else None
        if frame is not None and frame.role is _Role.LIST and frame.marked:
            self._odd_items = True
        matters = frame is not None and frame.role not in (_Role.INSIDE, _Role.LIST)
        self._word = [] if matters else None
        if self._args is not None:
            self._args.string_opened(quote, self._base + at)
            self._word = [] if matters and frame is not None and frame.key_next else None

    def string_part(self, text: str) -> None:
        if self._args is not None:
            self._args.string_part(text)
        if self._word is not None and len(self._word) < _LONGEST_WORD:
            self._word.append(text)

    def string_controls(self, text: str, at: int) -> None:
        if self._args is not None:
            self._args.string_controls(text, self._base + at)
        self._word = None

    def string_fault(self, text: str, at: int) -> None:
        if self._args is not None:
            self._args.string_fault(self._base + at)
        if self._word is not None:
            self._word.append(text)

    def string_closed(self, at: int) -> None:
        if self._args is not None:
            self._args.string_closed(self._base + at)
        if self._word is None or not self._frames:
            return
        word, self._word = unescape("".join(self._word)), None
        frame = self._frames[-1]
        if frame.key_next:
            self._named(frame, word)
        elif frame.draft is not None and frame.role in (_Role.CALL, _Role.NESTED):
            frame.draft.member(frame.key, word)

    # -- what that makes of the containers ------------------------------------------------

    def _named(self, frame: _Frame, key: str) -> None:
        frame.key = key
        if frame.role is _Role.ARGUMENTS and frame.draft is not None:
            frame.draft.argument_key(key)

    def _frame(self, bracket: str, at: int) -> _Frame:
        parent = self._frames[-1] if self._frames else None
        role = self._role(parent, bracket)
        marked = parent.marked if parent else self._marked
        draft = parent.draft if parent else None
        if parent is not None and parent.key in self._setting.shape.list_keys:
            marked = marked or not self._setting.gated
        if role is _Role.LIST and draft is not None:
            draft.holds_list = True
        if role is _Role.CALL:
            if draft is not None:
                draft.holds_list = draft.holds_objects = True
            draft = self._draft(at, marked, parent)
        if parent is None and self._head is not None and bracket == "{":
            role, draft = _Role.ARGUMENTS, self._draft(at, marked, parent)
            draft.announce()
        if role is _Role.ARGUMENTS and draft is not None:
            path = tuple(frame.key for frame in self._frames if frame.draft is draft)
            self._args = draft.open_arguments(self._base + at, path)
            role = role if self._args is not None else _Role.INSIDE
        return _Frame(bracket, role, marked, draft)

    def _draft(self, at: int, marked: bool, parent: _Frame | None) -> CallDraft:
        self._flush(at)
        start, drift = self._base + at, self._departure(parent)
        draft = CallDraft(self._setting, start, marked, drift, head=self._head, lead=self._lead)
        self._drafts.append(draft)
        return draft

    def _departure(self, parent: _Frame | None) -> tuple[Repair, ...]:
        """How a call that opens inside *parent* departs from the form."""
        if parent is None or self._setting.shape.listed:
            return self._drift
        keys = [frame.key for frame in self._frames if frame.role is _Role.CALL]
        if keys and keys[0] == self._setting.shape.wrapper:
            return ()
        return (*self._drift, Repair("call_list"))

    def _role(self, parent: _Frame | None, bracket: str) -> _Role:
        shape = self._setting.shape
        if self._head is not None:
            return _Role.INSIDE
        if parent is None or parent.role is _Role.LIST:
            return _Role.CALL if bracket == "{" else _Role.LIST
        if parent.role not in (_Role.CALL, _Role.NESTED):
            return _Role.INSIDE
        if parent.key in shape.argument_keys and bracket == "{":
            return _Role.ARGUMENTS
        if shape.keyed and bracket == "{" and parent.draft is not None and parent.draft.unnamed:
            parent.draft.member(shape.name, parent.key)
            return _Role.ARGUMENTS
        if parent.role is _Role.CALL and parent.key in shape.nesting_keys and bracket == "{":
            return _Role.NESTED
        if parent.role is _Role.CALL and parent.key in shape.list_keys:
            return _Role.CALL if bracket == "{" else _Role.LIST
        return _Role.INSIDE

    def _end(self, frame: _Frame, end: int, *, cut: bool = False) -> None:
        """*frame* is over; its text ends at *end* in the text being read."""
        draft = frame.draft
        if frame.role is _Role.ARGUMENTS and draft is not None:
            draft.close_arguments(self._base + end)
            self._args = None
            if self._head is not None and not self._frames:
                self._flush(end)
                self._drafts.remove(draft)
                self._settle(draft, cut)
        elif frame.role is _Role.CALL and draft is not None:
            self._flush(end)
            self._drafts.remove(draft)
            if not draft.holds_list or draft.index is not None:
                self._settle(draft, cut)
            elif self._odd_items and not self.committed and not draft.holds_objects:
                self.committed = draft.refuse_list()

    def _end_spent(self, at: int) -> bool:
        """End the object that a bracket closed; is there text behind it to be read again?"""
        if not self._frames or not self._frames[-1].spent:
            return False
        self._end(self._frames.pop(), at)
        if not self._frames:
            self.done = True
        if self.done or self.pushback:
            self._tokens.stop()
        return bool(self.done or self.pushback)

    def _settle(self, draft: CallDraft, cut: bool) -> None:
        outcome, leftover = draft.close(cut=cut, ends=self._ends)
        self.committed = self.committed or outcome is not Outcome.NO_CALL
        if leftover.strip():
            self.pushback = leftover

    def _flush(self, stop: int) -> None:
        """Give the text read so far to the call it belongs to."""
        if self._drafts and stop > self._mark:
            self._drafts[-1].write(self._text[self._mark : stop])
        self._mark = max(self._mark, stop)
