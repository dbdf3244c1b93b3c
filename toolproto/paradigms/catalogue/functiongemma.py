"""``call:get_weather{city:<escape>Paris<escape>}`` between two tokens."""

from __future__ import annotations

from ...tools.spec import ToolOffer
from ..line_payloads import BraceCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["FunctionGemma"]


@register_paradigm
class FunctionGemma(WireParadigm):
    """FunctionGemma 270M."""

    name = "functiongemma"
    wire = WireFormat(
        call=("<start_function_call>", "<end_function_call>"),
        payload=BraceCall("<escape>"),
        between="",
    )

    def stop(self, offer: ToolOffer) -> tuple[str, ...]:
        """The model was trained to go on with a result of its own."""
        return (*super().stop(offer), "<start_function_response>")
