"""The APIs that clients speak to us, and which of them is served where."""

from __future__ import annotations

import re
from collections.abc import Callable

from .anthropic.begun import BegunMessage
from .anthropic.server import AnthropicApi
from .asked import Asked, BadRequest
from .dialects import get_dialect
from .google.server import GoogleApi
from .ollama.begun import BegunChat
from .ollama.generate import OllamaGenerateApi
from .ollama.server import OllamaApi
from .openai_chat.begun import BegunCompletion
from .openai_chat.server import OpenAIChatApi
from .openai_responses.server import ResponsesApi
from .serving.api import Api
from .serving.begun import Begun

__all__ = ["APIS", "BEGUN", "GOOGLE", "api_at", "check_stops"]

#: By the path at which each is served.
APIS: dict[str, Api] = {
    "/v1/chat/completions": OpenAIChatApi(),
    "/v1/responses": ResponsesApi(),
    "/v1/messages": AnthropicApi(),
    "/api/chat": OllamaApi(),
    "/api/generate": OllamaGenerateApi(),
}
#: Google's, whose paths name a model and a method; by whether it streams events.
GOOGLE = {sse: GoogleApi(sse) for sse in (True, False)}

#: What goes on with an answer of a backend that speaks the same API, by the API's name.
BEGUN: dict[str, Callable[[], Begun]] = {
    "openai_chat": BegunCompletion,
    "anthropic": BegunMessage,
    "ollama": BegunChat,
}

_METHOD = re.compile(r"/models/.*:[a-z]+[A-Z][A-Za-z]*\Z")


def api_at(path: str) -> Api:
    """Return the API in whose words a client is told that *path* is not for it."""
    if path.startswith("/v1beta/") or _METHOD.search(path):
        return GOOGLE[True]
    if path.startswith("/api/"):
        return APIS["/api/chat"]
    return APIS["/v1/messages" if path.startswith("/v1/messages") else "/v1/chat/completions"]


def check_stops(asked: Asked, dialect: str) -> None:
    """Raise BadRequest for stop sequences that the backend would not be told."""
    most = get_dialect(dialect).most_stops
    if most is not None and len(asked.stop) > most:
        told = f"stop: {len(asked.stop)} sequences are more than the {most} that the backend takes"
        raise BadRequest(told, "stop")
