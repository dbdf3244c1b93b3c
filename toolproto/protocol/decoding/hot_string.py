"""The hot path: a long string argument, of which most chunks hold nothing to look at.

A token of such a string may cost about a microsecond, its event included. That is why this is a
closure and not a class, why the decoder calls it without a detour, why a chunk is asked plain
questions before any pattern sees it, and why it is asked none at all when it has come before:
models write in tokens, of which a text has few different ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from json.encoder import encode_basestring
from typing import Any

from ..events import ArgumentsDelta, Event, NewArguments, arguments_delta

# Chunks that are remembered while a string is read, and how long they may be: nearly all tokens
# of source code, in two megabytes at most. So many, and those that come before it is looked again,
# are as full as a dict gets before it doubles. Fewer do not stand alone, as half an escape.
_MOST_KNOWN = 10_922 - 256
_MOST_PARTED = 2730
_LONGEST_KNOWN = 16
# So many are taken in together, if they are not long: a StringIO keeps every piece it is given, and
# a piece of four characters takes as much memory as one of fifty.
_TOGETHER = 256
_LONG = 64  # and nothing longer is taken in without a look
# Nobody counts what was not taken in yet, so that much room has to be left for it.
_MARGIN = _TOGETHER * _LONG
_no_event = dict[str, Event | None]().get
#: The event of what goes on with a string, that itself, and what is held behind it.
_Parted = tuple[Event | None, str, str]


@dataclass(frozen=True, slots=True)
class StreamedString:
    """A string argument that is being read, of the announced call *index*.

    *stop* says how much of a text certainly goes on with it, or -1 if the text has to be read, and
    *take* takes that much in. There is *room* for that many characters more.

    A chunk of some length in which *special* finds nothing goes on with it whatever follows, and
    stands for itself: neither *stop* need be asked, nor *decode*, which gives what text stands for.
    What is *quoted* stands there as between the quotes of JSON. Of what has no *index* nothing is
    told.
    """

    stop: Callable[[str], int]
    take: Callable[[str], object]
    room: int
    special: re.Pattern[str]
    index: int | None = None
    decode: Callable[[str], str] | None = None
    quoted: bool = False

    def as_json(self, text: str) -> str:
        """What *text* is between the quotes of JSON."""
        if self.quoted:
            return text
        return encode_basestring(self.decode(text) if self.decode else text)[1:-1]


@dataclass(slots=True)
class StringFeed:
    """*feed* takes in a chunk. *leave* ends that: it says what *feed* has not taken in, and where
    in the reply that begins.
    """

    feed: Callable[[str], list[Event]]
    leave: Callable[[], tuple[int, str]]


def string_feed(
    string: StreamedString, base: int, text: str, read: Callable[[str], list[Event]]
) -> StringFeed:
    """Take in text for as long as it only goes on with *string*; *read* gets any other chunk.

    *text*, which begins at *base* in the reply, has come but is not taken in (half an escape, say).
    """
    index, quoted, room, until = string.index, string.quoted, string.room, base + string.room
    special, stop, as_json = string.special.search, string.stop, string.as_json
    known: dict[str, Event | None] = {}  # of no text there is no event
    parted: dict[str, _Parted] = {}
    at_once, event_of, longest = known.get, _no_event, _LONGEST_KNOWN
    kept: list[str] = []
    keep, over = kept.append, False

    def feed(chunk: str) -> list[Event]:
        event: Any = event_of(chunk)
        if event is None:
            length = len(chunk)
            if event_of is _no_event or not 0 < length <= _LONG or special(chunk):
                return look(chunk)
            # As arguments_delta() does: a call would be a tenth of what this takes.
            event = NewArguments()
            event.index = index
            event.text = chunk if quoted else encode_basestring(chunk)[1:-1]
            event.__class__ = ArgumentsDelta
            if length <= longest:
                known[chunk] = event
        keep(chunk)
        if len(kept) >= _TOGETHER:
            flush()
        return [event]

    def look(chunk: str) -> list[Event]:
        """Take in a chunk that has something special, or does not stand alone; or have it read."""
        nonlocal text, event_of
        whole = text + chunk
        found = parted.get(whole)
        if found is None:
            certain = len(whole) if text and not special(whole) else stop(whole)
            if over or certain < 0 or certain > room - _MARGIN:
                return read(chunk)
            piece = whole[:certain]
            told = arguments_delta(index or 0, as_json(piece)) if piece else None
            found = told, piece, whole[certain:]
            if certain == len(whole) == len(chunk) <= longest:
                known[chunk] = told  # it stands alone, as one without anything special does
            else:
                _remember(whole, found, parted)
        event, piece, text = found
        event_of = _no_event if text else at_once
        keep(piece)
        if len(piece) > _LONG or len(kept) >= _TOGETHER:
            flush()
        return [event] if event else []

    def flush() -> None:
        nonlocal room, at_once, event_of, longest
        pieces = "".join(kept)
        kept.clear()
        string.take(pieces)
        room -= len(pieces)
        if over or room <= 2 * _MARGIN:
            at_once = _no_event
            known.clear()
            parted.clear()
        event_of = _no_event if text else at_once
        longest = _LONGEST_KNOWN if len(known) < _MOST_KNOWN else 0

    def leave() -> tuple[int, str]:
        nonlocal over
        # Somebody may have kept ``decoder.feed``: from now on it hands every chunk on.
        over = True
        flush()
        return until - room, text

    flush()
    # Of a string without an index nothing is told until a chunk was read.
    return StringFeed(
        feed if index is not None else lambda chunk: told if (told := feed(chunk)) and over else [],
        leave,
    )


def _remember(whole: str, found: _Parted, parted: dict[str, _Parted]) -> None:
    if len(whole) <= _LONGEST_KNOWN and len(parted) < _MOST_PARTED:
        parted[whole] = found
