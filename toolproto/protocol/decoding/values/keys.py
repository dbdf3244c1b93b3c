"""Reading the key of a member, whose quotes may be wrong or missing."""

from __future__ import annotations

import re
from functools import cache

from ..faults import malformed
from ..patterns import Pattern
from . import repairs as mend
from .spellings import unescape
from .state import QUOTES, State, Wait

__all__ = ["read_key"]

_COLON = Pattern(r"\s{0,200}+(?:[:：]|=>?)")
_unquoted_key = re.compile(r"[\w.$ -]{1,100}+:").match
_LONGEST_KEY = 20_000


@cache
def _next_quote(closers: str) -> re.Pattern[str]:
    """Everything up to the next unescaped quote."""
    return re.compile(rf"[^{closers}\\]*+(?:\\.[^{closers}\\]*+)*", re.DOTALL)


def read_key(state: State, quote: str) -> str:
    """Read the key that *quote* opens at ``state.at``, and move behind it."""
    state.plain_quotes = True
    if quote != '"':
        state.note(mend.QUOTE_STYLE)
    text, start, closers = state.text, state.at + 1, QUOTES[quote]
    end = first = _to_quote(state, start, closers)
    if state.fault is not None:  # it is too long, and no key
        state.at = end
        return ""
    if text[end : end + 1] not in ("", "\\") and not state.look(_COLON, end + 1):
        if unquoted := _unquoted_key(text, start, end):
            state.note(mend.MISSING_QUOTE)
            state.at = unquoted.end() - 1
            return text[start : state.at]
        end = _key_end(state, first, closers)
    cut = text[end : end + 1] in ("", "\\")
    if cut:
        state.note(mend.CUT_SHORT)
    state.at = len(text) if cut else end + 1
    return unescape(state, text[start:end], quote, cut=cut)


def _to_quote(state: State, at: int, closers: str) -> int:
    """Where the next unescaped quote stands, or a last lone backslash, or the end."""
    begun, done = state.scanned
    known = state.start + done if at == state.start + begun else at
    end = _next_quote(closers).match(state.text, known).end()  # type: ignore[union-attr]
    if end - at > _LONGEST_KEY:
        state.refuse(malformed(f"a key is longer than {_LONGEST_KEY} characters"))
        return at + _LONGEST_KEY
    if end >= len(state.text) - (state.text[end : end + 1] == "\\") and not state.final:
        state.scanned = at - state.start, end - state.start
        raise Wait
    return end


def _key_end(state: State, first: int, closers: str) -> int:
    """Where a key ends whose first quote has no colon after it: at most three quotes on."""
    text, end = state.text, first
    for _ in range(3):
        if not state.here(end + 1).isalnum():
            break
        end = _to_quote(state, end + 1, closers)
        if end >= len(text):
            break
        if state.look(_COLON, end + 1):
            state.note(mend.UNESCAPED_QUOTE)
            return end
    return first
