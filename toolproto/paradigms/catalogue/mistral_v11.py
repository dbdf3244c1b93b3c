"""``[TOOL_CALLS]get_weather[ARGS]{…}``: Mistral from its eleventh tokenizer on."""

from __future__ import annotations

from ..payloads import NamedJson
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["MistralV11"]


@register_paradigm
class MistralV11(WireParadigm):
    """Mistral Small 3.1 on, Devstral, Magistral, Ministral 3, Large 3."""

    name = "mistral_v11"
    wire = WireFormat(
        call=("[TOOL_CALLS]", ""),
        payload=NamedJson("{name}[ARGS]{arguments}"),
        between="",
        dropped=("</s>",),
        results=("[TOOL_RESULTS]",),
    )
