"""What people usually write: the tools as JSON Schema, and a pattern with placeholders.

Two such prompts stand in every probe to be beaten. Only their words are generic: they are read as
tolerantly as any paradigm can be, so that they lose nothing to how they are read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from ...protocol.decoding.contract import Decoder
from ...protocol.messages import ToolCall, ToolResult
from ...protocol.paradigms.base import NO_TOOLS, ToolContextDef
from ...protocol.paradigms.json_strict import JsonStrict
from ...protocol.tools.offers import Offerable, as_offer
from ...protocol.tools.spec import ToolOffer

__all__ = ["ArrayBaseline", "Baseline"]

_PROMPT = """\
You have access to the following tools:

{tools}

To use a tool, reply with {{"name": "<tool>", "arguments": {{...}}}}. \
If no tool is needed, answer the user directly."""


_ARRAY_PROMPT = """\
You have access to the following tools (JSON Schema):

{tools}

If a tool is needed, respond only with a JSON array of tool calls: \
[{{"name": "<tool name>", "arguments": {{...}}}}]. Otherwise answer normally."""


class Baseline(ToolContextDef):
    """A JSON Schema dump and ``{"name": "<tool>", "arguments": {...}}``; not registered."""

    name = "baseline"

    def instructions(self, offer: ToolOffer) -> str:
        """The definitions as services take them, and the generic pattern."""
        definitions = [{"type": "function", "function": each} for each in _functions(offer)]
        return _PROMPT.format(tools=_listed(definitions))

    def splice_system_prompt(self, prompt: str, offer: Offerable) -> str:
        """*prompt*, then the instructions: nobody marks where they stand."""
        return f"{prompt}\n\n{self.instructions(as_offer(offer))}".strip()

    def encode_call(self, call: ToolCall) -> str:
        """*call* as the model would have written it."""
        told = {"name": call.name, "arguments": dict(call.arguments)}
        return json.dumps(told, ensure_ascii=False)

    def encode_results(self, results: Sequence[ToolResult]) -> str:
        """Each result behind the name of its tool."""
        return "\n\n".join(
            f"{'Error' if result.is_error else 'Result'} of {result.call.name}:\n{result.content}"
            for result in results
        )

    def decoder(self, offer: ToolOffer = NO_TOOLS) -> Decoder:
        """A reader of every form there is."""
        return JsonStrict(
            ids=self.ids, reasoning=self.reasoning, limits=self.limits, salvage=True
        ).decoder(offer)


class ArrayBaseline(Baseline):
    """A JSON Schema dump and "respond only with a JSON array of tool calls"; not registered."""

    name = "array"

    def instructions(self, offer: ToolOffer) -> str:
        """The functions, and the pattern of an array."""
        return _ARRAY_PROMPT.format(tools=_listed(list(_functions(offer))))

    def encode_call(self, call: ToolCall) -> str:
        """*call* as the model would have written it."""
        return self.encode_calls([call])

    def encode_calls(self, calls: Sequence[ToolCall]) -> str:
        """Several calls in one array."""
        return f"[{', '.join(super(ArrayBaseline, self).encode_call(call) for call in calls)}]"


def _functions(offer: ToolOffer) -> Iterator[dict[str, Any]]:
    for tool in offer.tools:
        yield {
            "name": tool.name,
            "description": tool.description,
            "parameters": dict(tool.parameters),
        }


def _listed(definitions: Sequence[dict[str, Any]]) -> str:
    return json.dumps(definitions, indent=2, ensure_ascii=False)
