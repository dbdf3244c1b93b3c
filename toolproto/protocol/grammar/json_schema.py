"""The schema of a reply that is one JSON value, for services that take nothing else.

Only forms without markers are such values, and only where a call is demanded: OpenAI's
``response_format``, Ollama's ``format`` and LM Studio know no words before it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..schemas.json_types import is_array, is_object
from ..tools.spec import ToolSpec
from .ir import EMPTY, Grammar, LeftOut

__all__ = ["UNHEEDED", "json_schema", "schema_of_call"]

#: Schemas of more characters than this are refused by the services that take one.
_LONGEST = 200_000
#: The schema says all that the tools' own say; what of it is heeded, the service decides.
UNHEEDED = (
    LeftOut("the schema", "keywords that the service does not heed"),
    LeftOut("numbers", "too large to be read"),
)


def json_schema(grammar: Grammar) -> dict[str, Any] | None:
    """The schema of the replies of *grammar*; None if they are no one JSON value, or too long."""
    form = grammar.as_json
    if grammar.is_free or form is None or grammar.thoughts is not EMPTY:
        return None
    tools = [tool for tool, _ in grammar.parts]
    if sum(len(json.dumps(tool.parameters)) for tool in tools) > _LONGEST:
        return None
    calls: Any = [form.call(_described(tool)) for tool in tools]
    if form.listed:
        items = {"anyOf": calls} if len(calls) > 1 else calls[0]
        most = {} if grammar.offered.parallel else {"maxItems": 1}
        calls = [{"type": "array", "items": items, "minItems": 1, **most}]
    schema: dict[str, Any] = {"anyOf": calls} if len(calls) > 1 else calls[0]
    for key in reversed(form.inside):
        schema = schema_of_call({key: schema})
    shared = {tool.name: dict(tool.parameters) for tool in tools if _refers(tool.parameters)}
    return {**schema, "$defs": {k: _moved(v, k) for k, v in shared.items()}} if shared else schema


def schema_of_call(members: Mapping[str, Any]) -> dict[str, Any]:
    """An object of exactly *members*, in this order."""
    return {
        "type": "object",
        "properties": dict(members),
        "required": list(members),
        "additionalProperties": False,
    }


def _described(tool: ToolSpec) -> ToolSpec:
    """*tool* with a schema of its arguments that may stand inside another."""
    if _refers(tool.parameters):
        return ToolSpec(tool.name, "", {"$ref": f"#/$defs/{_pointed(tool.name)}"})
    closed = {"additionalProperties": False, **tool.parameters, "type": "object"}
    closed.setdefault("properties", {})
    return ToolSpec(tool.name, "", closed)


def _refers(schema: Any) -> bool:
    return '"$ref"' in json.dumps(schema)


def _pointed(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _moved(schema: Any, name: str) -> Any:
    """*schema* with its references led to where it stands now."""
    if is_object(schema):
        return {
            key: f"#/$defs/{_pointed(name)}{value[1:]}"
            if key == "$ref" and isinstance(value, str) and value.startswith("#")
            else _moved(value, name)
            for key, value in schema.items()
        }
    return [_moved(each, name) for each in schema] if is_array(schema) else schema
