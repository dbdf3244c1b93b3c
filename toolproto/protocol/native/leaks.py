"""Calls that a service lost: it sent them as text, or as the end of a thought.

What comes is held back from an opener on until it is known whether a call stands there
(`openers.py`), or from the first character on if all of it may be a call without one (`bare.py`).
Whether it does, and whether the call is only shown, says the reader of replies in any form. What
turns out to be no call goes out as it came.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from ..decoding.calls.names import offered
from ..decoding.contract import Limits
from ..decoding.faults import cut_short, malformed
from ..decoding.markers import MORE, NO
from ..decoding.place import PLAIN
from ..decoding.reply.decoder import ReplyDecoder
from ..decoding.reply.landmarks import landmarks
from ..decoding.reply.marked import NO_CALL
from ..decoding.reply.thinking_tokens import Reasoning
from ..events import Event, ReasoningDelta, TextDelta, merge
from ..messages import CallProblem, IdFactory, ToolCall
from ..paradigms.salvage import any_decoder, any_form
from ..tools.spec import ToolOffer
from .bare import YES, may_be_bare
from .naming import named_tool
from .openers import LeakOpeners
from .region import LostCall, Region, TextRun
from .remains import remains

__all__ = ["Leak", "Leaks"]

#: So many characters are held back at most: a long file as an argument, and what is around it.
MOST_HELD = 262_144
# So much text that went out is kept to be read in one go, should a call follow.
_MOST_UNREAD = 65_536
# A call without a marker says within so much text which tool it is of.
_LONGEST_HEAD = 1024


class Leak(NamedTuple):
    """A call that was read out of text, or what is wrong with it; *arguments* are its JSON."""

    ending: ToolCall | CallProblem
    arguments: str


@dataclass(slots=True)
class _Held:
    """An event that is held back, and where its text begins; -1 if it only waits for others."""

    event: Event
    start: int = -1

    @property
    def text(self) -> str:
        """Its text, if that is watched."""
        return self.event.text if self.start >= 0 else ""  # type: ignore[union-attr]

    @property
    def end(self) -> int:
        """Where its text ends."""
        return self.start + len(self.text)

    def kept(self, parts: list[TextRun]) -> list[Event]:
        """It with only those *parts* of its text; nothing if there are none."""
        events: list[Event] = []
        for part in parts:
            if part.start >= self.end:
                break
            piece = self.text[max(part.start - self.start, 0) : part.end - self.start]
            thinks = part.thinks or isinstance(self.event, ReasoningDelta)
            if piece:
                events.append(ReasoningDelta(piece) if thinks else TextDelta(piece))
        return merge(events)


class Leaks:
    """Watches one text of an answer, its content or its thought, for calls of *offer* in it."""

    def __init__(
        self, offer: ToolOffer, *, ids: IdFactory, reasoning: Reasoning, limits: Limits
    ) -> None:
        self._offer, self._ids, self._limits = offer, ids, limits
        # What a template begins in the prompt, the service has told from the text.
        self._reasoning = replace(reasoning, starts_inside=False)
        self._offered = offered(offer)
        self._held: list[_Held] = []
        self._held_size = 0
        #: The calls that were lost, once the answer is over.
        self.leaks: list[Leak] = []
        self._is_over = False
        #: Was something taken out?
        self.changed = False
        self._begin()

    def _begin(self, *, may_be_bare: bool = True) -> None:
        """Read from here on as if nothing had come before."""
        self._openers = LeakOpeners(landmarks(any_form(), self._reasoning), self._offered)
        self._decoder: ReplyDecoder | None = None
        self._length = self._read_to = 0  # how much text came, and how much of it was read
        self._unread: list[str] = []
        self._waits = -1  # where text begins that more of it has to decide
        self._region = Region(self._offer)
        self._head: str | None = "" if may_be_bare else None  # of what may be a bare call
        self._is_bare = False
        self._named = False  # is a tool named behind an opener, where no call can be read?
        self._nameless: set[int] = set()  # openers behind which none is
        self._misses = 0  # openers that stand where calls are shown

    @property
    def holding(self) -> bool:
        """Is something held back?"""
        return bool(self._held)

    def feed(self, event: TextDelta | ReasoningDelta) -> list[Event]:
        """Take in what comes next; return what may go out."""
        text = event.text
        if self._is_over or not text:
            return self.behind(event)
        seen = self._openers.seen(text)
        self._length += len(text)
        self._unread.append(text)
        self._waits = seen.waits
        may_be_bare = self._head is not None and not (self._head == "" and text.isspace())
        if not (self._held or seen.openers or seen.waits >= 0 or may_be_bare):
            if self._length - self._read_to > _MOST_UNREAD:
                self._read(self._length)
            return [event]
        self._held.append(_Held(event, self._length - len(text)))
        self._held_size += len(text)
        for opener in seen.openers:
            self._meet(opener)
        self._look_at_start(text)
        if self._region.openers or self._is_bare:
            self._read(self._length if seen.waits < 0 else seen.waits)
        return self._decided()

    def behind(self, event: Event) -> list[Event]:
        """Take in an event of something else, which keeps its place behind what is held back."""
        if not self._held:
            return [event]
        self._held.append(_Held(event))
        return []

    def release(self) -> list[Event]:
        """Let all that is held back go out as it came, and hold nothing back any more."""
        self._is_over = True
        return self._released()

    def beside_calls(self) -> list[Event]:
        """The service sends calls of its own: a leak beside them goes, and is no second call."""
        self._head = None if not self._held else self._head
        if not self._length:
            return []
        kept = self._beside_calls() if self._held else []
        self._begin(may_be_bare=False)
        return kept

    def finish(self, reason: str | None, *, at_end: bool = False) -> list[Event]:
        """The answer is over; what was lost in it is in :attr:`leaks`.

        With *at_end* a call counts only if no text follows it.
        """
        if self._held and self._decoder is not None and (self._region.openers or self._is_bare):
            self._read(self._length)
            begun = self._region.undecided
            self._region.note(self._decoder.finish(reason))
            reads = self._found() or self._broken(begun)
            if at_end:
                reads = [read for read in reads if read.span.start >= self._region.spoken_to]
            if reads:
                return self._settled(reads)
        return self._released()

    @property
    def _held_text(self) -> str:
        return "".join(each.text for each in self._held)

    @property
    def _held_start(self) -> int:
        return next((each.start for each in self._held if each.start >= 0), 0)

    # -- what is held back, and until when ------------------------------------------------

    def _meet(self, opener: int) -> None:
        """An opener stands there: may it open a call?"""
        region = self._region
        if self._misses >= self._limits.markers:
            return
        decoder = self._read(opener)
        if decoder.is_over:
            return
        asks = region.undecided is None and not region.has_lost
        if asks and decoder.standing == PLAIN and not decoder.stands_fenced:
            region.plain.add(opener)
        region.openers.append(opener)

    def _look_at_start(self, text: str) -> None:
        """May all of it be a call without a marker?"""
        if self._head is None or self._is_bare:
            return
        self._head = (self._head + text)[:_LONGEST_HEAD]
        verdict = may_be_bare(self._head, self._offered)
        self._is_bare = verdict == YES
        if verdict == NO or (verdict == MORE and len(self._head) == _LONGEST_HEAD):
            self._head = None

    def _decided(self) -> list[Event]:
        """What may go out, now that all is read that can be."""
        region = self._region
        if self._is_bare and region.has_said:
            self._head, self._is_bare = None, False
        waits = self._head is not None or region.has_lost or region.undecided is not None
        if waits or self._names_tool():
            return self._overflow() if self._held_size > MOST_HELD else []
        if self._decoder is not None and self._decoder.is_over:
            return self.release()  # behind a result that the model made up, nothing is read
        return self._released(self._waits)

    def _overflow(self) -> list[Event]:
        self._is_over = True
        reads = [] if self._head is not None else self._region.lost()
        return self._settled(reads) if reads else self._released()

    def _unread_openers(self) -> list[int]:
        return self._region.unread(self._decoder.passed_over if self._decoder else ())

    def _names_tool(self) -> bool:
        """Is a tool named behind an opener, or may it be, though no call can be read there?"""
        if self._named:
            return True
        unread = [opener for opener in self._unread_openers() if opener not in self._nameless]
        text, start = self._held_text if unread else "", self._held_start
        for opener in unread:
            named = self._named_behind(text[opener - start :])
            if named == NO:
                self._nameless.add(opener)
            else:
                self._named = isinstance(named, str)
                return True
        return False

    def _named_behind(self, text: str, *, final: bool = False) -> str | int:
        return named_tool(text, self._openers.at, self._offered, final=final)

    def _broken(self, begun: int | None) -> list[LostCall]:
        """The call that the answer ends in, if that names its tool and cannot be read.

        So it is if it has only *begun*, or if what ends the answer is what closes a call.
        """
        text, start = self._held_text, self._held_start
        for opener in self._unread_openers():
            raw, is_begun = text[opener - start :], begun is not None and opener >= begun
            name = self._named_behind(raw, final=True)
            if isinstance(name, str) and (is_begun or self._openers.begins_with_mark()):
                fault = cut_short() if is_begun else malformed(NO_CALL)
                return [self._region.broken(name, raw, opener, fault)]
        return []

    def _found(self) -> list[LostCall]:
        return self._region.bare() if self._is_bare else self._region.lost()

    # -- what goes out --------------------------------------------------------------------

    def _released(self, waits: int = -1) -> list[Event]:
        """What is held back, as it came; but not the text from *waits* on."""
        count = len(self._held)
        if waits >= 0:
            count = next((at for at, each in enumerate(self._held) if each.end > waits), count)
        released = [each.event for each in self._held[:count]]
        del self._held[:count]
        self._held_size = sum(len(each.text) for each in self._held)
        self._misses += len(self._region.openers)
        self._region = Region(self._offer)
        return released

    def _settled(self, reads: list[LostCall]) -> list[Event]:
        """What is held back, without *reads* and the markers around them."""
        self.leaks += [Leak(each.ending, "".join(each.written)) for each in reads if each.ending]
        text, start = self._held_text, self._held_start
        return self._cut(remains(self._region, reads, text, start, self._openers.at))

    def _beside_calls(self) -> list[Event]:
        reads = self._found()
        if reads:
            kept = self._settled(reads)
            self.leaks.clear()
            return kept
        end = self._region.undecided
        if end is None and self._openers.begins_with_mark():
            end = self._waits
        return self._released() if end is None else self._cut([TextRun(0, end)])

    def _cut(self, kept: list[TextRun]) -> list[Event]:
        """The parts of what is held back that are *kept*, event by event."""
        events, first = list[Event](), 0
        for held in self._held:
            while held.start >= 0 and first < len(kept) and kept[first].end <= held.start:
                first += 1
            events += held.kept(kept[first:]) if held.start >= 0 else [held.event]
        self._held, self._held_size, self._region = [], 0, Region(self._offer)
        self.changed = True
        return events

    def _read(self, stop: int) -> ReplyDecoder:
        """Have the text up to *stop* read; return what read it."""
        text = "".join(self._unread)
        size = stop - self._read_to
        self._unread, self._read_to = [text[size:]] if size < len(text) else [], stop
        if self._decoder is None:
            self._decoder = any_decoder(
                self._offer, ids=self._ids, reasoning=self._reasoning, limits=self._limits
            )
        self._region.note(self._decoder.feed(text[:size]))
        return self._decoder
