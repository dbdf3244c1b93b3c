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
from .dialect import LIST, MIXED, NAMED, ONE, Dialect
from .work import TooMuchWork, Work

__all__ = [
    "MAX_DEPTH",
    "MAX_LENGTH",
    "MAX_SCHEMAS",
    "Schema",
    "check_schema",
    "resolve",
    "subschemas",
]

Schema = Mapping[str, Any] | bool

# An object schema as written by hand rarely nests ten deep; the reader recurses, so it is bounded.
MAX_DEPTH = 64
# The largest of real tools have a few hundred, and a model is to read them.
MAX_SCHEMAS = 5_000
MAX_LENGTH = 1_000_000
# What checking one tool may cost: as many schemas, as many characters, and as much again.
_VISITS = 3 * MAX_SCHEMAS
_LENGTH_OF_VISIT = MAX_LENGTH // MAX_SCHEMAS

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


def check_schema(schema: Any, owner: str, work: Work | None = None) -> dict[str, Any]:
    """A private copy of *schema*, proved to be a JSON Schema for a tool's arguments.

    Raises UsageError, naming *owner*, for anything else, and for one that is too large. A
    missing ``type`` is taken to be ``object``; no schema at all means no arguments. *work* is
    what checking may cost, if several tools share it.
    """
    try:
        return _checked(schema, owner, work or Work(_VISITS))
    except TooMuchWork:
        raise UsageError(
            f"parameters of {owner} cannot be checked: "
            "there are too many schemas, or too many of an unusual form"
        ) from None


def _checked(schema: Any, owner: str, work: Work) -> dict[str, Any]:
    copy = _json_copy({} if schema is None else schema, owner, work)
    if not isinstance(copy, dict) or copy.setdefault("type", "object") != "object":
        raise UsageError(
            f"parameters of {owner} must be a JSON Schema with 'type': 'object', got {_cut(schema)}"
        )
    _check_parts(copy, owner, work)
    return copy


def _json_copy(schema: Any, owner: str, work: Work) -> Any:
    try:
        written = json.dumps(schema, allow_nan=False)
        work.spend(min(len(written), MAX_LENGTH) // _LENGTH_OF_VISIT)
        if len(written) <= MAX_LENGTH:
            return json.loads(written)
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"parameters of {owner} are not JSON: {error}") from None
    raise UsageError(
        f"parameters of {owner} are {len(written):,} characters long; the most is {MAX_LENGTH:,}"
    )


def _check_parts(root: dict[str, Any], owner: str, work: Work) -> None:
    """UsageError if *root*, or a schema inside it, is none, or if there are too many of them."""
    dialect = Dialect(root, work)
    pending: list[tuple[_Path, int, Any]] = [((), 0, root)]
    seen = 0
    while pending:
        path, depth, schema = pending.pop()
        seen += 1
        work.spend()
        if seen + len(pending) > MAX_SCHEMAS:
            raise UsageError(f"parameters of {owner} hold more than {MAX_SCHEMAS:,} schemas")
        if depth > MAX_DEPTH:
            raise UsageError(f"parameters of {owner} nest more than {MAX_DEPTH} schemas")
        if isinstance(schema, dict):
            _check_keywords(schema, path, dialect, owner)
            _check_reference(schema, root, owner)
        pending.extend(((*path, *more), depth + 1, each) for more, each in subschemas(schema))


def _check_keywords(schema: dict[str, Any], path: _Path, dialect: Dialect, owner: str) -> None:
    try:
        breach = dialect.breach(schema)
    except RecursionError:
        raise UsageError(f"parameters of {owner} are nested too deeply to be checked") from None
    if breach:
        where = "/".join(map(str, (*path, *breach.path)))[:80] or "the top"
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
