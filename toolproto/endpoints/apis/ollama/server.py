"""Ollama's chat: ``POST /api/chat``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ....protocol.events import (
    ArgumentsDelta,
    CallCompleted,
    CallStarted,
    ReasoningDelta,
    TextDelta,
)
from ....protocol.messages import Message
from ..asked import AnswerShape, ApiFault, Asked, BadRequest
from ..pieces import Ended, Failed, Piece
from ..serving.api import Answer, Stamp, WrittenCall
from ..serving.content import Part, Sees, blind, image, read_parts
from ..serving.history import IdlessHistory
from ..serving.offering import Offering, ToolChoice
from ..serving.reading import (
    check_depth,
    listed,
    mentions,
    objects,
    optional,
    read_arguments,
    read_numbers,
    read_stop,
    required,
    shape_of,
    shown,
)
from .names import OPTIONS
from .parts import ending, response_to

__all__ = ["OllamaApi"]

_LOADED = {"done": True, "done_reason": "load"}


class OllamaApi:
    """Chat, streamed as lines of JSON; clients stream unless they say otherwise."""

    name = "ollama"
    dialect = "ollama"
    backend_path: str | None = None
    media_type = "application/x-ndjson"
    #: Clients take every line for a part of the answer, an empty one too.
    keep_alive = ""
    #: An answer that says nothing.
    _nothing: Mapping[str, Any] = {"message": {"role": "assistant", "content": ""}}

    def is_about_tools(self, body: Mapping[str, Any]) -> bool:
        """Whether there are tools, or calls and results of earlier ones."""
        return mentions(body, ("tools",)) or any(
            mentions(message, ("tool_calls",)) or message.get("role") == "tool"
            for message in listed(body, "messages")
        )

    def read(self, body: Mapping[str, Any], sees: Sees = blind) -> Asked:
        """The request in *body*."""
        check_depth(body)
        options = optional(body, "options", dict) or {}
        offering = Offering()
        for at, tool in enumerate(objects(body, "tools")):
            function = optional(tool, "function", dict, f"tools[{at}].") or tool
            offering.function(function, f"tools[{at}].function")
        return Asked(
            required(body, "model", str),
            tuple(_messages(objects(body, "messages"), offering, sees)),
            offering.offer(ToolChoice(), parallel=True),
            stream=optional(body, "stream", bool) is not False,
            stop=read_stop(options.get("stop"), "options.stop"),
            params={**_numbers(options), **_effort(body.get("think"))},
            own=_own(body, options),
            shape=_shape(body.get("format")),
            whole_calls=True,
            tools=offering.tools,
            notes=offering.notes,
            size=offering.size,
        )

    def only_loads(self, body: Mapping[str, Any]) -> bool:
        """Whether *body* asks for nothing but that the model be there: it says nothing."""
        return body.get("messages") in (None, [])

    def loaded(self, model: str, stamp: Stamp) -> dict[str, Any]:
        """The answer to that."""
        return {**response_to(Asked(model, ()), stamp), **self._nothing, **_LOADED}

    def writer(self, asked: Asked, stamp: Stamp) -> _Writer:
        """A writer of lines."""
        return _Writer(asked, stamp)

    def whole(self, asked: Asked, answers: Sequence[Answer], stamp: Stamp) -> dict[str, Any]:
        """The response in one object."""
        (answer,) = answers
        message: dict[str, Any] = {"role": "assistant", "content": answer.text}
        if answer.thought:
            message["thinking"] = answer.thought
        if answer.calls:
            calls = enumerate(answer.calls)
            message["tool_calls"] = [_call(asked, at, call) for at, call in calls]
        done = ending(answer.reason, answer.usage)
        return {**response_to(asked, stamp), "message": message, **done}

    def error(self, fault: ApiFault) -> dict[str, Any]:
        """Ollama's error body."""
        return {"error": fault.message}


# -- reading ------------------------------------------------------------------------------


def _numbers(options: Mapping[str, Any]) -> dict[str, int | float]:
    params = read_numbers(options, OPTIONS, "options.")
    if params.get("max_tokens", 0) < 0:
        # That is how Ollama says: as many as there are.
        del params["max_tokens"]
    return params


def _own(body: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: body[key] for key in ("think", "keep_alive") if body.get(key) is not None}
    rest = {key: each for key, each in options.items() if key not in OPTIONS and key != "stop"}
    return {**kept, "options": rest} if rest else kept


def _effort(think: Any) -> dict[str, str]:
    """How much to think. Whether a model thinks at all has no common name among backends."""
    if think is None or isinstance(think, bool):
        return {}
    if isinstance(think, str):
        return {"reasoning_effort": think}
    raise BadRequest("think must be true, false or a level of effort", "think")


def _shape(format: Any) -> AnswerShape | None:
    match format:
        case None | "":
            return None
        case "json":
            return AnswerShape()
        case dict():
            return shape_of(format, "format")
    raise BadRequest("format must be 'json' or a JSON Schema", "format")


def _messages(messages: list[Mapping[str, Any]], offering: Offering, sees: Sees) -> list[Message]:
    if not messages:
        raise BadRequest("messages must be a list of at least one message", "messages")
    history = IdlessHistory(offering, sees)
    for at, message in enumerate(messages):
        _add(history, message, f"messages[{at}]")
    return history.messages


def _add(history: IdlessHistory, message: Mapping[str, Any], path: str) -> None:
    parts = read_parts(message.get("content"), f"{path}.content")
    parts += read_images(message, path)
    match message.get("role"):
        case "system" | "user" as role:
            history.heard(role, parts)
        case "assistant":
            thought = optional(message, "thinking", str, f"{path}.") or ""
            history.replied(parts, thought, objects(message, "tool_calls", f"{path}."), path)
        case "tool":
            history.answered(message, parts, path)
        case other:
            raise BadRequest(f"{path}.role is {shown(other)}", f"{path}.role")


def read_images(values: Mapping[str, Any], path: str) -> list[Part]:
    """The images that come with a message, or with a prompt."""
    images = optional(values, "images", list, f"{path}.") or []
    return [image(each) for each in images if isinstance(each, str)]


# -- writing ------------------------------------------------------------------------------


def _call(asked: Asked, index: int, call: WrittenCall) -> dict[str, Any]:
    arguments = read_arguments(call.arguments, "arguments")
    name = asked.tool(call.name).name
    return {"id": call.id, "function": {"index": index, "name": name, "arguments": arguments}}


class _Writer:
    """Lines of JSON; a call leaves when it is whole, since its arguments are an object."""

    def __init__(self, asked: Asked, stamp: Stamp) -> None:
        self._asked = asked
        self._common = response_to(asked, stamp)
        self._call = WrittenCall("", "")
        self._arguments: list[str] = []

    def begin(self) -> list[str]:
        """Nothing: every line says what there is to know of the response."""
        return []

    def write(self, choice: int, piece: Piece) -> list[str]:
        """*piece* as a line, if it is one."""
        match piece:
            case TextDelta(text):
                return [self._line({"content": text})]
            case ReasoningDelta(text):
                return [self._line({"content": "", "thinking": text})]
            case CallStarted(_, name, id):
                self._call, self._arguments = WrittenCall(id, name), []
            case ArgumentsDelta(_, text):
                self._arguments.append(text)
            case CallCompleted(index):
                self._call.arguments = "".join(self._arguments)
                called = [_call(self._asked, index, self._call)]
                return [self._line({"content": "", "tool_calls": called})]
            case Ended(reason, usage):
                return [self._line({"content": ""}, ending(reason, usage))]
            case Failed():
                pass
        return []

    def end(self) -> list[str]:
        """Nothing: the last line said so."""
        return []

    def fail(self, fault: ApiFault) -> list[str]:
        """A line with the error; no line says that all is done."""
        return [json.dumps({"error": fault.message}) + "\n"]

    def _line(self, message: dict[str, Any], done: dict[str, Any] | None = None) -> str:
        said = {"message": {"role": "assistant", **message}, **(done or {"done": False})}
        return json.dumps({**self._common, **said}, separators=(",", ":")) + "\n"
