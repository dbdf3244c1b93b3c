"""What a server asks in the middle of a call, put to whoever approves the session's calls.

A form becomes an :class:`~toolproto.conversation.deciding.approvals.ApprovalRequest` whose *tool*
is the form: the message is its description, the schema its parameters, and the arguments are what
would be sent, defaults to begin with. ``Allow(instead=…)`` sends other values. Without an approver,
and outside of a call, the answer is no.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from mcp_types import ElicitRequestFormParams, ElicitRequestParams, ElicitResult

from ...protocol.deciding.decisions import Topic
from ...protocol.messages import CallProblem, ToolCall, random_id
from ...protocol.schemas.tame import tame
from ...protocol.tools.check import check_call
from ...protocol.tools.context import ToolContext
from ...protocol.tools.spec import ToolOffer, ToolSpec
from ..deciding.approvals import Allow, ApprovalRequest, Defer, call_digest
from .words import plain, plain_schema

__all__ = ["Caller", "elicited"]

_LONGEST_MESSAGE = 2_000
_LONGEST_PROGRESS = 200
_NO = ElicitResult(action="decline")
_NOBODY = ElicitResult(action="cancel")


@dataclass(frozen=True, slots=True, eq=False)
class Caller:
    """Who called a tool: the context of the call, and the loop on which it waits."""

    context: ToolContext | None
    loop: asyncio.AbstractEventLoop

    async def heard(self, progress: float, total: float | None, message: str | None) -> None:
        """The server says how far the call is."""
        if self.context is not None:
            self.context.progress(progress, total, plain(message, _LONGEST_PROGRESS))

    async def decide(self, request: ApprovalRequest) -> Any:
        """What the approver of the caller's session says; None if there is nobody."""
        if self.context is None or self.loop.is_closed():
            return None
        asked = asyncio.run_coroutine_threadsafe(self.context.adecide(request), self.loop)
        return await asyncio.wrap_future(asked)


async def elicited(params: ElicitRequestParams, caller: Caller, server: str) -> ElicitResult:
    """What the server is answered."""
    message = plain(params.message, _LONGEST_MESSAGE)
    if not isinstance(params, ElicitRequestFormParams):
        return await _visited(plain(params.url, 2_000), message, caller, server)
    schema, _ = tame(params.requested_schema)
    plain_schema(schema)
    spec = ToolSpec(f"{server}__form", message, schema)
    defaults = {
        name: each["default"]
        for name, each in spec.properties.items()
        if isinstance(each, dict) and "default" in each
    }
    asked = _request(spec, defaults, f"the MCP server {server!r} asks: {message}")
    match await caller.decide(asked):
        case Allow(instead):
            # What is missing or does not fit is no answer that a person meant to give.
            checked = check_call(instead or asked.call, ToolOffer((spec,)))
            if isinstance(checked, CallProblem):
                return _NO
            return ElicitResult(action="accept", content=dict(checked.arguments))
        case None | Defer():
            return _NOBODY
    return _NO


async def _visited(url: str, message: str, caller: Caller, server: str) -> ElicitResult:
    """Ask a person to open *url*; nothing is opened here, and nothing of it is read."""
    spec = ToolSpec(f"{server}__visit", message, {"type": "object", "properties": {"url": {}}})
    reason = f"the MCP server {server!r} asks you to open {url}: {message}"
    match await caller.decide(_request(spec, {"url": url}, reason)):
        case Allow():
            return ElicitResult(action="accept")
        case None | Defer():
            return _NOBODY
    return _NO


def _request(spec: ToolSpec, values: dict[str, Any], reason: str) -> ApprovalRequest:
    call = ToolCall(spec.name, values, random_id())
    asked = (Topic("elicitation", reason, reason),)
    return ApprovalRequest(
        call, spec, "egress", reason, call_digest(call), is_form=True, asked=asked
    )
