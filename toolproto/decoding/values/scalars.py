"""Reading what stands without quotes: numbers, literals, and text that is neither.

Nothing is computed. ``1.0 / 6.0``, ``now()`` and ``07`` come back as the text they are,
for a schema to make sense of or to refuse.
"""

from __future__ import annotations

import re
from typing import Any

from ...messages import Repair
from . import repairs as mend
from .state import MISSING, QUOTES, State
from .strict import MAX_DIGITS, finite_float, refuse_constant, sized_int, too_long

__all__ = ["literals", "number_value", "read_scalar"]

_number = re.compile(
    r"""[-+]?(?:0[xX][0-9a-fA-F][0-9a-fA-F_]*+|0[oO][0-7][0-7_]*+|0[bB][01][01_]*+
    |(?:[0-9][0-9_]*+(?:\.[0-9_]*+)?|\.[0-9][0-9_]*+)(?:[eE][-+]?[0-9]++)?)""",
    re.VERBOSE,
).match
_plain_number = re.compile(r"-?(?:0|[1-9][0-9]*+)(\.[0-9]++)?(?=[,}\]])").match
_json_number = re.compile(r"-?(?:0|[1-9][0-9]*+)(\.[0-9]++)?([eE][-+]?[0-9]++)?\Z").match
_leading_zero = re.compile(r"[-+]?0[0-9_]").match
# A number goes on if a letter, an operand or an operator follows. What // introduces is a
# comment unless it is arithmetic up to the next delimiter.
_goes_on = re.compile(
    r"""[\w.$([{:]|[ \t]*+(?:[-+*%^]|/(?![/*])|//[ \t]*+[\d.(][\d.()*+\-/ ]*+(?:[,}\])\n]|\Z))""",
    re.VERBOSE,
).match
_word = re.compile(r"[^\W\d]\w*+").match
_word_ends = re.compile(r"[ \t]*+(?:[,，;；}\])\r\n/#\\<]|\Z)").match
_WORDS = {"true": True, "false": False, "null": None, "nil": None}
_WORDS |= {word.upper(): value for word, value in _WORDS.items()}
_WORDS |= {"True": True, "False": False, "None": None}


def literals(*own: str) -> dict[str, tuple[Any, Repair | None]]:
    """Words that stand for a value; those that are not a language's *own* are to be labelled."""
    return {word: (_WORDS[word], None if word in own else mend.LITERAL) for word in _WORDS}


_LITERALS = {**literals("true", "false", "null"), "undefined": (None, mend.BARE_STRING)}
_not_finite = re.compile(r"[-+]?(?:NaN|nan|Infinity|inf)\b").match

_bare = re.compile(r"""[^,，}\])\r\n"(\[]*+""").match
_bracket = re.compile(r"""[^()\[\]"']*+(?:"[^"\n]*+"|'[^'\n]*+'|[()\[\]"'])?""").match
_computed = re.compile(r"[\d(].*[-+*/%^(]|.*\w[(\[]", re.DOTALL).match
_ellipsis = re.compile(r"\.{3,}+|…").match


def read_scalar(state: State) -> Any:
    """Read the unquoted value at ``state.at``; ``MISSING`` if none can be made out."""
    if plain := _plain_number(state.text, state.at):
        state.at = plain.end()
        return finite_float(plain[0]) if plain[1] else sized_int(plain[0])
    value = _read_number(state)
    if value is MISSING:
        value = _read_literal(state)
    if value is MISSING and state.open:  # with nothing open it is prose
        value = _read_bare(state)
    return value


def _read_number(state: State) -> Any:
    match = _number(state.text, state.at)
    if match is None or _goes_on(state.text, match.end()) or _leading_zero(match[0]):
        return MISSING
    state.at = match.end()
    if state.open and state.at == len(state.text):  # more digits may have been coming
        state.note(mend.CUT_SHORT)
    return _number_value(state, match[0])


def _number_value(state: State, literal: str) -> int | float:
    if form := _json_number(literal):
        return finite_float(literal) if form.lastindex else sized_int(literal)
    state.note(mend.NUMBER_FORM)
    return number_value(literal)


def number_value(literal: str) -> int | float:
    """A number with all that Python allows: underscores, another base, space behind its sign."""
    literal = "".join(literal.split()).replace("_", "")
    if literal.lstrip("+-")[:2].lower() in ("0x", "0o", "0b"):
        if len(literal) > MAX_DIGITS // 2:  # a hexadecimal digit is 1.2 decimal ones
            raise too_long()
        return int(literal, 0)
    return finite_float(literal) if re.search("[.eE]", literal) else sized_int(literal)


def _read_literal(state: State) -> Any:
    if special := _not_finite(state.text, state.at):
        if state.open:
            refuse_constant(special[0])
        return MISSING
    word = _word(state.text, state.at)
    if word is None or word[0] not in _LITERALS or not _word_ends(state.text, word.end()):
        return MISSING
    value, repair = _LITERALS[word[0]]
    if repair is not None:
        state.note(repair)
    state.at = word.end()
    return value


def _read_bare(state: State) -> Any:
    """Text without quotes, to the end of its member; brackets in it are kept balanced."""
    start = state.at
    if dots := _ellipsis(state.text, start):
        state.note(mend.ELLIPSIS)
        state.at = dots.end()
        return MISSING
    state.at = _bare_end(state.text, start)
    source = state.text[start : state.at].strip()
    if state.at >= len(state.text):
        state.note(mend.CUT_SHORT)
        return MISSING
    _take_lost_quote(state, start)
    if not source:
        return MISSING
    state.note(mend.expression(source) if _computed(source) else mend.BARE_STRING)
    return source


def _bare_end(text: str, at: int) -> int:
    while True:
        at = _bare(text, at).end()  # type: ignore[union-attr]  # may be empty
        if text[at : at + 1] not in ("(", "["):
            return at
        at = _balanced(text, at)


def _balanced(text: str, at: int) -> int:
    """Behind the bracket that matches the one at *at*, or the end of the text."""
    depth = 0
    while at < len(text):
        at = _bracket(text, at).end()  # type: ignore[union-attr]  # may be empty
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(text[at - 1], 0)
        if depth == 0:
            break
    return at


def _take_lost_quote(state: State, start: int) -> None:
    """Move over a quote that ends a bare text: it once had a partner."""
    if state.at > start and state.text[state.at] in QUOTES:
        state.note(mend.MISSING_QUOTE)
        state.at += 1
