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

from ...events import Event

__all__ = ["StreamedString", "StringFeed", "string_feed"]

# Chunks that are remembered while a string is read, and how long they may be: nearly all tokens of
# source code, in two megabytes at most. So many are as full as a dict gets before it doubles. Fewer
# chunks have something held before them, or end in something that is held.
_MOST_KNOWN = 10_922
_MOST_PARTED = 2730
_LONGEST_KNOWN = 16
# So many are taken in together, if they are not long: a StringIO keeps every piece it is given, and
# a piece of four characters takes as much memory as one of fifty.
_TOGETHER = 256
_LONG = 64  # and nothing longer is taken in without a look
# Nobody counts what was not taken in yet, so that much room has to be left for it.
_MARGIN = _TOGETHER * _LONG
_NOTHING: dict[str, Event] = {}
#: The event of what goes on with a string, that itself, and what is held behind it.
_Parted = tuple[Event | None, str, str]


@dataclass(frozen=True, slots=True)
class StreamedString:
    """A string argument that is being read, of an announced call.

    *stop* says how much of a text certainly goes on with it, or -1 if the text has to be read;
    *take* takes that much in, and *make* makes its event, if there is one: the same whenever the
    same text comes. There is *room* for that many characters more.

    A chunk of some length in which *special* finds nothing goes on with it whatever follows: *stop*
    need not be asked. Finding nothing takes half the time of finding that all is plain.
    """

    stop: Callable[[str], int]
    take: Callable[[str], object]
    make: Callable[[str], Event | None]
    room: int
    special: re.Pattern[str]


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
    stop, make, room, until = string.stop, string.make, string.room, base + string.room
    special = string.special.search
    known: dict[str, Event] = {}
    parted: dict[str, _Parted] = {}
    known_event, no_event = known.get, _NOTHING.get
    at_once, event_of = known_event, no_event
    kept: list[str] = []
    keep, over = kept.append, False

    def feed(chunk: str) -> list[Event]:
        event = event_of(chunk)
        if event is None:
            return look(chunk)
        keep(chunk)
        if len(kept) >= _TOGETHER:
            flush()
        return [event]

    def look(chunk: str) -> list[Event]:
        """Take in a chunk that was not seen before, or does not stand alone; or have it read."""
        nonlocal text, event_of
        if event_of is known_event and 0 < len(chunk) <= _LONG and not special(chunk):
            event, piece, is_alone = make(chunk), chunk, True
        else:
            whole, held = text + chunk, text
            found = parted.get(whole) or _part(whole, stop, make)
            if over or found is None or len(found[1]) > room - _MARGIN:
                return read(chunk)
            if len(whole) <= _LONGEST_KNOWN and len(parted) < _MOST_PARTED:
                parted[whole] = found
            event, piece, text = found
            is_alone = not (held or text)
            event_of = no_event if text else at_once
        # What was held before it, or is held of it now, may be another the next time.
        if event and is_alone and len(chunk) <= _LONGEST_KNOWN and len(known) < _MOST_KNOWN:
            known[chunk] = event
        keep(piece)
        if len(piece) > _LONG or len(kept) >= _TOGETHER:
            flush()
        return [event] if event else []

    def flush() -> None:
        nonlocal room, at_once, event_of
        pieces = "".join(kept)
        kept.clear()
        string.take(pieces)
        room -= len(pieces)
        if over or room <= 2 * _MARGIN:
            at_once = no_event
            known.clear()
            parted.clear()
        event_of = no_event if text else at_once

    def leave() -> tuple[int, str]:
        nonlocal over
        # Somebody may have kept ``decoder.feed``: from now on it hands every chunk on.
        over = True
        flush()
        return until - room, text

    flush()
    return StringFeed(feed, leave)


def _part(
    text: str, stop: Callable[[str], int], make: Callable[[str], Event | None]
) -> _Parted | None:
    certain = stop(text)
    if certain < 0:
        return None
    piece = text[:certain]
    return make(piece) if piece else None, piece, text[certain:]
