"""Opening files from within an open directory, by one name each, never through a link.

Below :mod:`~toolproto.conversation.toolsets.folder`, which says what is refused and why. Nothing
here takes a path: a *name* holds no slash and is not ``..``. Directories and files are descriptors
that the caller closes; what the system refuses is an OSError.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ...protocol.errors import UsageError

__all__ = [
    "check_platform",
    "closing",
    "enter",
    "enter_or_make",
    "look",
    "open_to_read",
    "read_up_to",
    "replace",
]


def _flags(*names: str) -> int:
    # Where one is missing, check_platform refuses before any is used.
    value = 0
    for name in names:
        value |= getattr(os, name, 0)
    return value


_ENTER = _flags("O_RDONLY", "O_DIRECTORY", "O_NOFOLLOW")
# O_NONBLOCK: opening a pipe must not wait for its other end.
_READ = _flags("O_RDONLY", "O_NOFOLLOW", "O_NONBLOCK", "O_NOCTTY")
_CREATE = _flags("O_WRONLY", "O_CREAT", "O_EXCL", "O_NOFOLLOW")


def check_platform() -> None:
    """UsageError where the system offers no such opening, as Windows does not."""
    needed = {os.open, os.mkdir, os.stat, os.rename, os.unlink, os.access}
    if needed <= os.supports_dir_fd and os.scandir in os.supports_fd and hasattr(os, "O_NOFOLLOW"):
        return
    raise UsageError(
        "this system cannot open a file from within a directory, so a folder cannot be sealed "
        "off; use MemoryFiles"
    )


def enter(name: str, folder: int | None = None) -> int:
    """Open a directory; its whole path may be the name if there is no *folder*."""
    return os.open(name, _ENTER, dir_fd=folder)


def enter_or_make(name: str, folder: int) -> int:
    """Open a directory, made first if there is none."""
    try:
        return enter(name, folder)
    except FileNotFoundError:
        # What somebody else puts there in this moment may be a link; entering it will tell.
        with suppress(FileExistsError):
            os.mkdir(name, dir_fd=folder)
        return enter(name, folder)


def look(name: str, folder: int) -> os.stat_result:
    """What stands under *name*, the link itself if it is one."""
    return os.stat(name, dir_fd=folder, follow_symlinks=False)


def open_to_read(name: str, folder: int) -> int:
    """Open what stands under *name*, without waiting; it need not be a regular file."""
    return os.open(name, _READ, dir_fd=folder)


def read_up_to(file: int, most: int) -> bytes:
    """The beginning of a regular file."""
    with open(file, "rb", closefd=False) as reader:
        return reader.read(most)


def replace(name: str, folder: int, content: bytes, mode: int | None) -> None:
    """Put a new file in place of *name* in one step, with the permissions *mode* if given."""
    # A name that no model can write: nobody gets at a file that is half written.
    draft = f".{os.urandom(8).hex()}:"
    file = os.open(draft, _CREATE, 0o666 if mode is None else mode, dir_fd=folder)
    try:
        with closing(file):  # before it takes its place: some systems report a full disk only here
            _fill(file, content, mode)
        os.replace(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with suppress(OSError):
            os.unlink(draft, dir_fd=folder)
        raise


def _fill(file: int, content: bytes, mode: int | None) -> None:
    # Creating took the umask off. Some file systems have no permissions to set; then that stays.
    with suppress(PermissionError):
        if mode is not None:
            os.fchmod(file, mode)
    with open(file, "wb", closefd=False) as writer:
        writer.write(content)


@contextmanager
def closing(descriptor: int) -> Iterator[int]:
    """*descriptor*, closed at the end."""
    try:
        yield descriptor
    finally:
        os.close(descriptor)
