"""``<steptml:invoke>`` elements between DeepSeek's tokens."""

from __future__ import annotations

from ..payloads import TaggedCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["Step3"]


@register_paradigm
class Step3(WireParadigm):
    """Step 3."""

    name = "step3"
    wire = WireFormat(
        section=("<｜tool_calls_begin｜>\n", "\n<｜tool_calls_end｜>"),
        call=("<｜tool_call_begin｜>function<｜tool_sep｜>", "<｜tool_call_end｜>"),
        payload=TaggedCall(
            call=('<steptml:invoke name="{name}">\n', "</steptml:invoke>"),
            argument=('<steptml:parameter name="{key}">', "</steptml:parameter>\n"),
        ),
    )
