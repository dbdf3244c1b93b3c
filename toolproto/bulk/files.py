"""The files that are read, and their rows in batches that stay small however far a file unpacks.

One process reads the files and gives the batches to others, so a worker needs no file.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import sys
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from enum import Enum
from io import BufferedReader
from typing import Any

from ..protocol.errors import UsageError
from .arrow import arrow
from .parquet_rows import ROOM, ROWS, read_table, too_long

__all__ = [
    "MAX_ROW",
    "InputFile",
    "InputKind",
    "InputRows",
    "find_inputs",
    "fingerprint",
    "read_batches",
]

STDIN = "-"
#: A longer row is reported and passed over. No reply comes near; a worker needs some ten times it.
MAX_ROW = 16 * 1024 * 1024
#: What reading raises where a packed file is damaged.
_DAMAGE = (EOFError, zlib.error, OSError)
_PACKED = (".gz", ".zst")


class InputKind(Enum):
    """How replies stand in a file."""

    TEXT = "text"  # the file is one reply
    JSONL = "jsonl"  # one object on each line
    PARQUET = "parquet"  # one in each row


_KINDS = {
    ".txt": InputKind.TEXT,
    ".jsonl": InputKind.JSONL,
    ".ndjson": InputKind.JSONL,
    ".parquet": InputKind.PARQUET,
}


@dataclass(frozen=True, slots=True)
class InputFile:
    """One file, or standard input."""

    path: str
    kind: InputKind

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


@dataclass(frozen=True, slots=True)
class InputRows:
    """Rows that stand behind each other in *file*, the first of them row number *first*.

    *data* are lines, the text of a whole file, or a stream of Arrow; a ``str`` among them says why
    a row cannot be read. There are so many *rows*, of *size* bytes, which take the *share* of bytes
    on the disk.
    """

    file: InputFile
    first: int
    data: list[bytes | str]
    rows: int
    size: int
    share: int


def find_inputs(paths: Sequence[str], kind: InputKind | None = None) -> list[InputFile]:
    """Return the files at *paths*; without any, standard input.

    *kind* says how replies stand in them, whatever they are called. Raises now what opening one of
    them would raise later, and UsageError for one of which nobody said what it is.
    """
    found = [InputFile(path, kind or _kind_of(path)) for path in paths or [STDIN]]
    if sum(file.is_stdin for file in found) > 1:
        raise UsageError("standard input can be read only once; give '-' once")
    for file in found:
        _check(file)
    return found


def fingerprint(files: Iterable[InputFile]) -> str:
    """Return by what changed files are noticed: their names, sizes and times."""
    digest = hashlib.sha256()
    for file in files:
        stat = None if file.is_stdin else os.stat(file.path)
        told = (file.path, file.kind.value, stat and (stat.st_size, stat.st_mtime_ns))
        digest.update(repr(told).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _kind_of(path: str) -> InputKind:
    name = path.lower()
    for suffix in _PACKED:
        name = name.removesuffix(suffix)
    if path == STDIN or os.path.isdir(path):  # of a folder, _check says more
        return InputKind.TEXT
    if found := _KINDS.get(os.path.splitext(name)[1]):
        return found
    raise UsageError(
        f"cannot tell from its name what {path!r} contains; "
        f"give --input-format {'|'.join(each.value for each in InputKind)}"
    )


def _check(file: InputFile) -> None:
    is_parquet = file.kind is InputKind.PARQUET
    if file.is_stdin and is_parquet:
        raise UsageError("Parquet cannot be read from standard input; name the file")
    if file.is_stdin:
        return
    if os.path.isdir(file.path):
        raise UsageError(f"{file.path!r} is a folder; name its files, as in {file.path}/*.jsonl")
    if os.path.exists(file.path) and not os.path.isfile(file.path):
        raise UsageError(f"{file.path!r} is not a file; pipe it in: … | toolproto parse -")
    if is_parquet and file.is_packed:
        raise UsageError(
            f"{file.path!r}: Parquet files are compressed inside; unpack the outer file first"
        )
    with open(file.path, "rb"):
        pass


def read_batches(
    files: Iterable[InputFile], columns: Sequence[str], max_row: int, room: int = ROOM
) -> Iterator[list[InputRows]]:
    """Read all *files*, about *room* bytes at a time; the same files give the same batches.

    *columns* are the fields of a row that are needed. In place of a row of more than *max_row*
    bytes stands why it was not read.
    """
    held: list[InputRows] = []
    rows = size = 0
    for file in files:
        for some in _READ[file.kind](file, columns, max_row, room):
            held.append(some)
            rows, size = rows + some.rows, size + some.size
            if size >= room or rows >= ROWS:
                yield held
                held, rows, size = [], 0, 0
    if held:
        yield held


def _damage(error: Exception, file: InputFile) -> str:
    # The system's own errors have a number; those are not the file's fault.
    if not file.is_packed or getattr(error, "errno", None) is not None:
        raise error
    return f"the file is damaged from here on: {error}"


@contextmanager
def _opened(file: InputFile) -> Iterator[tuple[Any, Any]]:
    """Open *file*: a stream of what it unpacks to, and the file below it, which stdin has not."""
    if file.is_stdin:
        if sys.stdin is None:
            raise UsageError("standard input is closed; name a file")
        yield sys.stdin.buffer, None
        return
    with ExitStack() as stack:
        below = stack.enter_context(open(file.path, "rb"))
        stream: Any = below
        if file.path.lower().endswith(".gz"):
            stream = stack.enter_context(gzip.GzipFile(fileobj=below))
        elif file.path.lower().endswith(".zst"):
            unpacked = arrow("pyarrow", file.path).CompressedInputStream(below, "zstd")
            stream = stack.enter_context(BufferedReader(unpacked))
        yield stream, below


def _text(file: InputFile, columns: Sequence[str], max_row: int, room: int) -> Iterator[InputRows]:
    text: bytes | str
    share = 0
    try:
        with _opened(file) as (stream, below):
            text = stream.read(max_row + 1)
            text = text if len(text) <= max_row else too_long(max_row)
            share = below.tell() if below else 0
    except FileNotFoundError as error:  # it went away since it was found
        text = str(error)
    except _DAMAGE as error:
        text = _damage(error, file)
    yield InputRows(file, 1, [text], 1, len(text), share)


def _lines(file: InputFile, columns: Sequence[str], max_row: int, room: int) -> Iterator[InputRows]:
    first, seen = 1, 0
    with _opened(file) as (stream, below):
        for lines in _grouped(_each_line(stream, file, max_row), room):
            at = below.tell() if below else 0
            yield InputRows(file, first, lines, len(lines), sum(map(len, lines)), at - seen)
            first, seen = first + len(lines), at


def _each_line(stream: Any, file: InputFile, max_row: int) -> Iterator[bytes | str]:
    """Yield each line. It ends with a line feed and with nothing else: U+2028 is text."""
    try:
        while line := stream.readline(max_row + 1):
            if len(line) <= max_row or line.endswith(b"\n"):
                yield line
                continue
            while line and not line.endswith(b"\n"):
                line = stream.readline(ROOM)
            yield too_long(max_row)
    except _DAMAGE as error:
        yield _damage(error, file)


def _grouped(lines: Iterable[bytes | str], room: int) -> Iterator[list[bytes | str]]:
    held: list[bytes | str] = []
    size = 0
    for line in lines:
        held.append(line)
        size += len(line)
        if size >= room or len(held) >= ROWS:
            yield held
            held, size = [], 0
    if held:
        yield held


def _table(file: InputFile, columns: Sequence[str], max_row: int, room: int) -> Iterator[InputRows]:
    first = 1
    for data, rows, part in read_table(file.path, columns, max_row):
        yield InputRows(file, first, [data], rows, len(data), int(file.size * part))
        first += rows


_READ = {InputKind.TEXT: _text, InputKind.JSONL: _lines, InputKind.PARQUET: _table}
