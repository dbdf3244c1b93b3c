"""A grammar as a regular expression, for services that take one (TGI).

Only what every such service has: characters, classes, groups, alternatives and counts. What a raw
text may not hold is said by leaving out the character it would begin with.
"""

from __future__ import annotations

from .charset import Ranges, complement, minus
from .ir import (
    ANYTHING,
    Chars,
    Choice,
    Grammar,
    LeftOut,
    Literal,
    Node,
    Repeat,
    Rule,
    Sequence,
    Without,
    times,
)

__all__ = ["NARROWED", "regex"]

#: A regular expression of more characters is refused by most services, and slow in the others.
LONGEST = 200_000
NARROWED = LeftOut(
    "raw text", "characters that may begin a marker", "an expression cannot exclude a word"
)


class _TooLong(Exception):
    """It does not fit into an expression of a bearable size."""


def regex(grammar: Grammar) -> tuple[str, tuple[LeftOut, ...]] | None:
    """The replies of *grammar* as an expression, and what it leaves out; None if it is too long."""
    writer = _Writer(grammar)
    try:
        said = writer.written(grammar.root)
    except _TooLong:
        return None
    return said, (NARROWED,) if writer.narrowed else ()


class _Writer:
    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self._rules: dict[str, str] = {}
        self.narrowed = False

    def written(self, node: Node, inside: bool = False) -> str:
        said = self._written(node, inside)
        if len(said) > LONGEST:
            raise _TooLong
        return said

    def _written(self, node: Node, inside: bool) -> str:
        match node:
            case Literal(text):
                said = "".join(map(_escaped, text))
                return f"({said})" if inside and len(text) > 1 else said
            case Chars(ranges):
                return _class(ranges)
            case Sequence(parts):
                said = "".join(self.written(part, isinstance(part, Choice)) for part in parts)
                return f"({said})" if inside else said
            case Choice(options):
                said = "|".join(self.written(option) for option in options)
                return f"({said})" if inside else said
            case Repeat(part, least, most):
                return f"{self.written(part, True)}{_counts(least, most)}"
            case Rule(name):
                if name not in self._rules:
                    self._rules[name] = self.written(self._grammar.rules[name], True)
                return self._rules[name]
            case Without(form, forbidden, too):
                self.narrowed = True
                return self.written(_narrowed(too or form, _first(forbidden)), inside)
        raise AssertionError(node)


def _narrowed(node: Node, banned: Ranges) -> Node:
    """*node* without the characters *banned*."""
    match node:
        case Chars(ranges):
            return Chars(minus(ranges, banned))
        case Repeat(part, least, most):
            return times(_narrowed(part, banned), least, most)
    # Where more is asked than any text, any text is near enough, and the check has the rest.
    return _narrowed(ANYTHING, banned)


def _first(node: Node) -> Ranges:
    """The characters with which texts of *node* begin; of line ends, what stands behind them."""
    match node:
        case Literal(text):
            return ((ord(text[0]), ord(text[0])),)
        case Chars(ranges):
            return ranges
        case Sequence(parts):
            return _first(parts[0])
        case Choice(options):
            return tuple(sorted({pair for option in options for pair in _first(option)}))
    return ()


def _counts(least: int, most: int | None) -> str:
    simple = {(0, None): "*", (1, None): "+", (0, 1): "?"}
    if (least, most) in simple:
        return simple[least, most]
    return f"{{{least}}}" if least == most else f"{{{least},{'' if most is None else most}}}"


def _escaped(character: str) -> str:
    named = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
    if character in named:
        return named[character]
    return f"\\{character}" if character in "\\.^$|?*+()[]{}" else character


def _class(ranges: Ranges) -> str:
    others = complement(ranges)
    if not others:
        return r"[\s\S]"
    negated = len(others) < len(ranges)
    members = "".join(_range(*each) for each in (others if negated else ranges))
    return f"[{'^' if negated else ''}{members}]"


def _range(first: int, last: int) -> str:
    return _point(first) if first == last else f"{_point(first)}-{_point(last)}"


def _point(point: int) -> str:
    if point < 32 or 127 <= point < 160:
        return f"\\x{point:02x}"
    character = chr(point)
    return f"\\{character}" if character in "\\]^-[" else character
