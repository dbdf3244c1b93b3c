"""How the inside of a call is written: one small codec for each family.

A codec writes; what it wrote, and what a model wrote instead, is read by the engine of its family
in :mod:`toolproto.decoding`. So a codec says little more than where name and arguments go.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from html import escape
from typing import Any, ClassVar, Protocol

from ..decoding.call_shape import CallShape
from ..decoding.families.python_names import write_call
from ..decoding.families.tags import closing
from ..decoding.forms import Family
from ..messages import ToolCall

__all__ = ["JsonCall", "NamedJson", "Payload", "PythonCall", "TaggedCall", "XmlCall", "filled"]

_PLAIN = re.compile(r"[A-Za-z_][\w.-]*")
_LONGEST_ATTRIBUTE = 1000
# At the start of a line it may be taken for the next argument.
_NEXT_ARGUMENT = re.compile(
    r"[\r\n](?:\]<\]minimax\[>\[)?<[^<>=\s]{0,30}?(?:param|arg)", re.IGNORECASE
)
_NOT_IN_XML = re.compile(r"[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
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


@dataclass(frozen=True, slots=True)
class JsonCall:
    """A payload of JSON: an object with the tool's name in one member, its arguments in another.

    *keyed* puts the arguments into a member that is called like the tool, *nesting* the whole
    object into a member of that name. *id* is the member for the call's id, if there is to be one.
    *listed* makes one list of all calls; *lines* writes them line by line.
    """

    name: str = "name"
    arguments: str = "arguments"
    id: str = ""
    keyed: bool = False
    nesting: str = ""
    listed: bool = False
    lines: bool = False

    family: ClassVar[Family] = Family.JSON

    @property
    def together(self) -> bool:
        """Do all calls stand between one pair of markers?"""
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
        )

    def encode(self, *calls: ToolCall) -> str:
        """The payload that says *calls*."""
        written = [_dumps(self._members(call)) for call in calls]
        return f"[{', '.join(written)}]" if self.listed else "\n".join(written)

    def _members(self, call: ToolCall) -> dict[str, Any]:
        if self.keyed:
            return {call.name: dict(call.arguments)}
        members: dict[str, Any] = {self.name: call.name, self.arguments: dict(call.arguments)}
        if self.id and call.id:
            members[self.id] = call.id
        return {self.nesting: members} if self.nesting else members


@dataclass(frozen=True, slots=True)
class NamedJson:
    """The tool's name, then its arguments as JSON: *form* says what stands around the two.

    It may hold ``{id}``, and ``{index}`` for the place of the call in its reply, counted from 0.
    *loose* takes plain text for the argument of a tool which has only one.
    """

    form: str = "{name}\n{arguments}"
    loose: bool = False

    family: ClassVar[Family] = Family.NAMED_JSON
    shape: ClassVar[CallShape] = CallShape()
    together: ClassVar[bool] = False

    def encode(self, *calls: ToolCall, before: int = 0) -> str:
        """The payload that says *calls*, where as many as *before* stand before them."""
        return "".join(self._written(call, at) for at, call in enumerate(calls, before))

    def _written(self, call: ToolCall, at: int) -> str:
        said = _dumps(dict(call.arguments))
        return filled(self.form, name=call.name, id=call.id, index=str(at), arguments=said)


@dataclass(frozen=True, slots=True)
class TaggedCall:
    """An element for each argument, with strings in it as they are.

    *call* stands around the arguments, *argument* around each value: with ``{name}`` for the tool,
    ``{number}`` for the place of the call in its reply, counted from 1, and ``{key}``, ``{type}``
    and ``{is_string}`` for the argument. What cannot be said in tags without
    being misread (a value that holds their closing tag, a key that is no name) makes the
    arguments of that call a JSON object in the place of the elements.
    """

    call: tuple[str, str] = ("<function={name}>\n", "</function>")
    argument: tuple[str, str] = ("<parameter={key}>\n", "\n</parameter>\n")
    together: bool = False
    between: str = "\n"

    family: ClassVar[Family] = Family.TAGS
    shape: ClassVar[CallShape] = CallShape()

    @property
    def is_element(self) -> bool:
        """Is the call itself an element?"""
        return self.call[0].startswith("<")

    @property
    def by_tool(self) -> bool:
        """Is that element called like the tool?"""
        return self.call[0].startswith("<{name}>")

    def encode(self, *calls: ToolCall, before: int = 0) -> str:
        """The payload that says *calls*, where as many as *before* stand before them."""
        return self.between.join(self._written(*call) for call in enumerate(calls, before + 1))

    def _written(self, number: int, call: ToolCall) -> str:
        fields = {"name": call.name, "number": str(number)}
        opener, closer = (filled(part, **fields) for part in self.call)
        if all(self._is_sayable(key, value) for key, value in call.arguments.items()):
            said = "".join(self._argument(key, value) for key, value in call.arguments.items())
        else:
            said = _dumps(dict(call.arguments)) + "\n"
        return f"{opener}{said}{closer}"

    def _argument(self, key: str, value: Any) -> str:
        kind = _TYPES.get(type(value), "object")
        said = _said(value)
        fields = {"key": key, "type": kind, "is_string": str(kind == "string").lower()}
        opener, closer = (filled(part, **fields, value=escape(said)) for part in self.argument)
        return f"{opener}{closer}" if self.in_attribute else f"{opener}{said}{closer}"

    @property
    def in_attribute(self) -> bool:
        """Does the value stand in the tag itself?"""
        return "{value}" in self.argument[0]

    def _is_sayable(self, key: str, value: Any) -> bool:
        if not _PLAIN.fullmatch(key):
            return False
        said = _said(value)
        if self.in_attribute:
            return len(escape(said)) <= _LONGEST_ATTRIBUTE
        framed = self.argument[0].endswith("\n")
        if said.startswith("<![CDATA[") or (not framed and said.startswith(("\n", "\r\n"))):
            return False
        if (framed and said.endswith("\r")) or (
            value == "null" and "{type}" not in self.argument[0]
        ):
            return False
        return not _NEXT_ARGUMENT.search(said) and not any(
            end.search(said) for end in self._ends(key)
        )

    def _ends(self, key: str) -> list[re.Pattern[str]]:
        closers = self.argument[1] + self.call[1]
        words = re.findall(r"<(?:/|\|close\|>)[^<>{}]*?([\w{}]+)(?=>|<)", closers)
        words += ["tool_call", "function"]
        return [closing(key if word == "{key}" else word) for word in words]


@dataclass(frozen=True, slots=True)
class XmlCall:
    """Well-formed XML: ``<name>``, then ``<arguments>`` with an ``<arg>`` for each.

    What XML cannot hold (a control character, say) makes the arguments of that call JSON.
    """

    family: ClassVar[Family] = Family.XML
    shape: ClassVar[CallShape] = CallShape()
    together: ClassVar[bool] = False

    def encode(self, *calls: ToolCall) -> str:
        """The payload that says *calls*."""
        return "".join(map(self._written, calls))

    def _written(self, call: ToolCall) -> str:
        said = "".join(map(self._argument, call.arguments.items()))
        if not all(map(self._is_sayable, call.arguments.items())):
            said = escape(json.dumps(dict(call.arguments)), quote=False)
        return f"<name>{call.name}</name><arguments>{said}</arguments>"

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
        """The payload that says *calls*."""
        written = list(map(write_call, calls))
        return f"[{', '.join(written)}]" if self.listed else "\n".join(written)


def filled(form: str, **fields: str) -> str:
    """*form* with its fields in it; what they hold is never looked at again."""
    return re.sub(r"\{(\w+)\}", lambda found: fields.get(found.group(1), found.group()), form)


def _said(value: Any) -> str:
    """A string as it is, anything else as JSON."""
    return value if isinstance(value, str) else _dumps(value)


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
