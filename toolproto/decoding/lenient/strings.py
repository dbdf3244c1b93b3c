"""Reading one quoted string whose quotes or escapes may be wrong.

Bodies come back exactly as written: nothing is stripped and no line end is changed. The
first unescaped quote ends a string whenever the text after it can be read on; only where it
cannot is the end searched for (:mod:`.search`).
"""

from __future__ import annotations

import re
from functools import cache

from . import repairs as mend
from .escapes import unescape
from .quotes import Candidate, Verdict, judge
from .search import find_string, finish_string, to_quote
from .state import QUOTES, State

__all__ = ["read_escaped_string", "read_key", "read_string"]

_colon = re.compile(r"\s*+(?:[:：]|=>?)").match
_unquoted_key = re.compile(r"[\w.$ -]{1,100}+:").match
# In {\"a\": \"b\"} a quote is \" and every backslash of the value itself is doubled.
_escaped_body = re.compile(r'[^\\]*+(?:\\(?!")(?:\\(?:\\.|[^\\])|.)[^\\]*+)*', re.DOTALL).match


@cache
def _plain(quote: str, before: str) -> re.Pattern[str]:
    """A string of ordinary characters before what only its end can stand before.

    The judge would say the same; this is there because most strings are like that.
    """
    return re.compile(rf"{quote}([^{quote}\\\x00-\x1f]*+){quote}(?={before})")


_BEFORE_VALUE = r"\s*+:"
_BEFORE_ITEM = r"""\s*+,\s*+["'`“‘\[{]"""
_BEFORE_MEMBER = r"""\s*+,\s*+(?:"[^"\\\r\n]*+"|'[^'\\\r\n]*+')\s*+:"""


def read_string(state: State, quote: str) -> str:
    """Read the string that *quote* opens at ``state.at``, and move behind it."""
    state.plain_quotes = True
    if quote != '"':
        state.note(mend.QUOTE_STYLE)
    before = _BEFORE_MEMBER if state.in_object() else _BEFORE_ITEM
    if plain := _plain(quote, before).match(state.text, state.at):
        state.at = plain.end()
        return plain[1]
    if state.text.startswith(quote * 3, state.at):
        value = _read_triple(state, quote * 3)
        if value is not None:
            return value
    if not state.open:
        return _read_to_first_quote(state, quote)
    return find_string(state, quote)


def read_key(state: State, quote: str) -> str:
    """Read the key that *quote* opens at ``state.at``, and move behind it."""
    state.plain_quotes = True
    if quote != '"':
        state.note(mend.QUOTE_STYLE)
    if plain := _plain(quote, _BEFORE_VALUE).match(state.text, state.at):
        state.at = plain.end()
        return plain[1]
    text, start = state.text, state.at + 1
    end = first = to_quote(text, start, QUOTES[quote])
    if end < len(text) and not _colon(text, end + 1):
        if unquoted := _unquoted_key(text, start, end):
            state.note(mend.MISSING_QUOTE)
            state.at = unquoted.end() - 1
            return text[start : state.at]
        end = _key_end(state, first, QUOTES[quote])
    return finish_string(state, start, end, quote)


def read_escaped_string(state: State) -> str:
    r"""Read a string of escaped JSON, which ``\"`` opens at ``state.at`` and another ends."""
    text, start = state.text, state.at + 2
    end = _escaped_body(text, start).end()  # type: ignore[union-attr]  # may be empty
    body = text[start:end]
    cut = not text.startswith('\\"', end)
    state.note(mend.CUT_SHORT if cut else mend.ESCAPED_JSON)
    if "\\" in body or state.plain_quotes:
        state.note(mend.NESTED_ESCAPES)
    state.at = min(end + 2, len(text))
    return unescape(state, unescape(state, body, cut=cut), cut=cut)


def _read_to_first_quote(state: State, quote: str) -> str:
    start = state.at + 1
    return finish_string(state, start, to_quote(state.text, start, QUOTES[quote]), quote)


def _read_triple(state: State, quotes: str) -> str | None:
    '''The body of a ``"""string"""``, or None if its end does not end a value.'''
    start = state.at + 3
    end = state.find_triple(quotes, start)
    if end < 0:
        return None
    if state.open and judge(Candidate(state, end + 3, 0)) is not Verdict.CLOSES:
        return None
    state.note(mend.TRIPLE_QUOTED)
    body = state.text[start:end]
    if "\\" in body:  # Python's escapes, or code pasted as it was
        state.note(mend.NESTED_ESCAPES)
    state.at = end + 3
    return unescape(state, body, quotes[0])


def _key_end(state: State, first: int, closers: str) -> int:
    """Where a key ends whose first quote has no colon after it: at most three quotes on."""
    text, end = state.text, first
    for _ in range(3):
        if not text[end + 1 : end + 2].isalnum():
            break
        end = to_quote(text, end + 1, closers)
        if end >= len(text):
            break
        if _colon(text, end + 1):
            state.note(mend.UNESCAPED_QUOTE)
            return end
    return first
