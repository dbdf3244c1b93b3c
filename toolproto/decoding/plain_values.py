"""What does a value mean that stands in a line without quotes?

A string, if the tool's schema wants nothing else, and otherwise whatever JSON it is. A value in
brackets is taken in until they are closed, and then read as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from io import StringIO
from typing import Any

from ..messages import Grade, ProblemKind, Repair
from ..tools.spec import ToolSpec
from .lenient import read_json
from .lenient import repairs as mend
from .scanner import NO
from .strict import Reading, Refusal

__all__ = ["FlowText", "bare_value", "fits", "is_whole", "kinds", "kinds_of"]

_KINDS: Mapping[type, str] = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    list: "array",
    dict: "object",
    type(None): "null",
}
_FLOW = re.compile(r'[^"{}\[\]\n]+|.', re.DOTALL)
_FLOW_STRING = re.compile(r'[^"\\\n]+|\\.|["\n]', re.DOTALL)


def kinds_of(tool: ToolSpec | None, key: str) -> frozenset[str]:
    """The JSON types that the argument *key* of *tool* may have; empty where nobody knows."""
    return kinds(tool.properties.get(key)) if tool is not None else frozenset()


def kinds(schema: Any) -> frozenset[str]:
    """The JSON types that *schema* allows; empty where it does not say."""
    if not isinstance(schema, Mapping):
        return frozenset()
    told = schema.get("type")
    if isinstance(told, str):
        return frozenset({told})
    if isinstance(told, list):
        return frozenset(kind for kind in told if isinstance(kind, str))
    listed = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if isinstance(listed, list):
        return frozenset(_KINDS.get(type(value), "object") for value in listed)
    parts = [*(schema.get("anyOf") or ()), *(schema.get("oneOf") or ())]
    known = [frozenset(_plain_type(part)) for part in parts]
    return frozenset().union(*known) if known and all(known) else frozenset()


def _plain_type(schema: Any) -> list[str]:
    """The types of one alternative; alternatives within alternatives are nobody's to unravel."""
    told = schema.get("type") if isinstance(schema, Mapping) else None
    return told if isinstance(told, list) else [told] if isinstance(told, str) else []


def bare_value(text: str, wanted: frozenset[str]) -> tuple[Any, tuple[Repair, ...]]:
    """The value that *text*, without quotes, stands for where one of the types *wanted* may."""
    if wanted == {"string"} and text[:1] not in ("'", "“", "‘", "`"):
        return text, (mend.BARE_STRING,)
    reading = read_json(text)
    if not isinstance(reading, Reading) or not is_whole(reading, text):
        return text, (mend.BARE_STRING,)
    if "string" in wanted and not fits(reading.value, wanted):
        return text, (mend.BARE_STRING,)
    return reading.value, reading.repairs


def is_whole(reading: Reading, text: str) -> bool:
    """Is *reading* all of *text*, with nothing missing?"""
    cut = any(repair.grade is Grade.TRUNCATED for repair in reading.repairs)
    return not cut and not text[reading.end :].strip()


def fits(value: Any, wanted: frozenset[str]) -> bool:
    """Is *value* of one of the types *wanted*?"""
    kind = _KINDS.get(type(value), "object")
    return kind in wanted or (kind == "integer" and "number" in wanted)


class FlowText:
    """Takes in a JSON value in brackets until they are closed; ``done`` then.

    Between strings, *stops* tells where a marker stands that no value goes on behind.
    """

    def __init__(self, stops: Callable[[str, int, bool], int]) -> None:
        self._stops = stops
        self._text = StringIO()
        self._depth = 0
        self._in_string = False
        self.done = False

    def feed(self, text: str, at: int, final: bool) -> int:
        """Read on from *at*, as far as is certain."""
        while at < len(text) and not self.done:
            step = self._string if self._in_string else self._between
            stop = step(text, at, final)
            if stop == at:
                break
            self._text.write(text[at:stop])
            at = stop
        return at

    def value(self) -> Reading | Refusal:
        """What was taken in."""
        text = self._text.getvalue()
        reading = read_json(text)
        if isinstance(reading, Reading) and not is_whole(reading, text):
            return Refusal(ProblemKind.MALFORMED, "the brackets of a value in it do not match")
        return reading

    def _string(self, text: str, at: int, final: bool) -> int:
        part = _FLOW_STRING.match(text, at)
        if part is None:
            return len(text) if final else at  # a backslash, and what it escapes is to come
        if part.group() == "\n":
            return self._at_line(text, at, final)
        self._in_string = part.group() != '"'
        return part.end()

    def _between(self, text: str, at: int, final: bool) -> int:
        part = _FLOW.match(text, at)
        assert part is not None, "matches any character"
        char = part.group()
        if char == "\n":
            return self._at_line(text, at, final)
        if char == '"':
            self._in_string = True
        elif char in "{[":
            self._depth += 1
        elif char in "}]":
            self._depth -= 1
            self.done = self._depth <= 0
        return part.end()

    def _at_line(self, text: str, at: int, final: bool) -> int:
        end = self._stops(text, at + 1, final)
        self.done = end >= 0
        return at if end != NO else at + 1
