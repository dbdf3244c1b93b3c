"""Most paradigms differ only in their markers: declare those, and the rest follows.

A :class:`WireFormat` says what stands around a call, how its payload is written, and what stands
around a result. From that one declaration :class:`WireParadigm` derives the instructions, the
encoder, the streaming decoder and the stop sequences; a grammar will join them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from ..decoding.base import Decoder
from ..decoding.call_shape import CallShape
from ..decoding.landmarks import ReplyForm
from ..messages import ToolCall, ToolResult
from ..tools.spec import ToolOffer
from .base import NO_TOOLS, ToolContextDef
from .results import tagged_result
from .teaching import teach

__all__ = ["JsonCall", "WireFormat", "WireParadigm"]


# Tags in which models make results up, whatever they were shown.
_OTHER_RESULTS = ("tool_result", "tool_response", "tool_output", "function_results")


@dataclass(frozen=True, slots=True)
class JsonCall:
    """A payload of JSON: an object with the tool's name in one member, its arguments in another."""

    name: str = "name"
    arguments: str = "arguments"

    @property
    def shape(self) -> CallShape:
        """What the decoder looks for."""
        return CallShape(self.name, self.arguments)

    def encode(self, call: ToolCall) -> str:
        """The payload that says *call*."""
        value = {self.name: call.name, self.arguments: dict(call.arguments)}
        return json.dumps(value, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class WireFormat:
    """What calls and results look like.

    *call* are the markers before and behind one; *result* is the name of the tag that a result
    stands in when it is sent back.
    """

    call: tuple[str, str]
    payload: JsonCall = JsonCall()
    result: str = "tool_result"


class WireParadigm(ToolContextDef):
    """A paradigm made from a :class:`WireFormat`. Subclass, set ``name`` and ``wire``, register."""

    wire: ClassVar[WireFormat]

    def instructions(self, offer: ToolOffer) -> str:
        """The text that teaches a model this paradigm and the tools of *offer*."""
        opener, closer = self.wire.call
        how = (
            "To use one, write its call exactly as shown, "
            f"from {opener.strip()} to {closer.strip() or 'the end of the line'}."
        )
        return teach(offer, self.encode_call, how=how)

    def encode_call(self, call: ToolCall) -> str:
        """*call* as the model would have written it."""
        opener, closer = self.wire.call
        return f"{opener}{self.wire.payload.encode(call)}{closer}"

    def encode_results(self, results: Sequence[ToolResult]) -> str:
        """One tagged block for each result."""
        tag, markers = self.wire.result, self.wire.call
        return "\n".join(tagged_result(tag, result, markers) for result in results)

    def decoder(self, offer: ToolOffer = NO_TOOLS) -> Decoder:
        """A fresh reader for one reply."""
        return self._reply_decoder(self._form, offer)

    @cached_property
    def _form(self) -> ReplyForm:
        results = dict.fromkeys((self.wire.result, *_OTHER_RESULTS))
        tags = tuple(f"<{name}>" for name in results)
        return ReplyForm(self.wire.payload.shape, self.wire.call, tags)

    def stop(self, offer: ToolOffer) -> tuple[str, ...]:
        """A result is never the model's to write."""
        return (f"<{self.wire.result}",)
