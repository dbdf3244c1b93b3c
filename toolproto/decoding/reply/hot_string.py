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

# Chunks that are remembered while a string is read, and how long they may be: 8,192 are nearly all
# tokens of source code, and take two megabytes at most.
_MOST_KNOWN = 8192
_LONGEST_KNOWN = 16
# So many are taken in together, if they are not long: a StringIO keeps every piece it is given, and
# a piece of four characters takes as much memory as one of fifty.
_TOGETHER = 256
_LONG = 64  # and nothing longer is plain
# Nobody counts what was not taken in yet, so that much room has to be left for it.
_MARGIN = _TOGETHER * _LONG
_NEVER = re.compile("(?!)")


@dataclass(frozen=True, slots=True)
class StreamedString:
    """A string argument that is being read, of an announced call.

    *stop* says how much of a text certainly goes on with it, or -1 if the text has to be read;
    *take* takes that much in, and *make* makes its event, if there is one: the same whenever the
    same text comes. There is *room* for that many characters more.

    A chunk that all of *plain* matches goes on with it whatever follows: *stop* need not be asked.
    """

    stop: Callable[[str], int]
    take: Callable[[str], object]
    make: Callable[[str], Event | None]
    room: int
    plain: re.Pattern[str]


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
    known: dict[str, Event] = {}
    nothing: dict[str, Event] = {}
    at_once, never = (string.plain.fullmatch, known.get), (_NEVER.match, nothing.get)
    is_plain, event_of = never
    kept: list[str] = []
    keep, over = kept.append, False

    def feed(chunk: str) -> list[Event]:
        event = event_of(chunk)
        if event is None:
            if not is_plain(chunk):
                return look(chunk)
            event = _made(chunk, make, known)
        keep(chunk)
        if len(kept) >= _TOGETHER:
            flush()
        return [event] if event else []

    def look(chunk: str) -> list[Event]:
        """Take in a chunk that needs a closer look, or have it read."""
        nonlocal text
        whole, held = text + chunk, text
        certain = -1 if over else stop(whole)
        if not 0 <= certain <= room - _MARGIN:
            return read(chunk)
        text, piece = whole[certain:], whole[:certain]
        # What was held before it, or is held of it now, may be another the next time.
        event = make(piece) if held or text or not piece else _made(piece, make, known)
        keep(piece)
        if len(piece) > _LONG or len(kept) >= _TOGETHER:
            flush()
        if held or text:
            ready(not text)
        return [event] if event and piece else []

    def ready(is_alone: bool) -> None:
        """Does what comes now stand by itself? If there is room enough, it is taken in at once."""
        nonlocal is_plain, event_of
        is_plain, event_of = at_once if is_alone and room > 2 * _MARGIN else never

    def flush() -> None:
        nonlocal room
        pieces = "".join(kept)
        kept.clear()
        string.take(pieces)
        room -= len(pieces)
        ready(not text and not over)

    def leave() -> tuple[int, str]:
        nonlocal over
        # Somebody may have kept ``decoder.feed``: from now on it hands every chunk on.
        over = True
        flush()
        known.clear()
        return until - room, text

    ready(not text)
    return StringFeed(feed, leave)


def _made(piece: str, make: Callable[[str], Event | None], known: dict[str, Event]) -> Event | None:
    """The event of *piece*, which is remembered if it may well come again."""
    event = make(piece)
    if event and len(piece) <= _LONGEST_KNOWN and len(known) < _MOST_KNOWN:
        known[piece] = event
    return event
