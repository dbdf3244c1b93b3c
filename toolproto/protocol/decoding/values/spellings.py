r"""What text without quotes stands for (numbers, literals, words), and what backslashes do.

Nothing is computed. ``1.0 / 6.0``, ``now()`` and ``07`` come back as the text they are, for a
schema to make sense of or to refuse. An escape that nobody defines (``\d``, ``\.``) comes from
code or a pattern whose backslash the model forgot to double, so the backslash stays.
"""

from __future__ import annotations

import re
from json.decoder import scanstring  # type: ignore[attr-defined]  # in C where there is one
from typing import Any

from ...messages import Repair
from ..faults import malformed
from ..patterns import Pattern
from . import repairs as mend
from .brackets import Brackets
from .state import MISSING, QUOTES, State, Wait
from .strict import MAX_DIGITS, finite_float, refuse_constant, sized_int, too_long

# ``-1_000``, ``0xff``, ``.5``, ``2.``, ``1e5``.
_number = re.compile(
    r"""(?:[-+][ \t]{0,8}+)?(?:0[xX][0-9a-fA-F][0-9a-fA-F_]*+|0[oO][0-7][0-7_]*+|0[bB][01][01_]*+
    |(?:[0-9][0-9_]*+(?:\.[0-9_]*+)?|\.[0-9][0-9_]*+)(?:[eE][-+]?[0-9]++)?)""",
    re.VERBOSE,
).match
_json_number = re.compile(r"-?(?:0|[1-9][0-9]*+)(\.[0-9]++)?([eE][-+]?[0-9]++)?\Z").match
_leading_zero = re.compile(r"[-+]?0[0-9_]").match
# A number goes on if a letter, an operand, an operator or its unit follows. What // introduces is
# a comment unless it is arithmetic up to the next delimiter.
# Behind a three: ``km``, `` * 2``, `` km,``, `` // 2,``.
_GOES_ON = Pattern(
    r"""[\w.$([{:]|[ \t]{0,80}+(?:[-+*%^]|/(?![/*])
    |[^\W\d][^=:,"'{}\[\]()\r\n]{0,60}+[,}\])]
    |//[ \t]{0,80}+[\d.(][\d.()*+\-/ ]{0,200}+(?:[,}\])\n]|\Z))""",
    re.VERBOSE,
)
_WORD = Pattern(r"[^\W\d]\w{0,20}+(?=([ \t]{0,80}+(?:[,，;；}\])\r\n/#\\<]|\Z))?)")
_WORDS = {"true": True, "false": False, "null": None, "nil": None}
_WORDS |= {word.upper(): value for word, value in _WORDS.items()}
_WORDS |= {"True": True, "False": False, "None": None, "Null": None}


def literals(*own: str) -> dict[str, tuple[Any, Repair | None]]:
    """Words that stand for a value; those that are not a language's *own* are to be labelled."""
    return {word: (_WORDS[word], None if word in own else mend.LITERAL) for word in _WORDS}


#: Those of JSON.
LITERALS = {**literals("true", "false", "null"), "undefined": (None, mend.BARE_STRING)}
_NOT_FINITE = Pattern(r"[-+]?(?:NaN|nan|Infinity|inf)\b")
# Text without quotes is a word or an expression; how far it is looked for the end of one.
_LONGEST_BARE = 500

_bare = re.compile(r"""[^,，}\])\r\n"(\[]*+""").match
_computed = re.compile(r"[-+.]?[\d(].*[-+*/%^(]|.*\w[(\[]", re.DOTALL).match
ELLIPSIS = Pattern(r"\.{3,80}+|…")


def read_scalar(state: State) -> Any:
    """Read the unquoted value at ``state.at``; ``MISSING`` if none can be made out."""
    value = _read_number(state)
    if value is MISSING:
        value = _read_literal(state)
    if value is MISSING and state.open:  # with nothing open it is prose
        value = _read_bare(state)
    return value


def _read_number(state: State) -> Any:
    match = _number(state.text, state.at)
    if match is None:
        return MISSING
    if match.end() - state.at > 2 * MAX_DIGITS:
        raise too_long()
    if match.end() == len(state.text) and not state.final:
        raise Wait
    if state.look(_GOES_ON, match.end()) or _leading_zero(match[0]):
        return MISSING
    state.at = match.end()
    if state.open and state.at == len(state.text):  # more digits may have been coming
        state.note(mend.CUT_SHORT)
    if form := _json_number(match[0]):
        return finite_float(match[0]) if form.lastindex else sized_int(match[0])
    state.note(mend.NUMBER_FORM)
    return number_value(match[0])


def number_value(literal: str) -> int | float:
    """A number with all that Python allows: underscores, another base, space behind its sign."""
    literal = "".join(literal.split()).replace("_", "")
    if literal.lstrip("+-")[:2].lower() in ("0x", "0o", "0b"):
        if len(literal) > MAX_DIGITS // 2:  # a hexadecimal digit is 1.2 decimal ones
            raise too_long()
        return int(literal, 0)
    return finite_float(literal) if re.search("[.eE]", literal) else sized_int(literal)


def _read_literal(state: State) -> Any:
    if special := state.look(_NOT_FINITE, state.at):
        if state.open:
            refuse_constant(special[0])
        return MISSING
    word = state.look(_WORD, state.at)
    if word is None or word[0] not in state.literals or word[1] is None:
        return MISSING
    value, repair = state.literals[word[0]]
    if repair is not None:
        state.note(repair)
    state.at = word.end()
    return value


def _read_bare(state: State) -> Any:
    """Text without quotes, to the end of its member; brackets in it are kept balanced."""
    start = state.at
    if dots := state.look(ELLIPSIS, start):
        state.note(mend.ELLIPSIS)
        state.at = dots.end()
        return MISSING
    state.at = _bare_end(state, start)
    source = state.text[start : state.at].strip()
    here = state.here(state.at)
    if not here:
        state.note(mend.CUT_SHORT)
        return MISSING
    if state.at > start and here in QUOTES:  # it once had a partner
        state.note(mend.MISSING_QUOTE)
        state.at += 1
    if not source:
        return MISSING
    state.note(mend.expression(source) if _computed(source) else mend.BARE_STRING)
    return source


def _bare_end(state: State, start: int) -> int:
    at, most = start, start + _LONGEST_BARE + 1
    while True:
        end = _bare(state.text, at).end()  # type: ignore[union-attr]  # may be empty
        at = _before_marker(state, at, min(end, max(at, most)))
        if at - start > _LONGEST_BARE:
            raise malformed("a value is written without quotes")
        if state.here(at) not in ("(", "["):
            return at
        at = _balanced(state, at)


def _before_marker(state: State, at: int, end: int) -> int:
    """*end*, or where a marker that no JSON goes on behind stands before it."""
    places = (place for place in range(at, end) if state.text[place] in state.firsts)
    return next((place for place in places if state.ends(place)), end) if state.firsts else end


def _balanced(state: State, start: int) -> int:
    """Behind the bracket that matches the one at *start*, or the end of the text."""
    brackets = Brackets("()[]", "\"'", stops=state.firsts, breaks="\n")
    text, at, passing = state.text[start : start + _LONGEST_BARE + 1], 0, True
    while True:
        at = brackets.run(text, at, passing=passing)
        if brackets.closed:
            return start + at
        if at > _LONGEST_BARE:
            raise malformed("a value is written without quotes")
        passing = not brackets.quote
        if passing and not state.here(start + at):
            return start + at
        if brackets.quote and at == len(text) and not state.final:
            raise Wait
        if brackets.quote:  # which has no partner in its line, and is nothing
            at, brackets.quote = text.rfind(brackets.quote, 0, at) + 1, ""


_control = re.compile(r"[\x00-\x1f]").search
# Nothing but a path of Windows, whose first backslash cannot be half of an escape.
_path = re.compile(
    r"[A-Za-z]:\\(?![bfnrtu])[\w .()&'~-]{1,80}(?:\\{1,2}[\w .()&'~-]{0,80}){0,40}"
).fullmatch
_plain_apostrophe = re.compile(r"(?<!\\)'").search
_HEX = "[0-9a-fA-F]"
#: Behind a backslash, what JSON writes for one character beyond the first plane.
SURROGATE_PAIR = rf"u[dD][89abAB]{_HEX}{{2}}\\u[dD][c-fC-F]{_HEX}{{2}}"
#: The same for any character by its number, in JSON and in Python.
CODE_POINT = rf"{SURROGATE_PAIR}|u{_HEX}{{4}}|U{_HEX}{{8}}|x{_HEX}{{2}}"
_ESCAPE = re.compile(rf"\\(?:{CODE_POINT}|u{_HEX}{{0,3}}\Z|.)", re.DOTALL)
#: What a letter behind a backslash stands for in JSON.
SIMPLE = {
    '"': '"',
    "\\": "\\",
    "/": "/",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
}
_TOLERATED = {
    "'": ("'", mend.ESCAPED_APOSTROPHE),
    "`": ("`", mend.ESCAPED_APOSTROPHE),
    "_": ("_", mend.ESCAPED_UNDERSCORE),
}


def as_json(body: str, *, strict: bool = False) -> str | None:
    """What *body* stands for in JSON, which has no control characters if *strict*; or None.

    Nearly every body is JSON, and long ones are: a look before it is decoded would cost as much.
    """
    try:
        value, end = scanstring(f'{body}"', 0, strict)
    except ValueError:
        return None
    return value if end == len(body) + 1 else None


def unescape(state: State, body: str, quote: str = '"', *, cut: bool = False) -> str:
    """The text a body stands for; every oddity in it is noted on *state*.

    *quote* is what the string was opened with. *cut* says that the text ended inside the
    body, so that half an escape at its end is dropped and not taken for two characters.
    """
    # A look for control characters takes three times as long as decoding the rest.
    if (plain := as_json(body, strict=True)) is not None:
        return plain
    if _control(body):
        state.note(mend.CONTROL_CHARACTER)
    if "\\" not in body:
        return body
    if (plain := as_json(body)) is not None:
        return plain
    unescaper = _Unescaper(body, quote, cut)
    value = _ESCAPE.sub(unescaper, body)
    for repair in unescaper.repairs:
        state.note(repair)
    return value


class _Unescaper:
    """One body's escapes, character by character."""

    def __init__(self, body: str, quote: str, cut: bool) -> None:
        self.repairs: dict[Repair, None] = {}  # as an ordered set
        self.quote = quote
        self.cut = cut
        # Python writes 'a', and "a" only around apostrophes; JSON's \x41 is code misquoted.
        self.is_python = quote == "'" or ("'" in body and '"' not in body)
        # Who escapes apostrophes needlessly escapes them all; 'it\'s' among others is code.
        self.means_backslash = quote == '"' and _plain_apostrophe(body) is not None
        self.is_path = _path(body) is not None

    def __call__(self, match: re.Match[str]) -> str:
        escape = match[0]
        letter = escape[1]
        # Behind C:\Users no backslash of a path is half of anything but two of them.
        if self.is_path and mend.INVALID_ESCAPE in self.repairs and letter.isalpha():
            return escape
        if letter == "u" and len(escape) < 6:
            return "" if self.cut else self._unknown(escape)
        if len(escape) == 2:
            return self._short(letter)
        if letter in "xU":
            return self._python(escape)
        return code_point(escape) or ""

    def _short(self, letter: str) -> str:
        if letter in SIMPLE:
            return SIMPLE[letter]
        if letter not in _TOLERATED or (letter == "'" and self.means_backslash):
            return self._unknown("\\" + letter)
        character, repair = _TOLERATED[letter]
        if letter != self.quote:  # where it is the string's own quote, escaping it is right
            self.repairs[repair] = None
        return character

    def _python(self, escape: str) -> str:
        character = code_point(escape) if self.is_python else None
        if character is None:
            return self._unknown(escape)
        if self.quote != "'":
            self.repairs[mend.HEX_ESCAPE] = None
        return character

    def _unknown(self, escape: str) -> str:
        self.repairs[mend.INVALID_ESCAPE] = None
        return escape


def code_point(escape: str) -> str | None:
    """The character that an escape by its number stands for; None if there is none."""
    if len(escape) == 12:
        high, low = int(escape[2:6], 16), int(escape[8:], 16)
        return chr(0x10000 + ((high - 0xD800) << 10 | (low - 0xDC00)))
    code = int(escape[2:], 16)
    return chr(code) if code <= 0x10FFFF else None
