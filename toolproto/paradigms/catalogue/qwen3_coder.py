"""``<function=f><parameter=k>`` in a tag: code as it is, without escapes."""

from __future__ import annotations

from ..payloads import TaggedCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["Qwen3Coder"]


@register_paradigm
class Qwen3Coder(WireParadigm):
    """Qwen 3 Coder and Qwen 3.5 on, Nemotron 3 Nano, Step 3.5; any model that is to write code."""

    name = "qwen3_coder"
    wire = WireFormat(
        call=("<tool_call>\n", "\n</tool_call>"), payload=TaggedCall(), result="tool_response"
    )
