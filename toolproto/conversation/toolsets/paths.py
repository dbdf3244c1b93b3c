"""Which file a path means: the names on the way to it from the top directory.

``notes/a.txt``, ``/notes/a.txt`` and ``./notes//a.txt`` are the same file, whatever the system
behind. Names are taken as they are written: nothing is decoded, expanded, normalised or folded,
so no other spelling can turn into ``..`` or ``/`` later on.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TypeAlias

from ...protocol.errors import ToolFailed
from ...protocol.foreign_text import CONTROLS, HALVES, LINE_SEPARATORS, TURNING
from ...protocol.tools.wording import show_name

__all__ = [
    "Parts",
    "is_usable",
    "show_parts",
    "split_file_path",
    "split_path",
    "split_path_to_write",
]

#: The names of a path, outermost first; the top directory has none.
Parts: TypeAlias = tuple[str, ...]

_MAX_PATH = 1024  # characters; a longer one is a model that repeats itself
_MAX_DEPTH = 32  # directories; each is an open directory on the way
_MAX_NAME = 255  # bytes; what nearly every file system allows

# What would spoil a listing (control characters, other line ends), show a person who approves a
# call another name than the real one (direction overrides), or cannot be written (surrogates).
_UNFIT = re.compile(f"[{CONTROLS}{LINE_SEPARATORS}{TURNING}{HALVES}]")
#: What a version control keeps there makes it run programs: hooks, filters, an editor.
_RUNS_PROGRAMS = frozenset({".git", ".hg", ".svn", ".bzr", ".jj", "git~1"})
_ROOTED = "write the path from the top directory, such as 'notes/todo.txt'"


def split_path(path: str) -> Parts:
    """The names in *path*; ToolFailed if no file or directory can have it."""
    if len(path) > _MAX_PATH:
        raise _unusable(path, f"it has {len(path)} characters, more than {_MAX_PATH}")
    parts = tuple(name for name in path.split("/") if name not in ("", "."))
    if len(parts) > _MAX_DEPTH:
        raise _unusable(path, f"it is {len(parts)} names deep, more than {_MAX_DEPTH}")
    for name in parts:
        if fault := _fault(name):
            raise _unusable(path, fault)
    return parts


def split_file_path(path: str) -> Parts:
    """As :func:`split_path`, for a path that must name a file."""
    parts = split_path(path)
    # "notes/" would otherwise make a file "notes" where a directory was meant.
    if path.rpartition("/")[2] in ("", "."):
        raise _unusable(path, "it names a directory; put the name of a file at its end")
    return parts


def split_path_to_write(path: str) -> Parts:
    """As :func:`split_file_path`, for a file that a model may write."""
    parts = split_file_path(path)
    for name in parts:
        if _plainest(name) in _RUNS_PROGRAMS:
            raise _unusable(
                path, f"{show_name(name)} belongs to version control and is not written"
            )
    return parts


def _plainest(name: str) -> str:
    """*name* as the file systems take it that know the fewest differences."""
    seen = "".join(char for char in name if unicodedata.category(char) != "Cf")
    # Behind a colon stands the name of a stream of the same file.
    whole = unicodedata.normalize("NFKC", seen).partition(":")[0]
    return whole.casefold().rstrip(". ")


def is_usable(name: str) -> bool:
    """Whether a path can lead to a file or directory of this name."""
    return _fault(name) is None


def show_parts(parts: Parts) -> str:
    """A path as every message shows it: from the top, in quotes."""
    return f"'/{'/'.join(parts)}'"


def _fault(name: str) -> str | None:
    if name == "..":
        return f"'..' is not used here; {_ROOTED}"
    if _UNFIT.search(name):
        return "it holds a control character"
    if "\\" in name:
        return "write '/' between names, never a backslash"
    if name.endswith(":"):
        return f"{show_name(name)} looks like a drive or a URL; {_ROOTED}"
    # Taken as a name, it would one day be cleaned up by somebody typing ``rm -r ~``.
    if name == "~":
        return f"'~' has no meaning here; {_ROOTED}"
    if len(name.encode()) > _MAX_NAME:
        return f"a name in it has more than {_MAX_NAME} bytes"
    return None


def _unusable(path: str, fault: str) -> ToolFailed:
    return ToolFailed(f"the path {show_name(path)} cannot be used: {fault}")
