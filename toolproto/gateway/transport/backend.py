"""Where the model of a transport is: at a URL, or behind an endpoint that a program has already."""

from __future__ import annotations

import ssl
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any
from urllib.parse import quote

from ...endpoints.apis.dialect import Dialect
from ...endpoints.apis.dialects import get_dialect
from ...endpoints.base import AsyncEndpoint, Endpoint
from ...endpoints.http.address import Address
from ...endpoints.http.http_endpoint import HttpEndpoint
from ...endpoints.http.refusals import Refusals
from ...endpoints.http.retries import Retries
from ...endpoints.http.timeouts import Timeouts
from ...protocol.errors import ToolsRefused, UsageError
from ...protocol.native_mode import Native

__all__ = ["Backend", "backend_of", "timeouts_of"]

#: Endpoints that are kept, each with its connections: one for each key and each set of timeouts.
_MOST_KEPT = 16


def timeouts_of(extensions: Mapping[str, Any]) -> Timeouts:
    """The timeouts that a client's request came with; no *total*, for its client has none."""
    given = extensions.get("timeout") or {}
    silence = given.get("read")
    return Timeouts(given.get("connect"), silence, silence, None)


@dataclass(slots=True)
class Backend:
    """The service at *url*, spoken to in *dialect*; or *endpoint*, if there is no URL.

    *api_key* goes with every request; without one, the client's own does. *native* is whether the
    service at *url* is offered tools in its own way; an endpoint says that itself.
    """

    url: str | None
    dialect: Dialect
    endpoint: Endpoint | AsyncEndpoint | None = None
    api_key: str | None = None
    service: str | None = None
    verify: ssl.SSLContext | bool = True
    pace: float = 0.0
    native: Native = "never"
    _refusals: Refusals = field(default_factory=Refusals)
    _kept: OrderedDict[Any, HttpEndpoint] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def offers_tools(self, model: str, native: Native | None) -> bool:
        """Whether *model* may be offered tools in its service's own way now.

        *native* is what was said of this model, None if nothing was.
        """
        native = native or (self.native if self.url else "auto")
        if native == "never":
            return False
        if self.endpoint is not None:
            return bool(getattr(self.endpoint, "offers_tools", False))
        return self.dialect.has_tools and (native == "only" or model not in self._refusals)

    def refused(self, model: str, error: ToolsRefused) -> None:
        """The service of *model* refused tools."""
        if error.remembered:
            self._refusals.add(model)

    def connection(self, key: str | None, timeouts: Timeouts) -> Any:
        """The endpoint for a request that came with *key*, within *timeouts*.

        UsageError for a key that no header can hold.
        """
        if self.endpoint is not None:
            return self.endpoint
        place = (self.api_key or key, timeouts)
        with self._lock:
            endpoint = self._kept.get(place)
            if endpoint is None:
                endpoint = self._kept[place] = self._opened(*place)
            self._kept.move_to_end(place)
            oldest = self._kept.popitem(last=False)[1] if len(self._kept) > _MOST_KEPT else None
        if oldest is not None:
            oldest.close()  # a reply that is being read goes on to its end
        return endpoint

    def _opened(self, key: str | None, timeouts: Timeouts) -> HttpEndpoint:
        return HttpEndpoint(
            str(self.url),
            model="",
            dialect=self.dialect.writing_calls(),
            api_key=key,
            timeouts=timeouts,
            # The client knows best whether to try again.
            retries=Retries(attempts=1),
            service=self.service,
            verify=self.verify,
            pace=self.pace,
            native="auto" if self.dialect.has_tools else "never",
        )

    def emptied(self) -> list[HttpEndpoint]:
        """The endpoints that were kept, for somebody to close."""
        with self._lock:
            kept = list(self._kept.values())
            self._kept.clear()
        return kept

    def speaks(self, path: str, is_anthropic: bool) -> bool:
        """Whether *path* is one of the API that the service speaks."""
        if path.startswith("/api/"):
            return self.dialect.name == "ollama"
        if path.startswith("/v1/messages") or (is_anthropic and path.startswith("/v1/")):
            return self.dialect.name == "anthropic"
        # Ollama has OpenAI's API beside its own.
        return path.startswith("/v1/") and self.dialect.name != "anthropic"

    def target(self, path: str, query: str = "") -> str:
        """The URL of what clients have at *path*; UsageError if it leads out of the service."""
        if {".", ".."} & set(path.split("/")) or "\\" in path or not path.isprintable():
            raise UsageError(f"{path[:80]!r} is not a path of a service")
        inner = path if self.dialect.name == "ollama" else path.removeprefix("/v1")
        inner = quote(inner, safe="/:@!$&'()*+,;=~-._")
        address = Address(str(self.url), self.dialect.path)
        return address.target(f"{inner}?{query}" if query else inner)

    def headers(self, given: Mapping[str, str]) -> dict[str, str]:
        """What goes with a request that is handed on: *given*, with our key if there is one."""
        address = Address(str(self.url), self.dialect.path)
        ours = {name.lower(): value for name, value in address.headers.items()}
        if self.api_key is not None:
            ours |= {k.lower(): v for k, v in self.dialect.headers(self.api_key).items()}
        secret = ("authorization", "x-api-key", "x-goog-api-key") if ours else ()
        # What is about the client's own connection is not handed on.
        left = ("host", "content-length", "transfer-encoding", "connection", *secret)
        return {**{k.lower(): v for k, v in given.items() if k.lower() not in left}, **ours}


def backend_of(
    given: Any,
    wrapped: Callable[[Any], Endpoint | AsyncEndpoint],
    dialect: str,
    api_key: str | None,
    service: str | None,
    verify: ssl.SSLContext | bool,
    pace: float,
    native: Native,
) -> Backend:
    """The backend that *given* means: a URL, or what *wrapped* makes an endpoint of."""
    spoken = get_dialect(dialect)
    if isinstance(given, str):
        Address(given, spoken.path)
        return Backend(given, spoken, None, api_key or None, service, verify, pace, native)
    return Backend(None, spoken, wrapped(given))
