"""Ollama's completion of one prompt: ``POST /api/generate``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ....protocol.events import ReasoningDelta, TextDelta
from ..asked import ApiFault, Asked
from ..pieces import Ended, Piece
from ..serving.api import Answer, Stamp
from ..serving.content import Sees, blind
from ..serving.reading import optional
from .parts import ending, response_to
from .server import OllamaApi

__all__ = ["OllamaGenerateApi"]


class OllamaGenerateApi(OllamaApi):
    """A prompt, answered as a chat of one message; nothing here is about tools."""

    name = "ollama_generate"
    backend_path = "/api/generate"
    _nothing: Mapping[str, Any] = {"response": ""}

    def is_about_tools(self, body: Mapping[str, Any]) -> bool:
        """Never."""
        return False

    def read(self, body: Mapping[str, Any], sees: Sees = blind) -> Asked:
        """The request in *body*, as a chat."""
        system = optional(body, "system", str)
        prompt = {
            "role": "user",
            "content": optional(body, "prompt", str) or "",
            "images": body.get("images"),
        }
        messages = [*([{"role": "system", "content": system}] if system else []), prompt]
        fields = {key: body[key] for key in _FIELDS if key in body}
        return super().read({**fields, "messages": messages}, sees)

    def only_loads(self, body: Mapping[str, Any]) -> bool:
        """Whether *body* asks for nothing but that the model be there: it has no prompt."""
        return not body.get("prompt") and not body.get("images")

    def writer(self, asked: Asked, stamp: Stamp) -> _Writer:  # type: ignore[override]
        """A writer of lines."""
        return _Writer(asked, stamp)

    def whole(self, asked: Asked, answers: Sequence[Answer], stamp: Stamp) -> dict[str, Any]:
        """The response in one object."""
        (answer,) = answers
        thought = {"thinking": answer.thought} if answer.thought else {}
        told = {"response": answer.text, **thought, **ending(answer.reason, answer.usage)}
        return {**response_to(asked, stamp), **told}


_FIELDS = ("model", "stream", "options", "format", "think", "keep_alive")


class _Writer:
    """Lines of JSON, each with more of the response."""

    def __init__(self, asked: Asked, stamp: Stamp) -> None:
        self._common = response_to(asked, stamp)

    def begin(self) -> list[str]:
        """Nothing."""
        return []

    def write(self, choice: int, piece: Piece) -> list[str]:
        """*piece* as a line."""
        match piece:
            case TextDelta(text):
                return [self._line({"response": text, "done": False})]
            case ReasoningDelta(text):
                return [self._line({"response": "", "thinking": text, "done": False})]
            case Ended(reason, usage):
                return [self._line({"response": "", **ending(reason, usage)})]
        return []

    def end(self) -> list[str]:
        """Nothing: the last line said so."""
        return []

    def fail(self, fault: ApiFault) -> list[str]:
        """A line with the error."""
        return [json.dumps({"error": fault.message}) + "\n"]

    def _line(self, told: dict[str, Any]) -> str:
        return json.dumps({**self._common, **told}, separators=(",", ":")) + "\n"
