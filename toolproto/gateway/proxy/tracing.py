"""Spans by OpenTelemetry's conventions for generative AI, where its API is installed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from ...protocol.messages import Usage

__all__ = ["TraceSpan", "begin_span"]


class TraceSpan:
    """One request to a model; does nothing where nobody traces."""

    def __init__(self, span: Any = None) -> None:
        self._span = span

    def end(self, outcome: str, usage: Usage, calls: Sequence[str]) -> None:
        """The request is over."""
        if self._span is None:
            return
        self._span.set_attribute("gen_ai.usage.input_tokens", usage.input_tokens)
        self._span.set_attribute("gen_ai.usage.output_tokens", usage.output_tokens)
        self._span.set_attribute("toolproto.calls", list(calls))
        self._span.set_attribute("toolproto.outcome", outcome)
        if outcome == "failed":
            self._span.set_attribute("error.type", "upstream_error")
        self._span.end()


def begin_span(model: str, api: str) -> TraceSpan:
    """The span of a request for *model*."""
    tracer = _tracer()
    if tracer is None:
        return TraceSpan()
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "toolproto",
        "gen_ai.request.model": model,
        "toolproto.api": api,
    }
    return TraceSpan(tracer.start_span(f"chat {model}", attributes=attributes))


@cache
def _tracer() -> Any:
    try:
        from opentelemetry import trace
    except ModuleNotFoundError:
        return None
    return trace.get_tracer("toolproto.proxy")
