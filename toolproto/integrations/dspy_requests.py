"""DSPy's requests as OpenAI writes them, and ours as DSPy does."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from dspy import lm15

from ..messages import ChatRequest

__all__ = ["choice_of", "messages_of", "params_of", "request_of", "schema_of"]

#: Fields of a request's config that are generation parameters of a text model.
_PARAMS = ("max_tokens", "temperature", "top_p", "top_k", "seed")
_PENALTIES = ("frequency_penalty", "presence_penalty")
_ROLES = {"developer": "system"}


def messages_of(request: lm15.Request) -> list[Mapping[str, Any]]:
    """The messages of *request*, with its system prompt as the first."""
    said: list[Mapping[str, Any]] = []
    if request.system is not None:
        whole = isinstance(request.system, str)
        text = request.system if whole else _content(request.system)
        said.append({"role": "system", "content": text})
    for message in request.messages:
        said += _results(message) if message.role == "tool" else [_message(message)]
    return said


def choice_of(request: lm15.Request) -> str:
    """Which tools may, must or must not be called."""
    choice = request.config.tool_choice
    if choice is None or not request.tools:
        return "auto"
    named = len(choice.allowed) == 1 and choice.mode == "required"
    return choice.allowed[0] if named else choice.mode


def schema_of(request: lm15.Request) -> Mapping[str, Any] | None:
    """What the answer is to look like, if anything is said about that."""
    wanted = request.config.response_format
    if wanted is None:
        return None
    schema: Mapping[str, Any] = wanted.get("schema") or {"type": "object"}
    return schema


def params_of(request: lm15.Request) -> dict[str, Any]:
    """The generation parameters of *request*."""
    config = request.config
    known = {name: getattr(config, name) for name in (*_PARAMS, *_PENALTIES)}
    given = {name: value for name, value in known.items() if value is not None}
    return {**given, **(config.extensions or {})}


def request_of(request: ChatRequest, model: str) -> lm15.Request:
    """*request* for a *model* of DSPy's own."""
    first, *others = request.messages
    system = first.content if first.role == "system" else None
    params = dict(request.params)
    known = {name: params.pop(name) for name in (*_PARAMS, *_PENALTIES) if name in params}
    config = lm15.Config(**known, stop=tuple(request.stop), extensions=params or None)
    made = {"user": lm15.Message.user, "assistant": lm15.Message.assistant}
    return lm15.Request(
        model=model,
        messages=tuple(
            made.get(each.role, lm15.Message.developer)(each.content)
            for each in (others if system else request.messages)
        ),
        system=system or None,
        config=config,
    )


def _message(message: lm15.Message) -> dict[str, Any]:
    written = {
        "role": _ROLES.get(message.role, message.role),
        "content": _content([part for part in message.parts if part.type != "tool_call"]),
    }
    calls = [_call(part) for part in message.parts if part.type == "tool_call"]
    return {**written, "tool_calls": calls} if calls else written


def _call(part: lm15.ToolCallPart) -> dict[str, Any]:
    function = {"name": part.name, "arguments": json.dumps(part.input, ensure_ascii=False)}
    return {"id": part.id, "type": "function", "function": function}


def _results(message: lm15.Message) -> Iterator[dict[str, Any]]:
    for part in message.parts:
        yield {"role": "tool", "tool_call_id": part.id, "content": _content(part.content)}


def _content(parts: Any) -> str | list[dict[str, Any]]:
    """Text as a string; parts as OpenAI writes them where there is more than text."""
    written = [each for part in parts for each in _part(part)]
    if all(each["type"] == "text" for each in written):
        return "".join(each["text"] for each in written)
    return written


def _part(part: Any) -> Iterator[dict[str, Any]]:
    match part.type:
        case "thinking":  # what it thought is not said to it again
            return
        case "text" | "refusal":
            yield {"type": "text", "text": part.text}
        case "data":
            yield {"type": "text", "text": json.dumps(part.value, ensure_ascii=False)}
        case "image":
            url = part.url or f"data:{part.media_type};base64,{part.data}"
            yield {"type": "image_url", "image_url": {"url": url}}
        case kind:
            raise lm15.UnsupportedFeatureError(
                f"a text model cannot be shown parts of type {kind!r}"
            )
