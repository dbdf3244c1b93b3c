"""How values are written: as JSON, as Python, between tokens, in tags, in XML.

A notation turns what a schema asks of a value into the texts that say such a value. Strings are
where notations differ most: the schema speaks of their characters, the grammar of how those are
written.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

from .charset import ALL, Ranges, complement, holds, intersection, minus, of, one_of, union
from .ir import (
    ANYTHING,
    NOTHING,
    Chars,
    Choice,
    Literal,
    Node,
    Repeat,
    Rule,
    Sequence,
    Without,
    chars,
    either,
    joined,
    text,
    times,
)

__all__ = [
    "JSON",
    "PYTHON",
    "Escaped",
    "Notation",
    "Said",
    "TextForm",
    "any_escape",
    "dumps",
    "may_hold",
    "python_literal",
]

#: A value as JSON. ``json.dumps`` makes an encoder for each call that wants characters unescaped.
dumps: Callable[[Any], str] = json.JSONEncoder(ensure_ascii=False).encode

#: More than so many characters are not counted: engines write every one of them out.
MOST_COUNTED = 256

_CONTROLS: Ranges = ((0, 31),)
_QUOTED = of('"\\')
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
_HEX = Chars(((48, 57), (65, 70), (97, 102)))
_NOT_D = chars(((48, 57), (65, 67), (69, 70), (97, 99), (101, 102)))
# Half a pair of surrogates is no character, so the two halves come together or not at all.
_CODE = either(
    [
        joined(_NOT_D, times(_HEX, 3, 3)),
        joined(chars(of("dD")), chars(((48, 55),)), times(_HEX, 2, 2)),
        joined(
            chars(of("dD")),
            chars(of("89abAB")),
            times(_HEX, 2, 2),
            text("\\u"),
            chars(of("dD")),
            chars(of("cdefCDEF")),
            times(_HEX, 2, 2),
        ),
    ]
)
_ESCAPE = joined(text("\\"), either([chars(of('"\\/bfnrt')), joined(text("u"), _CODE)]))
_PYTHON_ESCAPE = joined(
    text("\\"),
    either(
        [chars(of('"\\bfnrt')), joined(text("u"), either(_CODE.options[:2]))]  # type: ignore[union-attr]
    ),
)


_PLAIN = Chars(minus(minus(ALL, _CONTROLS), _QUOTED))


def any_escape() -> Node:
    """Every escape that a string of JSON may hold."""
    return _ESCAPE


class TextForm(NamedTuple):
    """What a schema asks of a string: a *pattern*, and how long it is."""

    pattern: Node | None = None
    least: int = 0
    most: int | None = None

    @property
    def lengths(self) -> tuple[str, ...]:
        """The keywords that speak of its length."""
        least = ("minLength",) if self.least else ()
        return (*least, "maxLength") if self.most is not None else least

    def node(self) -> tuple[Node, tuple[str, ...]]:
        """The texts, and the keywords that they do not heed."""
        if self.pattern is not None:
            return self.pattern, self.lengths
        if self.least > MOST_COUNTED:
            return ANYTHING, self.lengths
        if self.most is not None and self.most > MOST_COUNTED:
            return times(Chars(ALL), self.least), ("maxLength",)
        return times(Chars(ALL), self.least, self.most), ()


class Said(NamedTuple):
    """How a string is written, and the keywords that this does not heed."""

    node: Node
    unsaid: tuple[str, ...] = ()


# Notations are few, and asked for with every value: by identity that is quick.
@dataclass(frozen=True, slots=True, eq=False)
class Notation:
    """Where a value's text begins: JSON, unless a subclass says otherwise."""

    name: str = "json"
    words: tuple[str, str, str] = ("true", "false", "null")
    comma: str = ", "
    colon: str = ": "

    @property
    def inner(self) -> Notation:
        """How the values inside a list or an object are written."""
        return self

    def string(self, form: TextForm) -> Said:
        """Strings of *form*."""
        node, unsaid = form.node()
        if node == ANYTHING:
            return Said(self.any_string, unsaid)
        return Said(_quoted(self, node), unsaid)

    @property
    def escapes(self) -> Node:
        """What begins with a backslash inside of quotes."""
        return _ESCAPE

    @property
    def plain_characters(self) -> Chars:
        """What stands for itself inside of quotes."""
        return _PLAIN

    @property
    def any_string(self) -> Node:
        """Every string."""
        return _json_string(self.escapes)

    @property
    def never_said(self) -> tuple[str, ...]:
        """What no string can be that is written so."""
        return ()

    @property
    def any_key(self) -> Node:
        """The name of a member, whatever it is."""
        return self.string(TextForm()).node

    def character(self, ranges: Ranges) -> Node:
        """One character of *ranges*, inside quotes."""
        return _json_character(ranges)

    def literal(self, value: Any) -> Node:
        """Exactly *value*."""
        return text(dumps(value))

    def key(self, key: str) -> Node:
        """The name of a member, up to its value."""
        return text(dumps(key) + self.colon)

    def plain(self, node: Node) -> Node:
        """Punctuation, numbers and words, as they are here."""
        return node


class _Python(Notation):
    """Literals of Python."""

    __slots__ = ()

    @property
    def escapes(self) -> Node:
        return _PYTHON_ESCAPE

    def character(self, ranges: Ranges) -> Node:
        return either([_PLAIN, _PYTHON_ESCAPE]) if ranges == ALL else _json_character(ranges)

    def literal(self, value: Any) -> Node:
        return text(python_literal(value))


JSON = Notation()
PYTHON = _Python("python", ("True", "False", "None"))


@dataclass(frozen=True, slots=True, eq=False)
class Escaped(Notation):
    """JSON inside of something else, where *special* characters are written by *escape*.

    What is not in *allowed* has to be written with an escape of JSON's own. With *bare*, strings
    stand without quotes, and only values inside of others are JSON; they have at most *longest*
    characters. With *ascii*, any other character is an escape.
    """

    name: str = "escaped"
    escape: Callable[[str], str] = str
    special: str = ""
    allowed: Ranges = ALL
    bare: bool = False
    longest: int | None = None
    ascii: bool = False

    @property
    def inner(self) -> Notation:
        """Inside of a list or an object there are quotes."""
        return _with_quotes(self) if self.bare else self

    def string(self, form: TextForm) -> Said:
        """Strings of *form*."""
        if not self.bare:
            node, unsaid = form.node()
            inside = times(either([_PLAIN, _ESCAPE])) if node == ANYTHING else None
            quoted = inside or _encoded(node, _json_character)
            return Said(self.plain(joined(text('"'), quoted, text('"'))), unsaid)
        if form.pattern is None and self.longest is not None:
            form = form._replace(most=min(form.most or self.longest, self.longest))
            return Said(self.plain(times(Chars(ALL), form.least, form.most)))
        node, unsaid = form.node()
        return Said(self.plain(node), unsaid)

    def literal(self, value: Any) -> Node:
        """Exactly *value*."""
        said = value if self.bare and isinstance(value, str) else self._dumps(value)
        return self._written(said)

    def key(self, key: str) -> Node:
        """The name of a member, up to its value."""
        return self._written(self._dumps(key) + self.colon)

    def _written(self, said: str) -> Node:
        """*said*, escaped, if it can be."""
        forbidden = one_of(complement(self.allowed)).search(said)
        return text(self.escape(said)) if forbidden is None else NOTHING

    def plain(self, node: Node) -> Node:
        """*node*, escaped."""
        return _plainly(self, node)

    def _dumps(self, value: Any) -> str:
        return json.dumps(value, ensure_ascii=self.ascii)


@lru_cache(maxsize=64)
def _with_quotes(notation: Escaped) -> Escaped:
    return replace(notation, bare=False, name=f"{notation.name}-inner")


@lru_cache(maxsize=64)
def _odd(special: str, allowed: Ranges) -> Ranges:
    """What cannot stand for itself."""
    return union(of(special), complement(allowed))


@lru_cache(maxsize=1024)
def _plainly(notation: Escaped, node: Node) -> Node:
    """*node* as *notation* writes it."""
    if not may_hold(node, _odd(notation.special, notation.allowed)):
        return node
    return _encoded(node, lambda ranges: _escaped(notation, ranges))


@lru_cache(maxsize=1024)
def _escaped(notation: Escaped, ranges: Ranges) -> Node:
    """A character of *ranges* as *notation* writes it."""
    ranges = intersection(ranges, notation.allowed)
    named = [text(notation.escape(each)) for each in notation.special if holds(ranges, each)]
    return either([*_some(minus(ranges, of(notation.special))), *named])


def may_hold(node: Node, ranges: Ranges) -> bool:
    """Whether one of *ranges* may stand in a text of *node*; rules are taken to hold anything."""
    match node:
        case Literal(said):
            return one_of(ranges).search(said) is not None
        case Chars(own):
            return bool(intersection(own, ranges))
        case Sequence(parts) | Choice(parts):
            return any(may_hold(each, ranges) for each in parts)
        case Repeat(part):
            return may_hold(part, ranges)
        case Without(form):
            return may_hold(form, ranges)
    return True


def _encoded(node: Node, character: Callable[[Ranges], Node]) -> Node:
    match node:
        case Literal(said):
            return joined(*(character(of(each)) for each in said))
        case Chars(ranges):
            return character(ranges)
        case Sequence(parts):
            return joined(*(_encoded(part, character) for part in parts))
        case Choice(options):
            return either(_encoded(option, character) for option in options)
        case Repeat(part, least, most):
            return times(_encoded(part, character), least, most)
        case Rule() | Without():
            return node
    raise AssertionError(node)


@lru_cache(maxsize=256)
def _quoted(notation: Notation, node: Node) -> Node:
    """*node* between quotes, as *notation* writes its characters."""
    return joined(text('"'), _encoded(node, notation.character), text('"'))


@lru_cache(maxsize=256)
def _json_character(ranges: Ranges) -> Node:
    """A character of *ranges* as JSON writes it between quotes: escaped where it has to be."""
    if ranges == ALL:
        return either([_PLAIN, _ESCAPE])
    options = _some(minus(minus(ranges, _CONTROLS), _QUOTED))
    special = intersection(ranges, ((0, 31), (34, 34), (92, 92)))
    if special == ((0, 31), (34, 34), (92, 92)):
        code = joined(chars(of("01")), Chars(((48, 57), (97, 102))))
        options.append(joined(text("\\"), chars(of('"\\nrtbf'))))
        options.append(joined(text("\\u00"), code))
    else:
        points = (point for first, last in special for point in range(first, last + 1))
        options += [text(_SHORT.get(chr(point), f"\\u{point:04x}")) for point in points]
    return either(options)


@lru_cache(maxsize=8)
def _json_string(escape: Node) -> Node:
    return joined(text('"'), times(either([_PLAIN, escape])), text('"'))


def _some(ranges: Ranges) -> list[Node]:
    return [chars(ranges)] if ranges else []


def python_literal(value: Any) -> str:
    """*value* as Python writes it."""
    if value is None or isinstance(value, bool):
        return {True: "True", False: "False", None: "None"}[value]
    if isinstance(value, Mapping):
        return (
            "{"
            + ", ".join(f"{python_literal(k)}: {python_literal(v)}" for k, v in value.items())
            + "}"
        )
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(python_literal, value)) + "]"
    return dumps(value)
