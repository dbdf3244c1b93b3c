"""Does text behind an opener name a tool, though no call can be read there?

Then a call was meant, and whoever wrote it is to write it again. Its name may stand alone there,
behind more markers, or as the value of the first members of an object.
"""

from __future__ import annotations

import re

from ..decoding.calls.names import Offered
from ..decoding.markers import MORE, NO
from ..decoding.reply.landmarks import Found
from .openers import Marks

__all__ = ["named_tool"]

# No form has more between an opener and the name.
_MOST = 400
_words = re.compile(r"[\w.-]+").finditer
_solid = re.compile(r"\S").search
# What stands before a name: keys of its member, and words of markers and labels.
_KEYS = ("name", "tool_name", "function_name", "tool", "function", "action", "type")
_BEFORE = frozenset((*_KEYS, "functions", "call", "tool_call", "json"))


def named_tool(text: str, marks: Marks, offered: Offered, *, final: bool) -> str | int:
    """The tool that *text* names, which begins with an opener; NO, or MORE if that is too little.

    *marks* finds the markers of all forms.
    """
    at = 0
    while solid := _solid(text, at):
        found = marks(text, solid.start(), final)
        if found == MORE:
            return MORE
        if not isinstance(found, Found):
            break
        at = found.end
    for word in _words(text, at, at + _MOST):
        if word.end() == len(text) and not final:
            return MORE
        tool = offered.get(word[0].strip(".-"))
        if tool is not None and offered.any:
            return tool.name
        if word[0].lower() not in _BEFORE:
            return NO
    return MORE if len(text) < at + _MOST and not final else NO
