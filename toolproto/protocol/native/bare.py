"""May the whole text of an answer be a call without any marker?

Such a call counts only if nothing stands around it, so a text is held back from its first character
on for as long as it may be one. Of an object its name decides, or a key that no call begins with:
answers in JSON are not to wait for their end.
"""

from __future__ import annotations

from ..decoding.calls.names import Offered
from ..decoding.calls.shape import ID_KEYS, OTHER_KEYS, CallShape
from ..decoding.markers import MORE, NO
from ..decoding.patterns import Pattern

__all__ = ["YES", "may_be_bare"]

#: It may be one: whoever reads the call says.
YES = 0
_SHAPE = CallShape()
_SPACE = r"\s{0,80}+"
_MARKS = "\"'`\u2018-\u201f"
_QUOTE = rf"[{_MARKS}]"
_ASIDE = "|".join(dict.fromkeys((*ID_KEYS, *(key for key in OTHER_KEYS if key != "type"))))
_STRING = rf"{_QUOTE}[^{_MARKS}\n]{{0,200}}+{_QUOTE}"
_COLON = rf"{_SPACE}[:=]{_SPACE}"
# What goes before the member that decides: ``"id": "call_1", ``.
_BEFORE = rf"{_QUOTE}(?:{_ASIDE}){_QUOTE}{_COLON}(?:{_STRING}|[\w.-]{{1,40}}+){_SPACE},{_SPACE}"
_BRACKETS = rf"(?:\[{_SPACE}){{0,2}}+"
# ``[{"id": "a", "name": "get_weather"``, ``{"function": {``, ``{'type': 'function'``
_HEAD = Pattern(
    rf"{_BRACKETS}\{{{_SPACE}(?:{_BEFORE}){{0,4}}+"
    rf"{_QUOTE}?+(?!(?:{_ASIDE})\b)(\w{{1,40}}+){_QUOTE}?+"
    rf"{_COLON}(?:({_STRING})|([\[{{])|[^\s\[{{{_MARKS}])"
)
# ``get_weather(``, ``["get_weather(``, ``>>>get_weather``
_WORD = Pattern(rf"(?:\[{_SPACE}){{1,2}}+[\"'`]?[^\W\d]|[^\W\d]|>>>")
# A marker: it is looked for everywhere.
_MARKER = Pattern(r"\[[A-Z_]{4,40}+\]|\[Calling ")
_TYPES = frozenset({"function", "function_call", "tool_call", "tool_use", "tool"})
_HOLDERS = frozenset({*_SHAPE.list_keys, *_SHAPE.nesting_keys, *_SHAPE.argument_keys})


def may_be_bare(text: str, offered: Offered) -> int:
    """May *text*, the beginning of an answer, be that of a call? YES or NO; MORE if it is short."""
    text = text.lstrip()
    if _MARKER.match(text):
        return NO
    if _WORD.match(text):
        return MORE if _MARKER.may_change(text, 0) else YES
    found = _HEAD.match(text)
    if found is None:
        return MORE if any(each.may_change(text, 0) for each in (_HEAD, _WORD)) else NO
    key, value, container = found.groups()
    if container:
        return YES if key in _HOLDERS else NO
    word = (value or "")[1:-1].strip()
    if key == "type":
        return YES if word in _TYPES else NO
    return YES if key in _SHAPE.name_keys and word in offered.names else NO
