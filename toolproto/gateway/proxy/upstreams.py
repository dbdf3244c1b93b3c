"""The backends of a proxy: which endpoint a request goes to, and with whose key."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace

from ...endpoints import HttpEndpoint, Retries
from ...endpoints.apis.asked import BadRequest
from ...endpoints.apis.dialects import get_dialect
from ...endpoints.http.refusals import Refusals
from ...protocol.errors import UsageError
from ...protocol.native_mode import Native
from ..http_server import key_in
from .config import ProxyConfig, Upstream

__all__ = ["Backends"]

#: Endpoints that are kept, each with its connections: one for each backend, model and key.
_MOST_KEPT = 64


class Backends:
    """Endpoints, made when they are first needed."""

    def __init__(self, config: ProxyConfig) -> None:
        self._config = config
        #: Backends and models that said lately that they have no tools.
        self._refusals = Refusals()
        self._kept: OrderedDict[tuple[Upstream, str, str | None], HttpEndpoint] = OrderedDict()

    @property
    def upstreams(self) -> tuple[Upstream, ...]:
        """All of them."""
        return self._config.upstreams

    def find(self, model: str) -> Upstream:
        """The backend of *model*."""
        upstream = self._config.upstream(model)
        if upstream is None:
            prefixes = ", ".join(repr(each.prefix) for each in self._config.upstreams)
            told = f"no upstream serves {model!r}; models here begin with: {prefixes}"
            raise BadRequest(told, "model", "model_not_found", 404)
        return upstream

    def key(self, upstream: Upstream, client_key: str | None) -> str | None:
        """The key for *upstream*: the proxy's own, or the client's."""
        if upstream.api_key_env is not None:
            return key_in(upstream.api_key_env)
        # The client's key was for the proxy itself: it is nobody else's business.
        return None if self._config.key_env is not None else client_key

    async def native(self, model: str, client_key: str | None) -> Native:
        """Whether *model* is offered tools in its service's own way now."""
        endpoint = await self.endpoint(model, client_key)
        has_none = endpoint.native != "only" and (self.find(model), model) in self._refusals
        return endpoint.native if endpoint.offers_tools and not has_none else "never"

    def refuse(self, model: str) -> None:
        """The backend of *model* says that there are no tools for it."""
        self._refusals.add((self.find(model), model))

    async def endpoint(self, model: str, client_key: str | None) -> HttpEndpoint:
        """The endpoint that serves *model*."""
        upstream = self.find(model)
        key = self.key(upstream, client_key)
        native = self._config.terms(model).native or upstream.native
        place = (replace(upstream, native=native), upstream.name_of(model), key)
        endpoint = self._kept.get(place) or _opened(*place, self._config.pace)
        self._kept[place] = endpoint
        self._kept.move_to_end(place)
        if len(self._kept) > _MOST_KEPT:
            _, oldest = self._kept.popitem(last=False)
            await oldest.aclose()
        return endpoint

    async def close(self) -> None:
        """Close every connection."""
        while self._kept:
            await self._kept.popitem()[1].aclose()


def _opened(upstream: Upstream, model: str, key: str | None, pace: float) -> HttpEndpoint:
    try:
        return HttpEndpoint(
            upstream.url,
            model=model,
            dialect=get_dialect(upstream.dialect).writing_calls(),
            api_key=key,
            # The client knows best whether to try again.
            retries=Retries(attempts=1),
            service=upstream.service,
            pace=pace,
            native=upstream.native,
        )
    except UsageError as error:
        raise BadRequest(f"the key cannot be passed on: {error}", None, "invalid_api_key") from None
