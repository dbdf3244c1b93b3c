"""What is left out of descriptions that are too long, and in what order.

Each step takes a tool and gives a smaller one, so a style need not know of them. The names of a
tool and of its required arguments are never left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ..schemas.dialect import LIST, NAMED, ONE
from ..tools.spec import ToolSpec
from .reading import followed
from .text import first_sentence, one_line, shortened

__all__ = ["STEPS"]

_DEPTH = 32  # schemas that nest deeper are cut off
_SHORT = 80  # characters that say what an argument is
_LONG = 200  # and what a tool is for
_FEW = 10  # alternatives that are kept when bounds go
_KEPT = ("type", "const", "format", "description")

_Change = Callable[[Mapping[str, Any]], Mapping[str, Any]]


def _without_defaults(tool: ToolSpec) -> ToolSpec:
    dropped = ("default", "example", "examples", "title", "$comment", "$schema")
    return _changed(tool, lambda schema: _without(schema, *dropped))


def _with_short_words(tool: ToolSpec) -> ToolSpec:
    def change(schema: Mapping[str, Any]) -> Mapping[str, Any]:
        words = schema.get("description")
        if not isinstance(words, str):
            return schema
        return {**schema, "description": _begun(words, _SHORT)}

    return _changed(tool, change)


def _without_words(tool: ToolSpec) -> ToolSpec:
    return _changed(tool, lambda schema: _without(schema, "description"))


def _with_one_sentence(tool: ToolSpec) -> ToolSpec:
    return replace(tool, description=_begun(tool.description))


def _flat(tool: ToolSpec) -> ToolSpec:
    root = tool.parameters
    properties = {name: _flat_schema(part, root, 0) for name, part in tool.properties.items()}
    return _with_properties(tool, properties)


def _without_optional(tool: ToolSpec) -> ToolSpec:
    required = frozenset(tool.required)
    kept = {name: part for name, part in tool.properties.items() if name in required}
    return _with_properties(tool, kept)


#: What each step leaves out, and how, the least missed first. Each goes on from the one before.
STEPS: Mapping[str, Callable[[ToolSpec], ToolSpec]] = {
    "defaults and examples": _without_defaults,
    f"argument descriptions after a sentence or {_SHORT} characters": _with_short_words,
    "argument descriptions": _without_words,
    "tool descriptions after the first sentence": _with_one_sentence,
    "what is nested in arguments, bounds and long choices": _flat,
    "optional arguments": _without_optional,
}


def _changed(tool: ToolSpec, change: _Change) -> ToolSpec:
    return replace(tool, parameters=_rebuilt(tool.parameters, change, 0))


def _rebuilt(schema: Any, change: _Change, depth: int) -> Any:
    """*schema* with *change* made to it and to every schema in it."""
    if not isinstance(schema, Mapping) or depth > _DEPTH:
        return schema if isinstance(schema, bool) else {}
    rebuilt: dict[str, Any] = {}
    for keyword, value in change(schema).items():
        if keyword in LIST and isinstance(value, list | tuple):
            value = [_rebuilt(part, change, depth + 1) for part in value]
        elif keyword in ONE and isinstance(value, Mapping):
            value = _rebuilt(value, change, depth + 1)
        elif keyword in NAMED and isinstance(value, Mapping):
            value = {name: _rebuilt(part, change, depth + 1) for name, part in value.items()}
        rebuilt[keyword] = value
    return rebuilt


def _begun(words: str, most: int = _LONG) -> str:
    """How *words* begin, or *words* themselves if that is all they say."""
    short = shortened(first_sentence(words), most)
    return words if short == one_line(words) else short


def _without(schema: Mapping[str, Any], *keywords: str) -> Mapping[str, Any]:
    return {key: value for key, value in schema.items() if key not in keywords}


def _flat_schema(schema: Any, root: Mapping[str, Any], depth: int) -> dict[str, Any]:
    """An argument's type without what is nested in it; a list or a choice of types is kept."""
    schema = followed(schema, root)
    flat = {key: schema[key] for key in _KEPT if key in schema}
    if "properties" in schema:
        flat["type"] = "object"
    if isinstance(schema.get("enum"), list) and len(schema["enum"]) <= _FEW:
        flat["enum"] = schema["enum"]
    if depth == 0:
        if isinstance(schema.get("items"), Mapping):
            flat["items"] = _flat_schema(schema["items"], root, 1)
        for key in ("anyOf", "oneOf"):
            if isinstance(schema.get(key), list):
                flat[key] = [_flat_schema(part, root, 1) for part in schema[key][:_FEW]]
    return flat


def _with_properties(tool: ToolSpec, properties: dict[str, Any]) -> ToolSpec:
    required = list(tool.required)
    return replace(
        tool, parameters={"type": "object", "properties": properties, "required": required}
    )
