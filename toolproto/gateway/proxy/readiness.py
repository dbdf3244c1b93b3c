"""Whether the backends can be reached: asked when the proxy starts, and by ``GET /readyz``."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from time import monotonic

from ...endpoints.http.address import Address
from ...endpoints.http.model_list import models_path
from ...protocol.errors import EndpointError
from .config import Upstream
from .relay import Relay
from .upstreams import Backends

__all__ = ["Readiness", "unreachable"]

#: How long a backend may take to say anything, and for how long what was found counts: whoever asks
#: needs no key, and a backend is not to be asked by strangers as often as they like.
_SECONDS = 3.0
_COUNTS_FOR = 5.0
_STATUSES = (500, 502, 503, 504)


class Readiness:
    """Whether this process could answer a request that needs a backend."""

    def __init__(self, backends: Backends, relay: Relay) -> None:
        self._backends = backends
        self._relay = relay
        self._lock = asyncio.Lock()
        self._until = 0.0
        self._down: dict[str, str] = {}

    async def down(self) -> dict[str, str]:
        """The backends that cannot be reached, each with the reason, as of a moment ago."""
        async with self._lock:
            if monotonic() >= self._until:
                keys = [self._backends.key(each, None) for each in self._backends.upstreams]
                self._down = await unreachable(self._backends.upstreams, keys, self._relay)
                self._until = monotonic() + _COUNTS_FOR
        return self._down

    async def is_ready(self) -> bool:
        """Whether any backend can be reached.

        Not all of them: a proxy that can serve some of its models is not to be taken out of
        service with the others.
        """
        return len(await self.down()) < len(self._backends.upstreams)


async def unreachable(
    upstreams: Sequence[Upstream], keys: Sequence[str | None], relay: Relay
) -> dict[str, str]:
    """Those of *upstreams* that do not answer, by their addresses, and why."""
    asked = [_reason(each, key, relay) for each, key in zip(upstreams, keys, strict=True)]
    reasons = await asyncio.gather(*asked)
    shown = [Address(each.url).shown for each in upstreams]
    return {place: why for place, why in zip(shown, reasons, strict=True) if why is not None}


async def _reason(upstream: Upstream, key: str | None, relay: Relay) -> str | None:
    """Why *upstream* cannot be reached; None if it says anything, a refusal included."""
    try:
        async with asyncio.timeout(_SECONDS):
            answer = await relay.send(upstream, models_path(upstream.dialect), key, method="GET")
            await answer.close()
    except TimeoutError:
        return f"it did not answer for {_SECONDS:g} seconds"
    except EndpointError as error:
        return str(error)
    return f"it answered {answer.status}" if answer.status in _STATUSES else None
