"""The APIs that clients speak, one module each, both directions; nothing here waits or sends."""

from __future__ import annotations

from .base import Api
from .openai_chat import OpenAIChatApi

__all__ = ["APIS"]

#: Where each is served.
APIS: dict[str, Api] = {
    "/v1/chat/completions": OpenAIChatApi(),
}
