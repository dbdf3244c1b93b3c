"""``<tool_call>{"name": …, "arguments": {…}}</tool_call>``: the form most open models know."""

from __future__ import annotations

from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["Hermes"]


@register_paradigm
class Hermes(WireParadigm):
    """Hermes 2 and 3, Qwen 2.5, Qwen 3, QwQ, Granite 4, SmolLM 3 and most fine-tunes."""

    name = "hermes"
    wire = WireFormat(
        call=("<tool_call>\n", "\n</tool_call>"),
        dropped=("<tool_calls>", "</tool_calls>"),
        result="tool_response",
    )
