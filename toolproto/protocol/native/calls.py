"""The calls that a service sends as such, put together from their pieces."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..decoding.contract import Limits
from ..decoding.values.lenient import read_all
from ..events import ArgumentsDelta, CallCompleted, CallRejected, CallStarted, Event
from ..messages import CallProblem, IdFactory, NativePiece, ProblemKind, ToolCall, random_id
from ..tools.spec import ToolOffer

__all__ = ["NativeCalls"]


@dataclass(slots=True)
class _Call:
    """One call, as far as its pieces have come."""

    index: int
    slot: int | None
    id: str
    name: str
    written: list[str] = field(default_factory=list)
    value: Any = None


class NativeCalls:
    """The calls of one answer to a request with *offer*."""

    def __init__(
        self, offer: ToolOffer, *, ids: IdFactory = random_id, limits: Limits | None = None
    ) -> None:
        self._offer = offer
        self._ids = ids
        self._limits = limits or Limits()
        self._made: list[_Call] = []

    def take(self, pieces: Sequence[NativePiece]) -> list[Event]:
        """Read *pieces*; what they bring."""
        return [event for piece in pieces for event in self._taken(piece)]

    def finish(self, reason: str | None = None) -> list[Event]:
        """The answer is over: every call is whole, or is none."""
        return [event for call in self._made for event in self._ended(call)]

    def _taken(self, piece: NativePiece) -> list[Event]:
        events: list[Event] = []
        call = self._made[-1] if self._made else None
        if call is None or (piece.name and piece.id != call.id):
            id = piece.id or self._ids()
            call = _Call(len(self._made), piece.slot, id, piece.name)
            self._made.append(call)
            events.append(CallStarted(call.index, call.name, call.id))
        if not isinstance(piece.arguments, str):
            call.value = piece.arguments
        elif piece.arguments:
            call.written.append(piece.arguments)
            events.append(ArgumentsDelta(call.index, piece.arguments))
        return events

    def _ended(self, call: _Call) -> list[Event]:
        raw, value = "".join(call.written), call.value
        if value is None:
            reading = read_all(raw or "{}")
            value = reading.value if reading else None
        if not isinstance(value, Mapping):
            told = "its arguments are no JSON object"
            problem = CallProblem(ProblemKind.MALFORMED, told, raw, name=call.name)
            return [CallRejected(call.index, problem)]
        written = [] if raw else [ArgumentsDelta(call.index, json.dumps(value))]
        whole = ToolCall(call.name, value, call.id, raw)
        return [*written, CallCompleted(call.index, whole)]
