"""One answer of a service that has tools: its text, its thoughts and its calls, as events.

The events are those of every reader of replies, so that whatever comes behind it (the check, the
judge, the guard, whoever decides) treats a native call as it treats one that was written as text.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..decoding.contract import Limits
from ..decoding.reply.thinking_tokens import Reasoning
from ..events import Event, ReasoningDelta, TextDelta
from ..messages import IdFactory, NativePiece, random_id
from ..tools.spec import ToolOffer
from .calls import NativeCalls

__all__ = ["NativeReader"]


class NativeReader:
    """Reads one answer to a request with *offer*."""

    def __init__(
        self,
        offer: ToolOffer,
        *,
        ids: IdFactory = random_id,
        reasoning: Reasoning | None = None,
        limits: Limits | None = None,
    ) -> None:
        self._calls = NativeCalls(offer, ids=ids, limits=limits or Limits())

    def feed(self, chunk: str) -> list[Event]:
        """Read more of its text."""
        return [TextDelta(chunk)] if chunk else []

    def think(self, chunk: str) -> list[Event]:
        """Read more of its thinking."""
        return [ReasoningDelta(chunk)] if chunk else []

    def take(self, pieces: Sequence[NativePiece]) -> list[Event]:
        """Read *pieces* of its calls."""
        return self._calls.take(pieces)

    def finish(self, reason: str | None = None) -> list[Event]:
        """Say that the answer is over."""
        return self._calls.finish(reason)

    @property
    def holding(self) -> bool:
        """Is something held back of what came?"""
        return self._calls.holding

    @property
    def changed(self) -> bool:
        """Did something go out otherwise than it came, or not at all?"""
        return self._calls.changed

    @property
    def loose(self) -> bool:
        """Do the pieces of calls lack what clients of some wires need?

        That is a number and an id of its own for each call, and a name only once; or arguments came
        as a value. On wires that are so by design (Ollama's, Google's) it means nothing; on others
        the pieces as they came would break clients.
        """
        return self._calls.loose
