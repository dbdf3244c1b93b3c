"""How many tokens a request has, before it is made: counted where a backend counts, else guessed.

What is counted is what the backend would get: the tools as instructions, the results as text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from ...endpoints.apis.asked import Asked, BadRequest
from ...endpoints.apis.dialects import get_dialect
from ...endpoints.apis.serving.api import Api
from ...endpoints.apis.serving.estimate import estimated
from ...protocol.errors import EndpointError
from ...protocol.messages import ChatRequest
from ..bridge.admission import read_model, read_object
from ..bridge.prompting import first_request
from ..bridge.taught import taught
from ..http_server import read_body
from .beside import LARGE, Beside, has_wide_schemas
from .config import ProxyConfig
from .incoming import check_limits, client_key
from .relay import Relay
from .responding import turned_away
from .streamed import AsciiJson
from .upstreams import Backends

__all__ = ["Counting"]

_MOST_TOLD = 64 * 1024
_Told = Callable[[int], dict[str, Any]]


class Counting:
    """Counts the tokens of requests."""

    def __init__(
        self, config: ProxyConfig, backends: Backends, relay: Relay, beside: Beside
    ) -> None:
        self._config = config
        self._backends = backends
        self._relay = relay
        self._beside = beside

    async def answer(
        self, api: Api, told: _Told, request: Request, given: Mapping[str, Any] | None = None
    ) -> Response:
        """The count, as *told* tells it, of a *request* that speaks *api*."""
        limits = self._config.limits
        try:
            body = await read_body(request, limits.body)
            values = {**read_object(body), **(given or {})}
            check_limits(values, limits)
            model = read_model(values)
            self._backends.find(model)
            is_large = len(body) > LARGE
            asked = await self._beside.run(api.read, values) if is_large else api.read(values)
            return AsciiJson(told(await self._counted(model, asked, client_key(request))))
        except BadRequest as error:
            return turned_away(api, request.url.path, error.fault)
        except ClientDisconnect:
            return Response(status_code=499)

    async def _counted(self, model: str, asked: Asked, key: str | None) -> int:
        paradigm = taught(model, self._config.terms(model))
        if has_wide_schemas(asked):
            request = await self._beside.run(first_request, asked, paradigm)
        else:
            request = first_request(asked, paradigm)
        if self._backends.find(model).dialect == "anthropic":
            count = await self._asked_for(model, request, key)
            if count is not None:
                return count
        return estimated(request.messages)

    async def _asked_for(self, model: str, request: ChatRequest, key: str | None) -> int | None:
        """What Anthropic counts; None if it does not."""
        upstream = self._backends.find(model)
        body = get_dialect("anthropic").body(request, upstream.name_of(model))
        asked = {name: body[name] for name in ("model", "system", "messages") if name in body}
        try:
            relayed = await self._relay.send(
                upstream,
                "/messages/count_tokens",
                self._backends.key(upstream, key),
                json.dumps(asked).encode(),
            )
            told = json.loads(await relayed.read(_MOST_TOLD))
        except (EndpointError, ValueError, RecursionError):
            return None
        count = told.get("input_tokens") if isinstance(told, dict) else None
        return count if type(count) is int else None
