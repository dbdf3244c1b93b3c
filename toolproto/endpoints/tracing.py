"""Spans by OpenTelemetry's conventions for generative AI, for programs that trace.

https://opentelemetry.io/docs/specs/semconv/gen-ai/: ``chat`` is a request to a model,
``execute_tool`` a call that runs, ``invoke_agent`` a turn with both in it. What was said is never
in them. OpenTelemetry is no dependency: whoever traces has imported it already.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AbstractContextManager
from time import time_ns
from typing import Any

from ..protocol.messages import Chunk
from .base import Abortable

__all__ = ["AsyncWithin", "TracedSpan", "Within", "begin_span", "chat_attributes"]

_PROVIDER = "toolproto"


class TracedSpan:
    """Something that takes time, while it goes on."""

    def __init__(self, span: Any) -> None:
        self._span = span
        self._is_over = False
        self._end: int | None = None

    def set(self, attributes: Mapping[str, Any]) -> None:
        """Tell more of it."""
        self._span.set_attributes(attributes)

    def stop_clock(self) -> None:
        """It ends now, whenever :meth:`end` is called."""
        self._end = self._end or time_ns()

    def end(self, error: str | None = None) -> None:
        """It is over, because of *error* if that is given. Only the first end counts."""
        if self._is_over:
            return
        self._is_over = True
        if error is not None:
            trace = sys.modules["opentelemetry.trace"]
            self._span.set_attribute("error.type", error)
            self._span.set_status(trace.Status(trace.StatusCode.ERROR))
        self._span.end(self._end)

    def current(self) -> AbstractContextManager[Any]:
        """Make it the one that other spans begin in."""
        use: AbstractContextManager[Any] = sys.modules["opentelemetry.trace"].use_span(
            self._span, record_exception=False, set_status_on_exception=False
        )
        return use

    def adopt(self) -> None:
        """Make it the one that other spans begin in, for the rest of this thread or task."""
        within = sys.modules["opentelemetry.trace"].set_span_in_context(self._span)
        sys.modules["opentelemetry.context"].attach(within)

    def inner(self, name: str, attributes: Mapping[str, Any], kind: str = "INTERNAL") -> TracedSpan:
        """Begin a span of that kind within it."""
        trace = sys.modules["opentelemetry.trace"]
        within = trace.set_span_in_context(self._span)
        of_kind = trace.SpanKind[kind]
        tracer = trace.get_tracer(_PROVIDER)
        return TracedSpan(tracer.start_span(name, within, kind=of_kind, attributes=attributes))


def begin_span(name: str, attributes: Mapping[str, Any]) -> TracedSpan | None:
    """Begin a span within the one that goes on here; None if nobody traces."""
    trace = sys.modules.get("opentelemetry.trace")
    if trace is None:
        return None
    span = trace.get_tracer(_PROVIDER).start_span(name, attributes=attributes)
    return TracedSpan(span) if span.is_recording() else None


def chat_attributes(model: str) -> dict[str, Any]:
    """Return what is known of a request to *model* when it begins."""
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": _PROVIDER,
        "gen_ai.request.model": model,
    }


class Within:
    """A reply that is read within *span*: what its transport traces belongs there."""

    def __init__(self, chunks: Iterator[Chunk], span: TracedSpan) -> None:
        self._chunks = chunks
        self._span = span

    def __iter__(self) -> Iterator[Chunk]:
        return self

    def __next__(self) -> Chunk:
        with self._span.current():
            return next(self._chunks)

    def abort(self) -> None:
        """End the reply, if it can be ended."""
        if isinstance(self._chunks, Abortable):
            self._chunks.abort()


class AsyncWithin:
    """The same, for an event loop."""

    def __init__(self, chunks: AsyncIterator[Chunk], span: TracedSpan) -> None:
        self._chunks = chunks
        self._span = span

    def __aiter__(self) -> AsyncIterator[Chunk]:
        return self

    async def __anext__(self) -> Chunk:
        with self._span.current():
            return await anext(self._chunks)
