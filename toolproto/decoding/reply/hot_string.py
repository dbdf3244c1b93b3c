"""The hot path: a long string argument, of which most chunks hold nothing to look at.

A token of such a string may cost about a microsecond, its event included. That is why this is a
closure and not a class, why the decoder calls it without a detour, why a chunk is asked plain
questions before any pattern sees it, and why it is asked none at all when it has come before:
models write in tokens, of which a text has few different ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...events import Event

__all__ = ["StreamedString", "StringFeed", "string_feed"]

# Chunks that are remembered while a string is read, and how long they may be: 4,096 are nine of
# ten tokens of source code, and take a megabyte at most.
_MOST_KNOWN = 4096
_LONGEST_KNOWN = 16
# So many are taken in together: a StringIO keeps every piece it is given, and a piece of four
# characters takes as much memory as one of fifty.
_TOGETHER = 256


@dataclass(frozen=True, slots=True)
class StreamedString:
    """A string argument that is being read, of an announced call.

    *stop* says how much of a text certainly goes on with it, or -1 if the text has to be read;
    *tell* takes that much in and makes the event, if there is one. *length* characters of the call
    have been read, and there is *room* for more.

    The rest only saves time. Printable text without any of *marks*, at most three characters, that
    does not end in one of *ends* goes on with the string whatever follows, so *stop* is not asked.
    *take* and *make* are the halves of *tell*, if the event depends on the text alone: then it is
    made once for each different chunk, and text may be taken in later.
    """

    stop: Callable[[str], int]
    tell: Callable[[str], Event | None]
    length: int
    room: int
    marks: str = ""
    ends: str = ""
    take: Callable[[str], object] | None = None
    make: Callable[[str], Event] | None = None


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
    stop, room, until = string.stop, string.room, base + string.room
    take, make = string.take, string.make or string.tell
    # An empty mark is in every text: then nothing is plain.
    one, two, three = (*string.marks, *string.marks[-1:] * 3, "", "", "")[:3]
    ends = frozenset(string.ends)
    known: dict[str, Event] = {}
    event_of = known.get
    kept: list[str] = []
    over = False

    def feed(chunk: str) -> list[Event]:
        nonlocal room, text
        left = room - len(chunk)
        if not text and left >= 0:
            event = event_of(chunk)
            if (
                event is None
                and one not in chunk
                and two not in chunk
                and three not in chunk
                and chunk.isprintable()
                and chunk
                and chunk[-1] not in ends
            ):
                event = made(chunk)
            if event is not None:
                room = left
                kept.append(chunk)
                if len(kept) >= _TOGETHER:
                    flush()
                return [event]
        return look(chunk)

    def look(chunk: str) -> list[Event]:
        """Take in a chunk that needs a closer look, or have it read."""
        nonlocal room, text
        whole, held = text + chunk, text
        certain = -1 if over else stop(whole)
        if certain < 0 or certain > room:
            return read(chunk)
        room -= certain
        text, piece = whole[certain:], whole[:certain]
        if not piece:
            return []
        kept.append(piece)
        # What was held before it, or is held of it now, may be another the next time.
        event = make(piece) if held or text else made(piece)
        return [] if event is None else [event]

    def made(chunk: str) -> Event | None:
        event = make(chunk)
        if event and take and len(chunk) <= _LONGEST_KNOWN and len(known) < _MOST_KNOWN:
            known[chunk] = event
        return event

    def flush() -> None:
        if take is not None:
            take("".join(kept))
        kept.clear()

    def leave() -> tuple[int, str]:
        nonlocal one, over
        # Somebody may have kept ``decoder.feed``: from now on it hands every chunk on.
        one, over = "", True
        known.clear()
        flush()
        return until - room, text

    return StringFeed(feed, leave)
