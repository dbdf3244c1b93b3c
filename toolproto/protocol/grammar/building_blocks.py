"""The pieces that codecs put their grammars together from."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from typing import Any

from ..schemas.faults import as_array
from ..tools.spec import ToolSpec
from .automaton import TooManyStates, can_be
from .charset import ALL, Ranges, minus, of, union
from .draft import GrammarDraft
from .ir import (
    EMPTY,
    NOTHING,
    Chars,
    Node,
    Without,
    chars,
    either,
    joined,
    maybe,
    text,
    times,
)
from .notation import JSON, Escaped, Notation, Said, TextForm, may_hold
from .raw import block_end, lines_before
from .values import Argument, arguments, value_of

__all__ = [
    "ATTRIBUTE",
    "BARE_IDS",
    "DELIMITERS",
    "IDS",
    "INDEX",
    "JSON_IN_XML",
    "LONGEST_ATTRIBUTE",
    "NUMBER",
    "OTHERS",
    "XML_TEXT",
    "InBlock",
    "InLine",
    "element",
    "filled",
    "is_surely_text",
    "lines",
    "members",
]

_DIGIT = Chars(((48, 57),))
_WORD = union(of("_"), ((65, 90), (97, 122)))
#: The id of a call, if the model gives it one, between quotes or as a word by itself.
IDS = times(Chars(union(of("-.:"), _WORD, ((48, 57),))), 1, 64)
BARE_IDS = joined(Chars(_WORD), times(Chars(union(of("-"), _WORD, ((48, 57),))), 0, 63))
#: The place of a call in its reply, counted from 0 or from 1.
INDEX = either([_DIGIT, joined(chars(((49, 57),)), _DIGIT)])
NUMBER = joined(chars(((49, 57),)), maybe(_DIGIT))
#: The tokens that stand around strings in calls with braces, either of which ends one.
DELIMITERS = either(
    [
        text("<escape>"),
        joined(text("<"), chars(of("|\uff5c")), text('"'), chars(of("|\uff5c")), text(">")),
    ]
)
#: Characters of a value that stands in a tag itself: readers look for its end only so far.
LONGEST_ATTRIBUTE = 250

_IN_XML: Ranges = ((9, 10), (32, 0xD7FF), (0xE000, 0xFFFD), (0x10000, 0x10FFFF))
ATTRIBUTE = Escaped(
    "attribute", escape=escape, special="&<>\"'", bare=True, longest=LONGEST_ATTRIBUTE
)


def _in_xml(said: str) -> str:
    return escape(said, quote=False)


XML_TEXT = Escaped("xml", escape=_in_xml, special="&<>", allowed=_IN_XML, bare=True)
JSON_IN_XML = Escaped("xml-json", escape=_in_xml, special="&<>", allowed=_IN_XML, ascii=True)

#: The types that tags give to values, and the types of JSON they stand for.
_KINDS: Mapping[str, tuple[str, ...]] = {
    "string": ("string",),
    "boolean": ("boolean",),
    "number": ("integer", "number"),
    "array": ("array",),
    "object": ("object", "null"),
}
#: All types but strings.
OTHERS = ("boolean", "integer", "number", "array", "object", "null")


@lru_cache(maxsize=256)
def _split(form: str) -> list[str]:
    return re.split(r"\{(\w+)\}", form)


def filled(form: str, **fields: Node) -> Node:
    """*form* with nodes in the places of its fields."""
    parts = _split(form)
    nodes = (
        fields.get(part, text(f"{{{part}}}")) if at % 2 else text(part)
        for at, part in enumerate(parts)
    )
    return joined(*nodes)


def element(
    form: tuple[str, str],
    argument: Argument,
    tool: ToolSpec,
    draft: GrammarDraft,
    notation: Notation,
) -> Node:
    """*argument* between two tags, which may say of what type it is."""

    def written(kind: str, is_string: str, kinds: tuple[str, ...] | None) -> Node:
        value = value_of(argument, tool, draft, notation, kinds)
        if value is NOTHING:
            return NOTHING
        opener, closer = (
            part.replace("{type}", kind)
            .replace("{is_string}", is_string)
            .replace("{key}", argument.key)
            for part in form
        )
        before, _, behind = opener.partition("{value}")
        return joined(text(before), value, text(behind + closer))

    if "{type}" in form[0]:
        options = [written(kind, "", kinds) for kind, kinds in _KINDS.items()]
    elif "{is_string}" in form[0]:
        options = [written("", "true", ("string",)), written("", "false", OTHERS)]
    else:
        options = [written("", "", None)]
    return either(option for option in options if option is not NOTHING)


def is_surely_text(schema: Any) -> bool:
    """Whether a reader sees at once that strings are meant; None is no schema at all."""
    if not isinstance(schema, Mapping):
        return schema is None
    kind = schema.get("type")
    if kind is not None:
        return kind == "string" or (isinstance(kind, list) and "string" in kind)
    listed = schema.get("enum")
    if isinstance(listed, list):
        return all(isinstance(value, str) for value in listed)
    parts = (*as_array(schema.get("anyOf")), *as_array(schema.get("oneOf")))
    return any(is_surely_text(part) for part in parts)


def members(
    known: list[Argument] | None,
    tool: ToolSpec,
    draft: GrammarDraft,
    notation: Notation,
    keyed: Callable[[str, Node], Node],
) -> list[tuple[Node, bool]] | None:
    """The arguments *known*, written by *keyed*; None if one that is required cannot be."""
    made: list[tuple[Node, bool]] = []
    for argument in known or ():
        node = keyed(argument.key, value_of(argument, tool, draft, notation))
        if node is NOTHING and argument.required:
            return None
        if node is not NOTHING:
            made.append((node, argument.required))
    return None if known is None else made


def lines(
    tool: ToolSpec,
    draft: GrammarDraft,
    plain: re.Pattern[str],
    line: Callable[[Argument, ToolSpec, GrammarDraft], Node],
    least: int = 1,
) -> Node:
    """The arguments of *tool*, a line for each, at *least* so many."""
    known = arguments(tool, draft)
    if known is None or not all(plain.fullmatch(each.key) for each in known if each.required):
        return NOTHING
    made = []
    for argument in known:
        if plain.fullmatch(argument.key):
            node = line(argument, tool, draft)
            if node is NOTHING and argument.required:
                return NOTHING
            made.append((node, argument.required))
    made = [(node, required) for node, required in made if node is not NOTHING]
    if not any(required for _, required in made) and least:
        return _one_at_least([node for node, _ in made], draft)
    return joined(*(node if required else maybe(node) for node, required in made))


def _one_at_least(nodes: list[Node], draft: GrammarDraft) -> Node:
    tail: Node = EMPTY
    options: list[Node] = []
    for each in reversed(nodes):
        node = draft.rule("line", each)
        options.append(joined(node, tail))
        tail = draft.rule("lines", joined(maybe(node), tail))
    return either(reversed(options))


_NOT_NEWLINE = minus(ALL, of("\n"))


@lru_cache(maxsize=1)
def _yaml_block() -> Node:
    """A text of several lines below its key, each four spaces further in."""
    line = times(Chars(_NOT_NEWLINE), 1)
    first = joined(Chars(minus(_NOT_NEWLINE, of(" "))), times(Chars(_NOT_NEWLINE)))
    more = joined(times(text("\n")), text("\n    "), line)
    return joined(either([text("|-"), text("|")]), text("\n    "), first, times(more))


@dataclass(frozen=True, slots=True, eq=False)
class InBlock(Notation):
    """Values of YAML: JSON, but text may stand below its key as it is."""

    name: str = "yaml"
    write: Callable[[Any], str] = json.dumps

    @property
    def inner(self) -> Notation:
        """Inside of a list or an object there is JSON."""
        return JSON

    def string(self, form: TextForm) -> Said:
        """Strings of *form*: in a block only where it asks nothing but a length."""
        quoted = Notation.string(self, form)
        if form.pattern is None:
            return Said(either([quoted.node, _yaml_block()]), form.lengths)
        if may_hold(form.pattern, of("\n ")):
            return quoted
        block = joined(text("|-\n    "), form.pattern)
        return Said(either([quoted.node, block]), quoted.unsaid)

    def literal(self, value: Any) -> Node:
        """Exactly *value*."""
        return text(self.write(value))


def _patterned_block(pattern: Node) -> list[Node]:
    """A text of *pattern* down to the line that ends it, if that can be said."""
    lines = lines_before("END", pattern)
    try:
        if not isinstance(lines, Without) or not can_be(lines):
            return []
    except TooManyStates:
        return []
    return [joined(text("<<END"), lines, text("END"))]


@dataclass(frozen=True, slots=True, eq=False)
class InLine(Notation):
    """``= `` and JSON, or a text as it is down to a line that ends it."""

    name: str = "line"
    write: Callable[[Any], str] = json.dumps

    @property
    def inner(self) -> Notation:
        """Inside of a list or an object there is JSON."""
        return JSON

    def string(self, form: TextForm) -> Said:
        """Strings of *form*: in a block only where it asks nothing but a length."""
        quoted = Notation.string(self, form)
        said = joined(text("= "), quoted.node)
        if form.pattern is not None:
            return Said(either([said, *_patterned_block(form.pattern)]), quoted.unsaid)
        blocks = [
            joined(text(f"<<{word}"), lines, text(word))
            for word, lines in block_end(("END", "END1"))
        ]
        return Said(either([said, *blocks]), form.lengths)

    def literal(self, value: Any) -> Node:
        """Exactly *value*."""
        return text(self.write(value))
