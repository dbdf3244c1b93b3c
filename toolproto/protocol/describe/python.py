'''Tools as Python functions, for models that write calls as Python.

::

    def get_weather(*, city: str, unit: Literal["c", "f"] = "c"):
        """Current weather for a city.

        Args:
            city: Name of the city.
        """

Arguments are keyword-only: the order of a schema then is any order, and calls name what they
pass. ``= ...`` marks one that may be left out.
'''

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from keyword import iskeyword
from typing import Any

from ..tools.spec import ToolSpec
from .base import WriteCall
from .reading import arguments
from .text import harmless, literal, one_line
from .types import (
    Either,
    ListOf,
    MapOf,
    Member,
    ObjectType,
    OneOf,
    Scalar,
    Type,
    format_of,
    members_of,
)

__all__ = ["Python"]

_NAMES = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "None",
    "array": "list",
    "object": "dict",
}
_WORDS = {"true": "True", "false": "False", "null": "None"}
# A string, or a word of JSON's that Python spells otherwise.
_LITERAL = re.compile(r'"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b')


class Python:
    """A ``def`` for each tool, with a docstring."""

    name = "python"
    shows_calls = False

    def show(self, tools: Sequence[ToolSpec], write: WriteCall) -> str:
        """One function for each tool; *write* is not needed."""
        return "\n\n".join(_function(tool) for tool in tools)


def _function(tool: ToolSpec) -> str:
    members = arguments(tool)
    named = [_parameter(member) for member in members if _is_parameter(member)]
    rest = ["**others"] if len(named) < len(members) else []
    takes = ", ".join([*(["*"] if named else []), *named, *rest])
    return f"def {one_line(tool.name)}({takes}):{_docstring(tool, members)}"


def _is_parameter(member: Member) -> bool:
    return member.name.isidentifier() and not iskeyword(member.name)


def _parameter(member: Member) -> str:
    default = f" = {_spelled(member.default or '...')}" if not member.required else ""
    return f"{member.name}: {_type(member.type)}{default}"


def _docstring(tool: ToolSpec, members: Sequence[Member]) -> str:
    told = [line for member in members for line in _told(member, _own_notes(member))]
    words = [*harmless(tool.description).splitlines(), *(["", "Args:", *told] if told else [])]
    if not words:
        return " ..."
    text = "\n".join(f"    {line}".rstrip() for line in words).lstrip()
    # Nothing in it can end the string: not a quote, not the backslash before one.
    text = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    end = "\n    " if "\n" in text or text.endswith('"') else ""
    return f'\n    """{text}{end}"""'


def _own_notes(member: Member) -> tuple[str, ...]:
    """What the signature does not say about an argument."""
    if not _is_parameter(member):
        need = "required" if member.required else "optional"
        return (_type(member.type), need, *member.notes)
    return member.notes if member.required else member.bounds


def _told(member: Member, notes: tuple[str, ...]) -> Iterator[str]:
    """The lines on an argument: its own, and those of the members in it."""
    aside = ", ".join(filter(None, (format_of(member.type), *notes)))
    words = " ".join(filter(None, (member.description, aside and f"({aside})")))
    if words:
        yield f"    {one_line(member.name)}: {words}"
    for inner in members_of(member.type):
        for line in _told(inner, inner.notes):
            yield f"    {one_line(member.name)}.{line.lstrip()}"


def _type(type: Type) -> str:
    match type:
        case Scalar(name):
            return _NAMES.get(name, "Any")
        case OneOf(values, more):
            listed = ", ".join([*map(_value, values), *(["..."] if more else [])])
            return f"Literal[{listed}]"
        case ListOf(item):
            return f"list[{_type(item)}]"
        case MapOf(value):
            return f"dict[str, {_type(value)}]"
        case ObjectType(members):
            return f"{{{', '.join(_entry(member) for member in members)}}}"
        case Either(options):
            return " | ".join(dict.fromkeys(_type(option) for option in options)) or "Any"


def _entry(member: Member) -> str:
    type = _type(member.type)
    return f"{literal(member.name)}: {type if member.required else f'NotRequired[{type}]'}"


def _value(value: Any) -> str:
    return _spelled(literal(value))


def _spelled(text: str) -> str:
    """A JSON literal as Python's."""
    return _LITERAL.sub(lambda found: _WORDS.get(found.group(), found.group()), text)
