"""``<|tool_call:name|>f<|tool_call:args|>{…}``: id, name and arguments behind tokens."""

from __future__ import annotations

from ..payloads import NamedJson
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["SolarOpen"]


@register_paradigm
class SolarOpen(WireParadigm):
    """Solar Open 100B."""

    name = "solar_open"
    wire = WireFormat(
        section=("<|tool_calls|>", "<|calls|>"),
        call=("<|tool_call:begin|>", "<|tool_call:end|>"),
        payload=NamedJson("{id}<|tool_call:name|>{name}<|tool_call:args|>{arguments}"),
        between="",
    )
