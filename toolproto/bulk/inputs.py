"""Which files are read, and what kind each of them is.

A folder stands for the files of known kinds below it, a pattern for those it matches, ``-`` for
standard input. All of them are found before anything is read: a name that leads nowhere is told
at once, not after an hour.
"""

from __future__ import annotations

import glob
import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from ..protocol.errors import UsageError

__all__ = ["STDIN", "Kind", "Source", "find_sources", "fingerprint"]

STDIN = "-"
_HEAD = 64 * 1024


class Kind(Enum):
    """How replies stand in a file."""

    TEXT = "text"  # the file is one reply
    JSONL = "jsonl"  # one object on each line
    PARQUET = "parquet"  # one in each row


_KINDS = {
    ".txt": Kind.TEXT,
    ".jsonl": Kind.JSONL,
    ".ndjson": Kind.JSONL,
    ".parquet": Kind.PARQUET,
}
_PACKED = (".gz", ".zst")


@dataclass(frozen=True, slots=True)
class Source:
    """One file, or standard input."""

    path: str
    kind: Kind

    @property
    def is_stdin(self) -> bool:
        return self.path == STDIN

    @property
    def is_packed(self) -> bool:
        return self.path.lower().endswith(_PACKED)

    @property
    def size(self) -> int:
        """Its bytes on disk; 0 for standard input, of which nobody knows."""
        return 0 if self.is_stdin else os.stat(self.path).st_size


def find_sources(paths: Sequence[str], kind: Kind | None = None) -> list[Source]:
    """The files that *paths* name, those of a folder or a pattern in the order of their names.

    *kind* says how replies stand in them, whatever the files are called. Raises UsageError for a
    path that leads to nothing, or to a file of which nobody said what it is.
    """
    found = [source for path in paths or [STDIN] for source in _found(path, kind)]
    if sum(source.is_stdin for source in found) > 1:
        raise UsageError("standard input can be read only once; give '-' once")
    for source in found:
        if not source.is_stdin:
            _check(source)
    return found


def fingerprint(sources: Iterable[Source]) -> str:
    """By which changed inputs are noticed: names, sizes, times, and how the files begin."""
    digest = hashlib.sha256()
    for source in sources:
        if source.is_stdin:
            digest.update(STDIN.encode())
            continue
        stat = os.stat(source.path)
        told = (source.path, source.kind.value, stat.st_size, stat.st_mtime_ns)
        digest.update(repr(told).encode("utf-8", "surrogatepass"))
        if source.kind is not Kind.TEXT:  # of those there may be a hundred thousand
            with open(source.path, "rb") as file:
                digest.update(file.read(_HEAD))
    return digest.hexdigest()


def _found(path: str, kind: Kind | None) -> list[Source]:
    if path == STDIN:
        return [_stdin(kind)]
    if os.path.isdir(path):
        return _some(path, [Source(each, kind or _kind_of(each)) for each in _below(path, kind)])
    if glob.has_magic(path) and not os.path.exists(path):
        matches = filter(os.path.isfile, sorted(glob.glob(path, recursive=True)))
        return _some(path, [Source(each, kind or _kind_of(each)) for each in matches])
    return [Source(path, kind or _kind_of(path))]


def _stdin(kind: Kind | None) -> Source:
    if kind is Kind.PARQUET:
        raise UsageError("Parquet cannot be read from standard input; name the file")
    return Source(STDIN, kind or Kind.TEXT)


def _some(path: str, found: list[Source]) -> list[Source]:
    if not found:
        raise UsageError(
            f"{path!r} holds no files to read; they are recognised by their names "
            f"({', '.join(_KINDS)}) or by --input-format"
        )
    return found


def _below(folder: str, kind: Kind | None) -> Iterator[str]:
    """The files below *folder* that are of some kind, hidden ones left out, links not followed."""
    for at, folders, files in os.walk(folder):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        for name in sorted(files):
            if not name.startswith(".") and (kind or _kind_by_name(name)):
                yield os.path.join(at, name)


def _kind_of(path: str) -> Kind:
    kind = _kind_by_name(path)
    if kind is None:
        raise UsageError(
            f"cannot tell from its name what {path!r} contains; "
            f"give --input-format {'|'.join(each.value for each in Kind)}"
        )
    return kind


def _kind_by_name(path: str) -> Kind | None:
    name = path.lower()
    for suffix in _PACKED:
        name = name.removesuffix(suffix)
    return _KINDS.get(os.path.splitext(name)[1])


def _check(source: Source) -> None:
    """Raise now what opening the file would raise later."""
    if os.path.exists(source.path) and not os.path.isfile(source.path):
        raise UsageError(f"{source.path!r} is not a file; pipe it in: … | toolproto parse -")
    if source.kind is Kind.PARQUET and source.is_packed:
        raise UsageError(
            f"{source.path!r}: Parquet files are compressed inside; unpack the outer file first"
        )
    with open(source.path, "rb"):
        pass
