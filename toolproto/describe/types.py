"""A JSON Schema in words a model understands: ``integer``, ``"c" or "f"``, ``list of string``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..errors import UsageError
from ..tools.schema import resolve

__all__ = ["followed", "type_words"]

_DEPTH = 4  # words nested deeper than this explain nothing
_MOST = 20  # and neither do more alternatives or members than this


def followed(schema: Any, root: Mapping[str, Any]) -> Mapping[str, Any]:
    """*schema*, or what its local ``$ref`` leads to; an empty schema where that leads nowhere."""
    for _ in range(_DEPTH):
        if not isinstance(schema, Mapping):
            return {}
        if "$ref" not in schema:
            return schema
        try:
            schema = resolve(schema["$ref"], root)
        except UsageError:
            return {}
    return {}


def type_words(schema: Any, root: Mapping[str, Any], depth: int = 0) -> str:
    """What a value of *schema* is, in words."""
    schema = followed(schema, root)
    if depth > _DEPTH:
        return "any value"
    if "const" in schema:
        return _literal(schema["const"])
    if isinstance(schema.get("enum"), list):
        return _joined([_literal(value) for value in schema["enum"]])
    for key in ("anyOf", "oneOf"):
        if isinstance(schema.get(key), list):
            return _joined([type_words(part, root, depth + 1) for part in schema[key]])
    kind = schema.get("type", "object" if "properties" in schema else "any value")
    if isinstance(kind, list):
        return _joined([str(part) for part in kind])
    if kind == "object" and isinstance(schema.get("properties"), Mapping):
        return _object_words(schema, root, depth)
    if kind == "array":
        return f"list of {type_words(schema.get('items'), root, depth + 1)}"
    if kind == "string" and isinstance(schema.get("format"), str):
        return f"string, {schema['format']}"
    return str(kind)


def _object_words(schema: Mapping[str, Any], root: Mapping[str, Any], depth: int) -> str:
    """An object by its members, the optional ones marked."""
    required = schema.get("required") or ()
    members = [
        f"{name}{'' if name in required else '?'}: {type_words(part, root, depth + 1)}"
        for name, part in list(schema["properties"].items())[:_MOST]
    ]
    return f"object {{{', '.join(members)}}}"


def _joined(words: list[str]) -> str:
    different = list(dict.fromkeys(words))
    shown = [*different[:_MOST], *(["…"] if len(different) > _MOST else [])]
    return " or ".join(shown) or "any value"


def _literal(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
