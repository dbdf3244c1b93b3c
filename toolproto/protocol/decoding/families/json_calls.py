"""Calls in one JSON value, told of while it is being written.

The value may be a call, a list of calls, or an object with a list of them in it. One reader reads
it, strict JSON and what departs from that (`values/lenient.py`); what stands here is what its
containers are to the calls in it. Each call is announced when its name is known, its arguments are
handed out as they become certain (`calls/draft.py`), and it is over with its last bracket.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import Any

from ...messages import Repair
from ..calls.completion import UntilClosed
from ..calls.draft import TWO_PLACES, CallDraft, is_name, looks_like_schema
from ..calls.record import Beginning, CallRecord
from ..faults import Refused, malformed
from ..hot_string import StreamedString
from ..values.lenient import JsonReader, Step
from ..values.repairs import (
    CONTROL_CHARACTER,
    CUT_SHORT,
    DUPLICATE_KEY,
    EXTRA_CLOSE,
    MISSING_CLOSE,
    STRAY_TEXT,
)
from ..values.state import Open, State
from ..values.strings import QuotedString
from .json_whole import WholeCall, whole_call

_controls = re.compile(r"[\x00-\x1f]++").finditer
_control = re.compile(r"[\x00-\x1f]").search


class _Role(Enum):
    """What a container is to the calls in it."""

    CALL = auto()  # an object that is a call, or holds a list of them
    NESTED = auto()  # an object inside a call that holds its name and arguments
    LIST = auto()  # a list of calls
    ARGUMENTS = auto()
    INSIDE = auto()  # anything further down, or beside the point


_IN_CALL = (_Role.CALL, _Role.NESTED)


class JsonCalls(JsonReader):
    """Reads the calls of one JSON value.

    Its calls depart from the asked form as *begun* says, unless they stand in the asked list.
    Unmarked, it has to look like a call, and ``refused`` tells when it did not. With a head, the
    value is the arguments of the tool named there.
    ``pushback`` is text that was read but turned out to lie behind the end of a broken call.
    """

    _gives_up = False

    def __init__(self, begun: Beginning) -> None:
        opens_tag = any(end.first == "<" for end in begun.ends)
        self._last: UntilClosed | None = (
            None  # where calls wait until what is around them is closed
        )
        self._setting, self._head, self._begun = begun.setting, begun.head, begun
        super().__init__(None, begun.ends, "<" if opens_tag else "")  # which starts over
        self.depth = begun.setting.depth
        self._draft: CallDraft | None = None  # of the call in which reading stands
        self._call_level = 0  # how many containers are open up to its own
        self._quoted: QuotedString | None = None  # the string argument in which reading stands
        self._odd_items = False  # strings where calls should be
        self.lists_others = False  # in a list without a marker, something else beside calls
        self._closed_list: str | None = None  # the key of a list of calls that was just closed
        self._cut = False
        self._base = self._mark = 0  # where the text begins in the reply; how much a call was given
        self._waits = False  # is some of it unread?
        self._held = ""  # text that was given back and is in no text that will come
        self._reading = self.read()
        self.done = self.committed = False
        self.pushback = ""

    def feed(self, text: str, at: int, base: int, final: bool) -> int:
        """Read on from *at* in *text*, whose first character is *base* in the reply."""
        fed = len(text) - at
        self.text, self.at = (self._held + text[at:], 0) if self._held else (text, at)
        self._base = base + at - self.at - len(self._held)
        self._mark, self.final, self._held = self.at, final, ""
        self._cut = final and self._setting.out.cut
        self._resume()
        unread = len(self.text) - self.at
        if unread > fed:
            self._held = self.text[self.at : len(self.text) - fed]
            if self.done:
                self.pushback, self._held = self._held, ""
        self._base += len(self.text)
        self.text, self.at, self._mark = "", 0, 0
        self._waits = unread > 0
        return len(text) - min(unread, fed)

    def start_over(self) -> None:
        super().start_over()
        # To the end of the reply, each time: hundreds of calls broken alike would cost its square.
        left = self._setting.limits.recoveries - self._setting.out.rereads
        self.rereads = min(self.rereads, left)

    def read_again(self, text: str) -> None:
        super().read_again(text)
        self._setting.out.rereads += 1

    def _resume(self) -> None:
        if not self.done:
            self.done = next(self._reading, self) is self
        self._flush()
        if self._draft is not None:
            self._draft.hand_out()
            self.committed = self.committed or self._draft.announced
        if self._last is not None and (self.done or not self.open):
            self._last.close()

    @property
    def refused(self) -> bool:
        """Is the value over without anything in it being a call?"""
        return self.done and not self.committed

    # -- a string argument while it comes -------------------------------------------------

    @property
    def streaming(self) -> StreamedString | None:
        """The string argument in which reading stands, if that is so."""
        draft, string = self._draft, self._quoted
        if draft is None or string is None or self._waits:
            return None
        return draft.streaming_value(string.parts)

    def string_begins(self, string: QuotedString) -> None:
        top = self.open[-1] if self.open else None
        if (top.role if top else _Role.LIST) is _Role.LIST and self._marked(top):
            self._odd_items = True
        draft = self._draft
        if draft is not None and draft.certain:
            self._quoted = string
            draft.begin_string()

    def string_goes_on(self, piece: str) -> None:
        draft = self._draft
        if draft is None or self._quoted is None or not draft.certain:
            return
        for run in _controls(piece):
            draft.controls(run[0], self._place(self.at - len(piece)) + run.start())
        draft.more(piece)

    def string_is_odd(self) -> None:
        if self._draft is not None and self._draft.certain:
            self._draft.fault(self._place(self.at))
        self._quoted = None

    def string_ends(self) -> None:
        if self._draft is not None and self._quoted is not None and self._draft.certain:
            self._draft.end_string(self._place(self.at))
        self._quoted = None

    def string_ends_at_once(self, body: str) -> bool:
        top = self.open[-1]
        if top.role not in _IN_CALL or top.key is None:
            return False
        return is_name(self._setting, top.marked, top.key, body)

    # -- what its steps make of the calls -------------------------------------------------

    def settle_notes(self) -> None:
        draft = self._draft
        if draft is not None and draft.certain:
            draft.certain = all(each in (CONTROL_CHARACTER, DUPLICATE_KEY) for each in self._tried)
        super().settle_notes()

    def refuse(self, fault: Refused) -> None:
        super().refuse(fault)
        if self._draft is not None and self._draft.certain:
            self._draft.fault(self._place(self.at))

    def give_back(self, text: str) -> None:
        self._flush()
        if self._draft is not None:
            self._draft.hand_out()  # as it would have been if the text had come in pieces
            self._draft.unwrite(len(text))
        place = self._base + self.at - len(text)
        super().give_back(text)
        self._base, self._mark = place - self.at, self.at

    def awaits(self, key: str, level: int = 0) -> bool:
        """In arguments, only what their tool takes; and a call has no others besides them."""
        draft, role = self._draft, self.open[-1 - level].role
        awaited = super().awaits(key, level)
        if not awaited or draft is None or not draft.has_arguments:
            return awaited
        if role is _Role.ARGUMENTS:
            own = self._setting.offered.keys(draft.name)
            return own is None or key in own
        return role not in _IN_CALL or key not in self._setting.shape.argument_keys

    @property
    def at_once(self) -> int:  # type: ignore[override]
        return len(self.open) - self._call_level + 1 if self._draft is not None else 0

    def _value(self) -> Step | None:
        if self.skip() == "{" and (end := self._whole(self.at)):
            self.at = end
            return self._behind_call()
        return super()._value()

    def _behind_call(self) -> Step | None:
        """Behind a call there is nothing to keep of it."""
        if not self.open:
            return None
        top = self.open[-1]
        top.key, top.comma = None, False
        return self._after

    def _finish(self) -> Step | None:
        # The reply may have been cut: a list that nobody closed might have held another call.
        if self.open and self._draft is None and self._last is not None:
            self._last.amend(MISSING_CLOSE)
        return super()._finish()

    def _no_comma(self) -> Step | None:
        top, is_last = self.open[-1], self.closers[1:2] == "]"
        if self.text[self.at] == "{" and top.role is _Role.CALL and self._closed_list:
            return self._reopen_list(top, self._closed_list)
        if self.text[self.at] in "{[" and top.role in _IN_CALL and top.value and not is_last:
            self.refuse(malformed(TWO_PLACES))
        return super()._no_comma()

    def _reopen_list(self, top: Open, key: str) -> Step:
        """In ``{"tool_calls": [{…}], {…}]}`` the list was closed before its last call."""
        self.note(EXTRA_CLOSE)
        top.key = key
        State.push(self, "[")
        self.open[-1].role, self.open[-1].marked = _Role.LIST, top.marked
        return self._value

    def _name(self, top: Open, key: str) -> None:
        super()._name(top, key)
        self._closed_list = None
        draft = self._draft
        if top.role is _Role.ARGUMENTS and draft is not None:
            if _control(key):
                draft.certain = False
            draft.argument_key(key)

    def _put_member(self, top: Open, key: str, value: Any) -> None:
        super()._put_member(top, key, value)
        draft = self._draft
        if draft is None or top.role not in _IN_CALL:
            return
        if isinstance(value, str) and CUT_SHORT not in self._tried:
            name = draft.name
            draft.member(key, value)
            if draft.name != name:
                self.keys = draft.keys()

    def push(self, opener: str) -> None:
        top = self.open[-1] if self.open else None
        at, count = self.at - 1, len(self.open)
        if count >= self.depth:
            super().push(opener)
            return
        role, marked = self._role(opener), self._marked(top)
        key = top.key if top is not None else None
        if key in self._setting.shape.list_keys and role is not _Role.INSIDE:
            marked = marked or not self._setting.only_offered
        if role is _Role.LIST and self._draft is not None:
            self._draft.holds_list = True
        if role is _Role.CALL:
            self._begin(at, marked)
        if self._head is not None and not self.open and opener == "{":
            role = _Role.ARGUMENTS
            self._begin(at, marked).tell_early()
        if role is _Role.ARGUMENTS and self._draft is not None:
            path = [frame.key or "" for frame in self.open[-2:] if frame.role in _IN_CALL]
            self._flush(at)
            if self._draft.has_arguments:
                role = _Role.INSIDE
            else:
                self._draft.open_arguments(tuple(path))
        super().push(opener)
        self.open[-1].role, self.open[-1].marked = role, marked
        if self._draft is not None and self._draft.certain and opener != "(":
            self._draft.confirm(self._place(self.at))

    def _marked(self, top: Open | None) -> bool:
        return self._begun.marked if top is None else top.marked

    def _role(self, opener: str) -> _Role:
        """What the container is to the calls in it that *opener* opens here."""
        shape, draft = self._setting.shape, self._draft
        if self._head is not None:
            return _Role.INSIDE
        parent = self.open[-1] if self.open else None
        if parent is None or parent.role is _Role.LIST:
            return _Role.CALL if opener == "{" else _Role.LIST
        if parent.role not in _IN_CALL or parent.key is None or opener == "(":
            return _Role.INSIDE
        if draft is not None and opener == "{":
            if parent.key in shape.argument_keys:
                return _Role.ARGUMENTS
            if shape.keyed and not draft.name:
                draft.member(shape.name, parent.key)
                return _Role.ARGUMENTS
            if parent.role is _Role.CALL and parent.key in shape.nesting_keys:
                return _Role.NESTED
        may_list = parent.role is _Role.CALL and (draft is None or not draft.has_arguments)
        if may_list and parent.key in shape.list_keys:
            return _Role.CALL if opener == "{" else _Role.LIST
        return _Role.INSIDE

    def _begin(self, at: int, marked: bool) -> CallDraft:
        self._leave(at)
        start, repairs = self._base + at, self._departure()
        self._draft = CallDraft(self._begun._replace(start=start, marked=marked, repairs=repairs))
        self._call_level = len(self.open) + 1
        self.keys = self._draft.keys()
        self.start_over()
        return self._draft

    def _leave(self, at: int) -> None:
        """A call begins at *at*: what is around it is none itself, but holds it."""
        if self.open and self._last is None:
            self._last = UntilClosed(self._setting.out)
            self._setting = self._setting._replace(out=self._last)
            self._begun = self._begun._replace(setting=self._setting)
        self._flush(at)
        self._mark = max(self._mark, at)
        if self._draft is not None:
            self._draft.refuse_others()
            self.committed = self.committed or self._draft.announced
            self._draft = None

    def _departure(self) -> tuple[Repair, ...]:
        """How a call that opens here departs from the form."""
        if not self.open or self._setting.shape.listed:
            return self._begun.repairs
        keys = [frame.key for frame in self.open if frame.role is _Role.CALL]
        if keys and keys[0] == self._setting.shape.wrapper:
            return ()
        return (*self._begun.repairs, Repair("call_list"))

    # -- calls that are there from their first bracket to their last ----------------------

    def _whole(self, at: int) -> int:
        """Where the object ends that begins at *at*, if it was read at once; 0 if it was not."""
        parent = self.open[-1] if self.open else None
        if parent is not None and parent.role is not _Role.LIST:
            return 0
        if self._head is not None or not self._setting.shape.plain or self.excess:
            return 0
        marked = self._marked(parent)
        call = self._whole_call(at, marked)
        return self._tell_whole(at, call) if call is not None else 0

    def _whole_call(self, at: int, marked: bool) -> WholeCall | None:
        """The call at *at*, if all of it is there and its form leaves no doubt."""
        setting, room = self._setting, self.depth - len(self.open) - 1
        call = whole_call(self.text, at, setting.shape, room)
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
        start, repairs = self._base + at - len(lead), self._departure()
        record = CallRecord(self._setting, start, call.name, repairs=repairs)
        raw = lead + self.text[at : call.end]
        record.tell_whole(call.written, call.arguments, raw, call.repairs)
        self.committed = True
        return call.end

    # -- their ends -----------------------------------------------------------------------

    def _close_nothing(self) -> Step | None:
        """Nobody ends a call with a parenthesis, which may be left from another form."""
        if self.text[self.at - 1] != ")":
            return super()._close_nothing()
        self.note(STRAY_TEXT)
        return self._after

    def _may_go_on(self, depth: int) -> bool:
        """A call that has not said of what it is one may have had a bracket too many.

        So may arguments behind their head, if a closer is to come behind them: without one, the
        call would have to wait for what may never come.
        """
        draft = self._draft
        if self._head is not None:
            return self._begun.has_closer and super()._may_go_on(depth)
        closes_call = self.open[-1 - depth].role is _Role.CALL
        return closes_call and draft is not None and draft.nameless

    def _pop(self, *, own: bool = True) -> Step | None:
        frame, end = self.open[-1], self.at if own else self.at - 1
        draft, is_head = self._draft, self._head is not None and len(self.open) == 1
        is_list = frame.role is _Role.LIST and len(self.open) > 1
        self._closed_list = self.open[-2].key if is_list else None
        if frame.role is _Role.LIST and len(self.open) == 1 and not self._begun.marked:
            others = (each for each in frame.value if not isinstance(each, dict))
            self.lists_others = self.lists_others or any(True for _ in others)
        if frame.role is _Role.ARGUMENTS and draft is not None:
            draft.close_arguments(self._place(end))
        if (frame.role is _Role.CALL or (is_head and frame.role is _Role.ARGUMENTS)) and draft:
            return self._end(frame, draft, end)
        return super()._pop(own=own)

    def _end(self, frame: Open, draft: CallDraft, end: int) -> Step | None:
        """The object of a call, or around calls, is over."""
        self.settle_notes()
        self.open.pop()
        self.closers = self.closers[1:]
        self._flush(end)
        self._draft, fault = None, self.fault
        self.fault, self.excess = None, 0
        if not draft.holds_list or draft.announced:
            meant = draft.close(frame.value, self.repairs, fault, cut=self._cut)
            self.committed = self.committed or meant
            if not meant and self.open and not self._begun.marked:
                self.lists_others = True
        elif self._odd_items and not self.committed:
            self.committed = draft.refuse_list()
        return self._behind_call()

    # -- its text -------------------------------------------------------------------------

    def _place(self, at: int) -> int:
        """Where *at* of the text being read stands in the text of the call."""
        return self._draft.length + at - self._mark if self._draft is not None else 0

    def _flush(self, stop: int | None = None) -> None:
        """Give the text read so far to the call it belongs to."""
        stop = self.at if stop is None else stop
        if self._draft is not None and stop > self._mark:
            self._draft.write(self.text[self._mark : stop])
        self._mark = max(self._mark, stop)
