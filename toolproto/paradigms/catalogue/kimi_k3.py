"""``<|open|>call tool="f"<|sep|>…<|close|>call<|sep|>``: elements in three tokens."""

from __future__ import annotations

from ..payloads import TaggedCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["KimiK3"]


@register_paradigm
class KimiK3(WireParadigm):
    """Kimi K3."""

    name = "kimi_k3"
    wire = WireFormat(
        call=("<|open|>tools<|sep|>", "<|close|>tools<|sep|>"),
        payload=TaggedCall(
            call=('<|open|>call tool="{name}" index="{number}"<|sep|>', "<|close|>call<|sep|>"),
            argument=(
                '<|open|>argument key="{key}" type="{type}"<|sep|>',
                "<|close|>argument<|sep|>",
            ),
            together=True,
            between="",
        ),
    )
