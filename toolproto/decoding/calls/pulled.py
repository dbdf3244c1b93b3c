"""Drives the generator that reads calls: the same for every family that is written as one.

A family says its grammar as sequential code over a :class:`~toolproto.decoding.source.Source`.
What is the same for all of them stands here: limits, a reply that is cut, and passing over what
cannot be read, so that nobody takes its rest for text.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from io import StringIO

from ...messages import CallProblem, ProblemKind, Repair, Span
from ..call_draft import CallSetting
from ..quoted_text import QuotingCall
from ..scanner import Marker
from ..source import Pull, Source
from ..strict import Refused
from ..string_feed import StreamedString

__all__ = ["NoCall", "PulledCalls"]


class NoCall(Exception):
    """What is read turns out to be no call."""


class PulledCalls(ABC):
    """Reads calls whose text begins at *start* in the reply.

    See :class:`~toolproto.decoding.json_calls.JsonCalls` for the members. *lead* is text of them
    that was read before, *drift* is how they depart from the asked form, and *ends* are the markers
    that no call goes on behind.
    """

    interrupted = False

    def __init__(
        self,
        setting: CallSetting,
        *,
        start: int,
        lead: str = "",
        drift: tuple[Repair, ...] = (),
        ends: Sequence[Marker] = (),
    ) -> None:
        self._setting, self._start, self._drift = setting, start, drift
        self._lead = StringIO()  # text of it, until there is a call to take it
        self._lead.write(lead)
        self._source = Source(ends)
        self._reading = self._read()
        self._call: QuotingCall | None = None
        self._written = 0  # how much of the source's text the call has been given
        self._hot: Callable[[], StreamedString | None] | None = None  # while in a string
        self._faulty = False
        self.done = self.committed = self.refused = False

    @abstractmethod
    def grammar(self, source: Source) -> Pull[None]:
        """Read the call: :meth:`open` it, tell it its arguments. Raises Refused, or NoCall."""

    @property
    def streaming(self) -> StreamedString | None:
        """The string argument in which reading stands, if that is so."""
        waits_inside = self._source.at < len(self._source.text)  # for the rest of an escape, say
        return None if self._hot is None or waits_inside else self._hot()

    def take_pushback(self) -> str:
        """Nothing is ever read beyond the end of a call."""
        return ""

    @property
    def meant(self) -> bool:
        """Is it certain that this is a call, so that a cut makes it a truncated one?"""
        return self._call is not None

    def open(self, name: str, id: str = "") -> QuotingCall:
        """It is a call of *name*, which may have given itself an *id*."""
        if self._setting.gated and not self._setting.offered.knows(name):
            raise NoCall
        self._call = QuotingCall(self._setting, self._start, name, id=id, drift=self._drift)
        self._call.write(self._lead.getvalue())
        self.committed = True
        self._limit()
        return self._call

    def feed(self, text: str, at: int, base: int, final: bool) -> int:
        """Read on from *at* in *text*, whose first character is *base* in the reply."""
        source, cut = self._source, final and self._setting.outbox.cut
        source.text, source.at, source.base, source.final = text, at, base, final and not cut
        self._written = at
        self._limit()
        self._resume()
        self._write()
        if not self.done and len(source.text) < len(text):
            limit = self._setting.limits.characters
            self._resume(Refused(ProblemKind.TOO_LARGE, f"longer than {limit} characters"))
            return self.feed(text, source.at, base, final)
        if cut and self.meant and not self.done:
            source.at = len(text)  # what is left waits for what will not come
            self._write()
            self.finish("length")
            return len(text)
        if cut and not self.done:
            source.final = True
            self._resume()
        return source.at

    def finish(self, reason: str | None) -> None:
        """The reply is over inside the call."""
        self._source.text, self._source.at, self._source.final = "", 0, True  # all was read
        self._written = 0
        if not self.meant:
            self.refused = self.done = True
        elif reason == "length":
            self._resume(Refused(ProblemKind.TRUNCATED, "it is cut short"))
        self._resume()

    def _limit(self) -> None:
        """A call ends at its limit however the text was cut into chunks."""
        if self._call is not None and not self._faulty:
            whole, limit = self._source.text, self._written + self._call.room
            self._source.text = whole[:limit]
            self._source.final = self._source.final and limit >= len(whole)

    def _resume(self, fault: Refused | None = None) -> None:
        if self.done:
            return
        try:
            if fault is None:
                next(self._reading)
            else:
                self._reading.throw(fault)
        except StopIteration:
            self.done = True

    def _read(self) -> Pull[None]:
        """The grammar, and what is done when it does not hold."""
        try:
            yield from self.grammar(self._source)
        except NoCall:
            self.refused = True
        except Refused as fault:
            yield from self._rejected(fault)
        else:
            self._write()
            if self._call is not None:  # else another reader has told of it
                self._call.complete()

    def _rejected(self, fault: Refused) -> Pull[None]:
        """Pass over the rest of the call."""
        self._faulty, self._hot = True, None
        with suppress(Refused):  # when it is cut, too
            yield from self.pass_over(self._source)
        self._write()
        self.reject(fault)

    def pass_over(self, source: Source) -> Pull[None]:
        """Read on to where a call ends that cannot be read."""
        yield from source.pass_over()

    def reject(self, fault: Refused) -> None:
        """Say what is wrong with the call, also if its name has not come."""
        self.committed = True
        if self._call is not None:
            self._call.reject(fault.kind, fault.message)
            return
        raw = self._lead.getvalue()
        span = Span(self._start, self._start + len(raw))
        self._setting.outbox.rejected(None, CallProblem(fault.kind, fault.message, raw, span))

    def _write(self) -> None:
        """Keep what was read since the last time."""
        if not self.done:
            kept = self._lead if self._call is None else self._call
            kept.write(self._source.text[self._written : self._source.at])
        self._written = self._source.at
