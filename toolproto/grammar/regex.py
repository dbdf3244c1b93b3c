"""A grammar as a regular expression, for services that take one (TGI).

Only what every such service has: characters, classes, groups, alternatives and counts. What a raw
text may not hold is said by leaving out the character it would begin with.
"""

from __future__ import annotations

from .charset import ALL, Ranges, complement, holds, minus, union
from .ir import (
    ANYTHING,
    NOTHING,
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
    chars,
    either,
    joined,
    times,
)

__all__ = ["NARROWED", "UNCOUNTED", "regex"]

#: A regular expression of more characters is refused by most services, and slow in the others.
LONGEST = 200_000
#: Counts of what has rules of its own go up to this. With sixteen calls of one tool, Outlines
#: (which TGI uses) took more than fifteen seconds; so it takes two.
_MOST_COUNTED = 4
_SURROGATES: Ranges = ((0xD800, 0xDFFF),)
#: Forms of which every text is, or every one but the empty.
_ANY = (ANYTHING, times(Chars(ALL), 1))
NARROWED = LeftOut(
    "raw text", "characters that may begin a marker", "an expression cannot exclude a word"
)


UNCOUNTED = LeftOut(
    "calls and lists", f"more than {_MOST_COUNTED} of them", "an engine writes each of them out"
)


class _Unsayable(Exception):
    """It does not fit into an expression, or not into one of a bearable size."""


def regex(grammar: Grammar) -> tuple[str, tuple[LeftOut, ...]] | None:
    """The replies of *grammar* as an expression, and what it leaves out; None if it is too long."""
    writer = _Writer(grammar)
    try:
        said = writer.written(grammar.root)
    except _Unsayable:
        return None
    return said, tuple(writer.left_out)


class _Writer:
    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self._rules: dict[str, str] = {}
        self.left_out: dict[LeftOut, None] = {}

    def written(self, node: Node, inside: bool = False) -> str:
        said = self._written(node, inside)
        if len(said) > LONGEST:
            raise _Unsayable
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
                return f"{self.written(part, True)}{self._counted(part, least, most)}"
            case Rule(name):
                if name not in self._rules:
                    self._rules[name] = self.written(self._grammar.rules[name], True)
                return self._rules[name]
            case Without(form, forbidden, too):
                self.left_out[NARROWED] = None
                wanted = _narrowed(too if too and form in _ANY else form, _first(forbidden))
                if wanted is NOTHING:
                    raise _Unsayable
                return self.written(wanted, inside)
        raise AssertionError(node)

    def _counted(self, part: Node, least: int, most: int | None) -> str:
        if most is not None and most > _MOST_COUNTED and _holds_rule(part):
            self.left_out[UNCOUNTED] = None
            return _counts(min(least, _MOST_COUNTED), None)
        return _counts(least, most)


def _holds_rule(node: Node) -> bool:
    match node:
        case Rule():
            return True
        case Sequence(parts) | Choice(parts):
            return any(map(_holds_rule, parts))
        case Repeat(part):
            return _holds_rule(part)
    return False


def _narrowed(node: Node, banned: Ranges) -> Node:
    """*node* without the characters *banned*; line ends that stand around it remain."""
    match node:
        case Chars(ranges):
            return chars(minus(ranges, banned))
        case Literal(text):
            return NOTHING if any(holds(banned, each) for each in text if each != "\n") else node
        case Sequence(parts):
            return joined(*(_narrowed(part, banned) for part in parts))
        case Choice(options):
            return either(
                each for option in options if (each := _narrowed(option, banned)) is not NOTHING
            )
        case Repeat(part, least, most):
            return times(_narrowed(part, banned), least, most)
    return node


def _first(node: Node) -> Ranges:
    """The characters with which texts of *node* begin; behind a line end, those of its word too."""
    match node:
        case Literal(text):
            return ((ord(text[0]), ord(text[0])),)
        case Chars(ranges):
            return ranges
        case Sequence(parts):
            behind = parts[1:] if parts[0] == Literal("\n") else ()
            words = [part for part in behind if isinstance(part, Literal)][:1]
            return union(_first(parts[0]), *map(_first, words))
        case Choice(options):
            return union(*map(_first, options))
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
    # No text holds half characters, and no request could say them.
    others = minus(complement(ranges), _SURROGATES)
    if not others:
        return r"[\s\S]"
    # Outlines, which TGI uses, goes through every character of a class that it is told.
    negated = ranges[-1][1] == 0x10FFFF
    members = "".join(_range(*each) for each in (others if negated else ranges))
    return f"[{'^' if negated else ''}{members}]"


def _range(first: int, last: int) -> str:
    return _point(first) if first == last else f"{_point(first)}-{_point(last)}"


def _point(point: int) -> str:
    if point < 32 or 127 <= point < 160:
        return f"\\x{point:02x}"
    character = chr(point)
    return f"\\{character}" if character in "\\]^-[" else character
