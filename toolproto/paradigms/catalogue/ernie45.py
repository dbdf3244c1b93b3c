"""Hermes behind the thoughts; answers in ``<response>``."""

from __future__ import annotations

from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["Ernie45"]


@register_paradigm
class Ernie45(WireParadigm):
    """ERNIE 4.5 Thinking."""

    name = "ernie45"
    wire = WireFormat(
        call=("<tool_call>\n", "\n</tool_call>"),
        dropped=("<response>", "</response>"),
        result="tool_response",
    )
