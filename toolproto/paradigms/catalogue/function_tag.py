"""``<function=get_weather>{…}</function>``: short, and the name comes first."""

from __future__ import annotations

from ..payloads import NamedJson
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["FunctionTag"]


@register_paradigm
class FunctionTag(WireParadigm):
    """Models without a form of their own; one line for each call."""

    name = "function_tag"
    wire = WireFormat(
        call=("<function=", "</function>"),
        payload=NamedJson("{name}>{arguments}"),
        also=(("<function name=", "</function>"),),
    )
