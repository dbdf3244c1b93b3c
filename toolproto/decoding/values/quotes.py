"""Whether a quote ends its string, judged by what follows it.

A model that forgets to escape writes ``"say "hi" now"``. Which quote is the last one cannot
be known, only weighed: behind a string's end stand a comma and a member that fits, or
closers that match what is open, or the end of the text. Each look ahead stops at the second
quote after the one judged, or after a constant, so that judging all of them stays linear.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum
from typing import NamedTuple

from .state import QUOTES, State

__all__ = ["KEY", "Candidate", "Verdict", "judge", "key_of"]

_space = re.compile(r"\s*+").match
_closer_run = re.compile(r"(?:[}\])]\s*+){1,100}").match

# A member's key with its colon; the groups are the key in each style of quoting. The bare
# style may have lost its opening quote.
KEY = re.compile(
    r"""(?:"([^"\\\r\n]*+(?:\\.[^"\\\r\n]*+)*)"
    |'([^'\\\r\n]*+(?:\\.[^'\\\r\n]*+)*)'
    |[“”„]([^“”„"\r\n]{0,200}+)[“”"]
    |[‘’]([^‘’'\r\n]{0,200}+)[‘’']
    |`([^`\r\n]{0,200}+)`
    |\\"([^"\\\r\n]{0,200}+)\\"
    |([\w$][\w$.\-]{0,100}+)"?)\s*+[:：]""",
    re.VERBOSE,
).match
_BARE = 7
# A key that has lost its closing quote, and the beginning of its value.
_half_key = re.compile(r"""["']([\w$.\-]{1,100}+):\s*+["'{\[\d+\-tfnTFN]""").match

_item_quotes = frozenset(QUOTES)
_openers = frozenset("{[(")
_closers = frozenset("}])")
_scalar = re.compile(
    r"(?:[-+]?\.?\d[\w.+-]{0,40}|true|false|null|True|False|None)\s*+(?:[,\])]|\Z)"
).match
_word = re.compile(r"[\w.$-]{1,60}\s*+[,\])]").match
# What no text that merely follows a finished value begins with, unless the value goes on.
_glued = re.compile(r"""["'\\,.:;)\]}+\-*=%\w]""").match


class Verdict(Enum):
    """What a quote is."""

    CLOSES = "closes"
    UNSURE = "unsure"  # closes, if no later quote does so with more right
    INNER = "inner"


class Candidate(NamedTuple):
    """A quote that may end its string."""

    state: State
    after: int  # the offset behind it
    inner: int  # how many unescaped quotes the string has had before it

    @property
    def clean(self) -> bool:
        return self.inner == 0

    @property
    def paired(self) -> bool:
        """Whether every inner quote so far has its partner, so that the next one may close."""
        return self.inner % 2 == 0


def judge(quote: Candidate) -> Verdict:
    """Weigh what follows a quote inside a container."""
    text = quote.state.text
    at = _skip(text, quote.after)
    return _RULES.get(text[at : at + 1], _after_nothing)(quote, at, 0)


def key_of(match: re.Match[str]) -> str:
    """The key that ``KEY`` matched, as written."""
    return match[match.lastindex or 0]


def _skip(text: str, at: int) -> int:
    return _space(text, at).end()  # type: ignore[union-attr]  # may be empty


def _either(certain: bool, otherwise: Verdict = Verdict.UNSURE) -> Verdict:
    return Verdict.CLOSES if certain else otherwise


def _at_end(quote: Candidate, at: int, level: int) -> Verdict:
    return Verdict.CLOSES


def _after_closers(quote: Candidate, at: int, level: int) -> Verdict:
    """Closers that match what is open, as far as they go, and then something that fits."""
    text, expected = quote.state.text, quote.state.closers
    while level < len(expected) and text[at : at + 1] == expected[level]:
        at = _skip(text, at + 1)
        level += 1
    here = text[at : at + 1]
    if not here:
        return Verdict.CLOSES
    if level == len(expected):
        return _after_everything(quote, at)
    if here in _closers:
        return _after_mismatch(quote, at)
    if here == ",":
        return _after_comma(quote, at, level)
    if here in "/#":
        return _before_comment(quote, at, level)
    return _after_nothing(quote, at, level)


def _after_everything(quote: Candidate, at: int) -> Verdict:
    """All is closed and text remains: a marker, prose, or the rest of a string."""
    text = quote.state.text
    if text[at] == "," and KEY(text, _skip(text, at + 1)):  # a closer too many
        return _after_comma(quote, at, len(quote.state.closers) - 1)
    glued = not text[at - 1].isspace()
    if quote.clean:
        return _either(not (glued and text[at] in '"\\'))
    return _either(quote.paired and not (glued and _glued(text, at)))


def _after_mismatch(quote: Candidate, at: int) -> Verdict:
    """A closer of something that is not open: the model's slip, or code inside the string."""
    text = quote.state.text
    run = _closer_run(text, at)
    end = run.end() if run else at
    if end >= len(text):
        return Verdict.CLOSES
    if not quote.clean or text[at] not in quote.state.closers + "}]":
        return Verdict.INNER
    follower = _skip(text, end + 1)
    fits = KEY(text, follower) is not None or text.startswith("{", follower)
    return _either(text[end] == "," and fits)


def _after_comma(quote: Candidate, at: int, level: int) -> Verdict:
    text = quote.state.text
    at = _skip(text, at + 1)
    here = text[at : at + 1]
    if not here:
        return Verdict.CLOSES
    if here in _closers:
        return _either(quote.paired and here == quote.state.closers[level], Verdict.INNER)
    if here in "/#":
        return _before_comment(quote, at, level)
    if quote.state.in_object(level):
        return _before_member(quote, at, level)
    return _before_item(quote, at)


def _before_member(quote: Candidate, at: int, level: int) -> Verdict:
    state = quote.state
    key = KEY(state.text, at)
    if key is None:
        return _before_half_a_key(quote, at, level)
    if state.awaits(key_of(key), level):
        return Verdict.CLOSES
    bare = key.lastindex == _BARE
    if quote.clean:
        return _either(not bare or state.bare_keys or state.keys is None)
    # A single quote before it has no partner; from the third on it is a dict in the string.
    return _either(state.keys is None and not bare and (quote.paired or quote.inner == 1))


def _before_half_a_key(quote: Candidate, at: int, level: int) -> Verdict:
    state = quote.state
    key = _half_key(state.text, at)
    if key is not None and state.awaits(key[1], level):
        return Verdict.CLOSES
    if level and quote.clean and _opens_sibling(state, at):
        return Verdict.CLOSES
    if not quote.clean or state.text[at] not in '{".,':
        return Verdict.INNER
    return _either(key is not None and state.keys is None)


def _opens_sibling(state: State, at: int) -> bool:
    """Does an object with a known member begin here: the next in a list, a closer missing?"""
    if state.text[at] != "{" or state.keys is None:
        return False
    member = KEY(state.text, _skip(state.text, at + 1))
    return member is not None and key_of(member) in state.keys


def _before_item(quote: Candidate, at: int) -> Verdict:
    text = quote.state.text
    if text[at] in _item_quotes or text[at] in _openers:
        return _either(quote.paired)
    if _scalar(text, at):
        return _either(quote.paired, Verdict.INNER)
    return _either(quote.clean and _word(text, at) is not None, Verdict.INNER)


def _before_comment(quote: Candidate, at: int, level: int) -> Verdict:
    """A comment, if its end is in sight; ``#`` and ``/`` are common inside strings too."""
    text = quote.state.text
    if text.startswith("/*", at):
        ends = text.find("*/", at, at + 300) >= 0
    elif text.startswith(("//", "#"), at):
        ends = text.find("\n", at, at + 300) >= 0
    else:
        return Verdict.INNER
    if quote.clean:
        return _either(ends)
    return Verdict.UNSURE if ends else Verdict.INNER


def _before_colon(quote: Candidate, at: int, level: int) -> Verdict:
    """In a list, a key of the object around it: the list's own closer is missing."""
    in_list_of_member = not quote.state.in_object() and quote.state.in_object(1)
    return _either(quote.clean and in_list_of_member, Verdict.INNER)


def _after_nothing(quote: Candidate, at: int, level: int) -> Verdict:
    """No comma and no closer: the end only if a member follows as if there were a comma."""
    state, text = quote.state, quote.state.text
    spaced = text[at - 1].isspace()
    if not state.in_object(level):
        follows = text[at] in _item_quotes or text[at] in _openers or _scalar(text, at)
        return _either(bool(quote.clean and spaced and follows), Verdict.INNER)
    key = KEY(text, at)
    if key is None or (key.lastindex == _BARE and not spaced):
        return Verdict.INNER
    if state.awaits(key_of(key), level):
        return Verdict.CLOSES
    if key.lastindex == _BARE or not spaced:
        return Verdict.UNSURE if quote.clean else Verdict.INNER
    return _either(quote.clean or (state.keys is None and quote.paired))


_RULES: dict[str, Callable[[Candidate, int, int], Verdict]] = {
    "": _at_end,
    ",": _after_comma,
    "，": _after_comma,
    "}": _after_closers,
    "]": _after_closers,
    ")": _after_closers,
    "/": _before_comment,
    "#": _before_comment,
    ":": _before_colon,
}
