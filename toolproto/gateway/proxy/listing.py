"""Which models there are, asked of every backend."""

from __future__ import annotations

import asyncio

from ...endpoints.apis.listing import Model, models_in
from ...endpoints.http.model_list import MOST_BYTES, models_path
from ...protocol.errors import EndpointError
from .config import ProxyConfig, Upstream
from .relay import Relay
from .upstreams import Backends

__all__ = ["Unlisted", "key_for_all", "served_models"]


class Unlisted(EndpointError):
    """No backend lists its models; *is_there* if one of them answered at least."""

    def __init__(self, message: str, is_there: bool) -> None:
        super().__init__(message)
        self.is_there = is_there


async def served_models(
    config: ProxyConfig, backends: Backends, relay: Relay, client_key: str | None
) -> list[Model]:
    """The models of all *backends*; EndpointError if none answers.

    Nobody knows for which of several backends *client_key* is; then it goes to none of them.
    """
    client_key = key_for_all(backends, client_key)
    asked = [
        _models(upstream, relay, backends.key(upstream, client_key), config)
        for upstream in backends.upstreams
    ]
    answers = await asyncio.gather(*asked, return_exceptions=True)
    lists = [answer for answer in answers if isinstance(answer, list)]
    if not lists:
        is_there = any(isinstance(each, EndpointError) and each.status for each in answers)
        raise Unlisted("no upstream lists its models", is_there)
    return [model for models in lists for model in models]


def key_for_all(backends: Backends, client_key: str | None) -> str | None:
    """*client_key*, if a request that names no model may take it along."""
    keyless = sum(upstream.api_key_env is None for upstream in backends.upstreams)
    return client_key if keyless <= 1 else None


async def _models(
    upstream: Upstream, relay: Relay, key: str | None, config: ProxyConfig
) -> list[Model]:
    path = models_path(upstream.dialect)
    async with asyncio.timeout(10):
        answer = await relay.send(upstream, path, key, method="GET")
        body = await answer.read(MOST_BYTES)
    if answer.status != 200:
        raise EndpointError("the list of models was refused", status=answer.status)
    added = upstream.prefix if upstream.prefix.endswith("/") else ""
    return models_in(body, added, lambda name: config.terms(name).vision)
