"""Reading one quoted string whose quotes or escapes may be wrong, while it comes.

Bodies come back exactly as written: nothing is stripped and no line end is changed. The first
unescaped quote ends a string whenever the text after it can be read on. Where it cannot, every
quote that may be the end is judged (:mod:`.quotes`). If none closes the string for certain, the
first unsure one does; if there is none, the closers at the end of the text belong to what is
open around the string; else the text was cut.
"""

from __future__ import annotations

import re
from functools import cache

from ..faults import malformed
from ..source import Pull
from . import repairs as mend
from .quotes import KEY, Judge, Verdict, key_of
from .spellings import unescape
from .state import QUOTES, State, Wait


@cache
def _plain(quote: str, before: str) -> re.Pattern[str]:
    """A string of ordinary characters before what only its end can stand before.

    The judge would say the same; this is there because most strings are like that.
    """
    return re.compile(rf"{quote}([^{quote}\\\x00-\x1f]*+){quote}(?={before})")


_BEFORE_ITEM = r"""\s{0,200}+,\s{0,200}+["'`“‘\[{]"""
_BEFORE_MEMBER = (
    r"""\s{0,200}+,\s{0,200}+(?:"[^"\\\r\n]{0,200}+"|'[^'\\\r\n]{0,200}+')\s{0,200}+:"""
)


# What needs no look in a string between double quotes. The look-ahead keeps the repeated part from
# failing half-way, which the possessive repeats of early 3.11 releases do not undo (CPython issue
# 106052); an atomic group would need a hundred times the memory of the text.
_valid = re.compile(r'[^"\\]*+(?:(?=\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))\\.[^"\\]*+)*+').match
_escape_begun = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z").match


@cache
def _ordinary(closers: str) -> re.Pattern[str]:
    """Everything up to the next quote or backslash."""
    return re.compile(rf"[^{closers}\\]++")


# -- strings of escaped JSON ------------------------------------------------------------------

# In {\"a\": \"b\"} a quote is \" and every backslash of the value itself is doubled.
_escaped = re.compile(r'\\(?!")(?:\\(?:\\.|[^\\])|.)', re.DOTALL).match
_to_backslash = re.compile(r"[^\\]++").match


def read_escaped_string(state: State) -> Pull[str]:
    r"""Read a string of escaped JSON, which ``\"`` opens at ``state.at`` and another ends."""
    state.at += 2
    parts: list[str] = []
    while True:
        if run := _to_backslash(state.text, state.at):
            parts.append(run[0])
            state.at = run.end()
        left = len(state.text) - state.at
        if left < 4 and not state.final and not state.text.startswith('\\"', state.at):
            yield
            continue
        escaped = _escaped(state.text, state.at)
        if escaped is None:
            break
        parts.append(escaped[0])
        state.at = escaped.end()
    body = "".join(parts)
    cut = not state.text.startswith('\\"', state.at)
    state.note(mend.CUT_SHORT if cut else mend.ESCAPED_JSON)
    if "\\" in body or state.plain_quotes:
        state.note(mend.NESTED_ESCAPES)
    state.at = min(state.at + 2, len(state.text))
    return unescape(state, unescape(state, body, cut=cut), cut=cut)


# -- strings ----------------------------------------------------------------------------------

_cut_key = re.compile(r"""["']\s*+,\s*+(?:["'][^"']*+)?\Z""").match
_one_liner = re.compile(r"[^\\\n{(]{0,200}+\Z").match
_BRACKETS_AROUND = 4
_NEAR = 64  # how far before a quote is looked for the end that a string should have had


class _Triple(Exception):
    """The string opens with three quotes."""


class QuotedString:
    """One string: the search for its end."""

    def __init__(self, state: State, quote: str) -> None:
        self.state, self.quote, self.closers = state, quote, QUOTES[quote]
        self.parts: list[str] = []  # of its body
        self._inner = 0  # unescaped quotes passed, apostrophes within words not counted
        self._passed = False  # whether any were, counted or not
        self._looked = 0  # how many of the parts hold no marker
        self._no_triple = False  # was it looked whether it is quoted three times?
        self._fallback = -1  # where in the body the first unsure end is

    def read(self) -> Pull[str]:
        """Read the string that opens where reading stands, and move behind it."""
        state = self.state
        state.plain_quotes = True
        if self.quote != '"':
            state.note(mend.QUOTE_STYLE)
        state.settle_notes()
        state.string_begins(self)
        before = _BEFORE_MEMBER if state.in_object() else _BEFORE_ITEM
        if plain := _plain(self.quote, before).match(state.text, state.at):
            state.at = plain.end(1)
            state.string_goes_on(plain[1])
            state.string_ends()
            state.at += 1
            return plain[1]
        state.at += 1
        try:
            return (yield from self._body())
        except _Triple:
            value = yield from self._triple()
        return (yield from self._body()) if value is None else value

    def _body(self) -> Pull[str]:
        state, judge = self.state, Judge(self.state)
        run = _valid if self.quote == '"' else _ordinary(self.closers).match
        while True:
            piece = run(state.text, state.at)
            if piece is not None and piece[0]:
                self.parts.append(piece[0])
                state.at = piece.end()
                state.string_goes_on(piece[0])
            here = state.text[state.at : state.at + 1]
            if here == "\\" and self._is_escape():
                state.string_is_odd()
                self.parts.append(state.text[state.at : state.at + 2])
                state.at += 2
            elif not here or here == "\\":
                if state.final:
                    return self._unterminated()
                yield
            else:
                try:
                    value = self._at_quote(judge)
                except Wait:
                    state.forget_notes()
                    yield
                    continue
                if value is not None:
                    return value

    def _is_escape(self) -> bool:
        """Has all of the escape come that begins here?"""
        state = self.state
        if self.quote == '"' and not state.final:
            return not _escape_begun(state.text, state.at)
        return state.at + 1 < len(state.text)

    def _at_quote(self, judge: Judge) -> str | None:
        """All of the string if the quote here ends it; else pass over that."""
        state = self.state
        if not (self.parts or self._no_triple) and state.stands(self.quote * 2, state.at):
            raise _Triple
        if not state.open or state.fault is not None:
            return self._close()
        if not self._passed and state.string_ends_at_once("".join(self.parts)):
            return self._close()
        verdict = judge.verdict(state.at + 1, self._inner)
        if verdict is Verdict.CLOSES:
            return self._close()
        early = self._swallowed_key()
        if early is None:
            early = self._swallowed_marker()
        if early is not None:
            return early
        if verdict is Verdict.UNSURE and state.rereads <= 0:
            return self._close()  # reading again has become too dear
        quote, before = state.text[state.at], self._near(2)
        behind = state.here(state.at + 1)
        state.doubt()
        state.string_is_odd()
        if verdict is Verdict.UNSURE and self._fallback < 0:
            self._fallback = self._count()
        self._passed = True
        # A quote comes in pairs, which an apostrophe within a word does not. A single letter
        # before it is no word: it may be the prefix of a string of code.
        in_word = len(before) == 2 and all(map(_is_word, before)) and _is_word(behind)
        self._inner += not in_word
        self.parts.append(quote)
        state.at += 1
        return None

    def _count(self) -> int:
        """How long the body is."""
        return sum(map(len, self.parts))

    def _near(self, count: int) -> str:
        """The last *count* characters of the body, and perhaps some more."""
        near = ""
        for part in reversed(self.parts):
            near = part[-count:] + near
            if len(near) >= count:
                break
        return near[-count:]

    def _close(self) -> str:
        """The quote here ends it."""
        body = "".join(self.parts)
        cut = self._fallback >= 0 and self._in_cut_key(body)
        self.state.string_ends()
        self.state.at += 1
        return self._value(body[: self._fallback] if cut else body, cut=cut)

    def _in_cut_key(self, body: str) -> bool:
        """In ``{"a": "b", "c"`` the last quote is that of a key, which says no more."""
        state = self.state
        is_over = not state.here(state.behind_space(state.at + 1))
        return is_over and state.in_object() and _cut_key(body, self._fallback) is not None

    def _value(self, body: str, *, cut: bool = False) -> str:
        if self._passed:
            self.state.note(mend.UNESCAPED_QUOTE)
        if cut:
            self.state.note(mend.CUT_SHORT)
        return unescape(self.state, body, self.quote, cut=cut)

    def _close_early(self, body: str, end: int) -> str:
        """It should have ended at *end* in its *body*; what follows that is read again."""
        self.state.string_is_odd()
        self.state.note(mend.MISSING_QUOTE)
        self.state.give_back(body[end:])
        return self._value(body[:end])

    def _swallowed_key(self) -> str | None:
        """The string if the quote here opens the next key, and it should have ended before."""
        state = self.state
        key = state.look(KEY, state.at) if state.in_object() else None
        if key is None:
            return None
        before = self._near(_NEAR)
        value = before.rstrip()
        if not value.endswith(",") and "\n" not in before[len(value) :]:
            return None
        if value.endswith(("{", "[")):  # a key of the JSON in it
            return None
        back = len(before) - len(value) + value.endswith(",")
        awaited = state.awaits(key_of(key))
        if not awaited and (self._passed or self._count() > 300):
            return None
        body = "".join(self.parts)
        # Or the body so far looks like a short value and not like code.
        if not awaited and not _one_liner(body, 0, len(body) - back):
            return None
        passed, self._passed = self._passed, False
        if passed:
            state.note(mend.UNESCAPED_QUOTE)
        return self._close_early(body, len(body) - back)

    def _swallowed_marker(self) -> str | None:
        """The string if it ran on over a marker, before which all that is open may be closed."""
        state = self.state
        since, self._looked = self._looked, len(self.parts)
        if state.fault is not None:  # where it ends makes no difference
            return None
        if state.marker_in("".join(self.parts[since:])) < 0:
            return None
        body = "".join(self.parts)
        marker = state.marker_in(body)
        early = self._closed_before(body, marker)
        if early is not None:
            return early
        # What is behind the marker may be the next call.
        state.refuse(malformed("a quote in its arguments is missing or not escaped"))
        state.give_back(body[marker:])
        return self._value(body[:marker])

    def _closed_before(self, body: str, end: int) -> str | None:
        """The string if before *end* in its *body* stand the closers of all that is open.

        Of a call it is enough that its own do, and few others behind them.
        """
        state = self.state
        closers_at = _trailing_closers(body, end, state.closers)
        for _ in range(_BRACKETS_AROUND if state.at_once else 0):
            if closers_at is not None:
                break
            closers_at = _trailing_closers(body, end, state.closers[: state.at_once])
            end = len(body[:end].rstrip()) - 1
            if end < 0 or body[end] not in "]}":
                break
        if closers_at is None:
            return None
        if self._passed:
            state.note(mend.UNESCAPED_QUOTE)
            self._passed = False
        return self._close_early(body, _without_layout(body, closers_at))

    def _triple(self) -> Pull[str | None]:
        '''The body of a ``"""string"""``, or None if its end does not end a value.'''
        state, quotes = self.state, self.quote * 3
        parts = [self.quote * 2]
        state.string_is_odd()
        state.at += 2
        while True:
            end = state.text.find(quotes, state.at)
            stop = end if end >= 0 else max(state.at, len(state.text) - 2 * (not state.final))
            parts.append(state.text[state.at : stop])
            state.at = stop
            if end < 0 and not state.final:
                yield
                continue
            try:
                closes = end >= 0 and (
                    not state.open or Judge(state).verdict(end + 3) is Verdict.CLOSES
                )
                break
            except Wait:
                yield
        if not closes:
            self._no_triple = True
            state.give_back("".join(parts))
            return None
        state.note(mend.TRIPLE_QUOTED)
        body = "".join(parts[1:])
        if "\\" in body:  # Python's escapes, or code pasted as it was
            state.note(mend.NESTED_ESCAPES)
        state.at += 3
        return unescape(state, body, self.quote)

    def _unterminated(self) -> str:
        """The text is over: an unsure end, closers that follow a missing quote, or a cut."""
        state, body = self.state, "".join(self.parts)
        if self._fallback >= 0:
            state.read_again(body[self._fallback + 1 :])
            return self._value(body[: self._fallback])
        whole = body + state.text[state.at :]  # half an escape
        state.at = len(state.text)
        marker = state.marker_in(whole)
        for end in (len(whole), marker) if marker >= 0 else (len(whole),):
            early = self._closed_before(whole, end)
            if early is not None:
                return early
        return self._value(body, cut=True)


def _trailing_closers(body: str, end: int, closers: str) -> int | None:
    """Where *closers* stand before *end* in *body*, if they do."""
    for closer in reversed(closers):
        end = len(body[max(0, end - 64) : end].rstrip()) + max(0, end - 64)
        if end <= 0 or body[end - 1] != closer:
            return None
        end -= 1
    return end


def _without_layout(text: str, end: int) -> int:
    """*end*, before the line break that set off a closer, if the body has none itself."""
    body = text[:end].rstrip()
    tail = text[len(body) : end]
    return end - len(tail) if "\n" in tail and "\n" not in body else end


_is_word = re.compile(r"\w").match
