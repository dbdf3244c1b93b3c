"""Answers as four APIs write them, whole and streamed.

Each API is a pair of functions: the body of a whole answer, and the blocks of a stream. They follow
the makers' own references; what is wrong in an answer is left wrong.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .answers import Answer, Called, Refused, Said, Thought, cut

__all__ = ["WIRES", "Wire", "error_body"]

_Body = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Wire:
    """How one API writes an answer; *media_type* is that of its stream."""

    whole: Callable[[Answer], _Body]
    stream: Callable[[Answer, int | None], Iterator[str]]
    media_type: str = "text/event-stream"


def error_body(refused: Refused) -> _Body:
    """Return the error as OpenAI and those who copy it word errors."""
    error = {"message": refused.message, "type": "invalid_request_error", "param": None,
             "code": refused.code or None}  # fmt: skip
    failed = {} if refused.failed is None else {"failed_generation": refused.failed}
    return {"error": {**error, **failed}}


def _texts(answer: Answer, kind: type[Said] | type[Thought]) -> str:
    return "".join(part.text for part in answer.parts if isinstance(part, kind))


def _calls(answer: Answer) -> list[Called]:
    return [part for part in answer.parts if isinstance(part, Called)]


def _value(written: Any) -> Any:
    """Return the value of *written* arguments, where an API sends values."""
    try:
        return json.loads(written) if isinstance(written, str) else written
    except ValueError:
        return written


def _sse(data: Mapping[str, Any], name: str = "") -> str:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data, ensure_ascii=False)}\n\n"


# -- OpenAI chat -------------------------------------------------------------------------------

_USAGE = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}


def _function(call: Called) -> _Body:
    id = {"id": call.id} if call.id else {}
    return {**id, "type": "function",
            "function": {"name": call.name, "arguments": call.arguments}}  # fmt: skip


def _openai_whole(answer: Answer) -> _Body:
    calls = _calls(answer)
    message: _Body = {"role": "assistant", "content": _texts(answer, Said) or None}
    if thought := _texts(answer, Thought):
        message["reasoning_content"] = thought
    if listed := [_function(call) for call in calls if not call.old]:
        message["tool_calls"] = listed
    for call in calls:
        if call.old:
            message["function_call"] = _function(call)["function"]
    choice = {"index": 0, "message": message, "finish_reason": answer.finish}
    return {"id": "x", "object": "chat.completion", "created": 1, "model": "m",
            "choices": [choice], "usage": _USAGE}  # fmt: skip


def _openai_stream(answer: Answer, size: int | None) -> Iterator[str]:
    yield _delta({"role": "assistant", "content": ""})
    for part in answer.parts:
        if isinstance(part, Called):
            yield from map(_delta, _call_deltas(part, size))
        else:
            key = "content" if isinstance(part, Said) else "reasoning_content"
            yield from (_delta({key: text}) for text in cut(part.text, size))
    if answer.finish:
        yield _delta({}, answer.finish)
    yield _sse({"object": "chat.completion.chunk", "choices": [], "usage": _USAGE})
    yield "data: [DONE]\n\n"


def _delta(delta: Mapping[str, Any], finish: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return _sse({"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m",
                 "choices": [choice]})  # fmt: skip


def _call_deltas(call: Called, size: int | None) -> Iterator[_Body]:
    pieces = cut(call.arguments, size) if isinstance(call.arguments, str) else []
    if call.old:
        yield {"function_call": {"name": call.name, "arguments": ""}}
        yield from ({"function_call": {"arguments": piece}} for piece in pieces)
        return
    index = {} if call.slot is None else {"index": call.slot}
    if size is None or not isinstance(call.arguments, str):
        yield {"tool_calls": [{**index, **_function(call)}]}
        return
    head = _function(call)
    head["function"]["arguments"] = ""
    yield {"tool_calls": [{**index, **head}]}
    again: _Body = {}
    function: _Body = {}
    if "id" in call.repeats:
        again["id"] = call.id
    if "name" in call.repeats:
        function["name"] = call.name
    if call.repeats == "blank":
        again, function = {"id": ""}, {"name": ""}
    index = index if call.slots is None else {"index": call.slots}
    for piece in pieces:
        yield {"tool_calls": [{**index, **again, "function": {**function, "arguments": piece}}]}


# -- Anthropic ---------------------------------------------------------------------------------

_STOPS = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens"}


def _stop(answer: Answer) -> str | None:
    return _STOPS.get(answer.finish or "", answer.finish)


def _message(content: list[_Body], stop: str | None) -> _Body:
    return {"id": "msg_1", "type": "message", "role": "assistant", "model": "m",
            "content": content, "stop_reason": stop, "stop_sequence": None,
            "usage": {"input_tokens": 7, "output_tokens": 3}}  # fmt: skip


def _block(part: Said | Thought | Called) -> _Body:
    if isinstance(part, Called):
        return {"type": "tool_use", "id": part.id, "name": part.name,
                "input": _value(part.arguments)}  # fmt: skip
    if isinstance(part, Thought):
        return {"type": "thinking", "thinking": part.text, "signature": ""}
    return {"type": "text", "text": part.text}


def _anthropic_whole(answer: Answer) -> _Body:
    return _message([_block(part) for part in answer.parts], _stop(answer))


def _anthropic_stream(answer: Answer, size: int | None) -> Iterator[str]:
    yield _sse({"type": "message_start", "message": _message([], None)}, "message_start")
    for index, part in enumerate(answer.parts):
        begun = {**_block(part)}
        if isinstance(part, Called):
            written = part.arguments
            begun["input"] = {}
            text = written if isinstance(written, str) else json.dumps(written)
            kind, key = "input_json_delta", "partial_json"
        elif isinstance(part, Thought):
            text, kind, key = part.text, "thinking_delta", "thinking"
            begun["thinking"] = ""
        else:
            text, kind, key = part.text, "text_delta", "text"
            begun["text"] = ""
        yield _block_event("start", index, content_block=begun)
        for piece in cut(text, size):
            yield _block_event("delta", index, delta={"type": kind, key: piece})
        yield _block_event("stop", index)
    delta = {"stop_reason": _stop(answer), "stop_sequence": None}
    usage = {"output_tokens": 3}
    yield _sse({"type": "message_delta", "delta": delta, "usage": usage}, "message_delta")
    yield _sse({"type": "message_stop"}, "message_stop")


def _block_event(what: str, index: int, **more: Any) -> str:
    name = f"content_block_{what}"
    return _sse({"type": name, "index": index, **more}, name)


# -- Google ------------------------------------------------------------------------------------

_FINISHES = {"stop": "STOP", "tool_calls": "STOP", "length": "MAX_TOKENS"}


def _google(parts: list[_Body], finish: str | None) -> _Body:
    reason = {"finishReason": _FINISHES.get(finish, finish)} if finish else {}
    content = {"content": {"role": "model", "parts": parts}} if parts else {"content": {}}
    counts = {"promptTokenCount": 7, "candidatesTokenCount": 3, "totalTokenCount": 10}
    return {"candidates": [{**content, **reason, "index": 0}], "usageMetadata": counts,
            "modelVersion": "m"}  # fmt: skip


def _google_parts(part: Said | Thought | Called, size: int | None) -> list[_Body]:
    if isinstance(part, Called):
        return [{"functionCall": {"name": part.name, "args": _value(part.arguments)}}]
    thought = {"thought": True} if isinstance(part, Thought) else {}
    return [{"text": text, **thought} for text in cut(part.text, size)]


def _google_whole(answer: Answer) -> _Body:
    parts = [piece for part in answer.parts for piece in _google_parts(part, None)]
    return _google(parts, answer.finish)


def _google_stream(answer: Answer, size: int | None) -> Iterator[str]:
    for part in answer.parts:
        yield from (_sse(_google([piece], None)) for piece in _google_parts(part, size))
    yield _sse(_google([], answer.finish))


# -- Ollama ------------------------------------------------------------------------------------


def _ollama(message: Mapping[str, Any], done: bool, finish: str | None = None) -> _Body:
    counts = {"prompt_eval_count": 7, "eval_count": 3} if done else {}
    # Ollama says "stop" behind calls as well.
    reason = {"done_reason": "length" if finish == "length" else "stop"} if done else {}
    return {"model": "m", "created_at": "2026-01-01T00:00:00Z", "done": done,
            "message": {"role": "assistant", "content": "", **message},
            **reason, **counts}  # fmt: skip


def _ollama_calls(calls: list[Called]) -> _Body:
    listed = [{"function": {"name": call.name, "arguments": _value(call.arguments)}}
              for call in calls]  # fmt: skip
    return {"tool_calls": listed} if listed else {}


def _ollama_whole(answer: Answer) -> _Body:
    thought = _texts(answer, Thought)
    message = {"content": _texts(answer, Said), **({"thinking": thought} if thought else {}),
               **_ollama_calls(_calls(answer))}  # fmt: skip
    return _ollama(message, True, answer.finish)


def _ollama_stream(answer: Answer, size: int | None) -> Iterator[str]:
    for part in answer.parts:
        if isinstance(part, Called):
            messages = [_ollama_calls([part])]
        else:
            key = "content" if isinstance(part, Said) else "thinking"
            messages = [{key: text} for text in cut(part.text, size)]
        yield from (_line(_ollama(message, False)) for message in messages)
    yield _line(_ollama({}, True, answer.finish))


def _line(body: Mapping[str, Any]) -> str:
    return json.dumps(body, ensure_ascii=False) + "\n"


WIRES = {
    "openai_chat": Wire(_openai_whole, _openai_stream),
    "anthropic": Wire(_anthropic_whole, _anthropic_stream),
    "google": Wire(_google_whole, _google_stream),
    "ollama": Wire(_ollama_whole, _ollama_stream, "application/x-ndjson"),
}
