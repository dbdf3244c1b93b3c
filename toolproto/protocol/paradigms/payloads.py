"""How the inside of a call is written: one small codec for each family.

A codec writes; what it wrote, and what a model wrote instead, is read by the engine of its family
in :mod:`toolproto.protocol.decoding`. So a codec says little more than where name and arguments go.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from functools import lru_cache
from html import escape
from keyword import iskeyword
from typing import Any, ClassVar, Protocol, runtime_checkable

from ..decoding.calls.shape import CallShape
from ..decoding.families.tags import XmlCalls
from ..decoding.reply_form import Family, Inside
from ..grammar import building_blocks as blocks
from ..grammar.draft import GrammarDraft
from ..grammar.ir import EMPTY, NOTHING, Node, either, joined, maybe, text
from ..grammar.json_schema import schema_of_call
from ..grammar.notation import PYTHON, dumps, python_literal
from ..grammar.raw import JsonInTags, RawInTags
from ..grammar.values import Argument, arguments, object_of
from ..messages import ToolCall
from ..tools.spec import ToolSpec
from .checks import check_fields, check_pair

__all__ = [
    "DeclaredPayload",
    "JsonCall",
    "NamedJson",
    "Payload",
    "PythonCall",
    "SaidPayload",
    "TaggedCall",
    "XmlCall",
    "filled",
]

_PLAIN = re.compile(r"[A-Za-z_][\w.-]*")
# Anywhere, it may be taken for an element that stands in the value.
_INNER_ELEMENT = re.compile(
    r"<(?:[|｜][A-Za-z]{1,12}[|｜]>? ?)?(?:[A-Za-z]{1,12}[:|])?(?:param|arg|function|invoke|call)",
    re.IGNORECASE,
)
# Not the opposite of all that XML holds: that pattern takes twelve milliseconds to be made.
_NOT_IN_XML = re.compile(r"[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]")
_IDENTIFIER = re.compile(r"[^\W\d]\w{0,127}")
# Arguments whose raw texts are told apart by their own closing tags; a table is many rules.
_MOST_TABLES = 4
_TYPES = {str: "string", bool: "boolean", int: "number", float: "number", list: "array"}


class Payload(Protocol):
    """Writes what stands between the markers of a call.

    *together* says that all calls of a reply stand between one pair of markers.
    """

    family: ClassVar[Family]

    @property
    def together(self) -> bool: ...
    @property
    def shape(self) -> CallShape: ...
    def encode(self, *calls: ToolCall) -> str: ...


@runtime_checkable
class DeclaredPayload(Payload, Protocol):
    """A payload of the family ``DECLARED``: none is like it, so it says how it is read."""

    @property
    def inside(self) -> Inside: ...


@runtime_checkable
class SaidPayload(Payload, Protocol):
    """A payload that also says which texts it writes, so that a model can be held to them.

    *enclosure* is what stands before, between and behind calls that stand together. *grammar* gives
    the texts of one call of a tool, as ``encode`` writes it.
    """

    @property
    def enclosure(self) -> tuple[str, str, str]: ...
    def grammar(self, tool: ToolSpec, draft: GrammarDraft, /) -> Node: ...


@dataclass(frozen=True, slots=True)
class JsonCall:
    """A payload of JSON: an object with the tool's name in one member, its arguments in another.

    *keyed* puts the arguments into a member with the tool's name; *nesting* puts the whole object
    into a member of that name. *id* is the member for the call's id, if there is one. *listed*
    makes one list of all calls; *lines* writes each on a line of its own. With *exact*, a call with
    other members is not read.
    """

    name: str = "name"
    arguments: str = "arguments"
    id: str = ""
    keyed: bool = False
    nesting: str = ""
    listed: bool = False
    lines: bool = False
    exact: bool = False

    family: ClassVar[Family] = Family.JSON

    @property
    def together(self) -> bool:
        """Whether all calls are between one pair of markers."""
        return self.listed or self.lines

    @property
    def shape(self) -> CallShape:
        """What the decoder looks for."""
        return CallShape(
            self.name,
            self.arguments,
            listed=self.listed,
            keyed=self.keyed,
            nesting=self.nesting or None,
            exact=self.exact,
        )

    def nonced(self, nonce: str) -> JsonCall:
        """The same with *nonce* in the member that a call begins with."""
        if self.nesting:
            return replace(self, nesting=f"{self.nesting}_{nonce}", exact=True)
        return replace(self, name=f"{self.name}_{nonce}", keyed=False, exact=True)

    def encode(self, *calls: ToolCall) -> str:
        """The payload for *calls*."""
        written = [dumps(self._members(call)) for call in calls]
        return f"[{', '.join(written)}]" if self.listed else "\n".join(written)

    @property
    def enclosure(self) -> tuple[str, str, str]:
        """The text around and between calls that are written together."""
        return ("[", ", ", "]") if self.listed else ("", "\n", "")

    def grammar(self, tool: ToolSpec, draft: GrammarDraft) -> Node:
        """The grammar of one call of *tool*."""
        name, said = dumps(tool.name), object_of(tool, draft)
        if self.keyed:
            return joined(text(f"{{{name}: "), said, text("}"))
        ids = joined(text(f', {dumps(self.id)}: "'), blocks.IDS, text('"')) if self.id else EMPTY
        before = f"{{{dumps(self.name)}: {name}, {dumps(self.arguments)}: "
        made = joined(text(before), said, maybe(ids), text("}"))
        nesting = text(f"{{{dumps(self.nesting)}: ")
        return joined(nesting, made, text("}")) if self.nesting else made

    def schema_of(self, tool: ToolSpec) -> dict[str, Any]:
        """The JSON Schema of one call of *tool*."""
        if self.keyed:
            return schema_of_call({tool.name: tool.parameters})
        members = {self.name: {"const": tool.name}, self.arguments: tool.parameters}
        made = schema_of_call(members)
        return schema_of_call({self.nesting: made}) if self.nesting else made

    def _members(self, call: ToolCall) -> dict[str, Any]:
        if self.keyed:
            return {call.name: dict(call.arguments)}
        members: dict[str, Any] = {self.name: call.name, self.arguments: dict(call.arguments)}
        if self.id and call.id:
            members[self.id] = call.id
        return {self.nesting: members} if self.nesting else members


@dataclass(frozen=True, slots=True)
class NamedJson:
    """The tool's name, then its arguments as JSON: *form* gives the text around the two.

    The form may contain ``{id}``, and ``{index}`` for the number of the call in its reply, counted
    from 0. With *loose*, plain text is the argument of a tool that has only one.
    """

    form: str = "{name}\n{arguments}"
    loose: bool = False

    def __post_init__(self) -> None:
        check_fields("form", self.form, needed=("arguments",), allowed=("name", "id", "index"))

    family: ClassVar[Family] = Family.NAMED_JSON
    shape: ClassVar[CallShape] = CallShape()
    together: ClassVar[bool] = False
    enclosure: ClassVar[tuple[str, str, str]] = ("", "", "")

    def encode(self, *calls: ToolCall, before: int = 0) -> str:
        """The payload for *calls*, if *before* calls come before them."""
        return "".join(self._written(call, at) for at, call in enumerate(calls, before))

    def grammar(self, tool: ToolSpec, draft: GrammarDraft) -> Node:
        """The grammar of one call of *tool*."""
        said = object_of(tool, draft)
        return blocks.filled(
            self.form,
            name=text(tool.name),
            id=maybe(blocks.BARE_IDS),
            index=blocks.INDEX,
            arguments=said,
        )

    def _written(self, call: ToolCall, at: int) -> str:
        said = dumps(dict(call.arguments))
        return filled(self.form, name=call.name, id=call.id, index=str(at), arguments=said)


@dataclass(frozen=True, slots=True)
class TaggedCall:
    """An element for each argument; strings in it are not escaped.

    *call* is the text around the arguments, and *argument* the text around each value, with
    ``{name}`` for the tool, ``{number}`` for the number of the call in its reply, counted from 1,
    and ``{key}``, ``{type}`` and ``{is_string}`` for the argument. If a value or a key would be
    misread in tags (a value that contains the closing tag, a key with odd characters), the
    arguments of that call are a JSON object instead.
    """

    call: tuple[str, str] = ("<function={name}>\n", "</function>")
    argument: tuple[str, str] = ("<parameter={key}>\n", "\n</parameter>\n")
    together: bool = False
    between: str = "\n"

    def __post_init__(self) -> None:
        check_pair("call", self.call, ("name", "number"), ("name", "number"))
        fields = ("key", "type", "is_string", "value")
        check_pair("argument", self.argument, fields, fields)

    family: ClassVar[Family] = Family.TAGS
    shape: ClassVar[CallShape] = CallShape()

    @property
    def is_element(self) -> bool:
        """Whether the call itself is an element."""
        return self.call[0].startswith("<")

    @property
    def by_tool(self) -> bool:
        """Whether that element is named after the tool."""
        return self.call[0].startswith("<{name}>")

    @property
    def enclosure(self) -> tuple[str, str, str]:
        """The text around and between calls that are written together."""
        return "", self.between, ""

    def grammar(self, tool: ToolSpec, draft: GrammarDraft) -> Node:
        """The grammar of one call of *tool*."""
        known = arguments(tool, draft)
        fields = {"name": text(tool.name), "number": blocks.NUMBER}
        opener, closer = (blocks.filled(part, **fields) for part in self.call)
        options = [joined(object_of(tool, draft), text("\n"))] if known else []
        if known is not None and all(_PLAIN.fullmatch(each.key) for each in known if each.required):
            options.insert(0, joined(*(self._element(each, tool, draft) for each in known)))
        return joined(opener, either(options), closer)

    def _element(self, argument: Argument, tool: ToolSpec, draft: GrammarDraft) -> Node:
        """The element of *argument*, or nothing where it can be left out."""
        if not _PLAIN.fullmatch(argument.key):
            return EMPTY
        notation = blocks.ATTRIBUTE if self.in_attribute else self._notation(argument, tool, draft)
        made = blocks.element(self.argument, argument, tool, draft, notation)
        made = draft.rule("element", made)
        return made if argument.required else maybe(made)

    def _notation(self, argument: Argument, tool: ToolSpec, draft: GrammarDraft) -> RawInTags:
        told = any(field in self.argument[0] for field in ("{type}", "{is_string}"))
        surely = told or blocks.is_surely_text(tool.properties.get(argument.key))
        # Where each argument has a closing tag of its own, each would be a table of its own.
        own = "{key}" in self.argument[1] and len(draft.keys) > _MOST_TABLES
        if own:
            draft.leave_out("raw text", "closing tags", "not even those of other arguments")
        keys = _plain(draft.keys) if own else (argument.key,)
        return self._raw(*keys, surely=surely)

    def encode(self, *calls: ToolCall, before: int = 0) -> str:
        """The payload for *calls*, if *before* calls come before them."""
        return self.between.join(self._written(*call) for call in enumerate(calls, before + 1))

    def _written(self, number: int, call: ToolCall) -> str:
        fields = {"name": call.name, "number": str(number)}
        opener, closer = (filled(part, **fields) for part in self.call)
        if all(self._is_sayable(key, value) for key, value in call.arguments.items()):
            said = "".join(self._argument(key, value) for key, value in call.arguments.items())
        else:
            said = dumps(dict(call.arguments)) + "\n"
        return f"{opener}{said}{closer}"

    def _argument(self, key: str, value: Any) -> str:
        kind = _TYPES.get(type(value), "object")
        said = _said(value)
        fields = {"key": key, "type": kind, "is_string": str(kind == "string").lower()}
        opener, closer = (filled(part, **fields, value=escape(said)) for part in self.argument)
        return f"{opener}{closer}" if self.in_attribute else f"{opener}{said}{closer}"

    @property
    def in_attribute(self) -> bool:
        """Whether the value is in the tag itself."""
        return "{value}" in self.argument[0]

    def _is_sayable(self, key: str, value: Any) -> bool:
        if not _PLAIN.fullmatch(key):
            return False
        said = _said(value)
        if self.in_attribute:
            return len(escape(said)) <= blocks.LONGEST_ATTRIBUTE
        if value == "null" and "{type}" not in self.argument[0]:
            return False
        if not self._raw(key).can_say(said):
            return False
        if isinstance(value, str) and _INNER_ELEMENT.search(said):
            return False
        return isinstance(value, str) or JsonInTags.can_say(said)

    def _raw(self, *keys: str, surely: bool = True) -> RawInTags:
        """How a value stands between the tags of one of *keys*."""
        return _between_tags(*self.argument, self.call[1], keys, surely)


@lru_cache(maxsize=64)
def _plain(keys: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(filter(_PLAIN.fullmatch, keys))


@lru_cache(maxsize=512)
def _between_tags(
    opener: str, closer: str, call_closer: str, keys: tuple[str, ...], surely: bool
) -> RawInTags:
    words = re.findall(r"<(?:/|\|close\|>)[^<>{}]*?([\w{}]+)(?=>|<)", closer + call_closer)
    named = {"tool_call", "function", *words} - {"{key}"}
    named |= set(keys) if "{key}" in words else set()
    return RawInTags(
        closers=tuple(sorted(word.lower() for word in named)),
        framed=opener.endswith("\n"),
        surely=surely,
    )


@dataclass(frozen=True, slots=True)
class XmlCall:
    """Well-formed XML: ``<name>``, then ``<arguments>`` with an ``<arg>`` for each.

    If XML cannot express a value (a control character, for example), the arguments of that call are
    JSON.
    """

    family: ClassVar[Family] = Family.DECLARED
    shape: ClassVar[CallShape] = CallShape()
    together: ClassVar[bool] = False
    enclosure: ClassVar[tuple[str, str, str]] = ("", "", "")

    @property
    def inside(self) -> Inside:
        """What reads it."""
        return Inside(XmlCalls)

    def encode(self, *calls: ToolCall) -> str:
        """The payload for *calls*."""
        return "".join(map(self._written, calls))

    def _written(self, call: ToolCall) -> str:
        said = "".join(map(self._argument, call.arguments.items()))
        if not all(map(self._is_sayable, call.arguments.items())):
            said = escape(json.dumps(dict(call.arguments)), quote=False)
        return f"<name>{call.name}</name><arguments>{said}</arguments>"

    def grammar(self, tool: ToolSpec, draft: GrammarDraft) -> Node:
        """The grammar of one call of *tool*."""
        known = arguments(tool, draft) or []
        options = [object_of(tool, draft, blocks.JSON_IN_XML)]
        if all(_PLAIN.fullmatch(each.key) for each in known if each.required):
            options.insert(0, joined(*(self._element(each, tool, draft) for each in known)))
        said = either(options)
        before = f"<name>{tool.name}</name><arguments>"
        return joined(text(before), said, text("</arguments>"))

    def _element(self, argument: Argument, tool: ToolSpec, draft: GrammarDraft) -> Node:
        if not _PLAIN.fullmatch(argument.key):
            return EMPTY
        form = ('<arg name="{key}" type="{type}">', "</arg>")
        made = blocks.element(form, argument, tool, draft, blocks.XML_TEXT)
        return made if argument.required else maybe(made)

    @staticmethod
    def _argument(argument: tuple[str, Any]) -> str:
        key, value = argument
        said = _said(value)
        kind = _TYPES.get(type(value), "object")
        return f'<arg name="{key}" type="{kind}">{escape(said, quote=False)}</arg>'

    @staticmethod
    def _is_sayable(argument: tuple[str, Any]) -> bool:
        key, value = argument
        said = _said(value)
        return bool(_PLAIN.fullmatch(key)) and not _NOT_IN_XML.search(said)


@dataclass(frozen=True, slots=True)
class PythonCall:
    """Calls as Python writes them: *listed* in brackets, or one on each line."""

    listed: bool = True

    family: ClassVar[Family] = Family.PYTHON
    shape: ClassVar[CallShape] = CallShape()
    together: ClassVar[bool] = True

    def encode(self, *calls: ToolCall) -> str:
        """The payload for *calls*."""
        written = list(map(_python_call, calls))
        return f"[{', '.join(written)}]" if self.listed else "\n".join(written)

    @property
    def enclosure(self) -> tuple[str, str, str]:
        """The text around and between the calls."""
        return ("[", ", ", "]") if self.listed else ("", "\n", "")

    def grammar(self, tool: ToolSpec, draft: GrammarDraft) -> Node:
        """The grammar of one call of *tool*."""
        known = arguments(tool, draft)
        members = blocks.members(known, tool, draft, PYTHON, _python_key)
        said = NOTHING if members is None else draft.ordered(members, text(", "))
        return joined(text(f"{tool.name}("), said, text(")"))


def _python_call(call: ToolCall) -> str:
    """``name(key="value", other=1)``; a key that Python could not have goes as ``**{...}``."""
    around = (
        (python_literal(value), *_python_argument(key)) for key, value in call.arguments.items()
    )
    return f"{call.name}({', '.join(before + value + behind for value, before, behind in around)})"


def _python_key(key: str, value: Node) -> Node:
    before, behind = _python_argument(key)
    return joined(text(before), value, text(behind))


def _python_argument(key: str) -> tuple[str, str]:
    """What stands before and behind the value of the argument *key*."""
    if _IDENTIFIER.fullmatch(key) and not iskeyword(key):
        return f"{key}=", ""
    return f"**{{{dumps(key)}: ", "}"


def filled(form: str, **fields: str) -> str:
    """*form* with its fields in it; what they hold is never looked at again."""
    return re.sub(r"\{(\w+)\}", lambda found: fields.get(found.group(1), found.group()), form)


def _said(value: Any) -> str:
    """A string as it is, anything else as JSON."""
    return value if isinstance(value, str) else dumps(value)
