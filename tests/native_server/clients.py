"""Five kinds of clients: how each asks with tools, and what it makes of the answer.

They read an answer as the makers' own libraries do, and know nothing of what may be wrong with it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tests import plain

from .answers import OFFER

__all__ = ["CLIENTS", "UNREADABLE", "Got", "ask"]

#: Stands for the status of an answer on which a client fails.
UNREADABLE = 599
_QUESTION = "What is the weather in Paris?"
_Body = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Got:
    """What a client has in hand: calls, text, and the status of an error."""

    calls: tuple[tuple[str, Any], ...] = ()
    text: str = ""
    error: int = 0


@dataclass(frozen=True, slots=True)
class _Client:
    """The path of a request, its body, and how an answer is read, whole and streamed."""

    path: Callable[[str, bool], str]
    body: Callable[[str, bool], _Body]
    whole: Callable[[_Body], Got]
    streamed: Callable[[Iterator[_Body]], Got]


def ask(client: str, url: str, model: str, streams: bool) -> Got:
    """Ask the service at *url* as *client* does, and return what comes of it."""
    kind = CLIENTS[client]
    answer = plain.post(
        f"{url}{kind.path(model, streams)}", json=kind.body(model, streams), timeout=60
    )
    if answer.status_code != 200:
        return Got(error=answer.status_code)
    try:
        return kind.streamed(_events(answer.text)) if streams else kind.whole(answer.json())
    except (LookupError, TypeError, ValueError):
        return Got(error=UNREADABLE)


def _events(text: str) -> Iterator[_Body]:
    """Give the events of a stream, of server-sent events or of lines of JSON."""
    for line in text.splitlines():
        data = line.removeprefix("data:").strip()
        if data.startswith("{"):
            yield json.loads(data)


def _arguments(written: Any) -> Any:
    try:
        return json.loads(written) if isinstance(written, str) else written
    except ValueError:
        return written


def _functions() -> list[_Body]:
    return [
        {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
        for tool in OFFER.tools
    ]


def _messages(model: str, streams: bool, **more: Any) -> _Body:
    said = [{"role": "user", "content": _QUESTION}]
    return {"model": model, "messages": said, "stream": streams, **more}


# -- chat completions --------------------------------------------------------------------------


def _chat_body(model: str, streams: bool) -> _Body:
    tools = [{"type": "function", "function": each} for each in _functions()]
    return _messages(model, streams, tools=tools)


def _chat_whole(body: _Body) -> Got:
    message = body["choices"][0]["message"]
    calls = [each["function"] for each in message.get("tool_calls") or ()]
    return Got(
        tuple((each["name"], _arguments(each["arguments"])) for each in calls),
        message.get("content") or "",
    )


def _chat_streamed(events: Iterator[_Body]) -> Got:
    calls: dict[int, list[str]] = {}
    text = ""
    for event in events:
        if "error" in event:
            return Got(error=500)
        for choice in event.get("choices", ()):
            delta = choice["delta"]
            text += delta.get("content") or ""
            for piece in delta.get("tool_calls") or ():
                call = calls.setdefault(piece["index"], ["", ""])
                call[0] += piece["function"].get("name") or ""
                call[1] += piece["function"].get("arguments") or ""
    return Got(tuple((name, _arguments(written)) for name, written in calls.values()), text)


# -- responses ---------------------------------------------------------------------------------


def _responses_body(model: str, streams: bool) -> _Body:
    tools = [{"type": "function", **each} for each in _functions()]
    return {"model": model, "input": _QUESTION, "stream": streams, "tools": tools}


def _responses_whole(body: _Body) -> Got:
    calls, text = [], ""
    for item in body["output"]:
        if item["type"] == "function_call":
            calls.append((item["name"], _arguments(item["arguments"])))
        elif item["type"] == "message":
            text += "".join(part.get("text", "") for part in item["content"])
    return Got(tuple(calls), text)


def _responses_streamed(events: Iterator[_Body]) -> Got:
    for event in events:
        if event["type"] in ("response.completed", "response.incomplete"):
            return _responses_whole(event["response"])
        if event["type"] in ("error", "response.failed"):
            return Got(error=500)
    return Got(error=502)


# -- Anthropic ---------------------------------------------------------------------------------


def _anthropic_body(model: str, streams: bool) -> _Body:
    tools = [
        {"name": each["name"], "description": each["description"],
         "input_schema": each["parameters"]} for each in _functions()
    ]  # fmt: skip
    return _messages(model, streams, tools=tools, max_tokens=999)


def _anthropic_whole(body: _Body) -> Got:
    calls = [block for block in body["content"] if block["type"] == "tool_use"]
    texts = [block["text"] for block in body["content"] if block["type"] == "text"]
    return Got(tuple((each["name"], each["input"]) for each in calls), "".join(texts))


def _anthropic_streamed(events: Iterator[_Body]) -> Got:
    calls: dict[int, list[str]] = {}
    text = ""
    for event in events:
        if event["type"] == "error":
            return Got(error=500)
        block, delta = event.get("content_block") or {}, event.get("delta") or {}
        if block.get("type") == "tool_use":
            calls[event["index"]] = [block["name"], ""]
        text += block.get("text", "") + (delta.get("text") or "")
        if delta.get("type") == "input_json_delta":
            calls[event["index"]][1] += delta["partial_json"]
    return Got(tuple((name, _arguments(written or "{}")) for name, written in calls.values()), text)


# -- Google ------------------------------------------------------------------------------------


def _google_body(model: str, streams: bool) -> _Body:
    said = [{"role": "user", "parts": [{"text": _QUESTION}]}]
    return {"contents": said, "tools": [{"functionDeclarations": _functions()}]}


def _google_path(model: str, streams: bool) -> str:
    verb = "streamGenerateContent?alt=sse" if streams else "generateContent"
    return f"/v1beta/models/{model}:{verb}"


def _google_whole(body: _Body) -> Got:
    return _google_streamed(iter([body]))


def _google_streamed(events: Iterator[_Body]) -> Got:
    calls, text = [], ""
    for event in events:
        if "error" in event:
            return Got(error=500)
        content = (event.get("candidates") or [{}])[0].get("content") or {}
        for part in content.get("parts", ()):
            if called := part.get("functionCall"):
                calls.append((called["name"], called.get("args") or {}))
            elif not part.get("thought"):
                text += part.get("text", "")
    return Got(tuple(calls), text)


# -- Ollama ------------------------------------------------------------------------------------


def _ollama_whole(body: _Body) -> Got:
    return _ollama_streamed(iter([body]))


def _ollama_streamed(events: Iterator[_Body]) -> Got:
    calls, text = [], ""
    for event in events:
        if "error" in event:
            return Got(error=500)
        message = event.get("message") or {}
        text += message.get("content") or ""
        functions = [each["function"] for each in message.get("tool_calls") or ()]
        calls += [(each["name"], each["arguments"]) for each in functions]
    return Got(tuple(calls), text)


def _at(path: str) -> Callable[[str, bool], str]:
    return lambda model, streams: path


CLIENTS: Mapping[str, _Client] = {
    "chat": _Client(_at("/v1/chat/completions"), _chat_body, _chat_whole, _chat_streamed),
    "responses": _Client(
        _at("/v1/responses"), _responses_body, _responses_whole, _responses_streamed
    ),
    "anthropic": _Client(
        _at("/v1/messages"), _anthropic_body, _anthropic_whole, _anthropic_streamed
    ),
    "google": _Client(_google_path, _google_body, _google_whole, _google_streamed),
    "ollama": _Client(_at("/api/chat"), _chat_body, _ollama_whole, _ollama_streamed),
}
