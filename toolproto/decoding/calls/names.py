"""The name of a call that stands before its arguments, in whatever is written between the two.

Where the name is no member of the JSON, formats differ in what they put around it: special tokens
(``function<｜tool▁sep｜>get_weather``), an index (``functions.get_weather:0``), an id
(``get_weather[CALL_ID]abc[ARGS]``), a fence. All of them are read; a model that was asked for one
may write another.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..patterns import Pattern
from ..reply.markers import MORE, NO

__all__ = ["MORE_KEY", "TOKEN", "Head", "leading_key", "read_head"]

#: No model was seen to write more between a marker and the arguments.
_LONGEST = 400
_TOKEN = r"<[|｜][^<>]{1,60}[|｜]>"
#: A special token, as text.
TOKEN = Pattern(_TOKEN)
_BEFORE = Pattern(rf"(?:\s|{_TOKEN}|function(?=\s{{0,4}}<[|｜])|call:|\"|'|`)", re.IGNORECASE)
_NAME = Pattern(r"(?:functions\.)?([^\W\d](?:[\w.\-/]|\\_){0,127})(:\d{1,9})?")
_ID = Pattern(r"\[CALL_ID\]([\w-]{0,64})")
_BETWEEN = Pattern(
    rf"\s|[\"'`>=,]|:(?!\w)|{_TOKEN}|\[ARGS\]|<tool_sep(?::\w{{1,40}})?>|Action Input ?:"
    r"|```\w{0,20}|json(?![\w.(])"
    r"|(?<=[|｜]>)(?:commentary|analysis)(?![\w.(])"
    r"|[A-Za-z][\w-]{0,30}=(?:\"[^\"<>]{0,200}\"|'[^'<>]{0,200}')",
    re.IGNORECASE,
)
_LEADING = Pattern(r"(?:\[\s{0,80}+)?\{\s{0,80}+[\"'“‘`]?+([A-Za-z_]{0,30}+)[^A-Za-z_]")

#: Instead of a key: it cannot be said yet. No member of ours is called that.
MORE_KEY = "…"


@dataclass(frozen=True, slots=True)
class Head:
    """A name, the id beside it if there is one, and where what is behind them begins."""

    name: str
    id: str
    end: int


def read_head(text: str, at: int, final: bool) -> Head | int:
    """The head that begins at *at*, or NO, or MORE. What follows it says if it was one."""
    # Beyond the longest head nothing is looked at, whatever has come of it.
    whole, text = len(text) >= at + _LONGEST, text[: at + _LONGEST]
    look = _Look(text, at, final or whole)
    try:
        return look.head()
    except _Wait:
        return MORE


class _Wait(Exception):
    """More text could change the answer."""


class _Look:
    """Reads one head, from left to right."""

    def __init__(self, text: str, at: int, final: bool) -> None:
        self._text, self._at, self._final = text, at, final

    def head(self) -> Head | int:
        """What stands here."""
        id = ""
        self._skip(_BEFORE)
        while named := self._take(_NAME):
            name = named.group(1).replace("\\_", "_").rstrip("/")
            given = self._take(_ID)
            id = given.group(1) if given else named.group() if named.group(2) else id
            between = self._skip(_BETWEEN).replace("｜", "|")
            if "name" not in between or "|" not in between or not self._match(_NAME):
                return Head(name, id, self._at)
            id = name  # a token says that the name comes only now: this was the id before it
        return NO

    def _match(self, pattern: Pattern) -> re.Match[str] | None:
        if not self._final and pattern.may_change(self._text, self._at):
            raise _Wait
        return pattern.match(self._text, self._at)

    def _take(self, pattern: Pattern) -> re.Match[str] | None:
        found = self._match(pattern)
        if found:
            self._at = found.end()
        return found

    def _skip(self, pattern: Pattern) -> str:
        start = self._at
        while self._take(pattern):
            pass
        return self._text[start : self._at]


def leading_key(text: str, at: int, final: bool) -> str:
    """The first member of the object, or of the first object in the list, that begins at *at*.

    Empty where there is none; MORE_KEY where more text has to come first.
    """
    if not final and _LEADING.may_change(text, at):
        return MORE_KEY
    lead = _LEADING.match(text, at)
    return str(lead.group(1)) if lead is not None else ""
