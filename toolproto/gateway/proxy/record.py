"""What is kept of a request: a line in the log, counts for /metrics, and a span.

None of them holds what was said, unless *log_content* asks for it in the log, and never a key.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from secrets import token_hex
from typing import Any

from ...endpoints.apis.asked import Asked
from ...endpoints.apis.pieces import Failed
from ...endpoints.apis.serving.api import Api, ApiFault
from ...endpoints.tracing import begin_span, chat_attributes
from ...protocol.messages import Usage
from ..bridge.exchange import Exchange
from .log import log_line
from .metrics import Metrics

__all__ = ["Recorder", "RequestRecord"]


class Recorder:
    """Keeps records of the requests of one process."""

    def __init__(self, metrics: Metrics, log_content: bool = False) -> None:
        self.metrics = metrics
        self._log_content = log_content
        #: How many requests are being answered.
        self.open = 0

    def begin(self, model: str, api: Api) -> RequestRecord:
        """A request has come."""
        self.metrics.begun()
        self.open += 1
        return RequestRecord(self, model, api.name, self._log_content)


class RequestRecord:
    """What is known so far of one request."""

    def __init__(self, recorder: Recorder, model: str, api: str, log_content: bool) -> None:
        self.id = token_hex(8)
        self._recorder = recorder
        self.model = model
        self._asked: Asked | None = None
        self._api = api
        self._log_content = log_content
        self._paradigm: str | None = None
        self._is_over = False
        self._begun = time.perf_counter()
        about = {**chat_attributes(model), "toolproto.api": api}
        self._span = begin_span(f"chat {model}", about)

    def taught(self, asked: Asked, paradigm: str) -> None:
        """The model is asked in *paradigm*."""
        self._asked = asked
        self._paradigm = paradigm

    def end(
        self,
        outcome: str,
        exchanges: Sequence[Exchange] = (),
        *,
        status: int | None = 200,
        fault: ApiFault | Failed | None = None,
    ) -> None:
        """The request is over: answered, passed, refused, failed, or left by its client.

        *status* is what its answer had, if there was one; *fault* is what went wrong, which in the
        middle of a stream has a status of its own. Only the first word counts: whoever closes what
        is left may say it again.
        """
        if self._is_over:
            return
        self._is_over = True
        self._recorder.open -= 1
        seconds = time.perf_counter() - self._begun
        usage = sum((each.usage for each in exchanges), Usage())
        line: dict[str, Any] = {
            "request": self.id,
            "api": self._api,
            "model": self.model,
            "paradigm": self._paradigm,
            "outcome": outcome,
            "status": status if fault is None else fault.status,
            "reason": None if fault is None else fault.code,
            "detail": fault.detail if isinstance(fault, Failed) else None,
            "seconds": round(seconds, 4),
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
            "calls": [name for each in exchanges for name in each.called],
            "problems": [problem.kind.value for each in exchanges for problem in each.problems],
            "repairs": [repair for each in exchanges for repair in each.repairs],
            "concerns": [told for each in exchanges for told in each.concerns],
            "reasks": sum(each.reasked for each in exchanges),
            "notes": list(self._asked.notes) if self._asked else [],
            "constrained": next((each.constrained for each in exchanges if each.constrained), None),
        }
        if self._log_content and self._asked is not None:
            line |= _content(self._asked, exchanges)
        log_line(**line)
        self._recorder.metrics.ended(
            self._api, self._paradigm or "none", outcome, seconds, exchanges
        )
        if self._span is not None:
            self._span.set(
                {
                    "gen_ai.usage.input_tokens": usage.input_tokens,
                    "gen_ai.usage.output_tokens": usage.output_tokens,
                    "toolproto.calls": [name for each in exchanges for name in each.called],
                    "toolproto.outcome": outcome,
                }
            )
            self._span.end("upstream_error" if outcome == "failed" else None)


def _content(asked: Asked, exchanges: Sequence[Exchange]) -> dict[str, Any]:
    """What was said: the form that ``toolproto capture`` reads."""
    tools = [
        {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
        for tool in asked.offer.tools
    ]
    messages = [
        {"role": message.role, "content": message.content}
        for exchange in exchanges[:1]
        for message in exchange.request.messages
    ]
    replies = [reply for exchange in exchanges for reply in exchange.heard]
    return {"messages": messages, "tools": tools, "replies": replies}
