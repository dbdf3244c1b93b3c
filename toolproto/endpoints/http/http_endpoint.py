"""A chat service that is reached over HTTP."""

from __future__ import annotations

import json
import logging
import os
import ssl
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any, Self
from weakref import finalize

from ...protocol.errors import EndpointError, UsageError
from ...protocol.messages import Attachment, ChatRequest
from ...protocol.native_mode import Native, checked_native
from ...protocol.params import merged, present
from ...protocol.secrets import Redactor, names_a_secret
from ..apis.dialect import Dialect
from ..apis.dialects import get_dialect
from ..attachments import check_attachments
from .address import Address
from .exchange import Service, WithTools
from .fitting import Fitting
from .holding import AsyncHeldStream, HeldStream, Holding
from .http import AsyncLines, HttpClient, Line, Lines, lent_client
from .http_astream import AsyncHttpStream
from .http_stream import HttpStream
from .model_list import fetch_model_names, models_path
from .refusals import Refusals
from .retries import Retries
from .services import service_at
from .timeouts import Timeouts

__all__ = ["HttpEndpoint", "secrets_of", "sent_headers"]

_LOG = logging.getLogger("toolproto")


class HttpEndpoint:
    """A chat service at *url* that speaks *dialect*.

    Its key is *api_key*, or the value of the environment variable *api_key_env*; if the service
    refuses, the error names this variable. *params* are generation parameters for every request
    (those of a request win); *extra_body* is merged last into what is sent, whatever the dialect;
    *headers* go with every request. *verify* is False, True or an SSL context. *service* says which
    server this is (``llama.cpp``, ``vllm``, ``sglang``, ``openai``, ``lm_studio``, ``ollama``), if
    the address does not show it, so that a grammar can be sent in the server's notation. *vision*
    says whether the model sees pictures: if True, tools may show it some; if False, the user's
    pictures are refused, too. *native* says whether tools go to the service in its own way:
    ``"never"``, or ``"auto"`` (unless it refuses them: then a paradigm teaches them), or ``"only"``
    (a refusal is an error). With a *pace*, tokens that arrive within so many seconds are read
    together, which costs a busy process far less. *http_client* is an ``httpx.Client`` (for
    ``stream``) or an ``httpx.AsyncClient`` (for ``astream``) of the program's own, with its
    transport, proxies, certificates and instrumentation; it is never closed here. May be shared by
    threads and event loops; connections are kept for the next request until :meth:`close` or
    :meth:`aclose`, after which it may be used again. No key is shown by its repr, its errors or a
    log.
    """

    def __init__(
        self,
        url: str,
        *,
        model: str,
        api_key: str | None = None,
        api_key_env: str | None = None,
        dialect: str | Dialect = "openai_chat",
        params: Mapping[str, Any] | None = None,
        extra_body: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        timeouts: Timeouts | None = None,
        retries: Retries | None = None,
        verify: ssl.SSLContext | bool = True,
        random: Random | None = None,
        service: str | None = None,
        pace: float = 0.0,
        vision: bool | None = None,
        native: Native = "never",
        http_client: HttpClient | None = None,
    ) -> None:
        self._lent = lent_client(http_client)
        if http_client is not None and verify is not True:
            raise UsageError("verify is for connections of its own: give it to the http_client")
        self.model = model
        self.vision = vision
        self._params = dict(params or {})
        self._extra_body = dict(extra_body or {})
        self._verify = verify
        if api_key is None and api_key_env:
            api_key = os.environ.get(api_key_env)
        api_key = api_key or None  # an empty variable of the environment is no key
        chosen = get_dialect(dialect)
        #: Whether tools go to the service in its own way.
        self.native = _native(native, chosen)
        self._refusals = Refusals()
        address = self._address = Address(url, chosen.path)
        #: Whether the service takes grammars.
        known = service or service_at(url, chosen.name)
        self.holding = Holding(known)
        self._fitting = Fitting(known, chosen.name)
        sent = sent_headers(chosen, address, api_key, headers or {})
        self._service = Service(
            url=address.target(chosen.path),
            shown=address.shown,
            headers=sent,
            dialect=chosen,
            redact=Redactor(secrets_of(address, sent, api_key)),
            timeouts=timeouts or Timeouts(),
            retries=retries or Retries(),
            random=random or Random(),
            has_key=any(map(names_a_secret, sent)),
            key_variable=api_key_env or "",
            joins=pace > 0,
        )
        self._models_url = address.target(models_path(chosen.name))
        self._pace = pace
        self._open_lines()
        self._async_lines = AsyncLines(verify, pace, self._lent.awaited)

    def __repr__(self) -> str:
        return f"HttpEndpoint({self._service.shown!r}, model={self.model!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    @property
    def redactor(self) -> Redactor:
        """Takes this endpoint's keys out of a text."""
        return self._service.redact

    @property
    def offers_tools(self) -> bool:
        """Whether a request may carry an offer of tools now.

        With ``native="auto"`` it may not for ten minutes after the service said that it has none.
        """
        return self.offers_tools_to(self.model)

    def offers_tools_to(self, model: str) -> bool:
        """Whether a request for *model* may carry an offer of tools now."""
        if self.native == "never" or not self._dialect.has_tools:
            return False
        return self.native == "only" or model not in self._refusals

    def stream(self, request: ChatRequest, /) -> HttpStream | HeldStream:
        """The reply to *request*, for synchronous code."""
        held = self.holding.held(request, {**self._params, **self._extra_body})
        if held is None:
            return self._stream(request)
        plain = partial(self._stream, request)
        return HeldStream(self._stream(held), plain, self.holding, request.constraint)

    def astream(self, request: ChatRequest, /) -> AsyncHttpStream | AsyncHeldStream:
        """The reply to *request*, for asynchronous code."""
        held = self.holding.held(request, {**self._params, **self._extra_body})
        if held is None:
            return self._astream(request)
        plain = partial(self._astream, request)
        return AsyncHeldStream(self._astream(held), plain, self.holding, request.constraint)

    def models(self, seconds: float = 10.0) -> list[str]:
        """The names of the models that the service lists; EndpointError if it lists none."""
        self._refuse(self._lent.awaited)
        line = Line(self._verify, 0.0, self._lent.plain, seconds if self._lent.plain else None)
        return fetch_model_names(self._service, self._models_url, line, seconds)

    def _stream(self, request: ChatRequest) -> HttpStream:
        self._refuse(self._lent.awaited)
        return HttpStream(self._at(request), self._lines, self._content(request))

    def _astream(self, request: ChatRequest) -> AsyncHttpStream:
        self._refuse(self._lent.plain)
        return AsyncHttpStream(self._at(request), self._async_lines, self._content(request))

    def _refuse(self, other: HttpClient | None) -> None:
        """Raise UsageError if the client that was lent is one for the *other* way of asking."""
        if other is not None:
            told = "stream asks over an httpx.Client, astream over an httpx.AsyncClient"
            raise UsageError(f"http_client is an httpx.{type(other).__name__}; {told}")

    @property
    def _dialect(self) -> Dialect:
        return self._service.dialect

    def _at(self, request: ChatRequest) -> Service:
        """The service, where it takes requests for the model of this one, and as it answers it."""
        service, model = self._service, request.model or self.model
        if request.offer is not None:
            service = replace(
                service,
                dialect=service.dialect.answering(request),
                with_tools=WithTools(
                    partial(self._remember, model),
                    partial(self._sent_again, request),
                    self._fitting.names(request),
                ),
            )
        path = service.dialect.path_of(model)
        if path == service.dialect.path:
            return service
        return replace(service, url=self._address.target(path))

    def _sent_again(self, request: ChatRequest, error: EndpointError) -> bytes | None:
        """What to send in the place of *request*, whose schemas were refused; None if nothing."""
        return self._content(request) if self._fitting.refused(error, request) else None

    def _remember(self, model: str, error: EndpointError) -> None:
        """The service says that *model* has no tools."""
        self._refusals.add(model)
        if self.native == "auto":
            told = self.redactor(str(error))
            _LOG.warning("%s: %r has no tools, so it is taught a paradigm: %s", self, model, told)

    def close(self) -> None:
        """Close the idle connections of ``stream``; a running reply continues to its end."""
        close_lines = self._close_lines
        self._open_lines()
        close_lines()

    async def aclose(self) -> None:
        """Close the connections of the running event loop, and those of ``stream``."""
        self.close()
        await self._async_lines.close()

    def _open_lines(self) -> None:
        patience = self._service.timeouts.patience if self._lent.plain else None
        self._lines = Lines(self._verify, self._pace, self._lent.plain, patience)
        # Called by close(), or when the endpoint is dropped by somebody who forgot to.
        self._close_lines = finalize(self, self._lines.close)

    def sees(self, attachment: Attachment) -> bool:
        """Whether the model may be shown *attachment* although the user did not attach it."""
        return self.vision is True and self._service.dialect.takes(attachment)

    def refusal(self, attachment: Attachment) -> str:
        """Why *attachment* cannot be sent; empty if it can."""
        dialect = self._service.dialect
        if self.vision is False:
            return f"[{attachment}]: {self.model!r} sees no pictures (vision=False)"
        if not dialect.takes(attachment):
            return f"[{attachment}] cannot be sent in the dialect {dialect.name!r}"
        return ""

    def check(self, request: ChatRequest) -> None:
        """Raise UsageError if *request* cannot be sent."""
        self._content(request)

    def _content(self, request: ChatRequest) -> bytes:
        check_attachments(request, self.refusal)
        if request.offer is not None and (self.native == "never" or not self._dialect.has_tools):
            raise UsageError(
                f"{self!r} was given tools for the service's own way of calling them; "
                + _why_no_tools(self._dialect)
            )
        request = self._fitting.fitted(request)
        request = replace(request, params=merged(self._params, request.params))
        body = self._dialect.body(request, request.model or self.model)
        body = present(merged(body, self._extra_body))
        try:
            text = json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        except (TypeError, ValueError) as error:
            raise UsageError(f"the request cannot be written as JSON: {error}") from None
        # A lone surrogate, half of a character that was cut in two, has no bytes.
        return text.encode("utf-8", "replace")


def _native(said: Native, dialect: Dialect) -> Native:
    """Return what is *said* of tools; UsageError if *dialect* cannot do so."""
    native = checked_native(said)
    if native == "only" and not dialect.has_tools:
        raise UsageError(f"native='only' cannot work: {_why_no_tools(dialect)}")
    return native


def _why_no_tools(dialect: Dialect) -> str:
    if dialect.has_tools:
        return "give it native='auto' or native='only'"
    return f"the dialect {dialect.name!r} has no tools"


def sent_headers(
    dialect: Dialect, address: Address, api_key: str | None, own: Mapping[str, str]
) -> dict[str, str]:
    """What goes with every request; UsageError for a key that no header can hold."""
    headers = {
        "content-type": "application/json",
        "accept": "text/event-stream, application/x-ndjson, application/json",
        # A packed stream arrives in blocks, not in tokens, and may unpack to anything.
        "accept-encoding": "identity",
        "user-agent": "toolproto",
        **address.headers,
    }
    for name, value in (*dialect.headers(api_key).items(), *own.items()):
        if not value.isascii() or not value.isprintable() or not value:
            raise UsageError(f"the header {name!r} (or the key in it) is not plain ASCII text")
        if name.lower() == "accept-encoding":
            raise UsageError("replies are read as they are; leave out the header 'accept-encoding'")
        headers[name.lower()] = value
    return headers


def secrets_of(address: Address, headers: Mapping[str, str], api_key: str | None) -> Iterable[str]:
    """Every text that must not be seen: the key, and what looks like one in headers and URL."""
    if api_key is not None:
        yield api_key
    for name, value in headers.items():
        if names_a_secret(name):
            yield value
            yield value.rpartition(" ")[2]  # without "Bearer"
    yield from address.secrets()
