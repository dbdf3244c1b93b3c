"""Services that refused tools: what their error means, and remembering it for a while.

Not for ever: a server may be started again with tools, and a gateway may find another backend.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable

from ...protocol.errors import EndpointError, ToolsRefused
from ..apis.tool_refusals import ToolRefusal, tool_refusal

__all__ = ["Refusals", "tools_refused"]

_SECONDS = 600.0
_MOST = 1024


class Refusals:
    """Places (a model, or an upstream and a model) that said lately that they have no tools.

    May be used by several threads. *clock* is monotonic, and counts seconds.
    """

    def __init__(
        self, seconds: float = _SECONDS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._seconds = seconds
        self._clock = clock
        self._until: dict[Hashable, float] = {}

    def add(self, place: Hashable) -> None:
        """*place* has no tools."""
        now = self._clock()
        others = [each for each in self._until.items() if each[1] > now and each[0] != place]
        self._until = dict([*others[1 - _MOST :], (place, now + self._seconds)])

    def __contains__(self, place: Hashable) -> bool:
        return self._until.get(place, 0.0) > self._clock()


def tools_refused(error: EndpointError) -> ToolsRefused | None:
    """Return *error* as a refusal of tools, if that is what it is."""
    kind = tool_refusal(error.status, error.body or str(error))
    if kind is None:
        return None
    refused = ToolsRefused(
        str(error), status=error.status, body=error.body, retry_after=error.retry_after
    )
    refused.remembered = kind is ToolRefusal.NO_TOOLS
    refused.by_schema = kind is ToolRefusal.SCHEMA
    return refused
