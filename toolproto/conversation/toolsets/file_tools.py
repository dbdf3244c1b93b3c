"""Three tools over files: ``list_directory``, ``read_file`` and ``write_file``.

They speak text: UTF-8, line ends and all, as it stands in the file. A file that is too long for
one result is not cut, because a model that writes back what it read would cut the file, too; the
model is told to ask for some of its lines.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable
from io import BytesIO
from itertools import islice

from ...protocol.errors import ToolFailed
from ...protocol.tools.define import Ordering, Risk, Tool
from ...protocol.tools.outcome import ToolOutput
from ...protocol.tools.wording import show
from ..turn.patches import CHANGE
from .files import Entry, Files, FolderListing, Removable, refuse
from .folder import FolderFiles
from .paths import Parts, show_parts, split_file_path, split_path

__all__ = ["file_tools"]

#: Characters of a file before and after a change, up to which the change is kept.
_LONGEST_CHANGE = 200_000
#: Files, and their bytes, up to which a place is looked through around a call: a tenth of a second.
_MOST_LOOKED_AT = 1_000
_MOST_BYTES_LOOKED_AT = 8 * 1024 * 1024


def file_tools(
    files: Files | str | os.PathLike[str],
    *,
    prefix: str = "",
    ordering: Ordering | None = None,
    trusted: bool = True,
) -> list[Tool]:
    """Tools to list, read and write *files*, which may be given as the path of a folder.

    *prefix* goes before each name, for a model that has several places. A registry's
    ``without("*write_file")`` makes a place that can only be read. Several calls in one reply are
    done at the same time, but for writes, unless *ordering* says otherwise. What the files hold is
    the user's own text, unless they are not *trusted*: downloads, mail, somebody else's code.
    """
    place = FolderFiles(files) if isinstance(files, str | os.PathLike) else files
    tools = _FileTools(place)
    functions: list[tuple[Callable[..., str | ToolOutput], Risk]] = [
        (tools.list_directory, "read"),
        (tools.read_file, "read"),
        (tools.write_file, "write"),
    ]
    # Writing a file again leaves what writing it once left, so all three may be run again. What is
    # read behind a write in the same reply is read after it.
    return [
        Tool.from_function(
            each,
            name=f"{prefix}{each.__name__}",
            risk=risk,
            idempotent=True,
            trusted=trusted,
            ordering=ordering or ("in_order" if risk == "write" else None),
            undo=tools.put_back if risk == "write" else None,
            look=tools.texts if risk == "write" else None,
        )
        for each, risk in functions
    ]


class _FileTools:
    """The functions behind the tools. Their docstrings are what the model reads."""

    def __init__(self, files: Files) -> None:
        self._files = files

    def list_directory(self, path: str = "/") -> str:
        """List a directory, one name a line; directories end in '/', files show their size.

        Args:
            path: Such as 'notes/drafts'; '/' is the top directory.
        """
        listing = self._files.list(path)
        lines = [*map(_line, listing.entries), *_notes(listing)]
        return "\n".join(lines) or f"{show_parts(split_path(path))} is empty"

    def read_file(self, path: str, offset: int = 1, limit: int | None = None) -> str:
        """Read a text file, or some of its lines.

        Args:
            path: Such as 'notes/todo.txt', from the top directory.
            offset: The first line to read, counted from 1.
            limit: How many lines to read; all that follow, if left out.
        """
        if offset < 1 or (limit is not None and limit < 1):
            raise ToolFailed("offset and limit count lines and begin at 1")
        content, parts = self._files.read(path), split_file_path(path)
        begin, end = _line_span(parts, content, offset, limit)
        if end - begin > self._files.limits.read_bytes:
            raise _too_long(parts, content[begin:end], self._files.limits.read_bytes)
        return _decoded(parts, content, begin, end)

    def write_file(self, path: str, content: str) -> ToolOutput:
        """Write a text file, in place of what it held; missing directories are made.

        Args:
            path: Such as 'notes/todo.txt', from the top directory.
            content: All the text that the file is to hold.
        """
        parts = split_file_path(path)
        encoded = _encoded(parts, content)
        before = self._text(path)
        is_new = self._files.write(path, encoded)
        done = "wrote new file" if is_new else "replaced"
        said = f"{done} {show_parts(parts)}, {len(encoded)} bytes"
        # What cannot be shown as text, or would make the journal too long, cannot be put back.
        is_known = is_new or before is not None
        if not is_known or len(content) + len(before or "") > _LONGEST_CHANGE:
            return ToolOutput(said)
        old = None if is_new else before
        return ToolOutput(said, metadata={CHANGE: {"path": path, "before": old, "after": content}})

    def put_back(self, path: str, before: str | None, after: str | None) -> None:
        """Give the file the text *before* again, if it still has that of *after*."""
        parts = split_file_path(path)
        if self._text(path) != after:
            raise refuse(parts, "was changed since")
        if before is not None:
            self._files.write(path, before.encode())
        elif isinstance(self._files, Removable):
            self._files.remove(path)
        else:
            raise refuse(parts, "cannot be removed from where it is kept")

    def texts(self) -> dict[str, str] | None:
        """Return every text that a change of could be told and put back; None for too many."""
        found: dict[str, str] = {}
        folders = ["/"]
        total = 0
        while folders:
            folder = folders.pop()
            listing = self._files.list(folder)
            if listing.more:
                return None
            for entry in listing.entries:
                path = f"{folder}{entry.name}".removeprefix("/")
                if entry.size is None:
                    folders.append(f"/{path}/")
                elif entry.size <= _LONGEST_CHANGE:
                    total += entry.size
                    if len(found) >= _MOST_LOOKED_AT or total > _MOST_BYTES_LOOKED_AT:
                        return None
                    if (text := self._text(path)) is not None:
                        found[path] = text
        return found

    def _text(self, path: str) -> str | None:
        """What the file holds; None if there is none, or no text."""
        try:
            return self._files.read(path).decode()
        except (ToolFailed, UnicodeDecodeError):
            return None


def _line(entry: Entry) -> str:
    return f"{entry.name}/" if entry.size is None else f"{entry.name} ({entry.size} bytes)"


def _notes(listing: FolderListing) -> Iterable[str]:
    if listing.more:
        yield f"({listing.more} more not shown)"
    if listing.hidden:
        yield f"({listing.hidden} not shown that cannot be opened: links, special files, odd names)"


def _line_span(parts: Parts, content: bytes, offset: int, limit: int | None) -> tuple[int, int]:
    """Where the wanted lines begin and end in *content*."""
    reader = BytesIO(content)
    _skip(reader, min(offset - 1, len(content)))
    begin = reader.tell()
    if offset > 1 and begin == len(content):
        raise refuse(
            parts, f"has {_count_lines(content)} lines; offset {show(offset)} is past them"
        )
    if limit is None:
        return begin, len(content)
    _skip(reader, min(limit, len(content)))
    return begin, reader.tell()


def _skip(reader: BytesIO, lines: int) -> None:
    deque(islice(reader, lines), maxlen=0)


def _count_lines(content: bytes) -> int:
    return content.count(b"\n") + (not content.endswith(b"\n") and content != b"")


def _too_long(parts: Parts, wanted: bytes, most: int) -> ToolFailed:
    lines = _count_lines(wanted)
    if lines == 1:
        return refuse(parts, f"has a line of {len(wanted)} bytes; {most} can be read at once")
    return refuse(
        parts,
        f"is too long to be read at once: {len(wanted)} bytes in {lines} lines, of at most "
        f"{most} bytes; ask for some of the lines with offset and limit",
    )


def _decoded(parts: Parts, content: bytes, begin: int, end: int) -> str:
    try:
        return content[begin:end].decode()
    except UnicodeDecodeError as error:
        where = begin + error.start
        raise refuse(parts, f"is not UTF-8 text: byte {where} is 0x{content[where]:02x}") from None


def _encoded(parts: Parts, content: str) -> bytes:
    try:
        return content.encode()
    except UnicodeEncodeError as error:
        code = f"U+{ord(content[error.start]):04X}"
        raise refuse(
            parts, f"cannot hold {code}, half a character, at place {error.start} of the content"
        ) from None
