"""Holds requests against the types that their makers publish: run where those are installed.

Reads ``[[NAME, BODY], …]`` and writes what is wrong with each body, nothing where it fits.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

from pydantic import ConfigDict, TypeAdapter


def _openai(body: dict[str, Any]) -> None:
    from openai.types.chat.completion_create_params import CompletionCreateParamsStreaming

    _fits(CompletionCreateParamsStreaming, body)


def _anthropic(body: dict[str, Any]) -> None:
    from anthropic.types.message_create_params import MessageCreateParamsStreaming

    _fits(MessageCreateParamsStreaming, body)


def _ollama(body: dict[str, Any]) -> None:
    from ollama._types import ChatRequest, Message

    ChatRequest.model_validate(body)
    for message in body["messages"]:
        # The client's pictures are objects, which it writes as text.
        images = [{"value": each} for each in message.get("images", ())]
        Message.model_validate({**message, "images": images})


def _gemini(body: dict[str, Any]) -> None:
    from google.genai import types

    known = {"contents", "tools", "toolConfig", "systemInstruction", "generationConfig"}
    assert {*body} <= known, sorted(body)
    for name, kind in (("contents", types.Content), ("tools", types.Tool)):
        for each in body.get(name, ()):
            kind.model_validate_json(json.dumps(each))
    types.ToolConfig.model_validate(body.get("toolConfig", {}))
    types.GenerationConfig.model_validate(body.get("generationConfig", {}))


CHECKS: dict[str, Callable[[dict[str, Any]], None]] = {
    "openai_chat": _openai,
    "azure_openai": _openai,
    "anthropic": _anthropic,
    "ollama": _ollama,
    "gemini": _gemini,
}


def _fits(kind: Any, body: dict[str, Any]) -> None:
    # In a tuple, since a TypedDict by itself takes no config.
    adapter: TypeAdapter[Any] = TypeAdapter(tuple[kind], config=ConfigDict(extra="forbid"))
    _read_all(adapter.validate_python((body,)))


def _read_all(value: Any) -> None:
    """What is declared as iterable is only checked as it is read."""
    if isinstance(value, dict):
        value = value.values()
    elif isinstance(value, str) or not isinstance(value, list | tuple | Iterator):
        return
    for each in value:
        _read_all(each)


def _fault(name: str, body: dict[str, Any]) -> str:
    try:
        CHECKS[name](body)
    except Exception as fault:
        return f"{name}: {str(fault)[:2000]}"
    return ""


if __name__ == "__main__":
    json.dump([_fault(*each) for each in json.load(sys.stdin)], sys.stdout)
