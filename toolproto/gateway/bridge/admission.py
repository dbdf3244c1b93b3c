"""What comes with a request: a JSON object with messages and a model, and a key."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any, NoReturn
from urllib.parse import parse_qsl

from ...endpoints.apis.asked import BadRequest
from ...endpoints.apis.serving.reading import required

__all__ = ["check_messages", "read_model", "read_object", "sent_keys"]

#: Names of models are kept, in caches and in the log.
_LONGEST_NAME = 512
_LONGEST_QUERY = 4096


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _finite(written: str) -> float:
    # ``1e999`` is JSON, but nothing that could be written as JSON again.
    number = float(written)
    if not isfinite(number):
        raise ValueError(f"{written} is too large")
    return number


def read_object(body: bytes) -> dict[str, Any]:
    """The JSON object in *body*."""
    try:
        values = json.loads(body, parse_constant=_refuse_constant, parse_float=_finite)
    except (ValueError, RecursionError):
        raise BadRequest("the body is not JSON") from None
    if not isinstance(values, dict):
        raise BadRequest("the body must be a JSON object")
    return values


def read_model(values: Mapping[str, Any]) -> str:
    """The name of the model that is asked for."""
    model: str = required(values, "model", str)
    if len(model) > _LONGEST_NAME:
        raise BadRequest(f"model is longer than {_LONGEST_NAME} characters", "model")
    return model


def check_messages(values: Mapping[str, Any]) -> None:
    """Raise BadRequest for messages that are none: some backends break off over them."""
    messages = values.get("messages")
    if not isinstance(messages, list) or not messages:
        raise BadRequest("messages must be a list of at least one message", "messages")
    for at, message in enumerate(messages):
        if not isinstance(message, dict):
            raise BadRequest(f"messages[{at}] must be an object", f"messages[{at}]")


def sent_keys(headers: Mapping[str, str], path: str, query: str) -> Iterator[str]:
    """Every key that came with a request; Google's clients may write it into the URL."""
    kind, _, token = headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer" and token.strip():
        yield token.strip()
    for name in ("x-api-key", "x-goog-api-key"):
        if headers.get(name):
            yield headers[name]
    if path.startswith("/v1beta"):
        yield from (value for name, value in parse_qsl(query[:_LONGEST_QUERY]) if name == "key")
