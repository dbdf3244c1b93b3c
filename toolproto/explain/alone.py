"""Which calls would be read out of a text if each stood in the open?

A decoder says nothing about a call that it passes over, because to it that is text. So every place
where one may begin is read again, alone, by a fresh decoder: what that takes for a call could be
read, and whatever kept it from being one lies around it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ..decoding.base import Decoder
from ..decoding.leaks import LEAKS
from ..events import CallCompleted, CallRejected, Event, ReasoningDelta, TextDelta
from ..messages import Span, ToolCall
from .guarding import paradigms_code

__all__ = ["Attempt", "LoneReader", "Search", "unquoted"]

#: Fed to a decoder first: most beginnings show at once that they are none.
_PIECE = 16
_FIRST_WORDS = 64
#: How often all characters of a text may be read, on average, and what a short one may cost at
#: least: a second or two, and some thousand beginnings.
_READINGS = 4
_AT_LEAST = 300_000
_QUOTE_LEAD = re.compile(r"^[ \t]{0,8}>(?:[ \t]{0,3}>){0,8}", re.MULTILINE)


class LoneReader(NamedTuple):
    """Who reads a call that stands alone.

    *decoder* makes a fresh one, or None, given the first words of what it is to read. It is tried
    where *starts* matches, and trying costs as much as reading *cost* characters.
    """

    decoder: Callable[[str], Decoder | None]
    starts: re.Pattern[str]
    cost: int = 100


@dataclass(frozen=True, slots=True)
class Attempt:
    """The calls that are read when reading begins at *start*; text goes on at *end*.

    *reader* is the number of the reader that took them.
    """

    calls: tuple[ToolCall, ...]
    start: int
    end: int
    reader: int


class Search:
    """Looks for calls with the first of *readers*, then with each other one in what is left.

    What all searches of one reply may cost is bounded: ``exhausted`` says that it was not enough.
    """

    def __init__(self, readers: Sequence[LoneReader], characters: int) -> None:
        self._readers = readers
        self._left = _READINGS * characters + _AT_LEAST

    @property
    def exhausted(self) -> bool:
        """Was there more to read than may be?"""
        return self._left <= 0

    def find(self, text: str, base: int) -> list[Attempt]:
        """The calls in *text*, whose first character is *base* in the reply."""
        found: list[Attempt] = []
        for number, reader in enumerate(self._readers):
            gaps = _gaps(found, base, base + len(text))
            pieces = [(text[start - base : end - base], start) for start, end in gaps]
            for piece, start in pieces:
                found += (Attempt(*each, number) for each in self._pass(reader, piece, start))
            found.sort(key=lambda attempt: attempt.start)
        return found

    def _pass(
        self, reader: LoneReader, text: str, base: int
    ) -> Iterator[tuple[tuple[ToolCall, ...], int, int]]:
        """The calls that *reader* finds in *text*, and from where to where each was read."""
        at = 0
        while not self.exhausted and (begins := reader.starts.search(text, at)):
            start = begins.start()
            self._left -= reader.cost
            decoder = reader.decoder(text[start : start + _FIRST_WORDS])
            found = self._read(decoder, text, start) if decoder is not None else None
            if found is None:
                at = start + 1
                continue
            calls, end = found
            at = max(end, start + 1)
            yield tuple(_moved(call, base + start) for call in calls), base + start, base + at

    def _read(self, decoder: Decoder, text: str, at: int) -> tuple[list[ToolCall], int] | None:
        """The calls that begin at *at*, and where the text goes on behind them."""
        calls: list[ToolCall] = []
        end: int | None = None
        for event in self._events(decoder, text, at):
            match event:
                case CallCompleted(call=call):
                    calls.append(call)
                case TextDelta(span=span) | ReasoningDelta(span=span):
                    end = span.start if span is not None else None
                    break
                case CallRejected():
                    break
        # A fence around it is what stands around it: it is read without, from further on.
        if not calls or any(repair.name == "fenced" for repair in calls[0].repairs):
            return None
        return calls, _end(calls, text, at, end)

    def _events(self, decoder: Decoder, text: str, at: int) -> Iterator[Event]:
        size = _PIECE
        while at < len(text) and not self.exhausted:
            piece = text[at : at + size]
            self._left -= len(piece)
            with paradigms_code("decoder"):
                events = decoder.feed(piece)
            yield from events
            at += size
            size *= 2
        if not self.exhausted:
            with paradigms_code("decoder"):
                events = decoder.finish()
            yield from events


def _end(calls: list[ToolCall], text: str, at: int, goes_on: int | None) -> int:
    """Where *calls* end that were read from *at*: with their markers, not with leaked tokens."""
    last = at + calls[-1].span.end
    if goes_on is None:
        return last
    leaks = (text.find(leak.text, last, at + goes_on) for leak in LEAKS)
    return min((leak for leak in leaks if leak >= 0), default=at + goes_on)


def _moved(call: ToolCall, by: int) -> ToolCall:
    return replace(call, span=Span(call.span.start + by, call.span.end + by))


def _gaps(found: Sequence[Attempt], start: int, end: int) -> Iterator[tuple[int, int]]:
    """What lies between *start* and *end*, but for what was *found*."""
    for attempt in found:
        yield start, attempt.start
        start = attempt.end
    yield start, end


def unquoted(text: str) -> str:
    """*text* with spaces for the marks of block quotes, which are no part of what is quoted."""
    return _QUOTE_LEAD.sub(lambda lead: " " * len(lead.group()), text)
