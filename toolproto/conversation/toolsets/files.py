"""Files as a model sees them: a small tree under ``/``, wherever it is kept.

:class:`Files` is what :func:`~toolproto.conversation.toolsets.file_tools` needs. ``MemoryFiles``
and ``FolderFiles`` provide it; anything else may, keeping three promises: a path is read by
:func:`~toolproto.conversation.toolsets.paths.split_path` first, sizes stay within the limits, and
what cannot be done is a ToolFailed in terms of that path, never of the place behind it.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Protocol, runtime_checkable

from ...protocol.errors import ToolFailed, UsageError
from .paths import Parts, show_parts

__all__ = [
    "IS_DIRECTORY",
    "IS_FILE",
    "MISSING",
    "Entry",
    "FileLimits",
    "Files",
    "FolderListing",
    "Removable",
    "check_room",
    "check_size",
    "refuse",
]

MISSING = "does not exist"
IS_DIRECTORY = "is a directory, not a file"
IS_FILE = "is a file, not a directory"


@dataclass(frozen=True, slots=True)
class FileLimits:
    """How much there may be of everything.

    *files* and *total_bytes* bound what ``MemoryFiles`` holds, and what was written through one
    ``FolderFiles``: what stood in the folder before is not counted.
    """

    file_bytes: int = 8 * 1024 * 1024  # the largest file that is read or written
    read_bytes: int = 64 * 1024  # the most one read_file gives: some 16,000 tokens
    entries: int = 500  # the most one listing names
    files: int = 10_000
    total_bytes: int = 64 * 1024 * 1024

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if not isinstance(value, int) or value < 1:
                raise UsageError(f"{each.name} is {value!r}; use a whole number above 0")


@dataclass(frozen=True, slots=True)
class Entry:
    """One name in a directory: a file and its bytes, or a directory, without a *size*."""

    name: str
    size: int | None = None


@dataclass(frozen=True, slots=True)
class FolderListing:
    """What a directory holds, by name: the first *entries*, and how many are not among them.

    *more* did not fit the limit. *hidden* cannot be opened: links, special files, and names that
    no path can hold.
    """

    entries: tuple[Entry, ...]
    more: int = 0
    hidden: int = 0


class Files(Protocol):
    """A tree of files that tools may be given. Its methods may run in several threads at once."""

    @property
    def limits(self) -> FileLimits: ...

    def list(self, path: str = "/") -> FolderListing:
        """What the directory holds."""
        ...

    def read(self, path: str) -> bytes:
        """The whole content of the file."""
        ...

    def write(self, path: str, content: bytes) -> bool:
        """Make *content* the file's content, all at once; True if the file is new."""
        ...


@runtime_checkable
class Removable(Protocol):
    """Files that can be taken away again, when a turn that wrote them is undone."""

    def remove(self, path: str) -> None:
        """Take the file away."""
        ...


def check_size(parts: Parts, size: int, limits: FileLimits) -> None:
    """Refuse a file of *size* bytes if that is too large."""
    if size > limits.file_bytes:
        raise refuse(parts, f"has {size} bytes; a file may have {limits.file_bytes} here")


def check_room(parts: Parts, files: int, total: int, limits: FileLimits) -> None:
    """Refuse to write a file if there would be so many *files*, or so many bytes in *total*."""
    if files > limits.files:
        raise refuse(parts, f"would be one file too many; there may be {limits.files}")
    if total > limits.total_bytes:
        raise refuse(parts, f"would make {total} bytes in all; there may be {limits.total_bytes}")


def refuse(parts: Parts, why: str) -> ToolFailed:
    """The error that tells the model so; raise it."""
    return ToolFailed(f"{show_parts(parts)} {why}")
