"""The APIs that clients speak, one module each, both directions; nothing here waits or sends."""

from __future__ import annotations

import re

from .anthropic import AnthropicApi
from .base import Api
from .google import GoogleApi
from .ollama import OllamaApi
from .ollama_generate import OllamaGenerateApi
from .openai_chat import OpenAIChatApi
from .responses import ResponsesApi

__all__ = ["APIS", "GOOGLE", "api_at"]

#: Where each is served.
APIS: dict[str, Api] = {
    "/v1/chat/completions": OpenAIChatApi(),
    "/v1/responses": ResponsesApi(),
    "/v1/messages": AnthropicApi(),
    "/api/chat": OllamaApi(),
    "/api/generate": OllamaGenerateApi(),
}
#: Google's, whose paths name a model and a method; by whether it streams events.
GOOGLE = {sse: GoogleApi(sse) for sse in (True, False)}


_METHOD = re.compile(r"/models/.*:[a-z]+[A-Z][A-Za-z]*\Z")


def api_at(path: str) -> Api:
    """The API in whose words a client is told that *path* is not for it."""
    if path.startswith("/v1beta/") or _METHOD.search(path):
        return GOOGLE[True]
    if path.startswith("/api/"):
        return APIS["/api/chat"]
    return APIS["/v1/messages" if path.startswith("/v1/messages") else "/v1/chat/completions"]
