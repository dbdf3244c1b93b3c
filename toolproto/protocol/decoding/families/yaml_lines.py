"""The lines and the plain scalars of YAML, as models write them in calls."""

from __future__ import annotations

import re
from io import StringIO
from typing import Any, NamedTuple

from ...messages import Repair
from ...tools.kinds import fits
from ..faults import malformed
from ..patterns import Pattern
from ..source import Pull, Source
from .line_values import TRUTHS, read_text, unquoted

# -- lines ------------------------------------------------------------------------------------

LONGEST_INDENT = 1024
# No line is looked at further than this for list items.
_LONGEST_HEAD = 1024
LINE_BEGINS = Pattern(rf"([ \t]{{0,{LONGEST_INDENT + 1}}})(\r?\n|\r\Z)?")
BETWEEN_DOCUMENTS = Pattern(r"(?:---|\.\.\.)(?=[ \t\r\n]|\Z)")
_ITEM = Pattern(r"-(?:[ \t]{1,80}|(?=\r?\n))")
_KEY_ENDS = r"[ \t]{0,8}:(?=[ \t]|\r?\n|\Z)"
_BARE_KEY = Pattern(rf"([^\W\d][\w.$/-]{{0,127}}(?: [\w.$/-]{{1,127}}){{0,3}}){_KEY_ENDS}")
_QUOTED_KEY = Pattern(rf"(\"(?:[^\"\\\n]|\\.){{0,500}}\"|'[^'\n]{{0,500}}'){_KEY_ENDS}")
LINE_OVER = Pattern(r"\r?\n|#|\r\Z")
_QUOTE_ENDED = Pattern(r"[ \t]{1,64}#|[ \t,;]{0,64}(?:\r?\n|\r?\Z)")
_SEPARATORS = Pattern(r"[ \t,;]{0,64}")
_NEWLINE = re.compile(r"\n")
NO_SPACE = re.compile(r"[^ \t]")
_NO_SEPARATOR = re.compile(r"[^ \t,;]")


class YamlLine(NamedTuple):
    """The columns of a line's list items, and of its key or value, which begins *length* on."""

    items: tuple[int, ...]
    column: int
    key: str | None
    length: int

    @property
    def is_value(self) -> bool:
        """Does it begin with neither an item nor a key?"""
        return self.key is None and not self.items


def read_line(source: Source, indent: int) -> Pull[YamlLine]:
    """What the line that begins here begins with, behind *indent* characters of space."""
    items: list[int] = []
    column = indent
    while column < _LONGEST_HEAD and (yield from source.stands("-", column)):
        item = yield from source.match(_ITEM, column)
        if item is None:
            break
        items.append(column)
        column += len(item.group())
    in_quotes = (yield from source.peek(column + 1))[column:] in ('"', "'")
    key = yield from source.match(_QUOTED_KEY if in_quotes else _BARE_KEY, column)
    if key is None:
        return YamlLine(tuple(items), column, None, column)
    return YamlLine(tuple(items), column, unquoted(key.group(1)), column + len(key.group()))


def pass_line(source: Source, kept: StringIO | None = None) -> Pull[None]:
    """Read the rest of the line, which *kept* takes."""
    while piece := (yield from source.before(_NEWLINE)):
        if kept is not None:
            kept.write(piece)
    source.at += len((yield from source.peek()))


def behind_value(source: Source) -> Pull[None]:
    """The rest of a line whose value is over: nothing, or a comment, or the end of the calls."""
    char = yield from source.skip_to(_NO_SEPARATOR)
    if (yield from source.match(LINE_OVER)):
        yield from pass_line(source)
    elif char and not (yield from source.at_end()):
        raise malformed("something stands behind a value in its line")


def quote_ends(source: Source) -> Pull[bool]:
    """Does nothing more than a comment or an end of calls stand in the line behind the quote?"""
    if (yield from source.match(_QUOTE_ENDED, 1)):
        return True
    return (yield from source.at_end(1 + (yield from source.length(_SEPARATORS, 1))))


# -- scalars ----------------------------------------------------------------------------------

_COMMENT = re.compile(r"(?:^|\s)#(?=\s|\Z)")
_WORDS: dict[str, Any] = {"~": None, "": None, "null": None, "none": None}
_WORDS |= {"true": True, "false": False}


def plain_scalar(text: str, wanted: frozenset[str]) -> tuple[Any, tuple[Repair, ...]]:
    """The value of a scalar without double quotes, where one of the types *wanted* may stand."""
    comment = _COMMENT.search(text) if text[:1] != "'" else None
    text = text[: comment.start()].strip() if comment else text.strip()
    repairs, word = (Repair("comment"),) if comment else (), text.lower()
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'"), repairs
    if word in _WORDS and ("string" not in wanted or fits(_WORDS[word], wanted)):
        return _WORDS[word], repairs
    is_said = word in TRUTHS and word.isalpha()  # but 1 and 0 are numbers
    if is_said and "boolean" in wanted and "string" not in wanted:
        return TRUTHS[word], (*repairs, Repair("literal"))
    value, mended = read_text(text, wanted)
    # Where nobody asks for another type, what is not quite JSON is text.
    is_text = isinstance(value, str) or (mended and not wanted)
    return (text, repairs) if is_text else (value, (*repairs, *mended))
