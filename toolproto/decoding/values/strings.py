"""Reading one quoted string whose quotes or escapes may be wrong.

Bodies come back exactly as written: nothing is stripped and no line end is changed. The first
unescaped quote ends a string whenever the text after it can be read on. Where it cannot, every
quote that may be the end is judged (:mod:`.quotes`). If none closes the string for certain, the
first unsure one does; if there is none, the closers at the end of the text belong to what is
open around the string; else the text was cut.
"""

from __future__ import annotations

import re
from functools import cache

from . import repairs as mend
from .quotes import KEY, Judge, Verdict, key_of
from .spellings import unescape
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
    if state.open:
        return _Search(state, quote).run()
    start = state.at + 1
    return finish_string(state, start, to_quote(state.text, start, QUOTES[quote]), quote)


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


def _read_triple(state: State, quotes: str) -> str | None:
    '''The body of a ``"""string"""``, or None if its end does not end a value.'''
    start = state.at + 3
    end = state.find_triple(quotes, start)
    if end < 0:
        return None
    if state.open and Judge(state).verdict(end + 3) is not Verdict.CLOSES:
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


_backslashed = re.compile(r"\\.", re.DOTALL)
_one_liner = re.compile(r"[^\\\n{(]{0,200}+\Z").match


@cache
def _next_quote(closers: str) -> re.Pattern[str]:
    """Everything up to the next unescaped quote."""
    return re.compile(rf"[^{closers}\\]*+(?:\\.[^{closers}\\]*+)*", re.DOTALL)


@cache
def _next_candidate(closers: str) -> re.Pattern[str]:
    """Everything up to the next unescaped quote that what follows does not rule out.

    It says no more than the judge would; it is there because code is full of quotes.
    """
    may_end = rf"\s*+(?:\Z|[,，}}\])/#]|[{closers}\"]?[\w.$ -]{{1,60}}+[{closers}\"]\s*+:)"
    return re.compile(
        rf"[^{closers}\\]*+(?:(?:\\.|[{closers}](?!{may_end}))[^{closers}\\]*+)*", re.DOTALL
    )


@cache
def _with_partner(closers: str) -> re.Pattern[str]:
    """A quote that comes in pairs, which an apostrophe within a word does not.

    A single letter before it is no word: it may be the prefix of a string of code.
    """
    return re.compile(rf"(?<!\w\w)[{closers}]|[{closers}](?!\w)")


def to_quote(text: str, at: int, closers: str) -> int:
    """Where the next unescaped quote stands, or a last lone backslash, or the end."""
    return _next_quote(closers).match(text, at).end()  # type: ignore[union-attr]  # may be empty


def finish_string(state: State, start: int, end: int, quote: str) -> str:
    """The body in ``[start, end)``; a lone backslash or nothing at *end* means it was cut."""
    cut = state.text[end : end + 1] in ("", "\\")
    if cut:
        state.note(mend.CUT_SHORT)
    state.at = len(state.text) if cut else end + 1
    return unescape(state, state.text[start:end], quote, cut=cut)


class _Search:
    """The search for the end of one string inside a container."""

    def __init__(self, state: State, quote: str) -> None:
        self.state = state
        self.text = state.text
        self.quote = quote
        self.closers = QUOTES[quote]
        self.start = state.at + 1
        self.inner = 0  # unescaped quotes passed, apostrophes within words not counted
        self.passed = False  # whether any were, counted or not
        self.fallback: int | None = None  # where the first unsure end is

    def run(self) -> str:
        judge = Judge(self.state)
        end = to_quote(self.text, self.start, self.closers)
        while self.text[end : end + 1] not in ("", "\\"):
            verdict = judge.verdict(end + 1, self.inner)
            if verdict is Verdict.CLOSES:
                return self._close(end)
            if (comma := self._swallowed_key(end)) is not None:
                return self._close_early(comma)
            if verdict is Verdict.UNSURE and self.fallback is None:
                self.fallback = end
            if verdict is Verdict.UNSURE and self.state.rereads <= 0:
                return self._close(end)  # reading again has become too dear
            end = self._advance(end)
        return self._unterminated(end)

    def _advance(self, quote_at: int) -> int:
        """Pass over a quote, and over all that follow it and are inner at a glance."""
        self.state.doubt()
        pattern = _next_candidate(self.closers)
        end = pattern.match(self.text, quote_at + 1).end()  # type: ignore[union-attr]
        self.passed = True
        passed = _backslashed.sub("", self.text[quote_at:end])
        self.inner += len(_with_partner(self.closers).findall(passed))
        return end

    def _close(self, end: int) -> str:
        if self.passed:
            self.state.note(mend.UNESCAPED_QUOTE)
        return finish_string(self.state, self.start, end, self.quote)

    def _swallowed_key(self, end: int) -> int | None:
        """Where the string should have ended if the quote at *end* opens the next key."""
        key = KEY(self.text, end) if self.state.in_object() else None
        if key is None:
            return None
        before = self.text[max(self.start, end - 64) : end]
        value = before.rstrip()
        if not value.endswith(",") and "\n" not in before[len(value) :]:
            return None
        should_end = end - len(before) + len(value) - value.endswith(",")
        # Or the body so far looks like a short value and not like code.
        short = not self.passed and _one_liner(self.text, self.start, should_end) is not None
        return should_end if short or self.state.awaits(key_of(key)) else None

    def _close_early(self, end: int) -> str:
        self.state.note(mend.MISSING_QUOTE)
        self.state.at = end
        return unescape(self.state, self.text[self.start : end], self.quote)

    def _unterminated(self, end: int) -> str:
        """The text is over: an unsure end, closers that follow a missing quote, or a cut."""
        if self.fallback is not None:
            self.state.rereads -= 1
            return self._close(self.fallback)
        if self.passed:
            self.state.note(mend.UNESCAPED_QUOTE)
        closers_at = self._trailing_closers()
        if closers_at is not None:
            return self._close_early(self._without_layout(closers_at))
        return finish_string(self.state, self.start, end, self.quote)

    def _trailing_closers(self) -> int | None:
        """Where the closers of all that is open stand at the end of the text, if they do."""
        at = len(self.text)
        for closer in reversed(self.state.closers):
            at = len(self.text[max(self.start, at - 64) : at].rstrip()) + max(self.start, at - 64)
            if at <= self.start or self.text[at - 1] != closer:
                return None
            at -= 1
        return at

    def _without_layout(self, end: int) -> int:
        """*end*, before the line break that set off a closer, if the body has none itself."""
        body = self.text[self.start : end].rstrip()
        tail = self.text[self.start + len(body) : end]
        return end - len(tail) if "\n" in tail and "\n" not in body else end
