"""The APIs that clients speak, one module each, both directions; nothing here waits or sends."""

from __future__ import annotations

from .anthropic import AnthropicApi
from .base import Api
from .ollama import OllamaApi
from .openai_chat import OpenAIChatApi
from .responses import ResponsesApi

__all__ = ["APIS", "api_at"]

#: Where each is served.
APIS: dict[str, Api] = {
    "/v1/chat/completions": OpenAIChatApi(),
    "/v1/responses": ResponsesApi(),
    "/v1/messages": AnthropicApi(),
    "/api/chat": OllamaApi(),
}


def api_at(path: str) -> Api:
    """The API in whose words a client is told that *path* is not for it."""
    if path.startswith("/api/"):
        return APIS["/api/chat"]
    return APIS["/v1/messages" if path.startswith("/v1/messages") else "/v1/chat/completions"]
