"""Answering what clients look up before they ask anything."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from ...endpoints.apis.asked import BadRequest
from ...endpoints.apis.listing import Model
from ...endpoints.apis.served import api_at
from ...protocol.errors import EndpointError
from ..bridge.admission import read_object
from ..bridge.failures import failure_of
from ..bridge.lookups import OLLAMA_VERSION, Lookup, lookup, shown_by_ollama
from ..http_server import read_body
from .config import ProxyConfig
from .incoming import client_key
from .listing import Unlisted, served_models
from .others import Others
from .relay import Relay
from .responding import turned_away
from .streamed import AsciiJson
from .upstreams import Backends

__all__ = ["Directory"]


class Directory:
    """Answers what clients look up."""

    def __init__(
        self, config: ProxyConfig, backends: Backends, relay: Relay, others: Others
    ) -> None:
        self._config = config
        self._backends = backends
        self._relay = relay
        self._others = others

    async def listed(self, request: Request) -> Response:
        """The models, or one of them, in the words of the path's API or the client's."""
        found = lookup(request.url.path, request.headers, dict(request.query_params))
        return (
            await self._others.answer(request)
            if found is None
            else await self._told(request, found)
        )

    async def running(self, request: Request) -> Response:
        """The models that are loaded, as Ollama lists them."""
        ours = not self._others.speaks("ollama")
        return await (self.listed(request) if ours else self._others.answer(request))

    async def version(self, request: Request) -> Response:
        """The version of Ollama."""
        if self._others.speaks("ollama"):
            return await self._others.answer(request)
        return AsciiJson({"version": OLLAMA_VERSION})

    async def alive(self, request: Request) -> Response:
        """What Ollama says at its root, which its clients ask for to see whether it is there."""
        return PlainTextResponse("Ollama is running")

    async def show(self, request: Request) -> Response:
        """What Ollama tells of a model: that it takes tools, before all."""
        try:
            values = read_object(await read_body(request, self._config.limits.body))
            name = values.get("model") or values.get("name")
            if not isinstance(name, str):
                raise BadRequest("model is required", "model")
            if self._backends.find(name).dialect == "ollama":
                told = await self._others.told(request, {**values, "model": name})
                if told is not None:
                    return AsciiJson(_with_tools(told))
        except BadRequest as error:
            return turned_away(api_at("/api/show"), request.url.path, error.fault)
        except EndpointError as error:
            return turned_away(api_at("/api/show"), request.url.path, failure_of(error))
        return await self._told(request, shown_by_ollama(name))

    async def _told(self, request: Request, wanted: Lookup) -> Response:
        try:
            return AsciiJson(wanted.answer(await self._models(request, wanted.name)))
        except EndpointError as error:
            return turned_away(wanted.api, request.url.path, failure_of(error))
        except BadRequest as error:
            return turned_away(wanted.api, request.url.path, error.fault)

    async def _models(self, request: Request, name: str | None) -> list[Model]:
        key = client_key(request)
        try:
            return await served_models(self._config, self._backends, self._relay, key)
        except Unlisted as error:
            if name is None or not error.is_there or self._config.upstream(name) is None:
                raise
            # A backend that has no list may well have the model.
            return [Model(name, sees=self._config.terms(name).vision)]


def _with_tools(told: dict[str, Any]) -> dict[str, Any]:
    """What Ollama tells of a model, which takes tools here whatever it says."""
    known = told.get("capabilities")
    capabilities = list(known) if isinstance(known, list) else ["completion"]
    return {**told, "capabilities": list(dict.fromkeys([*capabilities, "tools"]))}
