"""Whether the arguments of a call are the ones that were due.

What was due is written as JSON, with a table of one key where more than one value is right:
``{"$any": […]}`` one of these, ``{"$text": "…"}`` the same words, ``{"$code": "…"}`` the same
lines. Everything else is compared as it stands: numbers by value, text by its characters once
accents are composed (NFC), lists in order, objects member by member.
"""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any

from ...protocol.errors import UsageError
from ...protocol.tools.spec import ToolSpec

__all__ = ["arguments_match", "check_pattern", "contains", "matches", "sample_of"]

#: What may stand around the words of a text without changing what it says.
_AROUND = " \t\r\n.,;:!?\"'`\u2026\u201c\u201d\u2018\u2019\u00ab\u00bb"
_EMPTY: tuple[Any, ...] = (None, "", [], {})
_MAX_DEPTH = 20


def arguments_match(due: Mapping[str, Any], made: Mapping[str, Any], tool: ToolSpec) -> bool:
    """Whether *made* are the arguments *due*.

    An argument that is not due may be there if it says nothing: it is empty, or its default.
    """
    return _members_match(due, made, tool.parameters)


def matches(pattern: Any, value: Any) -> bool:
    """Whether *value* is right where *pattern* is due."""
    key = _key(pattern)
    if key is not None:
        return _KINDS[key](pattern[key], value)
    if isinstance(pattern, Mapping):
        return isinstance(value, Mapping) and _members_match(pattern, value, {})
    if isinstance(pattern, list):
        return (
            isinstance(value, list)
            and len(value) == len(pattern)
            and all(map(matches, pattern, value))
        )
    return _equal(pattern, value)


def contains(text: str, groups: tuple[tuple[str, ...], ...]) -> bool:
    """Whether *text* has one word or phrase of every group, whatever its case."""
    said = _folded(text)
    return all(any(_folded(phrase) in said for phrase in group) for group in groups)


def sample_of(pattern: Any) -> Any:
    """A value that is right where *pattern* is due: the first that it names."""
    match _key(pattern):
        case "$any":
            return sample_of(pattern["$any"][0])
        case "$code":
            return _lines(pattern["$code"])
        case str(key):
            return pattern[key]
    if isinstance(pattern, Mapping):
        return {name: sample_of(each) for name, each in pattern.items()}
    return [sample_of(each) for each in pattern] if isinstance(pattern, list) else pattern


def check_pattern(pattern: Any, where: str, depth: int = 0) -> None:
    """Raise UsageError if *pattern* cannot be compared with anything."""
    if depth > _MAX_DEPTH:
        raise UsageError(f"{where} is nested too deeply")
    key = _key(pattern)
    if key is None and isinstance(pattern, Mapping) and any(name in _KINDS for name in pattern):
        raise UsageError(f"{where}: a table with one of {', '.join(_KINDS)} has no other key")
    if key == "$any" and not (isinstance(pattern[key], list) and pattern[key]):
        raise UsageError(f"{where}: '$any' must be a list of values, got {pattern[key]!r}")
    if key not in (None, "$any") and not isinstance(pattern[key], str):
        raise UsageError(f"{where}: {key!r} must be text, got {pattern[key]!r}")
    for each in _inside(pattern):
        check_pattern(each, where, depth + 1)


def _inside(pattern: Any) -> list[Any]:
    if isinstance(pattern, Mapping):
        return list(pattern.values())
    return pattern if isinstance(pattern, list) else []


def _key(pattern: Any) -> str | None:
    if isinstance(pattern, Mapping) and len(pattern) == 1:
        (key,) = pattern
        return key if key in _KINDS else None
    return None


def _members_match(
    due: Mapping[str, Any], made: Mapping[str, Any], schema: Mapping[str, Any]
) -> bool:
    properties = schema.get("properties", {})
    further = [name for name in made if name not in due]
    return all(name in made and matches(each, made[name]) for name, each in due.items()) and all(
        made[name] in _EMPTY or _equal(properties.get(name, {}).get("default"), made[name])
        for name in further
    )


def _equal(due: Any, value: Any) -> bool:
    if isinstance(due, str) and isinstance(value, str):
        return unicodedata.normalize("NFC", due) == unicodedata.normalize("NFC", value)
    if isinstance(due, bool) or isinstance(value, bool):
        return due is value
    return bool(due == value)


def _any(patterns: list[Any], value: Any) -> bool:
    return any(matches(pattern, value) for pattern in patterns)


def _text(due: str, value: Any) -> bool:
    return isinstance(value, str) and _folded(due) == _folded(value)


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).casefold().split()).strip(_AROUND)


def _code(due: str, value: Any) -> bool:
    return isinstance(value, str) and _lines(due) == _lines(value)


def _lines(code: str) -> str:
    lines = unicodedata.normalize("NFC", textwrap.dedent(code)).splitlines()
    return "\n".join(line.rstrip() for line in lines).strip("\n")


_KINDS: Mapping[str, Callable[[Any, Any], bool]] = {"$any": _any, "$text": _text, "$code": _code}
