"""What does a line of YAML begin with: list items, a key, the marks of a block?"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from ..messages import Repair
from .lenient import read_json
from .plain_values import fits
from .scanner import MORE
from .strict import Reading, read_strict

__all__ = ["BlockHeader", "Line", "block_header", "plain_scalar", "read_line"]

#: No line is looked at further than this before it is decided what it begins with.
_LONGEST_HEAD = 1024
_ITEM = re.compile(r"-(?:[ \t]{1,80}|(?=\r?\n))")
_ITEM_BEGUN = re.compile(r"-[ \t]{0,80}\r?\Z")
_KEY = (
    r"(?:([^\W\d][\w.$/-]{0,127}(?: [\w.$/-]{1,127}){0,3})"
    r"|(\"(?:[^\"\\\n]|\\.){0,500}\"|'[^'\n]{0,500}'))[ \t]{0,8}:"
)
_KEY_IN_LINE = re.compile(rf"{_KEY}(?:[ \t]{{1,80}}|(?=\r?\n))")
_KEY_AT_END = re.compile(rf"{_KEY}[ \t]{{0,80}}\Z")
_HEADER = re.compile(r"([|>])([+-]?)([1-9]?)([+-]?)[ \t]{0,64}(?:#[^\n]{0,200})?(\r?\n)")
_HEADER_BEGUN = re.compile(r"[|>][+-]?[1-9]?[+-]?[ \t]{0,64}(?:#[^\n]{0,200})?\Z")
_COMMENT = re.compile(r"(?:^|\s)#(?=\s|\Z)")
_WORDS: dict[str, Any] = {"~": None, "": None, "null": None, "none": None}
_TRUTH = {"true": True, "false": False}
_SAID = {"yes": True, "on": True, "no": False, "off": False}


@dataclass(frozen=True, slots=True)
class Line:
    """The columns of a line's list items, and of its key or value, which begins at *end*."""

    items: tuple[int, ...]
    column: int
    key: str | None
    end: int


def read_line(text: str, at: int, column: int, final: bool) -> Line | int:
    """The line whose first character is at *at*, in *column*; MORE if that cannot be said yet."""
    items: list[int] = []
    last = at + _LONGEST_HEAD
    while item := _ITEM.match(text, at, last):
        items.append(column)
        column += item.end() - at
        at = item.end()
    if not final and len(text) < last and (at == len(text) or _ITEM_BEGUN.match(text, at)):
        return MORE
    key = _KEY_IN_LINE.match(text, at, last) or (final and _KEY_AT_END.match(text, at, last))
    if key:
        return Line(tuple(items), column, key.group(1) or _unquoted(key.group(2)), key.end())
    if not final and len(text) < last and "\n" not in text[at:]:
        return MORE
    return Line(tuple(items), column, None, at)


def _unquoted(key: str) -> str:
    if key[0] == "'":
        return key[1:-1]
    reading = read_json(key)
    return str(reading.value) if isinstance(reading, Reading) else key[1:-1]


@dataclass(frozen=True, slots=True)
class BlockHeader:
    """What stands behind a key whose text is a block below it.

    *folded* is whether line breaks are spaces, *chomping* what becomes of the last ones, *indent*
    how far the text is indented (0 where its first line says that), *newline* what ends the line.
    """

    folded: bool
    chomping: str
    indent: int
    newline: str
    end: int


def block_header(text: str, at: int, final: bool) -> BlockHeader | int | None:
    """The header of a block at *at*; None if there is none, or MORE."""
    found = _HEADER.match(text, at)
    if found:
        style, before, indent, behind, newline = found.groups()
        return BlockHeader(style == ">", before or behind, int(indent or 0), newline, found.end())
    begun = not final and (_HEADER_BEGUN.match(text, at) or text[-1] == "\r")
    return MORE if begun and text[at] in "|>" else None


def plain_scalar(text: str, wanted: frozenset[str]) -> tuple[Any, tuple[Repair, ...]]:
    """The value of a scalar without double quotes, where one of the types *wanted* may stand."""
    comment = _COMMENT.search(text) if text[:1] != "'" else None
    text = text[: comment.start()].strip() if comment else text.strip()
    repairs = (Repair("comment"),) if comment else ()
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'"), repairs
    if wanted == {"string"}:
        return text, repairs
    if "boolean" in wanted and "string" not in wanted and text.lower() in _SAID:
        return _SAID[text.lower()], (*repairs, Repair("literal"))
    value = _typed(text)
    return (text if "string" in wanted and not fits(value, wanted) else value), repairs


def _typed(text: str) -> Any:
    """The JSON that *text* is, in the spellings of YAML; or else the text itself."""
    word = text.lower()
    if word in _WORDS or word in _TRUTH:
        return _WORDS.get(word, _TRUTH.get(word))
    reading = read_strict(text)
    whole = isinstance(reading, Reading) and reading.end == len(text)
    return reading.value if isinstance(reading, Reading) and whole else text
