"""The inside of a marked call: JSON between an opening and a closing marker.

Usually that is one object. It may also be several in a row, a list, JSON in a code fence, or no
JSON at all; and the closing marker may be missing, misspelt, or the opening one again.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from io import StringIO

from ..messages import CallProblem, ProblemKind, Repair, Span
from .call_draft import CallSetting
from .json_calls import JsonCalls
from .scanner import MORE, NO, Marker
from .string_feed import StreamedString

__all__ = ["JsonBody"]

_SPACE = re.compile(r"[\s,;>\u200b-\u200f\u2060\ufeff]++")
_LEAD = re.compile(r"```[\w-]{0,20}+(?=\s)|`(?=[{\[])|json(?=\s)", re.IGNORECASE)
_LEAD_BEGUN = re.compile(r"(?:`{1,3}[\w-]{0,20}+|j(?:s(?:o(?:n)?)?)?)\Z", re.IGNORECASE)
# What a call has in it, in whatever form; words without any are only words.
_CALL_LIKE = re.compile(r"[{(\[=:\"]")
_TRAIL = frozenset("]})`")
_ANY_CLOSING_TAG = re.compile(r"<[/\\][\w:.-]{1,40}+>")
_CLOSING_TAG_BEGUN = re.compile(r"<(?:[/\\][\w:.-]{0,40}+)?\Z")
# A marker in the open that no JSON follows is only being talked about; this much text decides.
_LONGEST_TALK = 4096


class JsonBody:
    """Reads from behind an opening marker to behind the closing one.

    ``committed`` once it is certain that this is a call; ``refused`` if it was only talk, which a
    marker *in_sentence* may well be. The text of talk is the caller's, who has withheld it.
    """

    def __init__(
        self,
        setting: CallSetting,
        opener: Marker,
        closer: Marker,
        start: int,
        *,
        in_sentence: bool = False,
    ) -> None:
        self._setting = setting
        self._opener = opener
        self._closer = closer
        self._start = start
        self._in_sentence = in_sentence
        self._step: Callable[[str, int, int, bool], int] = self._before
        self._calls: JsonCalls | None = None
        self._talk = StringIO()
        self._marks = re.compile(f"[{re.escape(opener.first + closer.first)}]")
        self.committed = False
        self.refused = False
        self.done = False
        self._pushback = ""

    @property
    def streaming(self) -> StreamedString | None:
        """The string argument in which reading stands, if that is so."""
        return self._calls.streaming if self._calls is not None else None

    def take_pushback(self) -> str:
        """Text that was read but turned out to lie behind the end of a broken call."""
        pushback, self._pushback = self._pushback, ""
        return pushback

    def feed(self, text: str, at: int, base: int, final: bool) -> int:
        """Read on from *at* in *text*, whose first character is *base* in the reply."""
        while at < len(text) and not self.done and not self._pushback:
            step = self._step
            stop = step(text, at, base, final)
            if stop == at and self._step == step:
                break
            at = stop
        return at

    def finish(self, reason: str | None) -> None:
        """The reply is over, without a closing marker."""
        if self._calls is not None:
            self._calls.finish(reason)
            self._take_from_json()
        elif not self.committed:
            self.refused = self._in_sentence or self._step != self._before
        if not self._pushback:
            self._close(Repair("missing_closer"))

    def _before(self, text: str, at: int, base: int, final: bool) -> int:
        space = _SPACE.match(text, at)
        if space:
            return space.end()
        if text[at] in "{[":
            self._open_json()
            return at
        lead = _LEAD.match(text, at)
        if lead:
            self._setting.outbox.repairs += (Repair("fence_in_marker"),)
            return lead.end()
        end = self._closer.at(text, at, final)
        again = self._opener.at(text, at, final)
        if MORE in (end, again) or (not final and _LEAD_BEGUN.match(text, at)):
            return at
        if again != NO:
            return again
        if end != NO:
            self._reject("it is empty", "", base + at)
            self.done = True
            return end
        self._step = self._in_talk
        self._start = base + at
        return at

    def _open_json(self) -> None:
        self.committed = True
        self._setting.outbox.linger = True  # until it shows how the marker is closed
        self._step = self._in_json
        self._calls = JsonCalls(self._setting, marked=True, ends=(self._closer, self._opener))

    def _in_json(self, text: str, at: int, base: int, final: bool) -> int:
        assert self._calls is not None, "opened before"
        stop = self._calls.feed(text, at, base, final)
        if self._calls.interrupted:
            self._calls.finish(None)
        self._take_from_json()
        return stop

    def _take_from_json(self) -> None:
        calls = self._calls
        assert calls is not None, "opened before"
        self._pushback = calls.take_pushback()
        if calls.done:
            if calls.refused:
                self._reject("there is no call in it", "", self._start)
            self._calls = None
            self._step = self._between

    def _between(self, text: str, at: int, base: int, final: bool) -> int:
        end = self._closer.at(text, at, final)
        if end == NO:
            return self._between_calls(text, at, final)
        return self._end(text, at, end, final)

    def _between_calls(self, text: str, at: int, final: bool) -> int:
        outbox = self._setting.outbox
        space = _SPACE.match(text, at)
        if space:
            return at + 1
        if text[at] in "{[":
            outbox.settle(Repair("several_calls_in_marker"))
            self._open_json()
            return at
        if text[at] in _TRAIL:
            outbox.amend(Repair("extra_closer"))
            return at + 1
        return self._end(text, at, NO, final)

    def _end(self, text: str, at: int, end: int, final: bool) -> int:
        """No call comes any more; *end* is where the closing marker ends, if one is there."""
        if end == MORE or (end == NO and not final and _CLOSING_TAG_BEGUN.match(text, at)):
            return at
        if end != NO:
            self._close()
            return end
        other = _ANY_CLOSING_TAG.match(text, at)
        if other:
            self._close(Repair("other_closer", detail=other.group()))
            return other.end()
        self._close(Repair("missing_closer"))
        return len(text) if final and self._closer.begun(text, at) else at

    def _close(self, *repairs: Repair) -> None:
        self.done = True
        self._setting.outbox.settle(*repairs)
        self._setting.outbox.linger = False

    def _in_talk(self, text: str, at: int, base: int, final: bool) -> int:
        """No JSON: a broken call if the closing marker comes, otherwise talk about one."""
        end = self._closer.at(text, at, final)
        again = self._opener.at(text, at, final)
        if MORE in (end, again):
            return at
        talk = self._talk.getvalue()
        if end != NO and (not self._in_sentence or _CALL_LIKE.search(talk)):
            self._reject("there is no JSON in it", talk, self._start)
            self.done = True
            return end
        room = _LONGEST_TALK - self._talk.tell()
        if end != NO or again != NO or room <= 0:
            self.refused = self.done = True
            return at
        mark = self._marks.search(text, at + 1)
        stop = min(mark.start() if mark else len(text), at + room)
        self._talk.write(text[at:stop])
        return stop

    def _reject(self, fault: str, raw: str, start: int) -> None:
        self.committed = True
        wants = self._setting.shape.wants()
        message = f"{fault}; expected {wants}"
        span = Span(start, start + len(raw))
        self._setting.outbox.rejected(None, CallProblem(ProblemKind.MALFORMED, message, raw, span))
