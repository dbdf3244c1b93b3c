"""What people usually write: the tools as JSON Schema, and a pattern with placeholders.

It stands in every probe to be beaten. Only its words are generic: it is read as tolerantly as any
paradigm can be, so that it loses nothing to how it is read.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from ..decoding.contract import Decoder
from ..messages import ToolCall, ToolResult
from ..paradigms.base import NO_TOOLS, ToolContextDef
from ..paradigms.json_strict import JsonStrict
from ..tools.spec import ToolOffer

__all__ = ["Baseline"]

_PROMPT = """\
You have access to the following tools:

{tools}

To use a tool, reply with {{"name": "<tool>", "arguments": {{...}}}}. \
If no tool is needed, answer the user directly."""


class Baseline(ToolContextDef):
    """A JSON Schema dump and ``{"name": "<tool>", "arguments": {...}}``; not registered."""

    name = "baseline"

    def instructions(self, offer: ToolOffer) -> str:
        """The definitions as services take them, and the generic pattern."""
        definitions = [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": dict(tool.parameters),
                },
            }
            for tool in offer.tools
        ]
        return _PROMPT.format(tools=json.dumps(definitions, indent=2, ensure_ascii=False))

    def splice_system_prompt(self, prompt: str, offer: ToolOffer) -> str:
        """*prompt*, then the instructions: nobody marks where they stand."""
        return f"{prompt}\n\n{self.instructions(offer)}".strip()

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
