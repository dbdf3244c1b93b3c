"""Messages in channels, calls addressed to ``functions.get_weather``."""

from __future__ import annotations

from ..payloads import NamedJson
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["Harmony"]


@register_paradigm
class Harmony(WireParadigm):
    """gpt-oss 20B and 120B."""

    name = "harmony"
    wire = WireFormat(
        call=("<|channel|>commentary to=functions.", "<|call|>"),
        payload=NamedJson("{name} <|constrain|>json<|message|>{arguments}"),
        between="",
        also=(
            ("<|start|>assistant<|channel|>commentary to=functions.", "<|call|>"),
            ("<|channel|>analysis to=functions.", "<|call|>"),
            ("<|start|>assistant to=functions.", "<|call|>"),
        ),
        dropped=(
            "<|start|>assistant",
            "<|channel|>final<|message|>",
            "<|channel|>commentary<|message|>",
            "<|end|>",
            "<|return|>",
        ),
        results=("<|start|>functions.",),
    )
