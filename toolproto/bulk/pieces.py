"""The inputs, cut into pieces that carry their rows with them.

Only the process that cuts opens the inputs, so a worker needs no file, wherever it is. Everything
is unpacked here and counted as it is unpacked: a piece holds a few megabytes, or one row of at most
``max_row`` bytes, however little of the disk that takes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from .inputs import Kind, Source
from .opening import DAMAGE, damage, opened, too_long
from .tables import read_table

__all__ = ["Piece", "cut"]

#: Bytes that are read together, about a second's work for a worker.
BLOCK = 1024 * 1024
#: How many files with one reply each are read together, if they are small.
FILES = 256


@dataclass(frozen=True, slots=True)
class Piece:
    """Some rows of the inputs: piece *number*, of which the first row is row *first* of *source*.

    *data* are lines, or a batch of Arrow as a stream. *texts* are whole replies in its place: the
    path of each file, and its bytes or what is wrong with it. With a *fault* the piece is one row
    that cannot be read. *share* is how many bytes of the inputs it is, as they lie on the disk.
    """

    number: int
    source: Source
    first: int = 1
    data: bytes = b""
    texts: tuple[tuple[Source, bytes | str], ...] = ()
    fault: str = ""
    share: int = 0

    @property
    def place(self) -> str:
        """Where it stands, for a sentence."""
        return f"{self.source.path!r} from row {self.first} on"

    def told(self) -> list[Any]:
        """Return, as JSON, by what it is known again when a run continues."""
        read = len(self.data) + sum(len(text) for _, text in self.texts)
        return [self.source.path, self.first, read, self.fault]


def cut(sources: Sequence[Source], columns: Sequence[str], max_row: int) -> Iterator[Piece]:
    """Read everything in *sources*, piece by piece; the same inputs give the same pieces.

    *columns* are the fields of a row that are needed. A row of more than *max_row* bytes becomes a
    piece of its own, which says so.
    """
    number = 0
    for kind, some in groupby(sources, lambda source: source.kind):
        for piece in _READ[kind](some, columns, max_row):
            yield replace(piece, number=number)
            number += 1


# -- files that are one reply -----------------------------------------------------------------


def _texts(sources: Iterable[Source], columns: Sequence[str], max_row: int) -> Iterator[Piece]:
    held: list[tuple[Source, bytes | str]] = []
    size = share = 0
    for source in sources:
        text, packed = _whole(source, max_row)
        held.append((source, text))
        size += len(text)
        share += packed
        if len(held) == FILES or size >= BLOCK:
            yield Piece(0, held[0][0], texts=tuple(held), share=share)
            held, size, share = [], 0, 0
    if held:
        yield Piece(0, held[0][0], texts=tuple(held), share=share)


def _whole(source: Source, max_row: int) -> tuple[bytes | str, int]:
    """Read all of *source*, or what is wrong with it, and how many bytes of the disk that took."""
    try:
        with opened(source) as (file, below):
            data: bytes = file.read(max_row + 1)
            share = below.tell() if below else 0
        return (too_long(max_row) if len(data) > max_row else data), share
    except FileNotFoundError as error:  # it went away since it was found
        return str(error), 0
    except DAMAGE as error:
        return damage(error, source), 0


# -- lines ------------------------------------------------------------------------------------


def _lines(sources: Iterable[Source], columns: Sequence[str], max_row: int) -> Iterator[Piece]:
    """Whole lines, which end with a line feed and with nothing else: U+2028 is text."""
    for source in sources:
        first, seen = 1, 0
        with opened(source) as (file, below):
            for data, fault in _blocks(file, source, max_row):
                before, seen = seen, below.tell() if below else 0
                yield Piece(0, source, first, data, fault=fault, share=seen - before)
                first += 1 if fault else data.count(b"\n")


def _blocks(file: Any, source: Source, max_row: int) -> Iterator[tuple[bytes, str]]:
    """Lines that are read together, or what is wrong with one that stands alone."""
    # Somebody may wait for what comes out of a pipe.
    room = 1 if source.is_stdin else BLOCK
    held, end = bytearray(), 0  # some lines; where the last whole one of them ends
    lost = False  # whether this is the middle of a line that is too long
    fault = ""
    try:
        # Not ``read``: where a packed file is damaged, it drops what came before the damage.
        while chunk := file.read1(BLOCK):
            if lost:
                _, found, chunk = chunk.partition(b"\n")
                if not found:
                    continue
                lost = False
                yield b"", too_long(max_row)
            if (last := chunk.rfind(b"\n")) >= 0:
                end = len(held) + last + 1
            held += chunk
            lost = len(held) - end > max_row
            if end and (len(held) >= room or lost):
                yield bytes(held[:end]), ""
                del held[:end]
                end = 0
            if lost:
                held.clear()
    except DAMAGE as error:
        fault = damage(error, source)
    if lost:
        yield b"", too_long(max_row)
    if held:
        yield bytes(held), ""
    if fault:
        yield b"", fault


# -- tables -----------------------------------------------------------------------------------


def _tables(sources: Iterable[Source], columns: Sequence[str], max_row: int) -> Iterator[Piece]:
    for source in sources:
        for some in read_table(source.path, columns, max_row):
            share = int(source.size * some.part)
            yield Piece(0, source, some.first, some.data, fault=some.fault, share=share)


_READ = {Kind.TEXT: _texts, Kind.JSONL: _lines, Kind.PARQUET: _tables}
