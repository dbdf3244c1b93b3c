"""One reply, read as it arrives: text, thinking, calls, and what only looks like a call.

:class:`ReplyDecoder` goes through the prose from one telling character to the next. A marker, or
the beginning of a JSON object that could be a call, opens an *attempt*: what follows is read by
a body reader (`json_body.py`, `json_calls.py`) while text and events are withheld (`outbox.py`)
until it is certain which of the two should go out. All decisions depend on positions in the
text, never on how it was cut into chunks.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum, auto
from io import StringIO
from typing import Protocol

from ..errors import UsageError
from ..events import Event, arguments_delta
from ..messages import CallProblem, Grade, IdFactory, ProblemKind, Repair, Span
from ..tools.spec import ToolOffer
from .base import Limits
from .call_draft import CallDraft, CallSetting
from .fences import FENCE, FENCE_BEGUN, CodeFence
from .json_body import JsonBody
from .json_calls import JsonCalls
from .json_end import string_stop
from .landmarks import Landmark, ReplyForm, landmarks
from .leaks import ends_reply, invented_turn, opens_turn
from .offered import Offered
from .outbox import Outbox
from .reasoning import Reasoning
from .scanner import MORE, NO
from .surroundings import Standing, Surroundings

__all__ = ["ReplyDecoder", "ReplyForm"]

# A call woven into a sentence is an example, and examples are short; what is longer is meant, and
# its arguments should not wait.
_LONGEST_EXAMPLE = 500
_LONGEST_RUN = 64
# Somebody watching a file being written does not see the difference between one token and eight,
# but looking at each of them costs three times as much. Short calls are never batched.
_LONG_CALL = 1024
_BATCH = 8
_SHORT_CHUNK = 16
_RUN = re.compile(r"`++|~++")
_SPACE = re.compile(r"[\s,]++")
_LEAD = re.compile(r"(?:\[\s{0,80}+)?\{\s{0,80}+[\"'“‘`]?([A-Za-z_]{0,30}+)([^A-Za-z_]?)")
_MORE_KEY = "…"  # no member of ours is called that
_LEAD_BEGUN = re.compile(r"(?:\[\s{0,80}+)?(?:\{\s{0,80}+[\"'“‘`]?)?\Z")
_SEPARATOR = re.compile(r"\s{0,20}+[,;]\s{0,20}+(?=[{\[<])")
_SEPARATOR_BEGUN = re.compile(r"\s{0,20}+(?:[,;]\s{0,20}+)?\Z")
_AFTER = re.compile(r"[ \t]{0,64}+(.?)", re.DOTALL)


class _Body(Protocol):
    """Reads one attempt at a call."""

    done: bool
    committed: bool

    @property
    def refused(self) -> bool: ...
    @property
    def streaming(self) -> CallDraft | None: ...
    def feed(self, text: str, at: int, base: int, final: bool) -> int: ...
    def finish(self, reason: str | None) -> None: ...
    def take_pushback(self) -> str: ...


class _Policy(Enum):
    """What is done with an attempt that turns out to be a call."""

    RUN = auto()
    SHOW = auto()  # it goes out as text, whatever it is
    ASK_NEXT = auto()  # the text behind it decides
    ASK_FENCE = auto()  # the end of the fence, and of the reply, decides


_Mode = Callable[[str, int, bool], int]


class ReplyDecoder:
    """Reads one reply. See :class:`~toolproto.decoding.base.Decoder` for what it promises."""

    def __init__(
        self,
        form: ReplyForm,
        offer: ToolOffer,
        *,
        ids: IdFactory,
        reasoning: Reasoning,
        limits: Limits,
    ) -> None:
        self._form = form
        self._outbox = Outbox(ids)
        self._setting = CallSetting(form.shape, Offered(offer), self._outbox, limits)
        self._lead_keys = form.shape.leading_keys
        self._around = Surroundings()
        self._recoveries = limits.recoveries
        self._text = ""
        self._base = 0
        self._finished = False
        self._landmarks = landmarks(form, reasoning)
        self._mode: _Mode = self._in_thought if reasoning.starts_inside else self._in_prose
        self._body: _Body | None = None
        self._policy = _Policy.RUN
        self._attempt_start = 0
        self._fence: CodeFence | None = None
        self._cut: StringIO | None = None
        self._cut_start = 0
        self._fabricated = False
        self._append: Callable[[str], int] | None = None  # set while a string argument streams
        self._append_index = 0
        self._append_until = 0
        self._pending: list[str] | None = None  # chunks of a long string, not looked at yet
        self._batch_from = 0

    def feed(self, chunk: str) -> list[Event]:
        """Read on."""
        pending = self._pending
        if pending is not None:
            pending.append(chunk)
            if len(pending) < _BATCH:
                return []
            chunk = "".join(pending)
            pending.clear()
        if self._append is not None and self._base < self._append_until:
            text = self._text + chunk
            stop = string_stop(text)
            if stop >= 0:
                return self._more_of_string(text, stop)
        if self._finished:
            raise UsageError("feed() after finish(): make a new decoder for each reply")
        self._pending = None
        self._text += chunk
        self._read(final=False)
        self._arm()
        return self._outbox.take()

    def _more_of_string(self, text: str, stop: int) -> list[Event]:
        """The hot path: *text* up to *stop* goes on with a string argument."""
        piece = text[:stop]
        assert self._append is not None, "a string argument is being read"
        self._append(piece)
        self._base += stop
        self._text = text[stop:]
        if self._pending is None and self._base > self._batch_from and stop <= _SHORT_CHUNK:
            self._pending = []
        return [arguments_delta(self._append_index, piece)] if piece else []

    def finish(self, reason: str | None = None) -> list[Event]:
        """Say that the reply is over; ``"length"`` marks an open call as truncated."""
        if self._finished:
            raise UsageError("finish() twice: make a new decoder for each reply")
        self._finished = True
        self._text += "".join(self._pending or ())
        self._pending = self._append = None
        self._read(final=True)
        while self._body is not None:
            self._body.finish(reason)
            if not self._read_again(len(self._text)) and self._body.done:
                self._end_attempt()
            self._read(final=True)
        if self._outbox.withholding and not self._outbox.withholds_call:
            self._outbox.let_go_as_text()
        self._outbox.let_go()
        self._end_cut()
        self._outbox.settle()
        return self._outbox.take()

    # -- the machine ----------------------------------------------------------------------

    def _read(self, final: bool) -> None:
        at = 0
        while at < len(self._text):
            text, mode = self._text, self._mode
            stop = mode(text, at, final)
            if self._text is not text:
                at = 0  # some of it is to be read again
            elif stop == at and self._mode == mode:
                break
            else:
                at = stop
        self._base += at
        self._text = self._text[at:]

    def _arm(self) -> None:
        """Prepare the hot path, if reading stands inside a string argument of a certain call."""
        self._append = None
        if self._body is None or self._outbox.withholding:
            return
        draft = self._body.streaming
        if draft is not None and draft.index is not None:
            self._append = draft.append
            self._append_index = draft.index
            self._append_until = self._base + draft.room
            self._batch_from = self._base + _LONG_CALL - draft.length

    # -- prose ----------------------------------------------------------------------------

    def _in_prose(self, text: str, at: int, final: bool) -> int:
        telling = self._landmarks.telling.search(text, at)
        stop = telling.start() if telling else len(text)
        if stop > at:
            return self._say(text, at, stop)
        landmark, end = self._landmarks.at(text, at, final)
        if end == MORE:
            return at
        if landmark is not None:
            stop = self._at_landmark(landmark, text, at, end)
            return stop if stop != NO else self._say(text, at, at + 1)
        if text[at] in "`~":
            return self._at_run(text, at, final)
        if text[at] in "{[":
            return self._at_bracket(text, at, final)
        return self._say(text, at, at + 1)

    def _say(self, text: str, at: int, stop: int) -> int:
        piece = text[at:stop]
        self._outbox.text(piece, self._base + at)
        self._around.saw(piece)
        return stop

    def _at_run(self, text: str, at: int, final: bool) -> int:
        """Backticks or tildes: a fence at the start of a line, otherwise inline code."""
        run = _RUN.match(text, at)
        assert run is not None, "a run has at least one character"
        if self._around.blank_line and not self._around.in_block_quote:
            fence = FENCE.match(text, at)
            if fence:
                return self._open_fence(fence, at)
            if not final and FENCE_BEGUN.match(text, at):
                return at
        if run.end() == len(text) and not final and len(run.group()) < _LONGEST_RUN:
            return at
        if text[at] == "`":
            self._around.saw_backticks(len(run.group()))
        return self._say(text, at, run.end())

    def _at_bracket(self, text: str, at: int, final: bool) -> int:
        """A bracket: perhaps the beginning of a call that stands without a marker."""
        key = _leading_key(text, at, final)
        if key == _MORE_KEY:
            return at
        if key and key == self._form.result_key:
            return self._begin_cut(at)
        if not self._may_begin(key):
            return self._say(text, at, at + 1)
        self._begin_bare(at)
        return at

    def _may_begin(self, key: str) -> bool:
        """May an object whose first member is *key* be a call, standing where it stands?"""
        if key == self._form.shape.wrapper:
            return True
        return key in self._lead_keys and self._around.after_sentence

    # -- landmarks ------------------------------------------------------------------------

    def _at_landmark(self, landmark: Landmark, text: str, at: int, end: int) -> int:
        """Where reading goes on; NO if the marker means nothing where it stands."""
        match landmark:
            case Landmark.CALL:
                return self._at_call(text, at, end)
            case Landmark.RESULT if self._around.standing() is Standing.PLAIN:
                return self._begin_cut(at)
            case Landmark.THOUGHT if self._around.blank_line and not self._around.in_block_quote:
                self._mode = self._in_thought
                return end
            case Landmark.END_OF_THOUGHT if not self._around.in_code:
                return end  # the thought was opened in the prompt, or never
            case Landmark.LEAK if not self._around.in_code:
                return self._at_leak(text[at:end], at, end)
        return NO

    def _at_call(self, text: str, at: int, end: int) -> int:
        assert self._landmarks.call is not None, "its marker was met"
        self._attempt(JsonBody(self._setting, *self._landmarks.call, self._base + end), at)
        self._outbox.keep(text[at:end])
        return end

    def _at_leak(self, token: str, at: int, end: int) -> int:
        if ends_reply(token):
            return self._begin_cut(at, fabricated=False)
        if opens_turn(token):
            self._mode = self._in_speaker
        return end

    def _in_speaker(self, text: str, at: int, final: bool) -> int:
        end, invented = invented_turn(text, at, final)
        if end == MORE:
            return at
        self._mode = self._in_prose
        if invented:
            return self._begin_cut(at, fabricated=False)
        return at if end == NO else end

    def _in_thought(self, text: str, at: int, final: bool) -> int:
        stop = text.find("<", at) if self._landmarks.ends_of_thought.firsts == "<" else at
        if stop != at:
            stop = len(text) if stop < 0 else stop
            self._outbox.reasoning(text[at:stop], self._base + at)
            return stop
        number, end = self._landmarks.ends_of_thought.at(text, at, final)
        if number == MORE:
            return at
        if number == NO:
            self._outbox.reasoning(text[at], self._base + at)
            return at + 1
        self._mode = self._in_prose
        self._around.restart()
        return end

    # -- attempts at a call ---------------------------------------------------------------

    def _begin_bare(self, at: int) -> None:
        name = "missing_marker" if self._form.call is not None else "missing_wrapper"
        grade = Grade.GUESSED if self._form.call is not None else Grade.LOSSLESS
        self._attempt(JsonCalls(self._setting, marked=False, drift=(Repair(name, grade),)), at)

    def _attempt(self, body: _Body, at: int) -> None:
        self._body = body
        self._attempt_start = self._base + at
        if self._fence is not None:
            self._policy = _Policy.ASK_FENCE
        else:
            self._policy = _POLICIES[self._around.standing()]
            self._outbox.withhold(self._attempt_start)
        self._mode = self._in_body

    def _in_body(self, text: str, at: int, final: bool) -> int:
        body = self._body
        assert body is not None, "an attempt is under way"
        stop = body.feed(text, at, self._base, final)
        self._outbox.keep(text[at:stop])
        if self._policy is _Policy.ASK_NEXT and self._too_long_for_an_example(stop):
            self._policy = _Policy.RUN
        if self._policy is _Policy.RUN and body.committed and self._outbox.withholding:
            self._outbox.let_go()
        if self._read_again(stop):
            return 0
        if body.done:
            self._end_attempt()
        return stop

    def _too_long_for_an_example(self, stop: int) -> bool:
        return self._base + stop - self._attempt_start > _LONGEST_EXAMPLE

    def _read_again(self, stop: int) -> bool:
        """Go back to where a broken call turned out to end, if that lies behind us."""
        body = self._body
        assert body is not None, "an attempt is under way"
        pushback = body.take_pushback()
        if not pushback:
            return False
        if self._recoveries <= 0:
            if not self._outbox.withholding:
                self._outbox.text(pushback, self._base + stop - len(pushback))
            return False
        self._recoveries -= 1
        self._outbox.unkeep(len(pushback))
        self._base += stop - len(pushback)
        self._text = pushback + self._text[stop:]
        if body.done:
            self._end_attempt()
        return True

    def _end_attempt(self) -> None:
        body, self._body = self._body, None
        assert body is not None, "an attempt is under way"
        self._mode = self._in_prose
        if self._policy is _Policy.ASK_FENCE:
            assert self._fence is not None, "the fence around the attempt"
            self._fence.holds_call = True
            self._mode = self._in_fence
            if body.refused:
                self._show_withheld()
                self._mode = self._in_code
        elif body.refused or self._policy is _Policy.SHOW:
            self._around.saw(self._outbox.let_go_as_text())
        elif self._policy is _Policy.ASK_NEXT:
            self._mode = self._behind_example
        else:
            self._outbox.let_go()
            self._around.restart()
            self._mode = self._between_calls
        if self._fence is None:
            self._outbox.repairs = ()

    def _between_calls(self, text: str, at: int, final: bool) -> int:
        """A comma or semicolon between two calls is no text."""
        self._mode = self._in_prose
        separator = _SEPARATOR.match(text, at)
        if separator:
            return separator.end()
        if not final and _SEPARATOR_BEGUN.match(text, at):
            self._mode = self._between_calls
        return at

    def _behind_example(self, text: str, at: int, final: bool) -> int:
        """Does the sentence, or the quotation, go on behind the call?"""
        after = _AFTER.match(text, at)
        assert after is not None, "matches the empty string"
        follows = after.group(1)
        if not follows and not final:
            return at
        quote = self._around.closing_quote()
        if (quote and follows == quote) or follows.islower() or follows in (",", ")"):
            self._around.saw(self._outbox.let_go_as_text())
        else:
            self._outbox.let_go()
            self._around.restart()
        self._mode = self._in_prose
        return at

    # -- fences ---------------------------------------------------------------------------

    def _open_fence(self, fence: re.Match[str], at: int) -> int:
        """A fence begins: perhaps one around a call, which its end and what follows decides."""
        if not self._outbox.withholding:
            self._outbox.withhold(self._base + at)
        self._outbox.keep(fence.group())
        self._outbox.repairs = (Repair("fenced", Grade.GUESSED),)
        self._fence = CodeFence(fence.group(1))
        self._mode = self._in_fence
        return fence.end()

    def _in_fence(self, text: str, at: int, final: bool) -> int:
        """In a fence that has held nothing but calls so far."""
        space = _SPACE.match(text, at)
        if space:
            self._outbox.keep(space.group())
            return space.end()
        assert self._fence is not None, "a fence is open"
        end = self._fence.closes(text, at, final)
        if end == NO:
            return self._in_fence_content(text, at, final)
        if end != MORE:
            self._outbox.keep(text[at:end])
            self._mode = self._behind_fence
            if not self._fence.holds_call:
                self._show_withheld()
            self._fence = None
            return end
        return at

    def _in_fence_content(self, text: str, at: int, final: bool) -> int:
        landmark, end = self._landmarks.at(text, at, final)
        key = _MORE_KEY if end == MORE else _leading_key(text, at, final)
        if key == _MORE_KEY:
            return at
        if landmark is Landmark.CALL:
            return self._at_call(text, at, end)
        if key in self._lead_keys:
            self._begin_bare(at)
        else:
            self._show_withheld()
            self._mode = self._in_code
        return at

    def _in_code(self, text: str, at: int, final: bool) -> int:
        """In a fence that shows code, or an example: all of it is text."""
        assert self._fence is not None, "a fence is open"
        stop, closed = self._fence.code(text, at, final)
        self._outbox.text(text[at:stop], self._base + at)
        if closed:
            self._fence = None
            self._mode = self._in_prose
            self._around.restart()
        return stop

    def _behind_fence(self, text: str, at: int, final: bool) -> int:
        """Behind a fence around calls: they are meant if nothing more is said."""
        space = _SPACE.match(text, at)
        if space:
            self._outbox.keep(space.group())
            return space.end()
        fence = FENCE.match(text, at)
        if fence:
            return self._open_fence(fence, at)
        landmark, end = self._landmarks.at(text, at, final)
        if end == MORE or (not final and FENCE_BEGUN.match(text, at)):
            return at
        if landmark is Landmark.LEAK:
            self._outbox.keep(text[at:end])
            return end
        self._mode = self._in_prose
        self._around.restart()
        if landmark is Landmark.RESULT:
            self._outbox.let_go()
        else:
            self._show_withheld()
        return at

    def _show_withheld(self) -> None:
        self._mode = self._in_prose
        self._outbox.repairs = ()
        self._around.saw(self._outbox.let_go_as_text())

    # -- the end --------------------------------------------------------------------------

    def _begin_cut(self, at: int, *, fabricated: bool = True) -> int:
        """From here on nothing is the model's to say."""
        self._cut = StringIO()
        self._cut_start = self._base + at
        self._fabricated = fabricated
        self._mode = self._in_cut
        return at

    def _in_cut(self, text: str, at: int, final: bool) -> int:
        assert self._cut is not None, "the reply was cut"
        self._cut.write(text[at:])
        return len(text)

    def _end_cut(self) -> None:
        if self._cut is None or not self._fabricated:
            return
        raw = self._cut.getvalue()
        span = Span(self._cut_start, self._cut_start + len(raw))
        message = "you wrote a tool result yourself; only the tool's real result counts"
        problem = CallProblem(ProblemKind.FABRICATED_RESULT, message, raw, span)
        self._outbox.rejected(None, problem)


_POLICIES = {
    Standing.PLAIN: _Policy.RUN,
    Standing.SHOWN: _Policy.SHOW,
    Standing.WOVEN: _Policy.ASK_NEXT,
}


def _leading_key(text: str, at: int, final: bool) -> str:
    """The first member of the object, or of the first object in the list, that begins at *at*.

    Empty where there is none; ``_MORE_KEY`` where it cannot be said yet.
    """
    lead = _LEAD.match(text, at)
    if lead is None:
        return _MORE_KEY if not final and _LEAD_BEGUN.match(text, at) else ""
    key, after = lead.groups()
    return _MORE_KEY if not after and not final else str(key)
