"""Clients of SDKs with a transport in them, ready to use.

Each takes what :class:`~.sync.ToolTransport` takes, and as *settings* what the SDK's own class
takes. The SDK is imported when its client is asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..errors import UsageError
from .asynchronous import AsyncToolTransport
from .sync import ToolTransport

__all__ = [
    "anthropic_client",
    "async_anthropic_client",
    "async_ollama_client",
    "async_openai_client",
    "ollama_client",
    "openai_client",
]

#: SDKs insist on a key. It is not sent where the transport has one of its own.
_NO_KEY = {"api_key": "unused"}


def openai_client(backend: Any, paradigm: str = "auto", **options: Any) -> Any:
    """An ``openai.OpenAI``."""
    transport = ToolTransport(backend, paradigm, **options)
    sdk = _sdk("openai")
    return sdk.OpenAI(**_NO_KEY, http_client=sdk.DefaultHttpxClient(transport=transport))


def async_openai_client(backend: Any, paradigm: str = "auto", **options: Any) -> Any:
    """An ``openai.AsyncOpenAI``."""
    transport = AsyncToolTransport(backend, paradigm, **options)
    sdk = _sdk("openai")
    return sdk.AsyncOpenAI(**_NO_KEY, http_client=sdk.DefaultAsyncHttpxClient(transport=transport))


def anthropic_client(backend: Any, paradigm: str = "auto", **options: Any) -> Any:
    """An ``anthropic.Anthropic``."""
    transport = ToolTransport(backend, paradigm, **options)
    sdk = _sdk("anthropic")
    return sdk.Anthropic(**_NO_KEY, http_client=sdk.DefaultHttpxClient(transport=transport))


def async_anthropic_client(backend: Any, paradigm: str = "auto", **options: Any) -> Any:
    """An ``anthropic.AsyncAnthropic``."""
    transport = AsyncToolTransport(backend, paradigm, **options)
    sdk = _sdk("anthropic")
    return sdk.AsyncAnthropic(
        **_NO_KEY, http_client=sdk.DefaultAsyncHttpxClient(transport=transport)
    )


def ollama_client(backend: Any, paradigm: str = "auto", **options: Any) -> Any:
    """An ``ollama.Client``."""
    return _sdk("ollama").Client(transport=ToolTransport(backend, paradigm, **options))


def async_ollama_client(backend: Any, paradigm: str = "auto", **options: Any) -> Any:
    """An ``ollama.AsyncClient``."""
    return _sdk("ollama").AsyncClient(transport=AsyncToolTransport(backend, paradigm, **options))


def _sdk(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise UsageError(f"the package {name!r} is not installed: pip install {name}") from None
