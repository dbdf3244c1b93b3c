"""What a function's docstring says about the function and each of its parameters.

Google, NumPy and Sphinx docstrings are told apart line by line; one docstring may even mix
them. Reading is linear and never fails: what is not understood is not there.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import zip_longest

__all__ = ["Docstring", "parse_docstring"]

_PARAMETERS = frozenset(
    {
        "args",
        "arguments",
        "keyword args",
        "keyword arguments",
        "other parameters",
        "parameters",
        "params",
    }
)
_SECTIONS = _PARAMETERS | {
    "attributes",
    "example",
    "examples",
    "note",
    "notes",
    "raises",
    "references",
    "return",
    "returns",
    "see also",
    "todo",
    "warning",
    "warnings",
    "warns",
    "yield",
    "yields",
}
_SPHINX_PARAMETERS = frozenset({"arg", "argument", "key", "keyword", "param", "parameter"})


@dataclass(frozen=True, slots=True)
class Docstring:
    """A docstring taken apart: all of the text before the sections, and a text per parameter."""

    summary: str = ""
    parameters: dict[str, str] = field(default_factory=dict)


def parse_docstring(text: str | None) -> Docstring:
    """*text* taken apart; nothing at all gives an empty Docstring."""
    blocks = list(_blocks(inspect.cleandoc(text or "").splitlines()))
    parameters: dict[str, str] = {}
    for block in blocks[1:]:
        for name, words in _ENTRIES[block.style](block):
            parameters.setdefault(name, " ".join(words.split()))
    return Docstring("\n".join(blocks[0].lines).strip(), parameters)


@dataclass(slots=True)
class _Block:
    """The lines under one heading, or before any."""

    style: str
    title: str = ""
    lines: list[str] = field(default_factory=list)


def _blocks(lines: list[str]) -> Iterator[_Block]:
    block = _Block("plain")
    for line, following in zip_longest(lines, lines[1:], fillvalue=""):
        heading = _heading(line, following)
        if heading:
            yield block
            block = heading
        elif block.style in ("google", "sphinx") and line and not line[0].isspace():
            yield block
            block = _Block("plain")
        else:
            block.lines.append(line)
    yield block


def _heading(line: str, following: str) -> _Block | None:
    """The block that *line* opens, if it opens one; NumPy underlines its headings."""
    word = line.rstrip().lower()
    if word in _SECTIONS and len(following) > 2 and not following.strip("-="):
        return _Block("numpy", word)
    if word.endswith(":") and word[:-1] in _SECTIONS:
        return _Block("google", word[:-1])
    mark, _, rest = line.partition(":")
    title, colon, words = rest.partition(":")
    if not mark and colon and title[:1].isalpha():
        return _Block("sphinx", title, [words])
    return None


def _no_entries(block: _Block) -> Iterator[tuple[str, str]]:
    return iter(())


def _sphinx_entries(block: _Block) -> Iterator[tuple[str, str]]:
    kind, *rest = block.title.split()
    if kind in _SPHINX_PARAMETERS and rest:
        yield rest[-1].lstrip("*\\"), " ".join(block.lines)  # ":param int days:" names days


def _numpy_entries(block: _Block) -> Iterator[tuple[str, str]]:
    if block.title not in _PARAMETERS:
        return
    names: list[str] = []
    words: list[str] = []
    for line in [*block.lines[1:], "end"]:
        if line and not line[0].isspace():
            yield from ((name, " ".join(words)) for name in names)
            names, words = _numpy_names(line), []
        else:
            words.append(line)


def _numpy_names(line: str) -> list[str]:
    names = line.partition(":")[0].split(",")
    return [name.strip().lstrip("*") for name in names]


def _google_entries(block: _Block) -> Iterator[tuple[str, str]]:
    if block.title not in _PARAMETERS:
        return
    indent = next((_indent(line) for line in block.lines if line), 0)
    name, words = "", [""]
    for line in block.lines:
        started = _google_entry(line) if _indent(line) == indent else None
        if started:
            if name:
                yield name, " ".join(words)
            name, words = started[0], [started[1]]
        else:
            words.append(line)
    if name:
        yield name, " ".join(words)


def _google_entry(line: str) -> tuple[str, str] | None:
    """``name: words`` or ``name (type): words``."""
    stripped = line.strip().lstrip("*")
    name = stripped.partition(":")[0].partition("(")[0].strip()
    rest = stripped[len(name) :].lstrip()
    if rest.startswith("("):
        rest = rest[_closing(rest) + 1 :].lstrip()
    return (name, rest[1:]) if name.isidentifier() and rest.startswith(":") else None


def _closing(text: str) -> int:
    """Where the bracket that opens *text* closes."""
    depth = 0
    for at, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if depth == 0:
            return at
    return len(text)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


_ENTRIES: dict[str, Callable[[_Block], Iterator[tuple[str, str]]]] = {
    "google": _google_entries,
    "numpy": _numpy_entries,
    "plain": _no_entries,
    "sphinx": _sphinx_entries,
}
