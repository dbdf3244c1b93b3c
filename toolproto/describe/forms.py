"""Tools shown by their own literal calls.

Small models copy. Shown a generic pattern with placeholders for name and arguments, a model of half
a billion parameters got 3 of 30 requests right; shown each tool's own call, 28.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..messages import ToolCall
from ..tools.spec import ToolSpec
from .types import followed, type_words

__all__ = ["describe_tool", "literal_form"]

_DEPTH = 3
# Around a placeholder that must lose its quotes; a private-use character no schema will hold.
_BARE = "\ue000"
_BARE_PLACEHOLDER = re.compile(f'"?{_BARE}([^{_BARE}]*){_BARE}"?')


def literal_form(tool: ToolSpec, write: Callable[[ToolCall], str]) -> str:
    """The tool's own call, with ``<…>`` where the model puts values."""
    call = ToolCall(tool.name, _placeholders(tool.parameters, tool.parameters, 0))
    # The quotes around an alternative were escaped when the call was written.
    return _BARE_PLACEHOLDER.sub(
        lambda found: f"<{found.group(1)}>".replace('\\"', '"'), write(call)
    )


def describe_tool(tool: ToolSpec, write: Callable[[ToolCall], str]) -> str:
    """A tool's name, what it does, its literal call, and what its arguments mean."""
    what = f": {tool.description.strip()}" if tool.description.strip() else ""
    return "\n".join([f"{tool.name}{what}", literal_form(tool, write), *_arguments(tool)])


def _arguments(tool: ToolSpec) -> Iterator[str]:
    for name, schema in tool.properties.items():
        schema = followed(schema, tool.parameters)
        notes = [type_words(schema, tool.parameters)]
        if name not in tool.required:
            notes.append("optional")
        if schema.get("default") is not None:
            notes.append(f"default {json.dumps(schema['default'], ensure_ascii=False)}")
        text = schema.get("description")
        text = f": {' '.join(text.split())}" if isinstance(text, str) and text.strip() else ""
        yield f"- {name} ({', '.join(notes)}){text}"


def _placeholders(schema: Mapping[str, Any], root: Mapping[str, Any], depth: int) -> dict[str, Any]:
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        return {}
    required = schema.get("required")
    shown = [key for key in properties if isinstance(required, list | tuple) and key in required]
    return {key: _placeholder(key, properties[key], root, depth) for key in shown}


def _placeholder(name: str, schema: Any, root: Mapping[str, Any], depth: int) -> Any:
    schema = followed(schema, root)
    kind = schema.get("type")
    if kind == "object" and depth < _DEPTH and schema.get("properties"):
        return _placeholders(schema, root, depth + 1)
    if kind == "array" and depth < _DEPTH:
        return [_placeholder(name.removesuffix("s"), schema.get("items"), root, depth + 1)]
    if kind == "string" and "enum" not in schema:
        return f"<{name}>"
    return f"{_BARE}{type_words(schema, root)}{_BARE}"
