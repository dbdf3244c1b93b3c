"""Does a Python call begin here, and of what? And how is one written?

Names come as models write them: dotted, with underscores escaped for Markdown, between quotes, or
with the quote that opens the whole call before them. How far is looked is bounded everywhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from keyword import iskeyword
from typing import Any, NamedTuple

from ...messages import ToolCall
from ..calls.names import MORE_KEY
from ..calls.offered import Offered
from ..patterns import Pattern

__all__ = [
    "KEYWORD",
    "LEAD",
    "LISTED",
    "OPENING_QUOTES",
    "CallLead",
    "call_lead",
    "lead_of",
    "leading_call",
    "unescaped",
    "write_call",
]

#: Quotes that open a string or a quoted call, and what may close it.
OPENING_QUOTES = {'"': '"', "'": "'", "“": '”“"', "‘": "’‘'", "`": "`"}

#: An argument's name: an identifier, or nearly one.
KEYWORD = r"(?:[^\W\d]|\\{1,2}_)(?:[\w-]|\\{1,2}_){0,127}"
_NAME = r"(?:[^\W\d]|\\{1,2}_)(?:[\w.:/-]|\\{1,2}_){0,127}+"
_LEAD = rf"""(?:\{{\s{{0,80}}+)?(\\?["'`“‘])?({_NAME})(\\?["'`”’])?[ \t]{{0,3}}\("""
#: What a call begins with: the quote before its name, the name, the quote behind it.
LEAD = Pattern(_LEAD)
#: What follows the bracket of a list of calls; the groups are those of :data:`LEAD`.
LISTED = rf"\s{{0,80}}+(?:\[\s{{0,80}}+)?+{_LEAD}"
_LIST_LEAD = Pattern(rf"\[{LISTED}")
_FIRST_KEYWORD = Pattern(rf"\s{{0,80}}+{KEYWORD}\s{{0,8}}=(?!=)")
_IDENTIFIER = re.compile(r"[^\W\d]\w{0,127}")
_LITERALS = {True: "True", False: "False", None: "None"}


class CallLead(NamedTuple):
    """The beginning of a call: its name, where that begins, and what is behind its parenthesis.

    *quote* is what quotes the whole call; *odd* says that quotes or a brace are around anything.
    """

    name: str
    start: int
    end: int
    quote: str
    odd: bool
    escaped: bool


def call_lead(text: str, at: int, final: bool) -> CallLead | str | None:
    """The call that begins at *at*; None if none does, MORE_KEY if more text has to come."""
    if not final and LEAD.may_change(text, at):
        return MORE_KEY
    return lead_of(LEAD.match(text, at))


def lead_of(found: re.Match[str] | None) -> CallLead | None:
    """The call that begins with what :data:`LEAD` matched."""
    if found is None:
        return None
    quote, name, unquote = found.groups()
    if unquote and not quote:
        return None
    start = found.start(2)
    whole = quote if quote and not unquote else ""
    return CallLead(unescaped(name), start, found.end(), whole, start > found.start(), "\\" in name)


def leading_call(text: str, at: int, final: bool, offered: Offered) -> str:
    """The name of the call of an offered tool that begins at *at*, perhaps first in a list.

    Empty where there is none; MORE_KEY where more text has to come first. Where nothing is
    offered, only a list whose first call has a keyword argument is told from other text.
    """
    in_list = text.startswith("[", at)
    pattern = _LIST_LEAD if in_list else LEAD
    if not final and pattern.may_change(text, at):
        return MORE_KEY
    lead = lead_of(pattern.match(text, at))
    if lead is None or (offered.any and not offered.knows(lead.name)):
        return ""
    if offered.any:
        return lead.name
    if not in_list:
        return ""
    if not final and _FIRST_KEYWORD.may_change(text, lead.end):
        return MORE_KEY
    return lead.name if _FIRST_KEYWORD.match(text, lead.end) else ""


def unescaped(name: str) -> str:
    r"""*name* without the backslashes of Markdown: ``get\_time``."""
    return name.replace("\\", "")


def write_call(call: ToolCall) -> str:
    """``name(key="value", other=1)``; a key that Python could not have goes as ``**{...}``."""
    arguments = ", ".join(_argument(key, value) for key, value in call.arguments.items())
    return f"{call.name}({arguments})"


def _argument(key: str, value: Any) -> str:
    if _IDENTIFIER.fullmatch(key) and not iskeyword(key):
        return f"{key}={_literal(value)}"
    return f"**{{{_literal(key)}: {_literal(value)}}}"


def _literal(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return _LITERALS[value]
    if isinstance(value, Mapping):
        members = (f"{_literal(key)}: {_literal(each)}" for key, each in value.items())
        return f"{{{', '.join(members)}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_literal(each) for each in value)}]"
    return json.dumps(value, ensure_ascii=False)  # a number, or a string: Python reads it as well
