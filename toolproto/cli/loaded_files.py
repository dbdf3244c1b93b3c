"""Which files the settings of a folder have loaded: tools, paradigms, programs, what these import.

Found without running anything: a name that a setting chooses is looked for where it would be loaded
from, and imports are read from the syntax tree. What code loads in another way is not found.
"""

from __future__ import annotations

import ast
import hashlib
import json
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

__all__ = ["digest_of_files", "loaded_files"]

# What is written while the settings are used changes all the time.
_WRITTEN = frozenset({"store", "record", "session", "sessions", "log", "output"})
# The size and the time stand for the content of a file that is larger: a model, or a program.
_LARGEST_READ = 64 * 1024 * 1024


def loaded_files(values: Mapping[str, Any], folder: Path) -> list[Path]:
    """Return the files that settings with these *values* have loaded when used in *folder*."""
    found: dict[Path, None] = {}
    pending = [path for text in _texts(values) for path in _named(text, folder)]
    while pending:
        path = pending.pop()
        if path not in found:
            found[path] = None
            pending += _further(path, folder)
    return sorted(found)


def digest_of_files(files: list[Path]) -> str:
    """Return one digest of *files*: their paths and what they say."""
    told = hashlib.sha256()
    for path in files:
        try:
            size, changed = path.stat().st_size, path.stat().st_mtime_ns
            is_read = size <= _LARGEST_READ
            content = path.read_bytes() if is_read else f"{size} {changed}".encode()
        except OSError as error:
            content = str(error.errno).encode()
        told.update(f"{path}\n{hashlib.sha256(content).hexdigest()}\n".encode())
    return told.hexdigest()


def _texts(value: Any, name: str = "") -> Iterator[str]:
    """Every text in *value*, but for those of settings that name what is written."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, each in value.items():
            if str(key).replace("_", "-") not in _WRITTEN:
                yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)


def _named(text: str, folder: Path) -> Iterator[Path]:
    """The files that *text*, or a word of it, may name."""
    for word in dict.fromkeys((text, *text.split())):
        yield from _files(folder / Path(word), folder / f"{word}.py")
        if word.startswith("~"):
            yield from _files(_expanded(word))
        if all(part.isidentifier() for part in word.split(".")):
            yield from _modules(word.split("."), folder)


def _expanded(word: str) -> Path:
    try:
        return Path(word).expanduser()
    except RuntimeError:  # there is no such user
        return Path(word)


def _modules(parts: list[str], folder: Path) -> Iterator[Path]:
    """The files of the module that has the dotted name *parts*, and of the packages it is in."""
    place = folder
    for part in parts:
        yield from _files(place / f"{part}.py", place / part / "__init__.py")
        place /= part
    yield from _files(place / "__main__.py")


def _files(*paths: Path) -> Iterator[Path]:
    for path in paths:
        try:
            if path.is_file():
                yield path.resolve()
        except (OSError, ValueError):  # a text that can be no name
            continue


def _further(path: Path, folder: Path) -> Iterator[Path]:
    """The files that the one at *path* has loaded: modules beside it, commands of its tools."""
    if path.suffix not in (".py", ".json", ".toml") or path.stat().st_size > _LARGEST_READ:
        return
    try:
        text = path.read_text(encoding="utf-8-sig")
        if path.suffix == ".py":
            yield from _imported(ast.parse(text), path, folder)
        else:
            found = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
            for command in _commands(found):
                yield from (each for word in _texts(command) for each in _named(word, folder))
    # What cannot be read is not loaded, either.
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return


def _imported(tree: ast.AST, path: Path, folder: Path) -> Iterator[Path]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for name in node.names:
                for root in (path.parent, folder):
                    yield from _modules(name.name.split("."), root)
        elif isinstance(node, ast.ImportFrom):
            parts = node.module.split(".") if node.module else []
            up = path.parents[min(node.level, len(path.parents)) - 1] if node.level else None
            for root in [up] if up else [path.parent, folder]:
                for each in node.names:
                    yield from _modules([*parts, each.name], root)


def _commands(found: Any) -> Iterator[Any]:
    """What stands under ``command`` in definitions of tools."""
    pending = [found]
    while pending:
        each = pending.pop()
        if isinstance(each, Mapping):
            yield each.get("command")
            pending += each.values()
        elif isinstance(each, list):
            pending += each
