"""Files in one folder of this machine, and no file outside it, whoever plays tricks inside.

A path is never handed to the system whole. Each directory is opened by one name, from within the
one before, and never through a link. What was opened is what is used, so there is no moment
between looking and using in which a name could be exchanged for a link to somewhere else.

- Links are not followed, not even those that lead back inside.
- Only regular files are opened: pipes, devices and sockets are refused, without waiting for them.
- A hard link is a file like any other and is read; nothing can tell which of its names came first.
  Writing puts a new file in place of the name, so what other names stand for stays as it was.
- A file is replaced in one step: a reader sees the old content or the new.

``fsspec`` was tried for this and left. Its ``DirFileSystem`` over a local folder refuses ``..``
but joins paths as text and follows links: with a link to a directory outside, both reading
``link/secret`` and writing ``link/new`` succeeded (2026.9), and no size is bounded.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from operator import attrgetter

from ...protocol.errors import UsageError
from .files import (
    IS_DIRECTORY,
    IS_FILE,
    MISSING,
    Entry,
    FileLimits,
    FolderListing,
    check_room,
    check_size,
    refuse,
)
from .latest import Latest
from .openat import (
    check_platform,
    closing,
    enter,
    enter_or_make,
    look,
    open_to_read,
    read_up_to,
    replace,
)
from .paths import Parts, is_usable, split_file_path, split_path, split_path_to_write

__all__ = ["FolderFiles"]

_DEFAULT = FileLimits()
_MAX_SCANNED = 50_000  # names in one directory that are looked at; some 10 MB while sorting

_IS_LINK = "is a link, and links are not followed"
_IS_SPECIAL = "is a pipe, a device or a socket, not a file"
_WORDS = {
    errno.ENOENT: MISSING,
    errno.EISDIR: IS_DIRECTORY,
    errno.ELOOP: _IS_LINK,
    errno.ENXIO: _IS_SPECIAL,
}


class FolderFiles:
    """The files of the folder *root*, which must exist.

    The folder is the one found there now: one that is put in its place later is not entered.
    """

    def __init__(self, root: str | os.PathLike[str], limits: FileLimits = _DEFAULT) -> None:
        check_platform()
        self._root, self._identity = _find_root(root)
        self._limits = limits
        self._written: Latest[dict[Parts, int]] = Latest({})

    @property
    def limits(self) -> FileLimits:
        """How much there may be of everything."""
        return self._limits

    def list(self, path: str = "/") -> FolderListing:
        """What the directory holds."""
        parts = split_path(path)
        with self._entered(parts) as folder, _reported(parts), os.scandir(folder) as found:
            plain, hidden = _sort_out(parts, found)
            shown = sorted(plain, key=attrgetter("name"))[: self._limits.entries]
            return FolderListing(tuple(map(_entry, shown)), len(plain) - len(shown), hidden)

    def read(self, path: str) -> bytes:
        """The whole content of the file."""
        parts = split_file_path(path)
        with self._entered(parts[:-1]) as folder, _reported(parts):
            # Opening a device can already set it off, hence the look before; what was seen then
            # may be gone since, hence the look after.
            _check_regular(parts, look(parts[-1], folder))
            with closing(open_to_read(parts[-1], folder)) as file:
                _check_regular(parts, found := os.fstat(file))
                check_size(parts, found.st_size, self._limits)
                content = read_up_to(file, self._limits.file_bytes + 1)
        check_size(parts, len(content), self._limits)  # it may have grown meanwhile
        return content

    def write(self, path: str, content: bytes) -> bool:
        """Make *content* the file's content, all at once; True if the file is new.

        The directories above are made where they are missing.
        """
        parts = split_path_to_write(path)
        check_size(parts, len(content), self._limits)
        # Before any directory is made, and again, bindingly, before the file is.
        self._counted(self._written.get(), parts, len(content))
        with self._entered(parts[:-1], make=True) as folder, _reported(parts):
            mode = _mode_to_keep(parts, folder)
            self._written.change(lambda sizes: self._counted(sizes, parts, len(content)))
            replace(parts[-1], folder, content, mode)
        return mode is None

    def remove(self, path: str) -> None:
        """Take the file away; the directories it stood in stay."""
        parts = split_file_path(path)
        with self._entered(parts[:-1]) as folder, _reported(parts):
            _check_regular(parts, look(parts[-1], folder))
            os.unlink(parts[-1], dir_fd=folder)
            self._written.change(
                lambda sizes: {each: size for each, size in sizes.items() if each != parts}
            )

    def _counted(self, sizes: dict[Parts, int], parts: Parts, size: int) -> dict[Parts, int]:
        counted = {**sizes, parts: size}
        check_room(parts, len(counted), sum(counted.values()), self._limits)
        return counted

    @contextmanager
    def _entered(self, parts: Parts, *, make: bool = False) -> Iterator[int]:
        """The directory *parts*, open; with *make*, made where it is missing."""
        folder = self._enter_root()
        try:
            for depth, name in enumerate(parts, 1):
                below = _enter(parts[:depth], name, folder, make)
                above, folder = folder, below
                os.close(above)
            yield folder
        finally:
            os.close(folder)

    def _enter_root(self) -> int:
        with _reported(()):
            folder = enter(self._root)
        if _identity(os.fstat(folder)) == self._identity:
            return folder
        os.close(folder)
        raise refuse((), "was moved away")


def _find_root(root: str | os.PathLike[str]) -> tuple[str, tuple[int, int]]:
    # An empty name would be the folder the program happens to run in.
    if not os.fspath(root):
        raise UsageError("root is empty; name a folder, '.' for the current one")
    try:
        real = os.path.realpath(root)
        found = os.stat(real)
    except (OSError, ValueError) as error:
        raise UsageError(f"root {str(root)!r} cannot be used: {error}") from error
    if not stat.S_ISDIR(found.st_mode):
        raise UsageError(f"root {str(root)!r} is not a folder")
    return real, _identity(found)


def _identity(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino


def _enter(parts: Parts, name: str, folder: int, make: bool) -> int:
    with _reported(parts):
        try:
            return enter_or_make(name, folder) if make else enter(name, folder)
        except OSError as error:
            # Systems differ in what they say to a link where a directory is due.
            if error.errno not in (errno.ENOTDIR, errno.ELOOP):
                raise
            is_link = stat.S_ISLNK(look(name, folder).st_mode)
            raise refuse(parts, _IS_LINK if is_link else IS_FILE) from error


def _check_regular(parts: Parts, found: os.stat_result) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise refuse(parts, IS_DIRECTORY)
    if stat.S_ISLNK(found.st_mode):
        raise refuse(parts, _IS_LINK)
    if not stat.S_ISREG(found.st_mode):
        raise refuse(parts, _IS_SPECIAL)


def _mode_to_keep(parts: Parts, folder: int) -> int | None:
    """The permissions of the file that will be replaced, None if there is none.

    Replacing a file needs no permission on it, so one that is protected is spared here.
    """
    try:
        found = look(parts[-1], folder)
    except FileNotFoundError:
        return None
    _check_regular(parts, found)
    if not found.st_mode & 0o222 or not os.access(parts[-1], os.W_OK, dir_fd=folder):
        raise refuse(parts, "is read-only")
    return stat.S_IMODE(found.st_mode) & 0o777


def _sort_out(
    parts: Parts, found: Iterator[os.DirEntry[str]]
) -> tuple[list[os.DirEntry[str]], int]:
    """What can be opened, and the number of the rest."""
    plain, hidden = [], 0
    for count, each in enumerate(found):
        if count == _MAX_SCANNED:
            raise refuse(parts, f"holds more than {_MAX_SCANNED} names, too many to list")
        if is_usable(each.name) and _is_plain(each):
            plain.append(each)
        else:
            hidden += 1
    return plain, hidden


def _is_plain(entry: os.DirEntry[str]) -> bool:
    return entry.is_dir(follow_symlinks=False) or entry.is_file(follow_symlinks=False)


def _entry(entry: os.DirEntry[str]) -> Entry:
    if entry.is_dir(follow_symlinks=False):
        return Entry(entry.name)
    try:
        return Entry(entry.name, entry.stat(follow_symlinks=False).st_size)
    except FileNotFoundError:  # it was there a moment ago
        return Entry(entry.name, 0)


@contextmanager
def _reported(parts: Parts) -> Iterator[None]:
    """Tell what the system refuses in our words: its own may name the real folder."""
    try:
        yield
    except OSError as error:
        number = error.errno or errno.EIO
        words = _WORDS.get(number, f"cannot be used: {os.strerror(number).lower()}")
        raise refuse(parts, words) from error
