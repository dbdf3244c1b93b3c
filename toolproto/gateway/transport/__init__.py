"""Tools for a text model, inside the SDK that a program uses already, without a server.

``OpenAI(http_client=httpx.Client(transport=ToolTransport("http://localhost:8080/v1")))``: what the
SDK sends goes no further than this process, where it is answered as the proxy would, by a model
that can only read and write text. Nothing is bound to a port. Whatever has nothing to do with
tools passes to the backend as it is.

::

    desk.py      what a request comes to, decided without waiting
    backend.py   where the model is: a URL, or an endpoint
    answering.py what the model's pieces make of a response
    library.py   the HTTP library of a request: httpx, or httpx2
    base.py      what both transports do alike
    sync.py      waits; asynchronous.py does so on an event loop
    clients.py   clients of SDKs, ready to use
"""

from __future__ import annotations

from .asynchronous import AsyncToolTransport
from .clients import (
    anthropic_client,
    async_anthropic_client,
    async_ollama_client,
    async_openai_client,
    ollama_client,
    openai_client,
)
from .sync import ToolTransport

__all__ = [
    "AsyncToolTransport",
    "ToolTransport",
    "anthropic_client",
    "async_anthropic_client",
    "async_ollama_client",
    "async_openai_client",
    "ollama_client",
    "openai_client",
]
