"""Does this quote end its string?

Behind the end of a string stands what its place allows: a comma and the next argument, brackets
that match what is open, the end of the text. Models that forget to escape a quote write anything
else there. What is looked at ends at the next quote or after a constant, so judging every quote
of a text stays linear.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from ..scanner import MORE, NO, Marker
from .frames import NAMED, Frame, Kind
from .names import KEYWORD, unescaped

__all__ = ["Around", "Place", "Verdict", "judge", "lost_quote"]

_SPACE = re.compile(r"\s{0,200}")
_NEXT_KEYWORD = re.compile(rf"""{KEYWORD}\s{{0,8}}[=:]|\\?(["'])[\w-]{{1,128}}\\?\1\s{{0,8}}[=:]""")
_NEXT_KEYWORD_BEGUN = re.compile(
    rf"""(?:{KEYWORD}\\{{0,2}}\s{{0,8}}|\\{{1,2}}|\*|\\?(["'])?[\w-]{{0,128}}(?:\\?\1\s{{0,8}})?)?\Z"""
)
_NEXT_STRING = re.compile(r"""(["'])[^"'\\\r\n]{0,80}\1\s{0,8}[,)]""")
_NEXT_STRING_BEGUN = re.compile(r"""(["'])[^"'\\\r\n]{0,80}(?:\1\s{0,8})?\Z""")
_NEXT_WORD = re.compile(r"""[\w.$-]{1,60}\s{0,8}[,\])}("':]""")
_NEXT_WORD_BEGUN = re.compile(r"[\w.$-]{0,60}\s{0,8}\Z")
_PREFIXED = re.compile(r"""[rRbBuUfF]{1,2}["']""")
_PREFIXED_BEGUN = re.compile(r"[rRbBuUfF]{1,2}\Z")
_COMPUTED = re.compile(r"""[+%]\s{0,8}(?:["'(]|[^\W\d])|\.[^\W\d]\w{0,40}\(""")
_COMPUTED_BEGUN = re.compile(r"(?:[+%]\s{0,8}|\.(?:[^\W\d]\w{0,40})?)\Z")
_CALL_AHEAD = re.compile(r"""[{"'`“‘\\\s]{0,80}[^\W\d][\w.:/\\-]{0,127}["'`”’]?[ \t]{0,3}\(""")
_CALL_AHEAD_BEGUN = re.compile(
    r"""[{"'`“‘\\\s]{0,80}(?:[^\W\d][\w.:/\\-]{0,127}["'`”’]?[ \t]{0,3})?\Z"""
)
# The opening quote of the next argument, met inside a string: its own closing quote is lost.
_OPENED_BEFORE = re.compile(rf"[,(]\s{{0,80}}({KEYWORD})\s{{0,8}}=\s{{0,8}}\Z")
_VALUE_STARTS = frozenset("\"'`“‘[{(0123456789-+#\\")
_QUOTES = frozenset("\"'`“‘”’")
_CLOSERS = frozenset(")]}")


class Verdict(Enum):
    """What a quote is."""

    CLOSES = auto()
    INNER = auto()
    WAIT = auto()  # until more text has come


@dataclass(frozen=True, slots=True)
class Around:
    """What stands around a call: a quote, a list; and the markers that no call goes on behind."""

    quote: str
    in_list: bool
    ends: Sequence[Marker]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a string stands: in which brackets of its call, and where that stands.

    *known* are the arguments that the called tool has, if it is known.
    """

    frames: Sequence[Frame]
    known: frozenset[str] | None
    around: Around


@dataclass(frozen=True, slots=True)
class _Quote:
    """A quote that may end its string, and the text behind it."""

    place: Place
    text: str
    after: int
    final: bool
    clean: bool  # every quote before it was escaped

    def decided(self, certain: bool, begun: bool) -> Verdict:
        if certain:
            return Verdict.CLOSES
        return Verdict.WAIT if begun and not self.final else Verdict.INNER

    def at_end(self) -> Verdict:
        return Verdict.CLOSES if self.final else Verdict.WAIT

    def skip(self, at: int) -> int:
        return _SPACE.match(self.text, at).end()  # type: ignore[union-attr]  # may be empty


def judge(place: Place, text: str, after: int, final: bool, clean: bool) -> Verdict:
    """Weigh what follows the quote that ends at *after*."""
    quote = _Quote(place, text, after, final, clean)
    at = quote.skip(after)
    char = text[at : at + 1]
    if not char:
        return quote.at_end()
    if char in _CLOSERS:
        return _before_closers(quote, at)
    if char == ",":
        return _before_comma(quote, at, len(place.frames) - 1)
    if char in ":=":
        return _before_value(quote, at)
    if char in _QUOTES:
        return Verdict.CLOSES if clean and (at > after or char in "\"'") else Verdict.INNER
    return _before_other(quote, at)


def lost_quote(before: str, known: frozenset[str] | None) -> bool:
    """Does *before*, from inside a string, end as if another argument had begun?"""
    if known is None or not before.rstrip().endswith("="):
        return False
    opened = _OPENED_BEFORE.search(before)
    return opened is not None and unescaped(opened[1]) in known


def _before_value(quote: _Quote, at: int) -> Verdict:
    """A colon or an equals sign: only behind a key."""
    if not quote.place.frames[-1].takes_key:
        return Verdict.INNER
    if at + 1 == len(quote.text) and not quote.final:
        return Verdict.WAIT
    return Verdict.INNER if quote.text.startswith("=", at + 1) else Verdict.CLOSES


def _before_comma(quote: _Quote, at: int, level: int) -> Verdict:
    """A comma closes if what comes next can come next in the frame *level*."""
    frame = quote.place.frames[level]
    text, at = quote.text, quote.skip(at + 1)
    char = text[at : at + 1]
    if not char:
        return quote.at_end()
    if char == "#" or char in _CLOSERS or (char == "," and quote.clean):
        return Verdict.CLOSES
    argument = _before_argument(quote, at) if frame.kind in NAMED else Verdict.INNER
    if argument is Verdict.CLOSES or (frame.kind in NAMED and frame.keyed):
        return argument
    if char in _VALUE_STARTS or char == "*":
        innermost = level == len(quote.place.frames) - 1
        is_key = innermost and frame.kind is Kind.DICT and not frame.keyed
        return Verdict.INNER if is_key else Verdict.CLOSES
    begun = argument is Verdict.WAIT or _NEXT_WORD_BEGUN.match(text, at) is not None
    return quote.decided(_NEXT_WORD.match(text, at) is not None, begun)


def _before_argument(quote: _Quote, at: int) -> Verdict:
    """Behind a comma and an argument by keyword: another one, or a whole string for its value."""
    text = quote.text
    named = text.startswith("**", at) or _NEXT_KEYWORD.match(text, at) is not None
    begun = _NEXT_KEYWORD_BEGUN.match(text, at) is not None
    if quote.clean and not named:
        named = _NEXT_STRING.match(text, at) is not None
        begun = begun or _NEXT_STRING_BEGUN.match(text, at) is not None
    return quote.decided(named, begun)


def _before_closers(quote: _Quote, at: int) -> Verdict:
    """Brackets that match what is open, as far as they go, and then something that fits."""
    text, frames = quote.text, quote.place.frames
    level, behind = len(frames) - 1, at
    while level >= 0 and text[at : at + 1] == frames[level].kind.closer:
        level, behind = level - 1, at + 1
        at = quote.skip(behind)
    char = text[at : at + 1]
    if not char:
        return quote.at_end()
    if level < 0:
        return _behind_call(quote, behind, at)
    if char == ",":
        return _before_comma(quote, at, level)
    if char in _CLOSERS or char == "#":
        return Verdict.CLOSES if quote.clean else Verdict.INNER
    if char == ":" and frames[level].takes_key:
        return Verdict.CLOSES
    marker = _marker(quote, at)
    return marker if marker is not Verdict.INNER else _unless_glued(quote, behind, at)


def _behind_call(quote: _Quote, behind: int, at: int) -> Verdict:
    """The call is closed, too: the next call, the end of the list, or the text around."""
    text, place, char = quote.text, quote.place, quote.text[at]
    if place.around.quote and char == place.around.quote[-1]:
        return Verdict.CLOSES
    if char in "]);}" or (quote.clean and char not in _QUOTES):
        return Verdict.CLOSES
    if char == ",":
        ahead = _CALL_AHEAD.match(text, at + 1) is not None
        return quote.decided(ahead, _CALL_AHEAD_BEGUN.match(text, at + 1) is not None)
    marker = _marker(quote, at)
    return marker if marker is not Verdict.INNER else _unless_glued(quote, behind, at)


def _unless_glued(quote: _Quote, behind: int, at: int) -> Verdict:
    """Text that touches the last bracket goes on with the string."""
    return Verdict.CLOSES if at > behind and not quote.place.around.in_list else Verdict.INNER


def _before_other(quote: _Quote, at: int) -> Verdict:
    text, place = quote.text, quote.place
    marker = _marker(quote, at)
    if marker is not Verdict.INNER:
        return marker
    frame = place.frames[-1]
    if frame.kind in NAMED and at > quote.after and place.known:
        key = _NEXT_KEYWORD.match(text, at)  # a comma is missing
        if key and unescaped(key[0].rstrip("=: \t\r\n")) in place.known:
            return Verdict.CLOSES
        if not key and not quote.final and _NEXT_KEYWORD_BEGUN.match(text, at):
            return Verdict.WAIT
    if not quote.clean:
        return Verdict.INNER
    if text[at] == "#":
        return Verdict.CLOSES if at > quote.after else Verdict.INNER
    if text[at] == "\\":
        return quote.decided(text.startswith("\n", at + 1), at + 1 == len(text))
    if at > quote.after and text[at] in "rRbBuUfF":
        return quote.decided(
            _PREFIXED.match(text, at) is not None, _PREFIXED_BEGUN.match(text, at) is not None
        )
    computed = _COMPUTED.match(text, at) is not None
    return quote.decided(computed, _COMPUTED_BEGUN.match(text, at) is not None)


def _marker(quote: _Quote, at: int) -> Verdict:
    """Does a marker stand here that ends the call?"""
    found = [marker.at(quote.text, at, quote.final) for marker in quote.place.around.ends]
    if any(end not in (NO, MORE) for end in found):
        return Verdict.CLOSES
    return Verdict.WAIT if MORE in found else Verdict.INNER
