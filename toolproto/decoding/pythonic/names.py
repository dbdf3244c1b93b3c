"""Does a Python call begin here, and of what?

Names come as models write them: dotted, with underscores escaped for Markdown, between quotes, or
with the quote that opens the whole call before them. How far is looked is bounded everywhere.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ..candidates import MORE_KEY
from ..offered import Offered

__all__ = ["KEYWORD", "OPENING_QUOTES", "CallLead", "call_lead", "leading_call", "unescaped"]

#: Quotes that open a string or a quoted call, and what may close it.
OPENING_QUOTES = {'"': '"', "'": "'", "“": '”“"', "‘": "’‘'", "`": "`"}

#: An argument's name: an identifier, or nearly one.
KEYWORD = r"(?:[^\W\d]|\\{1,2}_)(?:[\w-]|\\{1,2}_){0,127}"
_NAME = r"(?:[^\W\d]|\\{1,2}_)(?:[\w.:/-]|\\{1,2}_){0,127}"
_QUOTE = r"""(?:\\?["'`“‘])"""
_UNQUOTE = r"""(?:\\?["'`”’])"""
_LEAD = re.compile(rf"(?:\{{\s{{0,80}})?({_QUOTE})?({_NAME})({_UNQUOTE})?[ \t]{{0,3}}\(")
_LEAD_BEGUN = re.compile(
    rf"(?:\{{\s{{0,80}})?(?:\\|{_QUOTE})?(?:{_NAME}\\{{0,2}}{_UNQUOTE}?[ \t]{{0,3}}|\\{{1,2}})?\Z"
)
_LIST = re.compile(r"(?:\[\s{0,80}){1,2}")
_FIRST_KEYWORD = re.compile(rf"\s{{0,80}}{KEYWORD}\s{{0,8}}=(?!=)")
_FIRST_KEYWORD_BEGUN = re.compile(rf"\s{{0,80}}(?:{KEYWORD}\\{{0,2}}\s{{0,8}}=?|\\{{1,2}})?\Z")


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
    lead = _LEAD.match(text, at)
    if lead is None:
        return MORE_KEY if not final and _LEAD_BEGUN.match(text, at) else None
    quote, name, unquote = lead[1] or "", lead[2], lead[3]
    if unquote and not quote:
        return None
    return CallLead(
        name=unescaped(name),
        start=lead.start(2),
        end=lead.end(),
        quote="" if unquote else quote,
        odd=lead.start(2) > at,
        escaped="\\" in name,
    )


def leading_call(text: str, at: int, final: bool, offered: Offered) -> str:
    """The name of the call of an offered tool that begins at *at*, perhaps first in a list.

    Empty where there is none; MORE_KEY where more text has to come first. Where nothing is
    offered, only a list whose first call has a keyword argument is told from other text.
    """
    opened = _LIST.match(text, at)
    lead = call_lead(text, opened.end() if opened else at, final)
    if lead is None or isinstance(lead, str):
        return lead or ""
    if offered.any:
        return lead.name if offered.knows(lead.name) else ""
    if not opened:
        return ""
    if not final and _FIRST_KEYWORD_BEGUN.match(text, lead.end):
        return MORE_KEY
    return lead.name if _FIRST_KEYWORD.match(text, lead.end) else ""


def unescaped(name: str) -> str:
    r"""*name* without the backslashes of Markdown: ``get\_time``."""
    return name.replace("\\", "")
