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

from .state import QUOTES, State

__all__ = ["KEY", "Judge", "Verdict", "key_of"]

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

_begins_item = frozenset(QUOTES) | frozenset("{[(")
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


class Judge:
    """Weighs what follows the quotes that may end a string inside a container."""

    __slots__ = ("clean", "inner", "paired", "state", "text")

    def __init__(self, state: State) -> None:
        self.state, self.text = state, state.text

    def verdict(self, after: int, inner: int = 0) -> Verdict:
        """What the quote is, *after* which text follows.

        The string has had *inner* unescaped quotes before it.
        """
        self.inner = inner
        self.clean = inner == 0
        # Has every inner quote so far its partner, so that this one may close?
        self.paired = inner % 2 == 0
        at = _skip(self.text, after)
        return _RULES.get(self.text[at : at + 1], Judge._after_nothing)(self, at, 0)

    def _at_end(self, at: int, level: int) -> Verdict:
        return Verdict.CLOSES

    def _after_closers(self, at: int, level: int) -> Verdict:
        """Closers that match what is open, as far as they go, and then something that fits."""
        text, expected = self.text, self.state.closers
        while level < len(expected) and text[at : at + 1] == expected[level]:
            at = _skip(text, at + 1)
            level += 1
        here = text[at : at + 1]
        if not here:
            return Verdict.CLOSES
        if level == len(expected):
            return self._after_everything(at)
        if here in _closers:
            return self._after_mismatch(at)
        if here == ",":
            return self._after_comma(at, level)
        if here in "/#":
            return self._before_comment(at, level)
        return self._after_nothing(at, level)

    def _after_everything(self, at: int) -> Verdict:
        """All is closed and text remains: a marker, prose, or the rest of a string."""
        text = self.text
        if text[at] == "," and KEY(text, _skip(text, at + 1)):  # a closer too many
            return self._after_comma(at, len(self.state.closers) - 1)
        glued = not text[at - 1].isspace()
        if self.clean:
            return _either(not (glued and text[at] in '"\\'))
        return _either(self.paired and not (glued and _glued(text, at)))

    def _after_mismatch(self, at: int) -> Verdict:
        """A closer of something that is not open: the model's slip, or code inside the string."""
        text = self.text
        run = _closer_run(text, at)
        end = run.end() if run else at
        if end >= len(text):
            return Verdict.CLOSES
        if not self.clean or text[at] not in self.state.closers + "}]":
            return Verdict.INNER
        follower = _skip(text, end + 1)
        fits = KEY(text, follower) is not None or text.startswith("{", follower)
        return _either(text[end] == "," and fits)

    def _after_comma(self, at: int, level: int) -> Verdict:
        at = _skip(self.text, at + 1)
        here = self.text[at : at + 1]
        if not here:
            return Verdict.CLOSES
        if here in _closers:
            return _either(self.paired and here == self.state.closers[level], Verdict.INNER)
        if here in "/#":
            return self._before_comment(at, level)
        if self.state.in_object(level):
            return self._before_member(at, level)
        return self._before_item(at)

    def _before_member(self, at: int, level: int) -> Verdict:
        state, key = self.state, KEY(self.text, at)
        if key is None:
            return self._before_half_a_key(at, level)
        if state.awaits(key_of(key), level):
            return Verdict.CLOSES
        bare = key.lastindex == _BARE
        if self.clean:
            return _either(not bare or state.bare_keys or state.keys is None)
        # A single quote before it has no partner; from the third on it is a dict in the string.
        return _either(state.keys is None and not bare and (self.paired or self.inner == 1))

    def _before_half_a_key(self, at: int, level: int) -> Verdict:
        state, key = self.state, _half_key(self.text, at)
        if key is not None and state.awaits(key[1], level):
            return Verdict.CLOSES
        if level and self.clean and _opens_sibling(state, at):
            return Verdict.CLOSES
        if not self.clean or self.text[at] not in '{".,':
            return Verdict.INNER
        return _either(key is not None and state.keys is None)

    def _before_item(self, at: int) -> Verdict:
        text = self.text
        if text[at] in _begins_item:
            return _either(self.paired)
        if _scalar(text, at):
            return _either(self.paired, Verdict.INNER)
        return _either(self.clean and _word(text, at) is not None, Verdict.INNER)

    def _before_comment(self, at: int, level: int) -> Verdict:
        """A comment, if its end is in sight; ``#`` and ``/`` are common inside strings too."""
        text = self.text
        if text.startswith("/*", at):
            ends = text.find("*/", at, at + 300) >= 0
        elif text.startswith(("//", "#"), at):
            ends = text.find("\n", at, at + 300) >= 0
        else:
            return Verdict.INNER
        if self.clean:
            return _either(ends)
        return Verdict.UNSURE if ends else Verdict.INNER

    def _before_colon(self, at: int, level: int) -> Verdict:
        """In a list, a key of the object around it: the list's own closer is missing."""
        in_list_of_member = not self.state.in_object() and self.state.in_object(1)
        return _either(self.clean and in_list_of_member, Verdict.INNER)

    def _after_nothing(self, at: int, level: int) -> Verdict:
        """No comma and no closer: the end only if a member follows as if there were a comma."""
        state, text = self.state, self.text
        spaced = text[at - 1].isspace()
        if not state.in_object(level):
            follows = text[at] in _begins_item or _scalar(text, at)
            return _either(bool(self.clean and spaced and follows), Verdict.INNER)
        key = KEY(text, at)
        if key is None or (key.lastindex == _BARE and not spaced):
            return Verdict.INNER
        if state.awaits(key_of(key), level):
            return Verdict.CLOSES
        if key.lastindex == _BARE or not spaced:
            return Verdict.UNSURE if self.clean else Verdict.INNER
        return _either(self.clean or (state.keys is None and self.paired))


def key_of(match: re.Match[str]) -> str:
    """The key that ``KEY`` matched, as written."""
    return match[match.lastindex or 0]


def _skip(text: str, at: int) -> int:
    return _space(text, at).end()  # type: ignore[union-attr]  # may be empty


def _either(certain: bool, otherwise: Verdict = Verdict.UNSURE) -> Verdict:
    return Verdict.CLOSES if certain else otherwise


def _opens_sibling(state: State, at: int) -> bool:
    """Does an object with a known member begin here: the next in a list, a closer missing?"""
    if state.text[at] != "{" or state.keys is None:
        return False
    member = KEY(state.text, _skip(state.text, at + 1))
    return member is not None and key_of(member) in state.keys


_RULES: dict[str, Callable[[Judge, int, int], Verdict]] = {
    "": Judge._at_end,
    ",": Judge._after_comma,
    "，": Judge._after_comma,
    "}": Judge._after_closers,
    "]": Judge._after_closers,
    ")": Judge._after_closers,
    "/": Judge._before_comment,
    "#": Judge._before_comment,
    ":": Judge._before_colon,
}
