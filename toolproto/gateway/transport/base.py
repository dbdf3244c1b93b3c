"""What both transports are set up with, and what they do alike."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Mapping
from dataclasses import replace
from threading import Lock
from types import ModuleType
from typing import Any

from ...endpoints.apis.asked import ApiFault, BadRequest
from ...endpoints.apis.listing import models_in
from ...endpoints.apis.pieces import Failed
from ...protocol.errors import (
    EndpointError,
    EndpointTimeout,
    ToolProtoError,
    ToolsRefused,
    UsageError,
    WireError,
)
from ...protocol.judge import REASKS
from ...protocol.messages import ChatRequest
from ...protocol.native_mode import Native, checked_native
from ..bridge.failures import failure_of
from ..bridge.paths import usual
from ..bridge.taught import taught
from ..bridge.terms import ModelTerms
from .answering import Answering, ReadyResponse, refused
from .backend import backend_of, timeouts_of
from .desk import Arrived, Desk, HandOn, Looking
from .library import library_of

__all__ = ["Transport"]

#: Seconds: slower than this, people see that words come in heaps.
_SLOWEST = 0.2
#: Bytes of a list of models.
MOST_LISTED = 4 * 1024 * 1024


class Transport:
    """What a transport knows; sends nothing.

    *backend* is the URL of a service that completes text (with ``/v1`` at its end, where it has
    one), an endpoint, or a function from a ChatRequest to text. *paradigm* is how the model is
    taught to call tools: a name, or ``auto`` for what suits the model's name. *dialect* is how
    the service is spoken to, *api_key* is for it; without one, the client's own is passed on.
    *models* gives terms of their own to models, by name or pattern; the other options are the
    terms of all others, as in :class:`~toolproto.gateway.bridge.terms.ModelTerms`. *service* says
    which server it is, so that a grammar can be sent in its words. With *native* ``auto`` the tools
    of a service at a URL are used, unless it refuses them; with ``only``, a refusal is an error. An
    endpoint says itself whether it has tools. Tokens that come faster than
    every *pace* seconds are read together; with 0 each as it comes, which costs several times as
    much.
    """

    _wrapped: Callable[[Any], Any]

    def __init__(
        self,
        backend: Any,
        paradigm: str = "auto",
        *,
        dialect: str = "openai_chat",
        api_key: str | None = None,
        describe: str | None = None,
        teaching: str | None = None,
        examples: bool = False,
        reasks: int = REASKS,
        constrain: str = "auto",
        guard: str = "standard",
        vision: bool = False,
        models: Mapping[str, ModelTerms] | None = None,
        service: str | None = None,
        verify: ssl.SSLContext | bool = True,
        pace: float = 0.05,
        native: Native = "never",
    ) -> None:
        terms = ModelTerms(paradigm, describe, teaching, examples, reasks, constrain, guard, vision)
        for each in (terms, *(models or {}).values()):
            taught("", each)  # a paradigm that there is none of is refused here, not by a request
        if not 0 <= pace <= _SLOWEST:
            raise UsageError(f"pace is {pace!r}; give seconds, from 0 to {_SLOWEST}")
        wrapped = type(self)._wrapped
        self._verify = verify
        checked_native(native)
        self._backend = backend_of(
            backend, wrapped, dialect, api_key, service, verify, pace, native
        )
        self._desk = Desk(self._backend, terms, dict(models or {}))
        #: By what each library reaches the backend itself.
        self._inner: dict[ModuleType, Any] = {}
        self._lock = Lock()

    def __repr__(self) -> str:
        where = self._backend.endpoint if self._backend.url is None else "…"
        return f"{type(self).__name__}({where!r}, paradigm={self._desk.default.paradigm!r})"

    def _reads(self, request: Any) -> bool:
        return self._desk.reads(request.method, usual(request.url.path))

    def _arrived(self, request: Any, body: bytes) -> Arrived:
        headers = {name.lower(): value for name, value in request.headers.items()}
        query = request.url.query.decode("ascii", "replace")
        return Arrived(request.method, usual(request.url.path), query, headers, body)

    def _handed_on(self, request: Any, plan: HandOn, arrived: Arrived) -> Any:
        """The request of the client's library that goes to the backend instead."""
        content = {"stream": request.stream} if plan.content is None else {"content": plan.content}
        library = library_of(request)
        url = library.URL(self._backend.target(plan.path, arrived.query))
        headers = {"host": url.netloc.decode("ascii"), **self._backend.headers(arrived.headers)}
        if plan.content is None:
            kept = ("content-length", "transfer-encoding")
            headers |= {name: arrived.headers[name] for name in kept if name in arrived.headers}
        return library.Request(
            request.method, url, headers=headers, extensions=request.extensions, **content
        )

    def _asking(self, request: Any, arrived: Arrived, plan: Looking) -> Any:
        """The request of the client's library for the backend's list of models."""
        return library_of(request).Request(
            "GET",
            self._backend.target(plan.path),
            headers=self._backend.headers(arrived.headers),
            extensions=request.extensions,
        )

    def _listed(self, plan: Looking, status: int, body: bytes) -> ReadyResponse:
        """What is told of the backend's list, which came with *status*."""
        try:
            models = models_in(body, sees=plan.sees) if status == 200 else plan.otherwise()
            if models is None:
                raise EndpointError("the list of models was refused", status=status)
            return ReadyResponse.of(plan.wanted.answer(models))
        except BadRequest as error:
            return refused(plan.wanted.api, error.fault)
        except EndpointError as error:
            return refused(plan.wanted.api, ApiFault(502, str(error), "upstream_error"))

    def _endpoint(self, answering: Answering, request: Any) -> Any:
        return self._backend.connection(answering.key, timeouts_of(request.extensions))

    def _sent(self, answering: Answering, request: ChatRequest) -> ChatRequest:
        return replace(request, model=answering.model) if self._backend.url else request

    def _refused(self, answering: Answering, error: ToolsRefused) -> None:
        """The service refused the tools of a request for the model of *answering*."""
        self._backend.refused(answering.model, error)

    def _failure(self, request: Any, error: ToolProtoError) -> Failed | Exception:
        """What became of a reply: a failure to tell of, or an error of the client's library.

        Where nothing was answered, clients expect what their library raises: that is how they
        tell a timeout from a refusal.
        """
        library = library_of(request)
        if isinstance(error, EndpointTimeout):
            return _error(library.ReadTimeout, str(error), request)
        if not isinstance(error, EndpointError):
            return Failed(str(error), "invalid_value", 400)
        unanswered = error.status is None and not error.body and not isinstance(error, WireError)
        if unanswered and self._backend.url is not None:
            return _error(library.ConnectError, str(error), request)
        if unanswered:
            return Failed(str(error), "upstream_error", 502)
        return failure_of(error)


def _error(kind: Any, message: str, request: Any) -> Exception:
    made: Exception = kind(message, request=request)
    return made
