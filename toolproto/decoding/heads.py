"""The name of a call that stands before its arguments, in whatever is written between the two.

Where the name is no member of the JSON, formats differ in what they put around it: special tokens
(``function<｜tool▁sep｜>get_weather``), an index (``functions.get_weather:0``), an id
(``get_weather[CALL_ID]abc[ARGS]``), a fence. All of them are read; a model that was asked for one
may write another.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .scanner import MORE, NO

__all__ = ["TOKEN", "Head", "read_head"]

#: No model was seen to write more between a marker and the arguments.
_LONGEST = 400
_TOKEN = r"<[|｜][^<>]{1,60}[|｜]>"
#: A special token, as text.
TOKEN = re.compile(_TOKEN)
_BEFORE = re.compile(rf"(?:\s|{_TOKEN}|function(?=\s{{0,4}}<[|｜])|call:|\"|'|`)", re.IGNORECASE)
_NAME = re.compile(r"(?:functions\.)?([^\W\d](?:[\w.\-/]|\\_){0,127})(:\d{1,9})?")
_ID = re.compile(r"\[CALL_ID\]([\w-]{0,64})")
_BETWEEN = re.compile(
    rf"\s|[\"'`>=,]|:(?!\w)|{_TOKEN}|\[ARGS\]|<tool_sep(?::\w{{1,40}})?>|Action Input ?:"
    r"|```\w{0,20}|json(?![\w.(])"
    r"|(?<=[|｜]>)(?:commentary|analysis)(?![\w.(])"
    r"|[A-Za-z][\w-]{0,30}=(?:\"[^\"<>]{0,200}\"|'[^'<>]{0,200}')",
    re.IGNORECASE,
)
# What of the above may be half there.
_BEGUN = re.compile(
    r"(?:<(?:[|｜][^<>]{0,60}|t[a-z_:]{0,50})?|\[[A-Z_\]]{0,9}[\w-]{0,64}|`{1,3}\w{0,20}"
    r"|Action(?: (?:I(?:n(?:p(?:u(?:t(?: ?)?)?)?)?)?)?)?"
    r"|[A-Za-z][\w-]{0,30}(?:=(?:[\"'][^\"'<>]{0,200}[\"']?)?)?|:)\Z",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Head:
    """A name, the id beside it if there is one, and where what is behind them begins."""

    name: str
    id: str
    end: int


def read_head(text: str, at: int, final: bool) -> Head | int:
    """The head that begins at *at*, or NO, or MORE. What follows it says if it was one."""
    start, id = at, ""
    at = _skipped(_BEFORE, text, at)
    while True:
        named = _NAME.match(text, at)
        if named is None:
            return _undecided(text, start, at, final)
        if named.end() == len(text) and not final:
            return _undecided(text, start, len(text), final)
        name, index = named.group(1).replace("\\_", "_").rstrip("/"), named.group(2)
        at = named.end()
        given = _ID.match(text, at)
        if given:
            id, at = given.group(1), given.end()
        elif index:
            id = named.group()
        end = _skipped(_BETWEEN, text, at)
        if _names_behind(text, at, end):
            id, at = name, end  # what looked like the name was the id before it
            continue
        if not final and (end == len(text) or _BEGUN.match(text, end)):
            return _undecided(text, start, len(text), final)
        return Head(name, id, end)


def _skipped(pattern: re.Pattern[str], text: str, at: int) -> int:
    last = at + _LONGEST
    while at < last and (found := pattern.match(text, at)):
        at = found.end()
    return at


def _names_behind(text: str, at: int, end: int) -> bool:
    """Does a token say that the name comes only now?"""
    between = text[at:end].replace("｜", "|")
    return "name" in between and "|" in between and _NAME.match(text, end) is not None


def _undecided(text: str, start: int, at: int, final: bool) -> int:
    waiting = at >= len(text) or _BEGUN.match(text, at) is not None
    return MORE if not final and waiting and len(text) - start <= _LONGEST else NO
