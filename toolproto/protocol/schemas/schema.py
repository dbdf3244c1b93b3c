"""What a JSON schema is made of: its subschemas, its references, and whether it is one.

Schemas come from strangers (an MCP server, a proxy's client), so nothing here fetches, and
nothing outside this module follows a reference. Above stand ``validate`` and ``coerce``.
"""

from __future__ import annotations

import json
import reprlib
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from ..errors import UsageError
from .dialect import LIST, MIXED, NAMED, ONE, first_breach, is_old, keeps_rule

__all__ = [
    "MAX_DEPTH",
    "MAX_LENGTH",
    "MAX_SCHEMAS",
    "Schema",
    "check_schema",
    "plain_copy",
    "resolve",
    "subschemas",
]

Schema = Mapping[str, Any] | bool

# An object schema as written by hand rarely nests ten deep; the reader recurses, so it is bounded.
MAX_DEPTH = 64
# The largest of real tools have a few hundred, and a model is to read them.
MAX_SCHEMAS = 5_000
MAX_LENGTH = 1_000_000
# Values in a schema about which the jsonschema package is asked: a millisecond or two for each that
# is a schema, and in older drafts it compares all choices of an enum: 6,000 took half a minute.
_MOST_ASKED = 2_000

_Path = tuple[str | int, ...]


def subschemas(schema: Any) -> Iterator[tuple[_Path, Any]]:
    """The schemas directly inside *schema*, and the path to each."""
    if not isinstance(schema, dict):
        return
    for keyword, value in schema.items():
        if keyword in LIST and isinstance(value, list):
            yield from (((keyword, at), each) for at, each in enumerate(value))
        elif (keyword in NAMED or keyword in MIXED) and isinstance(value, dict):
            yield from (((keyword, name), each) for name, each in value.items())
        elif keyword in ONE:
            yield (keyword,), value


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
    """Return a private copy of *schema*, proved to be a JSON Schema for a tool's arguments.

    Raises UsageError, naming *owner*, for anything else, and for one that is too large. A
    missing ``type`` is taken to be ``object``; no schema at all means no arguments. A stranger's
    schema is not checked but tamed (:func:`~toolproto.protocol.tools.tame`).
    """
    copy = _object_copy(schema, owner)
    if not _is_plain(copy, owner):
        _check_draft(copy, owner)
    return copy


def plain_copy(schema: Any) -> dict[str, Any] | None:
    """Return a private copy of *schema* if all in it is plainly right; None for any other.

    As most strangers' are; this takes a third of the time of taming one.
    """
    try:
        copy = _object_copy(schema, "a stranger's tool")
        return copy if _is_plain(copy, "a stranger's tool") else None
    except UsageError:
        return None


def _object_copy(schema: Any, owner: str) -> dict[str, Any]:
    copy = json.loads(_written({} if schema is None else schema, owner))
    if not isinstance(copy, dict) or copy.setdefault("type", "object") != "object":
        raise UsageError(
            f"parameters of {owner} must be a JSON Schema with 'type': 'object', got {_cut(schema)}"
        )
    return copy


def _written(schema: Any, owner: str) -> str:
    try:
        written = json.dumps(schema, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"parameters of {owner} are not JSON: {error}") from None
    if len(written) > MAX_LENGTH:
        raise UsageError(
            f"parameters of {owner} are {len(written):,} characters long; "
            f"the most is {MAX_LENGTH:,}"
        )
    return written


def _is_plain(root: dict[str, Any], owner: str) -> bool:
    """Return True if all schemas in *root* keep the rules; UsageError if there are too many."""
    plain = not is_old(root)
    pending: list[tuple[int, Any]] = [(0, root)]
    seen = 0
    while pending:
        depth, schema = pending.pop()
        seen += 1
        if seen + len(pending) > MAX_SCHEMAS:
            raise UsageError(f"parameters of {owner} hold more than {MAX_SCHEMAS:,} schemas")
        if depth > MAX_DEPTH:
            raise UsageError(f"parameters of {owner} nest more than {MAX_DEPTH} schemas")
        if isinstance(schema, dict):
            plain = plain and all(keeps_rule(key, value) for key, value in schema.items())
            _check_reference(schema, root, owner)
        pending.extend((depth + 1, each) for _, each in subschemas(schema))
    return plain


def _check_draft(root: dict[str, Any], owner: str) -> None:
    """Raise UsageError if *root* breaks the rules of its draft."""
    if sum(map(json.dumps(root).count, "{[,")) > _MOST_ASKED:
        raise UsageError(
            f"parameters of {owner} cannot be checked: "
            "it is too large for one with keywords of an unusual form, or of an old draft"
        )
    try:
        breach = first_breach(root)
    except RecursionError:
        raise UsageError(f"parameters of {owner} are nested too deeply to be checked") from None
    if breach:
        where = "/".join(map(str, breach.path))[:80] or "the top"
        raise UsageError(
            f"parameters of {owner} are not a valid JSON Schema: "
            f"{_cut(breach.value)} at {where} breaks its {breach.rule!r} rule"
        )


def _check_reference(schema: dict[str, Any], root: dict[str, Any], owner: str) -> None:
    if "$ref" not in schema:
        return
    try:
        resolve(schema["$ref"], root)
    except UsageError as error:
        raise UsageError(f"parameters of {owner}: {error}") from None


def _member(container: Any, name: str, reference: str) -> Any:
    if isinstance(container, Mapping) and name in container:
        return container[name]
    if isinstance(container, list) and name.isdecimal() and int(name[:9]) < len(container):
        return container[int(name[:9])]
    raise UsageError(f"$ref {_cut(reference)} leads nowhere; define it under '$defs'")


def _cut(value: Any) -> str:
    # A stranger's may be megabytes long.
    text = repr(value[:80]) if isinstance(value, str) else reprlib.repr(value)
    return text if len(text) <= 80 else f"{text[:79]}…"
