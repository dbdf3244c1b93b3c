"""``{"tool_calls": [{"name": …, "arguments": {…}}]}``: for models that write JSON well."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from ..decoding.calls.shape import CallShape
from ..decoding.contract import Decoder
from ..decoding.reply.forms import ReplyForm
from ..grammar.ir import AsJson
from ..grammar.replies import CallForm
from ..messages import Repair, ToolCall, ToolResult
from ..tools.spec import ToolOffer
from .base import NO_TOOLS, ToolContextDef
from .registry import register_paradigm
from .results import json_result
from .wire import JsonCall, WireFormat

__all__ = ["JsonStrict"]

_CALLS = WireFormat(section=('{"tool_calls": [', "]}"), between=", ")
_FORM = ReplyForm(
    CallShape(wrapper="tool_calls"),
    drift=(Repair("missing_wrapper"),),
    result_key="tool_call_result",
)


@register_paradigm
class JsonStrict(ToolContextDef):
    """A JSON object that lists the calls, alone or amid prose; the default paradigm."""

    name = "json_strict"

    def instructions(self, offer: ToolOffer) -> str:
        """The text that teaches a model this paradigm and the tools of *offer*."""
        how = 'To use one, write its JSON object exactly as shown, with "tool_calls".'
        return self._taught(offer, how)

    def encode_call(self, call: ToolCall) -> str:
        """*call* as the model would have written it."""
        return self.encode_calls([call])

    def encode_calls(self, calls: Sequence[ToolCall]) -> str:
        """Several calls in one object."""
        listed = [{"name": call.name, "arguments": dict(call.arguments)} for call in calls]
        return json.dumps({"tool_calls": listed}, ensure_ascii=False)

    def encode_results(self, results: Sequence[ToolResult]) -> str:
        """One line of JSON for each result."""
        return "\n".join(json_result(result, self.neutralise) for result in results)

    def decoder(self, offer: ToolOffer = NO_TOOLS) -> Decoder:
        """A fresh reader for one reply."""
        return self._reply_decoder(_FORM, offer)

    def _reply_form(self) -> ReplyForm:
        return _FORM

    def _call_form(self) -> CallForm:
        as_json = AsJson(JsonCall().schema_of, listed=True, inside=("tool_calls",))
        return replace(_CALLS.call_form, as_json=as_json)
