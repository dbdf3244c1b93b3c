"""Requests that need nothing from us: they go to the backend as they came, and so do the answers.

That is every request without a word about tools whose client and backend speak the same API. With
``native = "auto"`` those with tools go first as they are, too: a backend that refuses them is
remembered for a while, and taught a paradigm meanwhile.
"""

from __future__ import annotations

import json
import time
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from ...endpoints.apis.dialects import get_dialect
from ...endpoints.apis.serving.api import Api
from .config import Upstream
from .relay import Relay, Relayed
from .turns import in_turns
from .upstreams import Backends

__all__ = ["Passing", "kept_headers"]

#: What a backend may answer to tools that it does not know.
_REFUSALS = (400, 404, 405, 415, 422, 500, 501)
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


class Passing:
    """Hands requests on, unread."""

    def __init__(self, backends: Backends, relay: Relay) -> None:
        self._backends = backends
        self._relay = relay
        self._refusals = _Refusals()

    async def attempt(
        self,
        api: Api,
        model: str,
        body: bytes,
        values: Mapping[str, Any],
        key: str | None,
        headers: Mapping[str, str],
    ) -> Relayed | None:
        """The backend's own answer, or None if the request needs a paradigm, or to be translated.

        *values* are what stands in *body*, *headers* are those it came with.
        """
        upstream = self._backends.find(model)
        if upstream.dialect != api.dialect:
            return None
        place, with_tools = (upstream, model), api.is_about_tools(values)
        if with_tools and (upstream.native == "never" or place in self._refusals):
            return None
        answer = await self._relay.send(
            upstream,
            api.backend_path or get_dialect(upstream.dialect).path,
            self._backends.key(upstream, key),
            _content(body, values, upstream, with_tools),
            headers={name: headers[name] for name in _SENT_ON if name in headers},
        )
        if not with_tools or answer.status not in _REFUSALS:
            return answer
        # Anything may have been wrong with this one request. Whatever it was, a backend that is
        # asked without tools will say it again; only what speaks of tools is about them.
        told = (await answer.told()).lower()
        if "tool" in told or "function" in told:
            self._refusals.add(place)
        return None


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


class _Refusals:
    """Backends and models that refused tools of their own lately.

    Not for ever: a server may be restarted with them, and one request with a schema that only this
    backend dislikes must not decide for all others.
    """

    _MOST = 1024
    _SECONDS = 600.0

    def __init__(self) -> None:
        self._until: OrderedDict[tuple[Upstream, str], float] = OrderedDict()

    def add(self, place: tuple[Upstream, str]) -> None:
        self._until[place] = time.monotonic() + self._SECONDS
        self._until.move_to_end(place)
        if len(self._until) > self._MOST:
            self._until.popitem(last=False)

    def __contains__(self, place: tuple[Upstream, str]) -> bool:
        return self._until.get(place, 0.0) > time.monotonic()
