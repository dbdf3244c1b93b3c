"""Reading a client's JSON: every value is what it should be, or a BadRequest that names it."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from ...errors import UsageError
from ...messages import Message, ToolCall, ToolResult
from ...tools.spec import ToolOffer, ToolSpec, spec_from_openai
from ..asked import BadRequest

__all__ = [
    "History",
    "objects",
    "offered",
    "optional",
    "read_arguments",
    "read_params",
    "required",
    "text_parts",
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


def optional(body: Mapping[str, Any], key: str, kind: type, path: str = "") -> Any:
    """``body[key]`` if it is there and not null."""
    value = body.get(key)
    if value is None:
        return None
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise BadRequest(f"{path}{key} is to be {_NAMES[kind]}", f"{path}{key}")
    return value


def required(body: Mapping[str, Any], key: str, kind: type, path: str = "") -> Any:
    """``body[key]``, which cannot be left out."""
    value = optional(body, key, kind, path)
    if value is None:
        raise BadRequest(f"{path}{key} is missing", f"{path}{key}")
    return value


def objects(body: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    """``body[key]``: a list of objects, empty if it is not there."""
    values = optional(body, key, list) or []
    for at, value in enumerate(values):
        if not isinstance(value, Mapping):
            raise BadRequest(f"{key}[{at}] is to be an object", f"{key}[{at}]")
    return values


def text_parts(content: Any, path: str, kinds: Collection[str] = ("text",)) -> str:
    """Content as a string: one, or the texts of its parts."""
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        raise BadRequest(f"{path} is to be a string or a list of parts", path)
    texts = []
    for at, part in enumerate(content):
        kind = part.get("type") if isinstance(part, Mapping) else None
        if kind not in kinds:
            raise BadRequest(
                f"{path}[{at}]: parts of type {kind!r} cannot be used together with tools", path
            )
        texts.append(str(part.get("text") or part.get("refusal") or ""))
    return "\n".join(texts)


def read_arguments(text: Any, path: str) -> dict[str, Any]:
    """A call's arguments out of the conversation: an object, or the JSON text of one.

    What a model once wrote and no client mended is kept as it is, so that the model sees it.
    """
    if isinstance(text, Mapping):
        return dict(text)
    if not isinstance(text, str):
        raise BadRequest(f"{path} is to be the JSON text of an object", path)
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {"arguments": text}
    return value if isinstance(value, dict) else {"arguments": value}


def offered(
    definitions: Iterable[Mapping[str, Any]], path: str, choice: str = "auto", parallel: bool = True
) -> ToolOffer:
    """The tools of a request on their terms; a choice that names none of them is refused."""
    specs: dict[str, ToolSpec] = {}
    for at, definition in enumerate(definitions):
        try:
            spec = spec_from_openai(definition)
        except UsageError as error:
            raise BadRequest(f"{path}[{at}]: {error}", f"{path}[{at}]") from None
        if spec.name in specs:
            raise BadRequest(f"{path}: two tools are named {spec.name!r}", f"{path}[{at}]")
        specs[spec.name] = spec
    if choice not in ("auto", "none", "required") and choice not in specs:
        raise BadRequest(
            f"tool_choice names {choice!r}, which is not among the tools", "tool_choice"
        )
    if choice == "required" and not specs:
        raise BadRequest("tool_choice is 'required', but there are no tools", "tool_choice")
    return ToolOffer(tuple(specs.values()), choice, parallel)


def read_params(body: Mapping[str, Any], handled: frozenset[str]) -> dict[str, Any]:
    """What is left for the backend: neither *handled* here nor a way to choose another backend."""
    return {
        key: value
        for key, value in body.items()
        if key not in handled and key not in _ELSEWHERE and value is not None
    }


class History:
    """Puts together messages whose results name the calls that they answer."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self._calls: dict[str, ToolCall] = {}

    def said(self, message: Message) -> None:
        """The next message."""
        self._calls |= {call.id: call for call in message.calls}
        self.messages.append(message)

    def answered(self, id: str, content: str, path: str, is_error: bool = False) -> None:
        """A result; those that follow each other become one message."""
        call = self._calls.get(id)
        if call is None:
            raise BadRequest(
                f"{path} answers the call {id!r}, which no message before it makes", path
            )
        result = ToolResult(call, content, is_error)
        before = self.messages[-1]
        if before.role == "user" and before.results and not before.content:
            results = (*before.results, result)
            self.messages[-1] = Message("user", "", results=results)
        else:
            self.messages.append(Message("user", "", results=(result,)))
