"""Reading a client's JSON: every value is what it should be, or a BadRequest that names it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Any

from ....protocol.schemas.tame import tame
from ..asked import AnswerShape, BadRequest

__all__ = [
    "check_depth",
    "listed",
    "mentions",
    "objects",
    "optional",
    "read_arguments",
    "read_numbers",
    "read_params",
    "read_stop",
    "required",
    "shape_of",
    "shown",
]

_NAMES = {
    str: "a string",
    bool: "true or false",
    int: "a whole number",
    list: "a list",
    dict: "an object",
}

#: Fields by which other gateways let a client choose where a request goes, and with whose key.
_ELSEWHERE = frozenset(
    [
        "api_base",
        "base_url",
        "api_key",
        "api_version",
        "api_type",
        "custom_llm_provider",
        "extra_headers",
        "headers",
        "extra_query",
        "model_list",
        "fallbacks",
        "organization",
        "mock_response",
        "proxy",
    ]
)

#: Whatever reads, checks or writes a value later recurses into it. A schema may hold 64 others
#: inside each other, each under a name.
_MAX_DEPTH = 150
#: How much of a client's own words a message repeats.
_MAX_SHOWN = 80


def shown(value: Any) -> str:
    """*value* as a message may repeat it."""
    text = repr(value)
    return text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN - 1]}…"


def check_depth(values: Mapping[str, Any]) -> None:
    """BadRequest if one of *values* holds lists and objects too far inside each other."""
    for key, value in values.items():
        level = [value] if value.__class__ is dict or value.__class__ is list else []
        for _ in range(_MAX_DEPTH):
            if not level:
                break
            # Only what holds something is looked into: most of a request is text.
            level = [
                inner
                for each in level
                for inner in (each.values() if each.__class__ is dict else each)
                if inner.__class__ is dict or inner.__class__ is list
            ]
        else:
            raise BadRequest(f"{shown(key)} is nested more than {_MAX_DEPTH} levels deep", key)


def mentions(body: Mapping[str, Any], keys: Iterable[str]) -> bool:
    """Whether *body* has any of *keys*, and not as null."""
    return any(body.get(key) is not None for key in keys)


def listed(body: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    """The objects in the list ``body[key]``; none, if it is no list."""
    values = body.get(key)
    return (
        [each for each in values if isinstance(each, Mapping)] if isinstance(values, list) else []
    )


def optional(body: Mapping[str, Any], key: str, kind: type, path: str = "") -> Any:
    """``body[key]`` if it is there and not null."""
    value = body.get(key)
    if value is None:
        return None
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise BadRequest(f"{path}{key} must be {_NAMES[kind]}", f"{path}{key}")
    return value


def required(body: Mapping[str, Any], key: str, kind: type, path: str = "") -> Any:
    """``body[key]``, which cannot be left out."""
    value = optional(body, key, kind, path)
    if value is None:
        raise BadRequest(f"{path}{key} is missing", f"{path}{key}")
    return value


def objects(body: Mapping[str, Any], key: str, path: str = "") -> list[Mapping[str, Any]]:
    """``body[key]``: a list of objects, empty if it is not there."""
    values = optional(body, key, list, path) or []
    for at, value in enumerate(values):
        if not isinstance(value, Mapping):
            raise BadRequest(f"{path}{key}[{at}] must be an object", f"{path}{key}[{at}]")
    return values


def read_arguments(text: Any, path: str) -> dict[str, Any]:
    """A call's arguments out of the conversation: an object, or the JSON text of one.

    What a model once wrote and no client mended is kept as it is, so that the model sees it.
    """
    if isinstance(text, Mapping):
        return dict(text)
    if not isinstance(text, str):
        raise BadRequest(f"{path} must be the JSON text of an object", path)
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {"arguments": text}
    check_depth({path: value})
    return value if isinstance(value, dict) else {"arguments": value}


def shape_of(schema: Any, path: str) -> AnswerShape:
    """An answer in JSON of which *schema* says what it holds."""
    if not isinstance(schema, Mapping):
        raise BadRequest(f"{path} must be a JSON Schema", path)
    tamed, labels = tame(schema)
    if any(label.startswith("not an object") for label in labels):
        raise BadRequest(f"{path} must be a JSON Schema with 'type': 'object'", path)
    return AnswerShape(tamed)


def read_stop(stop: Any, path: str = "stop") -> tuple[str, ...]:
    """Where generation stops: at one string, or at any of several."""
    if stop is None or isinstance(stop, str):
        return (stop,) if stop else ()
    if isinstance(stop, list) and all(isinstance(each, str) for each in stop):
        return tuple(filter(None, stop))
    raise BadRequest(f"{path} must be a string or a list of strings", path)


def read_params(body: Mapping[str, Any], handled: frozenset[str]) -> dict[str, Any]:
    """What is left for the backend: neither *handled* here nor a way to choose another backend."""
    return {
        key: value
        for key, value in body.items()
        if key not in handled and key not in _ELSEWHERE and value is not None
    }


def read_numbers(
    body: Mapping[str, Any], names: Mapping[str, str], path: str = ""
) -> dict[str, int | float]:
    """The numbers of *body* that *names* knows, under the names it has for them."""
    found: dict[str, int | float] = {}
    for key, name in names.items():
        value = body.get(key)
        if value is None:
            continue
        fine = isinstance(value, int | float) and not isinstance(value, bool)
        if not fine or (isinstance(value, float) and not isfinite(value)):
            raise BadRequest(f"{path}{key} must be a number", f"{path}{key}")
        found[name] = value
    return found
