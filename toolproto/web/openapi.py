"""The description of the API, in OpenAPI's form, from the table of operations."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from .asking import Field, Operation

__all__ = ["described"]

_EVENTS = (
    "Every event is one line of `toolproto chat --json`. Beside those there are `begun` (a turn "
    "begins), `settled` (it has ended: its turns as a reload would show them, and the calls that "
    "wait), `failed`, `files`, `renamed`, `changed` and `reset` (ask for the session again)."
)


def described(table: Sequence[Operation]) -> dict[str, Any]:
    """An OpenAPI document of *table*."""
    paths: dict[str, dict[str, Any]] = {}
    for each in table:
        paths.setdefault(each.path, {})[each.method.lower()] = _operation(each)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "toolproto web",
            "version": "1",
            "description": 'What the page sends to its server. Errors are `{"error": words}`.',
        },
        "security": [{"cookie": []}, {"bearer": []}],
        "components": {
            "securitySchemes": {
                "cookie": {"type": "apiKey", "in": "cookie", "name": "toolproto_8200"},
                "bearer": {"type": "http", "scheme": "bearer"},
            }
        },
        "paths": paths,
    }


def _operation(each: Operation) -> dict[str, Any]:
    told: dict[str, Any] = {"summary": each.summary, "responses": _responses(each)}
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in re.findall(r"\{(\w+)\}", each.path)
    ]
    for name, field in each.query.items():
        parameters.append(
            {
                "name": name,
                "in": "query",
                "required": field.required,
                "description": field.words,
                "schema": {"type": field.kind},
            }
        )
    if parameters:
        told["parameters"] = parameters
    if each.fields is None:
        told["requestBody"] = {"content": {"application/octet-stream": {}}}
    elif each.fields:
        told["requestBody"] = {"content": {"application/json": {"schema": _schema(each.fields)}}}
    return told


def _schema(fields: Mapping[str, Field]) -> dict[str, Any]:
    properties = {
        name: {"type": each.kind, "description": each.words} for name, each in fields.items()
    }
    required = [name for name, each in fields.items() if each.required]
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**schema, "required": required} if required else schema


def _responses(each: Operation) -> dict[str, Any]:
    if each.path.endswith("/events"):
        return {"200": {"description": _EVENTS, "content": {"text/event-stream": {}}}}
    return {"200": {"description": "Done."}, "4XX": {"description": "What was wrong, in words."}}
