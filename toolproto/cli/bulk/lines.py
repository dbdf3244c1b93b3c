"""JSONL, cut into batches of whole lines.

Lines end with a line feed and with nothing else: U+2028 inside a string is text. Nothing here
looks into a line; that is left to the workers.
"""

from __future__ import annotations

from collections.abc import Iterator

from .batches import Lines, Position
from .inputs import Source
from .opening import Opened, opened
from .reading import too_long

__all__ = ["cut_lines"]

#: About as many lines as a worker reads in a twentieth of a second.
_BLOCK = 64 * 1024


def cut_lines(source: Source, start: Position, seen: int, max_row: int) -> Iterator[Lines]:
    """The lines of *source* from *start* on; *seen* are the bytes on the disk before it."""
    with opened(source) as file:
        if start.at:
            file.skip(start.at)
        cutter = _Cutter(file, max_row)
        at, row = start.at, start.row
        while block := cutter.next():
            data, size, fault = block
            rows = data.count(b"\n") + (not data.endswith(b"\n"))
            faults = {row + 1: fault} if fault else {}
            at, first, row = at + size, row + 1, row + rows
            after = Position(start.source, at, row)
            yield Lines(source.path, first, data, after, seen + file.seen, faults)


class _Cutter:
    """Cuts a file behind line ends, a block at a time."""

    def __init__(self, file: Opened, max_row: int) -> None:
        self._file, self._max_row = file, max_row
        self._held = bytearray()
        self._ended = False

    def next(self) -> tuple[bytes, int, str] | None:
        """Some whole lines, how many bytes of the file they are, and what is wrong with them.

        A line with which something is wrong comes alone, and as an empty one.
        """
        self._fill(_BLOCK)
        stop = self._held.rfind(b"\n", 0, _BLOCK) + 1
        while not stop and not self._ended and len(self._held) <= self._max_row:
            known = len(self._held)
            self._fill(known + _BLOCK)
            stop = self._held.find(b"\n", known) + 1
        if stop:
            return self._taken(stop), stop, ""
        if not self._ended:
            return b"\n", self._pass_over_line(), too_long(self._max_row)
        return self._last()

    def _last(self) -> tuple[bytes, int, str] | None:
        """What stands behind the last line end."""
        damage, self._file.damage = self._file.damage, ""
        rest = self._taken(len(self._held))
        if damage:
            return b"\n", len(rest), damage
        return (rest, len(rest), "") if rest else None

    def _fill(self, size: int) -> None:
        """Hold so many bytes, or all there are."""
        while len(self._held) < size and not self._ended:
            piece = self._file.read(size - len(self._held))
            self._held += piece
            self._ended = not piece

    def _taken(self, stop: int) -> bytes:
        taken = bytes(self._held[:stop])
        del self._held[:stop]
        return taken

    def _pass_over_line(self) -> int:
        """Go behind the next line end without keeping anything; how many bytes that was."""
        size = 0
        while True:
            stop = self._held.find(b"\n") + 1
            size += stop or len(self._held)
            del self._held[: stop or len(self._held)]
            if stop or self._ended:
                return size
            self._fill(_BLOCK)
