"""Files that exist in memory only: for tests, for scratch work, for letting a model try.

A tree is a value that is never changed: a write makes the next one. Readers therefore always see
a whole tree, and of two writes at once neither is lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain

from ...protocol.errors import ToolFailed, UsageError
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
from .paths import Parts, split_file_path, split_path, split_path_to_write

__all__ = ["MemoryFiles"]

_DEFAULT = FileLimits()


@dataclass(frozen=True, slots=True)
class _Tree:
    """Files by path, and the directories that they stand in."""

    files: Mapping[Parts, bytes] = field(default_factory=dict)
    directories: frozenset[Parts] = frozenset({()})
    total: int = 0

    def entries(self, directory: Parts) -> list[Entry]:
        inside = (each for each in chain(self.files, self.directories) if each[:-1] == directory)
        return [self._entry(each) for each in sorted(inside) if each]

    def check_above(self, parts: Parts, *, make: bool = False) -> None:
        """Refuse *parts* if it does not stand in a directory, or may not *make* itself one."""
        for above in (parts[:depth] for depth in range(len(parts))):
            if above in self.files:
                raise refuse(above, IS_FILE)
            if above not in self.directories and not make:
                raise refuse(above, MISSING)

    def _entry(self, parts: Parts) -> Entry:
        content = self.files.get(parts)
        return Entry(parts[-1], None if content is None else len(content))


class MemoryFiles:
    """Files in memory, beginning with *contents*: texts or bytes by path."""

    def __init__(
        self, contents: Mapping[str, str | bytes] | None = None, limits: FileLimits = _DEFAULT
    ) -> None:
        self._limits = limits
        self._tree = Latest(_Tree())
        try:
            for path, content in (contents or {}).items():
                self.write(path, content.encode() if isinstance(content, str) else content)
        except (ToolFailed, UnicodeEncodeError) as error:
            raise UsageError(f"contents cannot be taken over: {error}") from error

    @property
    def limits(self) -> FileLimits:
        """How much there may be of everything."""
        return self._limits

    def list(self, path: str = "/") -> FolderListing:
        """What the directory holds."""
        parts, tree = split_path(path), self._tree.get()
        if parts in tree.directories:
            entries = tree.entries(parts)
            shown = tuple(entries[: self._limits.entries])
            return FolderListing(shown, more=len(entries) - len(shown))
        tree.check_above(parts)
        raise refuse(parts, IS_FILE if parts in tree.files else MISSING)

    def read(self, path: str) -> bytes:
        """The whole content of the file."""
        parts, tree = split_file_path(path), self._tree.get()
        if parts in tree.files:
            return tree.files[parts]
        tree.check_above(parts)
        raise refuse(parts, IS_DIRECTORY if parts in tree.directories else MISSING)

    def write(self, path: str, content: bytes) -> bool:
        """Make *content* the file's content; True if the file is new."""
        parts, is_new = split_path_to_write(path), True

        def follow(tree: _Tree) -> _Tree:
            nonlocal is_new
            is_new = parts not in tree.files
            return self._written(tree, parts, bytes(content))

        self._tree.change(follow)
        return is_new

    def remove(self, path: str) -> None:
        """Take the file away; the directories it stood in stay."""
        parts = split_file_path(path)

        def follow(tree: _Tree) -> _Tree:
            if parts not in tree.files:
                raise refuse(parts, IS_DIRECTORY if parts in tree.directories else MISSING)
            left = {each: content for each, content in tree.files.items() if each != parts}
            return _Tree(left, tree.directories, tree.total - len(tree.files[parts]))

        self._tree.change(follow)

    def copy(self) -> MemoryFiles:
        """The same files once more; what is done to one does nothing to the other."""
        copied = MemoryFiles(limits=self._limits)
        copied._tree = Latest(self._tree.get())
        return copied

    def contents(self) -> dict[str, bytes]:
        """Every file there is, by path."""
        return {"/".join(parts): content for parts, content in self._tree.get().files.items()}

    def _written(self, tree: _Tree, parts: Parts, content: bytes) -> _Tree:
        check_size(parts, len(content), self._limits)
        files = {**tree.files, parts: content}
        total = tree.total - len(tree.files.get(parts, b"")) + len(content)
        check_room(parts, len(files), total, self._limits)
        tree.check_above(parts, make=True)
        if parts in tree.directories:
            raise refuse(parts, IS_DIRECTORY)
        above = {parts[:depth] for depth in range(len(parts))}
        return _Tree(files, tree.directories | above, total)
