"""``call:get_weather{city:<|"|>Paris<|"|>}`` between two tokens."""

from __future__ import annotations

from ...tools.spec import ToolOffer
from ..line_payloads import BraceCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["Gemma4"]


@register_paradigm
class Gemma4(WireParadigm):
    """Gemma 4."""

    name = "gemma4"
    wire = WireFormat(call=("<|tool_call>", "<tool_call|>"), payload=BraceCall('<|"|>'), between="")

    def stop(self, offer: ToolOffer) -> tuple[str, ...]:
        """The model was trained to go on with a result of its own."""
        return (*super().stop(offer), "<|tool_response>")
