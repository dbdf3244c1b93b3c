"""Requests that go to the backend as they came.

That is every request without a word about tools whose client and backend speak the same API: its
answer is handed on unread. One with tools goes there as it is, too, where the backend has tools of
its own (``native``); its answer is read on the way (:mod:`.rescuing`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...endpoints.apis.dialects import get_dialect
from ...endpoints.apis.serving.api import Api
from .config import Upstream
from .relay import Relay, Relayed
from .turns import in_turns
from .upstreams import Backends

__all__ = ["ClientRequest", "Passing", "kept_headers"]

#: Headers of an answer that its client wants; the others are about our connection.
_KEPT = (
    "content-type",
    "retry-after",
    "retry-after-ms",
    "x-should-retry",
    "x-request-id",
    "request-id",
)
#: Headers of a request that belong to its body.
_SENT_ON = ("anthropic-version", "anthropic-beta")
_TOOL_FIELDS = ("tools", "tool_choice", "parallel_tool_calls", "functions", "function_call")


@dataclass(frozen=True, slots=True)
class ClientRequest:
    """A request as it came: *values* are what stands in its *body*."""

    api: Api
    model: str
    body: bytes
    values: Mapping[str, Any]
    key: str | None
    headers: Mapping[str, str]

    @property
    def is_about_tools(self) -> bool:
        """Whether it says a word about tools."""
        return self.api.is_about_tools(self.values)


class Passing:
    """Hands requests on."""

    def __init__(self, backends: Backends, relay: Relay) -> None:
        self._backends = backends
        self._relay = relay

    def fits(self, arrived: ClientRequest) -> bool:
        """Whether the backend speaks the client's API."""
        return self._backends.find(arrived.model).dialect == arrived.api.dialect

    async def send(self, arrived: ClientRequest) -> Relayed:
        """The backend's own answer."""
        api, model, headers = arrived.api, arrived.model, arrived.headers
        upstream = self._backends.find(model)
        return await self._relay.send(
            upstream,
            api.backend_path or get_dialect(upstream.dialect).path,
            self._backends.key(upstream, arrived.key),
            _content(arrived.body, arrived.values, upstream, arrived.is_about_tools),
            headers={name: headers[name] for name in _SENT_ON if name in headers},
        )


def _content(body: bytes, values: Mapping[str, Any], upstream: Upstream, with_tools: bool) -> bytes:
    """*body* for the backend, which may call the model otherwise, or want messages in order.

    Fields about tools that say nothing stay here: a backend without tools refuses them, too.
    """
    idle = () if with_tools else [name for name in _TOOL_FIELDS if name in values]
    changed: dict[str, Any] = {"model": upstream.name_of(values["model"])}
    if upstream.normalize and not with_tools and values.get("messages"):
        changed["messages"] = in_turns(values["messages"])
    if not idle and all(values[name] == value for name, value in changed.items()):
        return body
    kept = {name: value for name, value in values.items() if name not in idle}
    return json.dumps({**kept, **changed}).encode()


def kept_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Of the *headers* of an answer, those that go back with it."""
    # What is no ASCII cannot be sent on, and is nothing that a client could use.
    return {name: headers[name] for name in _KEPT if headers.get(name, "é").isascii()}
