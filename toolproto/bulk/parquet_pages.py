"""What a column of a Parquet file comes to when it is unpacked, as each of its pages says.

The footer says so as well, but nothing compares the two: a file whose footer says kilobytes unpacks
to gigabytes all the same. What a page's own header says is what it is unpacked to, or it is broken.
Headers are Thrift structs in the compact protocol:
https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
"""

from __future__ import annotations

import mmap
from dataclasses import dataclass
from typing import Any

__all__ = ["Pages", "pages_of"]

# Fields of a PageHeader in parquet.thrift; the number of values stands first in either struct.
_UNPACKED, _PACKED, _DATA, _DATA_2 = 2, 3, 5, 8
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12
_DEEPEST = 16


@dataclass(frozen=True, slots=True)
class Pages:
    """The bytes and the values that the pages of a column hold."""

    size: int
    values: int


def pages_of(file: mmap.mmap, chunk: Any) -> Pages:
    """Add up the pages of *chunk*, a column of a row group in *file*.

    Raises ValueError if the headers of its pages are broken.
    """
    starts = (chunk.dictionary_page_offset, chunk.data_page_offset)
    at = min(each for each in starts if each)
    end, size, values = at + chunk.total_compressed_size, 0, 0
    while at < end:
        header = _Header(file, at, min(end, len(file)))
        fields = header.struct()
        packed, unpacked = fields.get(_PACKED), fields.get(_UNPACKED)
        if not isinstance(packed, int) or not isinstance(unpacked, int):
            raise ValueError("a page does not say how long it is")
        if min(packed, unpacked) < 0:
            raise ValueError("a page is shorter than nothing")
        count = (fields.get(_DATA) or fields.get(_DATA_2) or {}).get(1, 0)
        size += unpacked
        values += count if isinstance(count, int) else 0
        at = header.at + packed
    return Pages(size, values)


class _Header:
    """Reads one struct of *file* from *at* on; ValueError if it goes on behind *end*."""

    def __init__(self, file: mmap.mmap, at: int, end: int) -> None:
        self._file, self.at, self._end = file, at, end

    def struct(self, depth: int = 0) -> dict[int, Any]:
        """The fields of a struct by their numbers; only whole numbers and structs have values."""
        if depth > _DEEPEST:
            raise ValueError("the header of a page is nested too deeply")
        fields: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._whole()
            fields[number] = self._value(head & 15, depth, in_field=True)
        return fields

    def _value(self, kind: int, depth: int, *, in_field: bool = False) -> Any:
        if kind in (_TRUE, _FALSE) and in_field:  # the kind is the value
            return None
        if _BYTE < kind < _DOUBLE:
            return self._whole()
        if kind == _STRUCT:
            return self.struct(depth + 1)
        if kind in (_LIST, _SET):
            self._list(depth)
        elif kind == _BINARY:
            self._skip(self._varint())
        elif kind in (_TRUE, _FALSE, _BYTE, _DOUBLE):
            self._skip(8 if kind == _DOUBLE else 1)
        else:
            raise ValueError("the header of a page is broken")
        return None

    def _list(self, depth: int) -> None:
        head = self._byte()
        count = self._varint() if head >> 4 == 15 else head >> 4
        for _ in range(count):
            self._value(head & 15, depth + 1)

    def _whole(self) -> int:
        read = self._varint()
        return (read >> 1) ^ -(read & 1)

    def _varint(self) -> int:
        read = shift = 0
        while True:
            byte = self._byte()
            read |= (byte & 127) << shift
            if byte < 128:
                return read
            shift += 7
            if shift > 63:
                raise ValueError("a number in the header of a page is too long")

    def _byte(self) -> int:
        self._skip(1)
        return self._file[self.at - 1]

    def _skip(self, count: int) -> None:
        self.at += count
        if self.at > self._end:
            raise ValueError("the header of a page goes on behind its column")
