"""Clients of SDKs with a transport in them, ready to use.

Each takes the options of :class:`~.sync.ToolTransport`, and those of the SDK's own class
(``timeout=5, max_retries=0``). The SDK is imported when its client is asked for.
"""

from __future__ import annotations

from importlib import import_module
from inspect import signature
from typing import Any

from ...protocol.errors import UsageError
from .asynchronous import AsyncToolTransport
from .base import Transport
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
#: What SDKs call the HTTP client that they would make themselves.
_SYNC, _ASYNC = "DefaultHttpxClient", "DefaultAsyncHttpxClient"


def openai_client(backend: Any, paradigm: str = "auto", **options: Any) -> Any:
    """An ``openai.OpenAI``."""
    return _with_http_client("openai", "OpenAI", backend, paradigm, options)


def async_openai_client(backend: Any, paradigm: str = "auto", **options: Any) -> Any:
    """An ``openai.AsyncOpenAI``."""
    return _with_http_client("openai", "AsyncOpenAI", backend, paradigm, options)


def anthropic_client(backend: Any, paradigm: str = "auto", **options: Any) -> Any:
    """An ``anthropic.Anthropic``."""
    return _with_http_client("anthropic", "Anthropic", backend, paradigm, options)


def async_anthropic_client(backend: Any, paradigm: str = "auto", **options: Any) -> Any:
    """An ``anthropic.AsyncAnthropic``."""
    return _with_http_client("anthropic", "AsyncAnthropic", backend, paradigm, options)


def ollama_client(backend: Any, paradigm: str = "auto", **options: Any) -> Any:
    """An ``ollama.Client``."""
    ours, theirs = _sorted(options)
    transport = ToolTransport(backend, paradigm, **ours)
    return _sdk("ollama").Client(**theirs, transport=transport)


def async_ollama_client(backend: Any, paradigm: str = "auto", **options: Any) -> Any:
    """An ``ollama.AsyncClient``."""
    ours, theirs = _sorted(options)
    transport = AsyncToolTransport(backend, paradigm, **ours)
    return _sdk("ollama").AsyncClient(**theirs, transport=transport)


def _with_http_client(
    package: str, name: str, backend: Any, paradigm: str, options: dict[str, Any]
) -> Any:
    """The client *name* of an SDK that takes an HTTP client."""
    ours, theirs = _sorted(options)
    transport: Any
    if name.startswith("Async"):
        transport, http_client = AsyncToolTransport(backend, paradigm, **ours), _ASYNC
    else:
        transport, http_client = ToolTransport(backend, paradigm, **ours), _SYNC
    sdk = _sdk(package)
    made = getattr(sdk, http_client)(transport=transport)
    return getattr(sdk, name)(**_NO_KEY, **theirs, http_client=made)


def _sorted(options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """*options* of the transport, and of the SDK's own class."""
    known = signature(Transport.__init__).parameters
    ours = {name: value for name, value in options.items() if name in known}
    return ours, {name: value for name, value in options.items() if name not in known}


def _sdk(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise UsageError(f"the package {name!r} is not installed: pip install {name}") from None
