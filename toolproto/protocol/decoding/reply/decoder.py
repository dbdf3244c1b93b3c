"""The decoder of replies: events out of chunks.

A chunk takes one of four ways. Most are prose in which nothing could begin anything, more of the
code in a fence, or more of a long string argument (`hot_string.py`): these go out at once. Any
other one is for the reader that knows everything a reply can hold (`reader.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from types import MethodType
from typing import Any

from ...errors import UsageError
from ...events import Event, NewText, TextDelta, text_delta
from ...finish_reasons import cut_reason
from ...messages import IdFactory, Span
from ...tools.spec import ToolOffer
from ..contract import Limits
from ..hot_string import StringFeed, string_feed
from ..markers import MORE, NO
from ..pieces import MOST_PIECES
from ..place import Place
from ..reply_form import ReplyForm
from .attempts import PassedOver
from .events_out import EventsOut
from .reader import ReplyReader
from .thinking_tokens import Reasoning

_WORD = re.compile(r"[^\W\d]\w{0,127}+")
_BLANK = re.compile(r"\s++\Z")
_tuple = tuple.__new__  # a NamedTuple's own way to be made takes twice as long


class ReplyDecoder:
    """Reads one reply. See :class:`~toolproto.protocol.decoding.contract.Decoder` for what it
    promises."""

    def __init__(
        self,
        form: ReplyForm,
        offer: ToolOffer,
        *,
        ids: IdFactory,
        reasoning: Reasoning,
        limits: Limits,
        name: str = "any form",
    ) -> None:
        #: Beside whatever is raised: the paradigm may be somebody else's, and at fault.
        self._read_as = f"while a reply was read as {name}"
        self._out = EventsOut(ids)
        self._reader = ReplyReader(form, offer, self._out, reasoning, limits)
        self._prose = _prose_feed(self._reader, self._read)
        # Who calls ``feed`` gets there directly: the detour would be a tenth of the cost.
        self.__dict__["feed"] = self._prose
        self._finished = False
        self._string: StringFeed | None = None  # while a string argument is being read
        #: Whether the rest of the reply is not the model's to say: a result, another's turn. No
        #: property, since it is asked for every token.
        self.is_over = False

    @property
    def passed_over(self) -> Sequence[PassedOver]:
        """What was read like a call so far and is none, because of where it stands."""
        return self._reader.passed_over

    @property
    def standing(self) -> Place:
        """Where a call would stand that began behind all that was fed."""
        return self._reader.standing

    @property
    def stands_fenced(self) -> bool:
        """Would such a call stand in a fence that holds nothing but calls?"""
        return self._reader.stands_fenced

    def feed(self, chunk: str) -> list[Event]:
        """Read on."""
        return self._read_on(chunk)

    def finish(self, reason: str | None = None) -> list[Event]:
        """Say that the reply is over, and for which *reason*, in the words of any service.

        A reason that means neither "done" nor "calls" marks an open call as truncated.
        """
        if self._finished:
            raise UsageError("finish() twice: make a new decoder for each reply")
        self._finished = True
        self._leave_string()
        del self._prose, self.__dict__["feed"]  # which hold this decoder: it would be garbage
        try:
            self._reader.finish(cut_reason(reason))
        except Exception as error:
            error.add_note(self._read_as)
            raise
        return self._out.take()

    def _read_on(self, chunk: str) -> list[Event]:
        self._leave_string()
        return self._read(chunk)

    def _read(self, chunk: str) -> list[Event]:
        if self._string is not None:  # somebody kept the ``feed`` of before the string
            return self._string.feed(chunk)
        if self._finished:
            raise UsageError("feed() after finish(): make a new decoder for each reply")
        reader = self._reader
        try:
            reader.read(chunk)
        except Exception as error:
            error.add_note(self._read_as)
            raise
        self.is_over = reader.is_over
        if (string := reader.streaming) is not None:
            # What comes is left to the hot path while reading stands in a string that may go out.
            source = reader.source
            self._string = string_feed(string, source.base, source.text, self._read_on)
            self.__dict__["feed"] = self._string.feed
        return self._out.take()

    def _leave_string(self) -> None:
        if self._string is not None:
            source = self._reader.source
            source.base, source.text = self._string.leave()
            self._string = None
            self.__dict__["feed"] = self._prose


def _prose_feed(
    reader: ReplyReader, otherwise: Callable[[str], list[Event]]
) -> Callable[[str], list[Event]]:
    """What takes in a chunk: prose behind prose in which nothing could begin anything at once.

    Any other chunk is for *otherwise*. Most chunks of most replies are such prose, so this is
    the path that counts: a tenth of reading, with everything in one function, since each
    further call would be a tenth of it.
    """
    landmarks, place, source = reader.landmarks, reader.place, reader.source
    plain, tells, unseen = landmarks.plain, landmarks.telling.search, place.unseen

    def feed(reader: ReplyReader, text: str) -> list[Event]:
        calm = reader.calm
        if not calm and not (reader.quiet and _begins_nothing(reader, text, 0)):
            if reader.holds:
                return _behind_held(reader, text, otherwise)
            takes = reader.takes
            return _more(reader, text) if takes and text and takes(text) else otherwise(text)
        if not calm or text not in plain:  # few words of a text are new
            if not text or ((found := tells(text)) and _is_telling(reader, found)):
                return otherwise(text)
            landmarks.found_plain(text)
            line = text.rfind("\n") + 1
            if line or not calm:
                reader.line_begins = not text[line:].strip()
                reader.calm = not reader.line_begins
        start = source.base
        source.base = end = start + len(text)
        unseen.append(text)
        if len(unseen) > MOST_PIECES:
            place.join()
        delta: Any = NewText()
        delta.text = text
        delta.span = _tuple(Span, (start, end))
        delta.__class__ = TextDelta
        return [delta]

    return MethodType(feed, reader)  # a method, as whoever keeps it in a class of theirs expects


def _is_telling(reader: ReplyReader, found: re.Match[str] | None) -> bool:
    """Is anything in a text telling, of which *found* is the first thing that may be?

    Most lines begin with a word, which might be a tool's name or a label, and is neither.
    """
    while found and found.group() == "\n":
        text, line = found.string, found.end()
        if not _begins_nothing(reader, text, line):
            return True
        found = reader.landmarks.telling.search(text, line)
    return found is not None


def _begins_nothing(reader: ReplyReader, text: str, line: int) -> bool:
    """Does a line begin at *line* with no tool's name and no label? Behind space that is open."""
    if not reader.landmarks.line_begins(text, line) or _BLANK.match(text, line):
        return True
    word = _WORD.match(text, line)
    return (
        word is not None
        and not reader.bare.may_name(word.group())
        and reader.landmarks.lines.end_at(text, line, False) == NO
    )


def _behind_held(
    reader: ReplyReader, text: str, otherwise: Callable[[str], list[Event]]
) -> list[Event]:
    """Prose behind what might have begun something, and did not, or still may."""
    source = reader.source
    source.text = text = source.text + text
    stop, found = ahead = reader.next_telling(0)
    if (found is not None and found != MORE) or "\n" in text:
        reader.ahead = ahead
        return otherwise("")
    if found is None:
        reader.holds, reader.quiet = False, True
    if not stop:
        return []
    piece, source.text = text[:stop], text[stop:]
    reader.place.feed(piece)
    reader.line_begins = reader.line_begins and not piece.strip()
    reader.calm = reader.quiet and not reader.line_begins
    source.base += stop
    return [text_delta(piece, source.base - stop)]


def _more(reader: ReplyReader, text: str) -> list[Event]:
    """The event of *text*, which only goes on with that in which reading rests."""
    reader.source.base += len(text)
    return [text_delta(text, reader.source.base - len(text))]
