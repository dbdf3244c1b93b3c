"""What a JSON schema is made of: its subschemas, its references, and whether it is one.

Schemas come from strangers (an MCP server, a proxy's client), so nothing here fetches, and
nothing outside this module follows a reference. Above stand ``validate`` and ``coerce``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from ..errors import UsageError

__all__ = ["Schema", "check_schema", "resolve", "subschemas"]

Schema = Mapping[str, Any] | bool

# Where a keyword holds schemas. Elsewhere ("enum", "default", "examples") the same words are data.
ONE = frozenset(
    {
        "additionalProperties",
        "contains",
        "else",
        "if",
        "items",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)
LIST = frozenset({"allOf", "anyOf", "items", "oneOf", "prefixItems"})
NAMED = frozenset({"$defs", "definitions", "dependentSchemas", "patternProperties", "properties"})

# An object schema as written by hand rarely nests ten deep; the reader recurses, so it is bounded.
_MAX_DEPTH = 64


def subschemas(schema: Any) -> Iterator[Any]:
    """The schemas directly inside *schema*."""
    if not isinstance(schema, Mapping):
        return
    for keyword, value in schema.items():
        if keyword in ONE and isinstance(value, Mapping | bool):
            yield value
        elif keyword in LIST and isinstance(value, list | tuple):
            yield from value
        elif keyword in NAMED and isinstance(value, Mapping):
            yield from value.values()


def resolve(reference: Any, root: Schema) -> Any:
    """What ``#`` or ``#/a/b`` points at in *root*; any other is refused, never fetched."""
    if reference == "#":
        return root
    if not isinstance(reference, str) or not reference.startswith("#/"):
        raise UsageError(
            f"$ref {_cut(reference)} is not a path into its own schema; "
            "copy what it means under '$defs' and refer to '#/$defs/<name>'"
        )
    found: Any = root
    for part in unquote(reference[2:]).split("/"):
        found = _member(found, part.replace("~1", "/").replace("~0", "~"), reference)
    return found


def check_schema(schema: Any, owner: str) -> dict[str, Any]:
    """A private copy of *schema*, proved to be a JSON Schema for a tool's arguments.

    Raises UsageError, naming *owner*, for anything else. A missing ``type`` is taken to be
    ``object``; no schema at all means no arguments.
    """
    copy = _json_copy({} if schema is None else schema, owner)
    if not isinstance(copy, dict) or copy.setdefault("type", "object") != "object":
        raise UsageError(
            f"parameters of {owner} must be a JSON Schema with 'type': 'object', got {_cut(schema)}"
        )
    _check_keywords(copy, owner)
    _check_references(copy, owner)
    return copy


def _json_copy(schema: Any, owner: str) -> Any:
    try:
        return json.loads(json.dumps(schema, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"parameters of {owner} are not JSON: {error}") from None


def _check_keywords(schema: dict[str, Any], owner: str) -> None:
    # jsonschema takes an eighth of a second to import, and only those who define tools need it.
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend, validator_for
    from referencing import Registry

    dialect = validator_for(schema, default=Draft202012Validator)
    try:
        # Not dialect.check_schema(): it would refuse patterns that are JavaScript's, not Python's.
        # Nor its uniqueItems: an enum of numbers and texts costs the square of its length.
        patient = extend(dialect, {"uniqueItems": lambda *_: ()})
        # Without its own $schema, which would bring the usual validator back at every "$ref": "#".
        rules = {key: rule for key, rule in dialect.META_SCHEMA.items() if key != "$schema"}
        judge = patient(rules, registry=Registry())
        error = next(iter(judge.iter_errors(schema)), None)
    except RecursionError:
        raise UsageError(f"parameters of {owner} are nested too deeply to be checked") from None
    if error:
        where = "/".join(str(part) for part in error.path) or "the top"
        raise UsageError(
            f"parameters of {owner} are not a valid JSON Schema: "
            f"{_cut(error.instance)} at {where} breaks its {error.validator!r} rule"
        )


def _check_references(schema: dict[str, Any], owner: str) -> None:
    pending: list[tuple[Any, int]] = [(schema, 0)]
    while pending:
        inner, depth = pending.pop()
        if depth > _MAX_DEPTH:
            raise UsageError(f"parameters of {owner} nest more than {_MAX_DEPTH} schemas")
        if isinstance(inner, Mapping) and "$ref" in inner:
            try:
                resolve(inner["$ref"], schema)
            except UsageError as error:
                raise UsageError(f"parameters of {owner}: {error}") from None
        pending.extend((each, depth + 1) for each in subschemas(inner))


def _member(container: Any, name: str, reference: str) -> Any:
    if isinstance(container, Mapping) and name in container:
        return container[name]
    if isinstance(container, list) and name.isdecimal() and int(name[:9]) < len(container):
        return container[int(name[:9])]
    raise UsageError(f"$ref {_cut(reference)} leads nowhere; define it under '$defs'")


def _cut(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:79]}…"
