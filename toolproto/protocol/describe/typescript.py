"""Tools as TypeScript signatures, the cheapest style that keeps every word.

::

    // Current weather for a city.
    get_weather(
    city: string, // Name of the city
    unit: "c"|"f" = "c",
    )

A comment reaches to the end of its line, so what stands in one is kept on one line. A default
tells the type where it can; keywords, indentation and commas that mean nothing would only cost.
What the descriptions of several tools in a row begin with stands above them, once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..tools.spec import ToolSpec
from .base import WriteCall
from .openings import alike
from .reading import arguments
from .text import harmless, literal, one_line
from .types import Either, ListOf, MapOf, Member, ObjectType, OneOf, Scalar, Type, format_of

__all__ = ["TypeScript"]

_NAMES = {"integer": "number", "any value": "any"}
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*", re.ASCII)
#: What a literal of the type looks like; then ``n = 3`` says as much as ``n: number = 3``.
_TOLD_BY_DEFAULT = {
    "number": re.compile(r"[-\d]"),
    "string": re.compile('"'),
    "boolean": re.compile("true|false"),
}


class TypeScript:
    """A signature for each tool, with the descriptions as comments."""

    name = "typescript"
    shows_calls = False

    def show(self, tools: Sequence[ToolSpec], write: WriteCall) -> str:
        """One declaration for each tool; *write* is not needed."""
        return "\n\n".join(part for group in alike(tools) for part in _shown(*group))


def _shown(opening: str, tools: Sequence[ToolSpec]) -> Iterator[str]:
    if opening:
        yield f"# The next {len(tools)} tools. {one_line(opening)}"
    yield from map(_declaration, tools)


def _declaration(tool: ToolSpec) -> str:
    comment = "".join(f"// {line}\n" for line in harmless(tool.description).splitlines())
    parameters = [
        (_parameter(member), _comment(member, _notes(member))) for member in arguments(tool)
    ]
    return f"{comment}{one_line(tool.name)}({_listed(parameters, ',')})"


def _listed(parts: Sequence[tuple[str, str]], comma: str) -> str:
    """Declarations with their comments: on one line if there are none."""
    if any(comment for _, comment in parts):
        return "\n" + "".join(f"{part}{comma}{comment}\n" for part, comment in parts)
    return ", ".join(part for part, _ in parts)


def _parameter(member: Member) -> str:
    if not member.default or member.required:
        return _field(member)
    type = _type(member.type)
    told = _TOLD_BY_DEFAULT.get(type)
    if told and told.match(member.default):
        return f"{_name(member)} = {member.default}"
    return f"{_name(member)}: {type} = {member.default}"


def _field(member: Member) -> str:
    return f"{_name(member)}{'' if member.required else '?'}: {_type(member.type)}"


def _name(member: Member) -> str:
    return member.name if _IDENTIFIER.fullmatch(member.name) else literal(member.name)


def _notes(member: Member) -> tuple[str, ...]:
    """What a parameter does not say itself; one with a default would seem optional."""
    return member.notes if member.required else member.bounds


def _comment(member: Member, notes: tuple[str, ...]) -> str:
    said = [member.description.rstrip("."), format_of(member.type), *notes]
    text = ", ".join(part for part in said if part)
    return f" // {text}" if text else ""


def _type(type: Type) -> str:
    match type:
        case Scalar(name):
            return _NAMES.get(name, name)
        case OneOf(values, more):
            return _either([*map(literal, values), *(["…"] if more else [])])
        case ListOf(item):
            inner = _type(item)
            return f"{inner}[]" if isinstance(item, Scalar | ObjectType) else f"({inner})[]"
        case MapOf(value):
            return f"Record<string, {_type(value)}>"
        case ObjectType(members):
            # A type has no defaults, so here they stand in the comments; a line end is enough.
            fields = [(_field(member), _comment(member, member.notes)) for member in members]
            return f"{{{_listed(fields, '')}}}"
        case Either(options):
            return _either([_type(option) for option in options])


def _either(types: list[str]) -> str:
    return "|".join(dict.fromkeys(types)) or "any"
