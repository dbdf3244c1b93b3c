"""Google's ``generateContent`` and ``streamGenerateContent``, which the Gemini CLI and SDK speak.

The model and the method stand in the path; whoever serves it puts them into the body as ``model``
and ``stream``. Fields may be spelled in either way that the service takes: ``topP`` or ``top_p``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ....protocol.messages import Attachment, Message
from ..asked import AnswerShape, ApiFault, Asked, BadRequest
from ..serving.api import Answer, Stamp
from ..serving.content import Part, Sees, blind, document, unseen
from ..serving.history import IdlessHistory
from ..serving.offering import Offering, ToolChoice
from ..serving.reading import (
    check_depth,
    objects,
    optional,
    read_numbers,
    read_stop,
    required,
    shape_of,
    shown,
)
from .answer import GoogleAsked, GoogleChunkWriter, google_error, whole_answer
from .names import PARAMS

__all__ = ["GoogleApi"]

_NUMBERS = {theirs: name for name, theirs in PARAMS.items()}
_MODES = {
    "AUTO": "auto",
    "ANY": "required",
    "NONE": "none",
    "VALIDATED": "auto",
    "MODE_UNSPECIFIED": "auto",
}
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class GoogleApi:
    """Content, streamed as server-sent events (*sse*), or as the members of a JSON list."""

    name = "google"
    dialect = None
    backend_path = None
    #: The service sends nothing while it thinks; clients skip an empty line.
    keep_alive = "\n"

    def __init__(self, sse: bool = True) -> None:
        self._sse = sse
        self.media_type = "text/event-stream" if sse else "application/json"

    def is_about_tools(self, body: Mapping[str, Any]) -> bool:
        """Always: no backend speaks this API, so every request is read."""
        return True

    def read(self, body: Mapping[str, Any], sees: Sees = blind) -> Asked:
        """The request in *body*."""
        check_depth(body)
        config = optional(_usual(body), "generationConfig", dict) or {}
        config = _usual(config)
        thinking = _usual(optional(config, "thinkingConfig", dict) or {})
        offering = _offering(body)
        count = optional(config, "candidateCount", int)
        if count is not None and count < 1:
            raise BadRequest("candidateCount must be 1 or more", "generationConfig.candidateCount")
        return GoogleAsked(
            required(body, "model", str),
            tuple(_messages(_usual(body), offering, sees)),
            offering.offer(_choice(_usual(body)), parallel=True),
            stream=bool(body.get("stream")),
            choices=count or 1,
            stop=read_stop(config.get("stopSequences"), "generationConfig.stopSequences"),
            params=read_numbers(config, _NUMBERS, "generationConfig."),
            shape=_shape(config),
            whole_calls=True,
            tools=offering.tools,
            notes=offering.notes,
            size=offering.size,
            shows_thoughts=thinking.get("includeThoughts") is True,
            sse=self._sse,
        )

    def writer(self, asked: Asked, stamp: Stamp) -> GoogleChunkWriter:
        """A writer of responses, each of which adds to the one before."""
        return GoogleChunkWriter(asked, stamp)

    def whole(self, asked: Asked, answers: Sequence[Answer], stamp: Stamp) -> dict[str, Any]:
        """A response."""
        return whole_answer(asked, answers, stamp)

    def error(self, fault: ApiFault) -> dict[str, Any]:
        """Google's error body."""
        return google_error(fault)


def _usual(values: Mapping[str, Any]) -> dict[str, Any]:
    """*values* under the names that the service itself writes."""
    return {_camel(key): value for key, value in values.items()}


def _camel(key: str) -> str:
    if "_" not in key:
        return key
    first, *more = key.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in more)


# -- tools --------------------------------------------------------------------------------


def _offering(body: Mapping[str, Any]) -> Offering:
    offering = Offering()
    for at, tool in enumerate(objects(body, "tools")):
        for key, value in _usual(tool).items():
            if key == "functionDeclarations":
                _declare(offering, {key: value}, f"tools[{at}].")
            elif value is not None:
                offering.leave_out(_HUMP.sub("_", key).lower())
    return offering


def _declare(offering: Offering, tool: Mapping[str, Any], path: str) -> None:
    for at, given in enumerate(objects(tool, "functionDeclarations", path)):
        declared = _usual(given)
        schema = declared.get("parametersJsonSchema") or declared.get("parameters")
        function = {**declared, "parameters": schema, "strict": None}
        offering.function(function, f"{path}functionDeclarations[{at}]")


def _choice(body: Mapping[str, Any]) -> ToolChoice:
    config = _usual(optional(body, "toolConfig", dict) or {})
    calling = _usual(optional(config, "functionCallingConfig", dict, "toolConfig.") or {})
    given = calling.get("mode", "AUTO")
    mode = _MODES.get(given.upper()) if isinstance(given, str) else None
    path = "toolConfig.functionCallingConfig"
    if mode is None:
        raise BadRequest(f"{path}.mode must be one of {', '.join(_MODES)}", f"{path}.mode")
    allowed = calling.get("allowedFunctionNames")
    if not allowed or mode != "required":
        return ToolChoice(mode)
    if not isinstance(allowed, list) or not all(isinstance(name, str) for name in allowed):
        raise BadRequest(f"{path}.allowedFunctionNames must be a list of names", path)
    return (
        ToolChoice(named=allowed[0])
        if len(allowed) == 1
        else ToolChoice(mode, None, frozenset(allowed))
    )


def _shape(config: Mapping[str, Any]) -> AnswerShape | None:
    if config.get("responseMimeType") != "application/json":
        return None
    schema = config.get("responseJsonSchema") or config.get("responseSchema")
    return AnswerShape() if schema is None else shape_of(schema, "generationConfig.responseSchema")


# -- messages -----------------------------------------------------------------------------


def _messages(body: Mapping[str, Any], offering: Offering, sees: Sees) -> list[Message]:
    history = IdlessHistory(offering, sees)
    system = body.get("systemInstruction")
    if system:
        history.heard("system", _plain(_parts(system, "systemInstruction"), "systemInstruction"))
    contents = body.get("contents")
    if isinstance(contents, str | Mapping):
        contents = [contents]
    if not isinstance(contents, list) or not contents:
        raise BadRequest("contents must be a list of at least one content", "contents")
    for at, content in enumerate(contents):
        _add(history, content, f"contents[{at}]")
    return history.messages


def _add(history: IdlessHistory, content: Any, path: str) -> None:
    parts = _parts(content, path)
    role = content.get("role") if isinstance(content, Mapping) else "user"
    match role:
        case "model":
            _reply(history, parts, path)
        case "user" | "function" | "tool" | None:
            _hear(history, parts, path)
        case "system":
            history.heard("system", _plain(parts, path))
        case other:
            raise BadRequest(f"{path}.role is {shown(other)}", f"{path}.role")


def _parts(content: Any, path: str) -> list[dict[str, Any]]:
    if isinstance(content, str):
        return [{"text": content}]
    if not isinstance(content, Mapping):
        raise BadRequest(f"{path} must be an object with parts", path)
    if isinstance(content.get("parts"), Mapping):
        return [_usual(content["parts"])]
    return [_usual(part) for part in objects(content, "parts", f"{path}.")]


def _hear(history: IdlessHistory, parts: list[dict[str, Any]], path: str) -> None:
    """What a user says, and the results that come with it, in their order."""
    said: list[Part] = []
    for at, part in enumerate(parts):
        if part.get("functionResponse") is None:
            said += _plain([part], f"{path}.parts[{at}]")
            continue
        if said:
            history.heard("user", said)
            said = []
        _answer(history, part, f"{path}.parts[{at}].")
    if said:
        history.heard("user", said)


def _answer(history: IdlessHistory, part: Mapping[str, Any], path: str) -> None:
    given = _usual(required(part, "functionResponse", dict, path))
    where = f"{path}functionResponse."
    named = {
        "tool_name": required(given, "name", str, where),
        "tool_call_id": optional(given, "id", str, where),
    }
    response = given.get("response")
    told: list[Part] = [_told(response)]
    told += _plain([_usual(each) for each in objects(given, "parts", where)], where)
    failed = isinstance(response, Mapping) and bool(response.get("error"))
    history.answered(named, told, path.rstrip("."), failed)


def _told(response: Any) -> str:
    """What a function gave back: the SDKs put a value that is no object under a key."""
    match response:
        case {"result": str(text)} | {"output": str(text)} | {"error": str(text)} if (
            len(response) == 1
        ):
            return text
        # The AI SDK's.
        case {"name": str(), "content": str(text)} if len(response) == 2:
            return text
    return json.dumps(response, ensure_ascii=False)


def _reply(history: IdlessHistory, parts: list[dict[str, Any]], path: str) -> None:
    said: list[Part] = []
    calls = []
    for at, part in enumerate(parts):
        where = f"{path}.parts[{at}]"
        if (call := optional(part, "functionCall", dict, f"{where}.")) is not None:
            name = required(call, "name", str, f"{where}.functionCall.")
            arguments = optional(call, "args", dict, f"{where}.functionCall.") or {}
            function = {"name": name, "arguments": arguments}
            calls.append({"id": call.get("id"), "function": function})
        else:
            said += _plain([part], where)
    history.replied(said, "", calls, path)


def _plain(parts: Sequence[Mapping[str, Any]], path: str) -> list[Part]:
    """Parts that are neither calls nor results; what was thought is not told again."""
    said: list[Part] = []
    for part in parts:
        if part.get("thought") is True:
            continue
        match part:
            case {"text": str(text)}:
                said.append(text)
            case {"inlineData": dict(data)}:
                said.append(_inline(_usual(data)))
            case {"fileData": dict(data)}:
                given = _usual(data)
                media_type = str(given.get("mimeType") or "application/*")
                said.append(Attachment(media_type, url=str(given.get("fileUri", ""))))
            case {"executableCode": {"code": str(text)}}:
                said.append(text)
            case {"codeExecutionResult": {"output": str(text)}}:
                said.append(text)
            case {"text": _}:
                raise BadRequest(f"{path}.text must be a string", f"{path}.text")
            case _:
                kinds = [key for key, value in part.items() if value and key.isalpha()]
                said += [unseen(kinds[0][:40])] if kinds else []
    return said


def _inline(data: Mapping[str, Any]) -> Part:
    media_type, given = str(data.get("mimeType") or ""), data.get("data")
    # In JSON bytes may be written in the alphabet for URLs, too.
    base64 = given.replace("-", "+").replace("_", "/") if isinstance(given, str) else ""
    name = data.get("displayName")
    if media_type.startswith("image/"):
        return Attachment(media_type, base64)
    return document(media_type, base64, name if isinstance(name, str) else "")
