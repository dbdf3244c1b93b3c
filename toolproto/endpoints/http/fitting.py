"""Tools as the service behind an endpoint takes them: names that it allows, schemas it compiles.

The original schema judges every call, so what a service is not sent costs nothing but a hint to its
model.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace

from ...protocol.errors import EndpointError
from ...protocol.messages import ChatRequest
from ...protocol.native.offers import Projecting, renamed
from ...protocol.schemas.compiling import COMPILERS, Compiler

__all__ = ["Fitting"]

_LOG = logging.getLogger("toolproto")
#: By the name of a service; all that run a model with llama.cpp compile with it.
_BY_SERVICE = {
    "llama.cpp": "llama.cpp",
    "lm_studio": "llama.cpp",
    "vllm": "xgrammar",
    "sglang": "xgrammar",
    "openai": "openai",
    "ollama": "ollama",
}
_BY_DIALECT = {"anthropic": "anthropic", "google": "gemini", "ollama": "ollama"}


def _compiler(service: str | None, dialect: str) -> Compiler:
    """The compiler of *service*; an unknown one is taken to allow what OpenAI's does."""
    name = _BY_SERVICE.get(service or "") or _BY_DIALECT.get(dialect, "openai")
    compiler = COMPILERS[name]
    # Its API is sent JSON Schema as such (``parametersJsonSchema``), of which it refuses nothing.
    return replace(compiler, rules=(), inlines=False) if name == "gemini" else compiler


class Fitting:
    """Makes requests fit for one service."""

    def __init__(self, service: str | None, dialect: str) -> None:
        self._projecting = Projecting(_compiler(service, dialect))
        self._told: set[str] = set()

    def fitted(self, request: ChatRequest) -> ChatRequest:
        """Return *request* with its tools, calls and results as the service takes them."""
        if request.offer is None:
            return request
        sent = self._projecting.sent(request.offer)
        for note in sent.notes:
            if note not in self._told:
                self._told.add(note)
                _LOG.info("sent otherwise, as the service takes it: %s", note)
        messages = tuple(renamed(request.messages, self._projecting.compiler))
        return replace(request, messages=messages, offer=sent.offer)

    def names(self, request: ChatRequest) -> Mapping[str, str]:
        """Return the program's name for each that the service knows otherwise in *request*."""
        return self._projecting.sent(request.offer).names

    def refused(self, error: EndpointError, request: ChatRequest) -> bool:
        """Whether *request*, whose schemas were refused with *error*, may be sent with less."""
        less = self._projecting.refused(f"{error} {error.body}", request.offer)
        if less:
            names = ", ".join(sorted(less))
            _LOG.warning("refused, so %s is sent with less of its schema: %s", names, error)
        return bool(less)
