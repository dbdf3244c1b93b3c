"""OpenAI's responses: ``POST /v1/responses``.

Translation keeps nothing between requests: what a request leaves to the memory of a service is put
into it before it is read (``proxy/answers.py``).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..asked import ApiFault, Asked, BadRequest
from ..openai_chat.terms import openai_error, openai_shape, read_choice
from ..serving.api import Answer, Stamp
from ..serving.content import Sees, blind
from ..serving.offering import Offering
from ..serving.reading import check_depth, objects, optional, read_numbers, required
from .answer import ResponsesAsked, whole_response
from .items import read_input
from .names import PARAMS
from .stream import ResponseWriter
from .tools import add_tools, loaded_tools

__all__ = ["ResponsesApi"]

#: What only a service with a memory can do, and what to do instead.
_STATEFUL = {
    "conversation": "send the items of the earlier turns as input",
    "background": "wait for the response, or stream it",
    "prompt": "send the text of the prompt as instructions and input",
}


class ResponsesApi:
    """Responses, streamed as named and numbered server-sent events."""

    name = "openai_responses"
    dialect = None
    backend_path = None
    media_type = "text/event-stream"
    keep_alive = ": keep-alive\n\n"

    def is_about_tools(self, body: Mapping[str, Any]) -> bool:
        """Always: no backend speaks this API, so every request is read."""
        return True

    def read(self, body: Mapping[str, Any], sees: Sees = blind) -> Asked:
        """The request in *body*."""
        check_depth(body)
        _refuse_state(body)
        tools = objects(body, "tools")
        offering = Offering()
        add_tools(offering, tools, "tools")
        add_tools(offering, loaded_tools(body.get("input")), "input.tools")
        choice = read_choice(body.get("tool_choice"), "tool_choice")
        parallel = optional(body, "parallel_tool_calls", bool) is not False
        instructions = optional(body, "instructions", str)
        text = optional(body, "text", dict) or {}
        return ResponsesAsked(
            required(body, "model", str),
            tuple(read_input(instructions, body.get("input"), offering, sees)),
            offering.offer(choice, parallel),
            stream=bool(optional(body, "stream", bool)),
            params=_params(body),
            shape=openai_shape(text.get("format"), "text.format"),
            strict=frozenset(offering.strict),
            tools=offering.tools,
            notes=offering.notes,
            size=offering.size,
            instructions=instructions,
            metadata=_metadata(optional(body, "metadata", dict) or {}),
            format=text.get("format") or {"type": "text"},
            definitions=tuple(tools),
            choice=body.get("tool_choice") or "auto",
            previous=optional(body, "previous_response_id", str),
            store=optional(body, "store", bool) is not False,
        )

    def writer(self, asked: Asked, stamp: Stamp) -> ResponseWriter:
        """A writer of the events of a response."""
        return ResponseWriter(asked, stamp)

    def whole(self, asked: Asked, answers: Sequence[Answer], stamp: Stamp) -> dict[str, Any]:
        """A response."""
        return whole_response(asked, answers[0], stamp)

    def error(self, fault: ApiFault) -> dict[str, Any]:
        """OpenAI's error body."""
        return openai_error(fault)


def _refuse_state(body: Mapping[str, Any]) -> None:
    for key, remedy in _STATEFUL.items():
        if body.get(key):
            raise BadRequest(f"{key} cannot be used: nothing is stored here; {remedy}", key)


def _params(body: Mapping[str, Any]) -> dict[str, Any]:
    reasoning = optional(body, "reasoning", dict) or {}
    effort = optional(reasoning, "effort", str, "reasoning.")
    return {**read_numbers(body, PARAMS), **({"reasoning_effort": effort} if effort else {})}


def _metadata(metadata: Mapping[str, Any]) -> dict[str, str]:
    """What the response repeats: text only, which is all that its clients read there."""
    return {
        key: value if isinstance(value, str) else json.dumps(value)
        for key, value in metadata.items()
    }
