"""One tag of a call that is written in tags, with whatever a model's dialect puts around it.

``<parameter=city>``, ``<parameter name="city" string="true">``, ``<｜DSML｜invoke name="f">``,
``<steptml:parameter name="x">``, ``<|open|>call tool="f"<|sep|>`` and ``]<]minimax[>[</city>`` are
all tags: a word, perhaps a value behind ``=``, perhaps attributes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import unescape

from .scanner import MORE, NO

__all__ = ["ATTRIBUTE", "PREFIX", "Tag", "closing", "tag_at"]

#: What dialects put between ``<`` and the word of a tag.
PREFIX = r"(?:[|｜][A-Za-z]{1,12}[|｜] ?|[A-Za-z]{1,12}[:|])?"
_LONGEST = 2400
_NOISE = "]<]minimax[>["
_WORD = r"[A-Za-z_](?:[\w.-]|\\_){0,63}"
_VALUE = r"\"[^\"<>]{0,2000}\"|'[^'<>]{0,2000}'|[^\s\"'<>/]{1,200}"
ATTRIBUTE = re.compile(rf"\s*([\w-]{{1,40}})\s{{0,3}}=\s{{0,3}}({_VALUE})")
_ATTRIBUTES = r"(?:\s+[\w-]{1,40}\s{0,3}=\s{0,3}(?:" + _VALUE + r")){0,8}"
_TAG = re.compile(
    rf"(?:\]<\]minimax\[>\[)?<\s{{0,3}}([/\\]?)\s{{0,3}}{PREFIX}({_WORD})(?::\w{{1,40}})?"
    rf"(?:\s{{0,3}}=\s{{0,3}}[\"']?([^\"'<>\n]{{1,128}})[\"']?)?({_ATTRIBUTES})\s{{0,3}}(/?)>"
)
_SPELLED_OUT = re.compile(rf"<[|｜](open|close)[|｜]>({_WORD})({_ATTRIBUTES})<[|｜]sep[|｜]>")
_BEGUN = re.compile(
    r"(?:\]<\]minimax\[>\[)?<[^<>]{0,2300}\Z|<[|｜](?:open|close)[|｜]>[^<>]{0,300}(?:<[|｜]?[sep|｜]{0,4})?\Z"
)


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag: its *word* in lower case, the *value* behind ``=``, and where it ends."""

    word: str
    closes: bool
    value: str
    attributes: Mapping[str, str]
    end: int
    empty: bool = False  # <param name="k" value="v"/>


def tag_at(text: str, at: int, final: bool) -> Tag | int:
    """The tag that begins at *at*, or NO, or MORE."""
    found = _TAG.match(text, at)
    if found:
        slash, word, value, attributes, empty = found.groups()
        return _tag(word, bool(slash), value, attributes, found.end(), empty=bool(empty))
    spelled = _SPELLED_OUT.match(text, at)
    if spelled:
        kind, word, attributes = spelled.groups()
        return _tag(word, kind == "close", None, attributes, spelled.end())
    return MORE if not final and _is_begun(text, at) else NO


def closing(word: str) -> re.Pattern[str]:
    """What closes an element called *word*, in any dialect."""
    name = re.escape(word).replace("_", r"\\?_")
    return re.compile(
        rf"(?:\]<\]minimax\[>\[)?<\s{{0,3}}[/\\]\s{{0,3}}{PREFIX}{name}(?::\w{{1,40}})?\s{{0,3}}>"
        rf"|<[|｜]close[|｜]>{name}<[|｜]sep[|｜]>",
        re.IGNORECASE,
    )


def _tag(
    word: str, closes: bool, value: str | None, attributes: str, end: int, *, empty: bool = False
) -> Tag:
    told = {
        name.lower(): unescape(value.strip("\"'")) for name, value in ATTRIBUTE.findall(attributes)
    }
    return Tag(word.replace("\\_", "_"), closes, (value or "").strip(), told, end, empty)


def _is_begun(text: str, at: int) -> bool:
    if len(text) - at > _LONGEST:
        return False
    return _BEGUN.match(text, at) is not None or _NOISE.startswith(text[at:])
