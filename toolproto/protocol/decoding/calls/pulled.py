"""Drives the generator that reads calls: the same for every family that is written as one.

A family says its grammar as sequential code over a
:class:`~toolproto.protocol.decoding.source.Source`. What is the same for all of them stands here:
limits, a reply that is cut, and passing over what cannot be read, so that nobody takes its rest for
text.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from io import StringIO
from typing import Any

from ...messages import Grade, ProblemKind, Repair
from ..faults import Refused, cut_short
from ..hot_string import StreamedString
from ..source import Pull, Source
from .record import Beginning, CallRecord

#: What ends a call did not come, and nor did anything else: it may have had more to say.
MISSING_CLOSER = Repair("missing_closer", Grade.GUESSED)
NO_ARGUMENTS = Repair("empty_arguments")


class NoCall(Exception):
    """What is read turns out to be no call."""


class PulledCalls(ABC):
    """Drives the grammar of one body of calls over its text as that comes.

    The grammar opens, tells and completes them one by one. See ``JsonCalls`` for the members.
    """

    is_call = False  # whatever is wrong with it, even before it has said of what
    pushback = ""  # nothing is ever read beyond the end of a call

    def __init__(self, begun: Beginning) -> None:
        self._begun, self._setting, self.depth = begun, begun.setting, begun.setting.depth
        self.source = Source(begun.ends)
        self._reading = self._read()
        self._all, self._final = "", False  # what was given, of which the source has a part
        self._written = 0  # how much of the source's text the call has been given
        self._repairs = begun.repairs
        self._lead = StringIO()  # text of it, until there is a call to take it
        self._lead.write(begun.lead)
        self._call: CallRecord | None = None
        self.hot: Callable[[], StreamedString | None] | None = None  # while in a string
        self.done = self.committed = self._faulty = self.refused = False

    @abstractmethod
    def grammar(self, source: Source) -> Pull[None]:
        """Read the calls: open each, tell it its arguments, complete it. Raises Refused, NoCall."""

    @property
    def streaming(self) -> StreamedString | None:
        """The string argument in which reading stands, if that is so."""
        waits_inside = self.source.at < len(self.source.text)  # for the rest of an escape, say
        return None if self.hot is None or waits_inside else self.hot()

    def feed(self, text: str, at: int, base: int, final: bool) -> int:
        """Read on from *at* in *text*, whose first character is *base* in the reply.

        What is open where a limit cut the reply is cut short.
        """
        cut = final and self._setting.out.cut
        self.source.at, self.source.base, self._written = at, base, at
        self._all, self._final = text, final and not cut
        self._resume()
        while not self.done and len(self.source.text) < len(text):  # its limit ends a call
            limit = self._setting.limits.characters
            self._resume(Refused(ProblemKind.TOO_LARGE, f"longer than {limit} characters"))
        if cut:
            self._final = True
            if self.meant and not self.done:
                self.source.at = len(text)  # what is left waits for what will not come
                self._resume(cut_short())
            self._resume()
        return self.source.at

    def limit(self) -> None:
        """A call ends at its limit however the text was cut into chunks."""
        whole, bounded = self._all, self._bounded
        if bounded is not None:
            whole = whole[: self._written + bounded.room]
        self.source.text = whole
        self.source.final = self._final and len(whole) == len(self._all)

    def _resume(self, fault: Refused | None = None) -> None:
        if self.done:
            return
        self.limit()
        try:
            if fault is None:
                next(self._reading)
            else:
                self._reading.throw(fault)
            self.write()
            if self._call is not None:
                self._call.send()
        except StopIteration:
            self.done = True

    # -- the call -------------------------------------------------------------------------

    @property
    def meant(self) -> bool:
        """Is it certain that this is a call, so that a cut makes it a truncated one?"""
        return self._call is not None

    def open(self, name: str, id: str = "") -> CallRecord:
        """It is a call of *name*, which may have given itself an *id*."""
        if self._setting.only_offered and not self._setting.offered.knows(name):
            raise NoCall
        self._call = CallRecord(
            self._setting, self._begun.start, name, id=id, repairs=self._repairs
        )
        self._call.write(self._lead.getvalue())
        self.committed = True
        self.limit()
        return self._call

    def tell(self, arguments: Mapping[str, Any], *repairs: Repair) -> None:
        """These are arguments of the call, all at once."""
        assert self._call is not None, "opened before"
        self._call.mended(*repairs)
        for key, value in arguments.items():
            self._call.argument(key, value)

    def complete(self, *repairs: Repair) -> None:
        """The call is whole."""
        assert self._call is not None, "opened before"
        self.write()
        self._call.complete(*repairs)

    def unclosed(self) -> Repair:
        """The reply is over where the call may be: a guess, and not even that if it was cut."""
        if self._setting.out.cut:
            raise cut_short()
        return MISSING_CLOSER

    def mended(self, *repairs: Repair) -> None:
        """The call, or the one that may come, departs from the asked form in this."""
        if self._call is not None:
            self._call.mended(*repairs)
        else:
            self._repairs = tuple(dict.fromkeys((*self._repairs, *repairs)))

    def write(self) -> None:
        """Give the call the text that was read, or keep it for the one that may come."""
        kept = self._lead if self._call is None else self._call
        kept.write(self.source.text[self._written : self.source.at])
        self._written = self.source.at

    @property
    def _bounded(self) -> CallRecord | None:
        """The call whose limit is that of the text, if one is being read."""
        return None if self._faulty else self._call

    def _read(self) -> Pull[None]:
        """The grammar, and what is done when it does not hold."""
        try:
            yield from self.grammar(self.source)
        except NoCall:
            self.refused = True
        except Refused as fault:
            self.write()
            if self.committed or self.is_call:
                yield from self._rejected(fault)
            else:
                self.refused = True

    def _rejected(self, fault: Refused) -> Pull[None]:
        """Pass over the rest of the call."""
        self._faulty, self.hot = True, None
        self.limit()
        try:
            yield from self.pass_over(self.source)
        except Refused as cut:
            if fault.kind is ProblemKind.MALFORMED:
                fault = cut  # its end did not come, and that is to be said first
        self.write()
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
        raw, start = self._lead.getvalue(), self._begun.start
        self._setting.out.rejected_text(fault.kind, fault.message, raw, start)


class NoArguments(PulledCalls):
    """A name with what closes the call right behind it."""

    is_call = True

    def grammar(self, source: Source) -> Pull[None]:
        """Nothing: the name was read."""
        head = self._begun.head
        assert head is not None, "a name was read"
        self.open(head.name, head.id)
        self.complete(NO_ARGUMENTS)
        yield from ()


#: Makes the reader of calls that have begun.
MakesReader = Callable[[Beginning], PulledCalls]
