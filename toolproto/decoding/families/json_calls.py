"""Calls in one JSON value, told of while it is being written.

The value may be a call, a list of calls, or an object with a list of them in it. Each call is
announced when its name is known, its arguments are handed out as they become certain, and when its
object closes it is read as a whole (`calls/draft.py`): by the standard library's C reader while it
is strict JSON, and leniently where it is not.

The frames are the only stack of open containers: they know what a container is to the calls in it,
and which token strict JSON may have there next.
"""

from __future__ import annotations

import re
from enum import Enum, auto

from ...messages import Repair
from ..calls.draft import CallDraft, is_name, looks_like_schema
from ..calls.record import Beginning, CallRecord
from ..reply.hot_string import StreamedString
from ..values.spellings import plain_unescape
from .json_tokens import JsonListener, JsonTokens
from .json_whole import WholeCall, record_end, whole_call

__all__ = ["JsonCalls"]

_LONGEST_WORD = 1000  # no member name, tool name or id is longer
# A scalar is handed out if it is one to JSON, and short.
_SCALAR = re.compile(
    r"true|false|null|-?(?:0|[1-9][0-9]{0,400})(?:\.[0-9]{1,400})?(?:[eE][-+]?[0-9]{1,3})?"
)
# What strict JSON may have next in a container.
_FIRST_KEY, _KEY, _COLON, _FIRST_VALUE, _VALUE, _COMMA = range(6)
_BEGINS_KEY = (_FIRST_KEY, _KEY)
_BEGINS_VALUE = (_FIRST_VALUE, _VALUE)
_BEGINS_STRING = (*_BEGINS_KEY, *_BEGINS_VALUE)
_MAY_CLOSE = {"{": (_FIRST_KEY, _COMMA), "[": (_FIRST_VALUE, _COMMA)}
_OPENERS = {"}": "{", "]": "["}


class _Role(Enum):
    """What a container is to the calls in it."""

    CALL = auto()  # an object that is a call, or holds a list of them
    NESTED = auto()  # an object inside a call that holds its name and arguments
    LIST = auto()  # a list of calls
    ARGUMENTS = auto()
    INSIDE = auto()  # anything further down, or beside the point


_IN_CALL = (_Role.CALL, _Role.NESTED)


class _Frame:
    """An open container."""

    __slots__ = ("bracket", "expect", "key", "marked", "role", "spent")

    def __init__(self, bracket: str, role: _Role, marked: bool) -> None:
        self.bracket = bracket
        self.role = role
        self.marked = marked
        self.expect = _FIRST_KEY if bracket == "{" else _FIRST_VALUE
        self.key = ""
        self.spent = False  # closed, unless another member follows: then by a bracket too many

    @property
    def key_next(self) -> bool:
        return self.expect <= _COLON


class JsonCalls(JsonListener):
    """Reads the calls of one JSON value.

    Its calls depart from the asked form as *begun* says, unless they stand in the asked list.
    Unmarked, it has to look like a call, and ``refused`` tells when it did not. With a head, the
    value is the arguments of the tool named there.
    ``pushback`` is text that was read but turned out to lie behind the end of a broken call.
    """

    def __init__(self, begun: Beginning) -> None:
        self._begun = begun
        self._setting = begun.setting
        self._head = begun.head
        self._tokens = JsonTokens(self, begun.end_at if begun.ends else None)
        self._depth = begun.setting.depth
        # The first one is what the value stands in: it may be a call, or a list of them.
        self._frames = [_Frame("", _Role.LIST, begun.marked)]
        self._excess = 0  # brackets open beyond the depth that is read
        self._draft: CallDraft | None = None  # of the call in which reading stands
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
        self._text, self._mark = "", 0
        if self._draft is not None:
            self._draft.hand_out()
            self.committed = self.committed or self._draft.announced
        return stop

    def finish(self, reason: str | None) -> None:
        """The reply is over: the innermost open call is mended or truncated."""
        while len(self._frames) > 1 and not self.pushback:
            self._end(self._frames.pop(), 0, cut=reason == "length")
        self.done = len(self._frames) == 1

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
        draft = self._draft
        if draft is None or not self._tokens.in_plain_string or not draft.in_value:
            return None
        return draft.streaming_quoted() if draft.announced else None

    # -- what the tokens say --------------------------------------------------------------

    def fits(self, bracket: str) -> bool:
        return bracket not in "}]" or self._frames[-1].bracket == _OPENERS[bracket]

    def whole(self, at: int) -> int:
        parent, is_all = self._frames[-1], len(self._frames) == 1
        if parent.role is not _Role.LIST or parent.expect == _COMMA:
            return 0
        if self._head is not None or not self._setting.shape.plain or self._excess:
            return 0
        call = self._whole_call(at, parent.marked)
        if call is not None:
            end = self._tell_whole(at, call)
        elif is_all and not parent.marked:
            end = record_end(self._text, at, self._setting)
        else:
            return 0
        if end and is_all:
            self.done = True
            self._tokens.stop()
        return end

    def _whole_call(self, at: int, marked: bool) -> WholeCall | None:
        """The call at *at*, if all of it is there and its form leaves no doubt."""
        setting, room = self._setting, self._depth - len(self._frames)
        call = whole_call(self._text, at, setting.shape, room)
        if call is None or len(self._begun.lead) + call.end - at > setting.limits.characters:
            return None
        if not marked and looks_like_schema(call.arguments):
            return None  # only its tool can tell
        return call if is_name(setting, marked, call.name_key, call.name) else None

    def _tell_whole(self, at: int, call: WholeCall) -> int:
        """Tell of *call*, which begins at *at*; where it ends."""
        lead = self._begun.lead
        self._leave(at)
        self._mark = call.end
        start, drift = self._base + at - len(lead), self._departure()
        record = CallRecord(self._setting, start, call.name, drift=drift)
        raw = lead + self._text[at : call.end]
        record.tell_whole(call.written, call.arguments, raw, call.repairs)
        self.committed = True
        self._frames[-1].expect = _COMMA
        return call.end

    def space(self, text: str) -> None:
        draft = self._draft
        if draft is not None and draft.certain and text.strip(" \t\r\n"):
            draft.certain = False  # other space is none to JSON

    def opened(self, bracket: str, at: int) -> None:
        if self._end_spent(at):
            self.pushback += bracket
            return
        if len(self._frames) > self._depth:
            self._excess += 1
            self._expected(False)
            if self._draft is not None:
                self._draft.spoil(f"nested deeper than {self._depth} levels")
            return
        fits = self._frames[-1].expect in _BEGINS_VALUE
        frame = self._frame(bracket, at)
        if fits:
            self._frames[-1].expect = _COMMA
        self._frames.append(frame)
        if draft := self._expected(fits or frame.role is _Role.ARGUMENTS):
            draft.confirm(self._place(at + 1))

    def closed(self, bracket: str, at: int) -> None:
        if self._excess:
            self._excess -= 1
            return
        if self._end_spent(at):
            self.pushback += bracket
            return
        opener = _OPENERS[bracket]
        innermost = self._frames[-1]
        if innermost.bracket != opener and all(frame.bracket != opener for frame in self._frames):
            if draft := self._expected(True):
                draft.leave_out(self._place(at))
            return
        self._expected(innermost.bracket == opener and innermost.expect in _MAY_CLOSE[opener])
        while self._frames[-1].bracket != opener:
            if self._pop(at):  # its own bracket is missing
                self.pushback += bracket
                return
        frame, draft = self._frames[-1], self._draft
        if frame.role is _Role.CALL and draft is not None and draft.nameless:
            frame.spent = True
            return
        self._pop(at + 1)

    def comma(self) -> None:
        frame = self._frames[-1]
        self._expected(frame.expect == _COMMA)
        frame.expect = _KEY if frame.bracket == "{" else _VALUE

    def colon(self) -> None:
        frame = self._frames[-1]
        self._expected(frame.expect == _COLON)
        if frame.bracket == "{":
            frame.expect = _VALUE

    def scalar(self, text: str, at: int) -> None:
        frame = self._frames[-1]
        fits = frame.expect in _BEGINS_VALUE
        self._expected(fits and _SCALAR.fullmatch(text) is not None)
        if fits:
            frame.expect = _COMMA
        elif frame.key_next:
            frame.expect = _COLON
            self._named(frame, text)

    def _expected(self, fits: bool) -> CallDraft | None:
        """What came is what strict JSON may have here, or not: the call, if that is certain."""
        draft = self._draft
        if draft is None:
            return None
        if not fits:
            draft.departs, draft.certain = True, False
        return draft if draft.certain else None

    def string_opened(self, quote: str, at: int) -> None:
        frame = self._frames[-1]
        frame.spent = False
        if frame.role is _Role.LIST and frame.marked:
            self._odd_items = True
        matters = frame.key_next if frame.role is _Role.ARGUMENTS else frame.role in _IN_CALL
        self._word = [] if matters else None
        draft = self._expected(quote == '"' and frame.expect in _BEGINS_STRING)
        if draft and frame.expect in _BEGINS_VALUE:
            draft.begin_string()

    def string_part(self, text: str) -> None:
        draft = self._draft
        if draft is not None and draft.certain and not self._frames[-1].key_next:
            draft.more(text)
        if self._word is not None and len(self._word) < _LONGEST_WORD:
            self._word.append(text)

    def string_controls(self, text: str, at: int) -> None:
        draft = self._expected(True)  # strict reading takes them
        if draft and self._frames[-1].key_next:
            draft.certain = False
        elif draft:
            draft.controls(text, self._place(at))
        self._word = None

    def string_fault(self, text: str, at: int) -> None:
        if draft := self._expected(True):
            draft.fault(self._place(at))
        if self._word is not None:
            self._word.append(text)

    def string_closed(self, at: int) -> None:
        frame, draft, word = self._frames[-1], self._draft, self._word
        self._word, is_key = None, frame.key_next
        if is_key:
            frame.expect = _COLON
        elif frame.expect in _BEGINS_VALUE:
            frame.expect = _COMMA
            if draft is not None and draft.certain:
                draft.end_string(self._place(at))
        if word is None:
            return
        text = plain_unescape("".join(word))
        if is_key:
            self._named(frame, text)
        elif draft is not None and frame.role in _IN_CALL:
            draft.member(frame.key, text)

    # -- what that makes of the containers ------------------------------------------------

    def _named(self, frame: _Frame, key: str) -> None:
        frame.key = key
        if frame.role is _Role.ARGUMENTS and self._draft is not None:
            self._draft.argument_key(key)

    def _frame(self, bracket: str, at: int) -> _Frame:
        parent, role = self._frames[-1], self._role(bracket)
        marked = parent.marked
        if parent.key in self._setting.shape.list_keys and role is not _Role.INSIDE:
            marked = marked or not self._setting.gated
        if role is _Role.LIST and self._draft is not None:
            self._draft.holds_list = True
        if role is _Role.CALL:
            self._begin(at, marked)
        if self._head is not None and len(self._frames) == 1 and bracket == "{":
            role = _Role.ARGUMENTS
            self._begin(at, marked).tell_early()
        if role is _Role.ARGUMENTS and self._draft is not None:
            path = [frame.key for frame in self._frames[-2:] if frame.role in _IN_CALL]
            self._flush(at)
            if self._draft.has_arguments:
                role = _Role.INSIDE
            else:
                self._draft.open_arguments(tuple(path))
        return _Frame(bracket, role, marked)

    def _begin(self, at: int, marked: bool) -> CallDraft:
        self._leave(at)
        start, drift = self._base + at, self._departure()
        self._draft = CallDraft(self._begun._replace(start=start, marked=marked, drift=drift))
        return self._draft

    def _leave(self, at: int) -> None:
        """A call begins at *at*: what is around it is none itself, but holds it."""
        self._flush(at)
        if self._draft is not None:
            self._draft.refuse_others()
            self.committed = self.committed or self._draft.announced
            self._draft = None

    def _departure(self) -> tuple[Repair, ...]:
        """How a call that opens here departs from the form."""
        if len(self._frames) == 1 or self._setting.shape.listed:
            return self._begun.drift
        keys = [frame.key for frame in self._frames if frame.role is _Role.CALL]
        if keys and keys[0] == self._setting.shape.wrapper:
            return ()
        return (*self._begun.drift, Repair("call_list"))

    def _role(self, bracket: str) -> _Role:
        """What the container is to the calls in it that *bracket* opens here."""
        shape, parent, draft = self._setting.shape, self._frames[-1], self._draft
        if self._head is not None:
            return _Role.INSIDE
        if parent.role is _Role.LIST:
            return _Role.CALL if bracket == "{" else _Role.LIST
        if parent.role not in _IN_CALL:
            return _Role.INSIDE
        if draft is not None and bracket == "{":
            if parent.key in shape.argument_keys:
                return _Role.ARGUMENTS
            if shape.keyed and draft.unnamed:
                draft.member(shape.name, parent.key)
                return _Role.ARGUMENTS
            if parent.role is _Role.CALL and parent.key in shape.nesting_keys:
                return _Role.NESTED
        may_list = parent.role is _Role.CALL and (draft is None or not draft.has_arguments)
        if may_list and parent.key in shape.list_keys:
            return _Role.CALL if bracket == "{" else _Role.LIST
        return _Role.INSIDE

    def _end(self, frame: _Frame, end: int, *, cut: bool = False) -> None:
        """*frame* is over; its text ends at *end* in the text being read."""
        draft = self._draft
        if frame.role is _Role.ARGUMENTS and draft is not None:
            draft.close_arguments(self._place(end))
            if self._head is not None and len(self._frames) == 1:
                self._settle(draft, end, cut)
        elif frame.role is _Role.CALL and draft is not None:
            if not draft.holds_list or draft.announced:
                self._settle(draft, end, cut)
                return
            self._release(end)
            if self._odd_items and not self.committed:
                self.committed = draft.refuse_list()

    def _end_spent(self, at: int) -> bool:
        """End the object that a bracket closed; is there text behind it to be read again?"""
        if not self._frames[-1].spent:
            return False
        return self._pop(at)

    def _pop(self, end: int) -> bool:
        """End the innermost container, at *end*; is that all for now?"""
        self._end(self._frames.pop(), end)
        self.done = self.done or len(self._frames) == 1
        if self.done or self.pushback:
            self._tokens.stop()
        return self._tokens.stopped

    def _settle(self, draft: CallDraft, end: int, cut: bool) -> None:
        self._release(end)
        meant, leftover = draft.close(cut=cut, ends=self._begun.ends)
        self.committed = self.committed or meant
        if leftover.strip():
            self.pushback = leftover

    def _release(self, end: int) -> None:
        self._flush(end)
        self._draft = None

    def _place(self, at: int) -> int:
        """Where *at* of the text being read stands in the text of the call."""
        return self._draft.length + at - self._mark if self._draft is not None else 0

    def _flush(self, stop: int) -> None:
        """Give the text read so far to the call it belongs to."""
        if self._draft is not None and stop > self._mark:
            self._draft.write(self._text[self._mark : stop])
        self._mark = max(self._mark, stop)
