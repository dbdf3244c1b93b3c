"""``<function=get_weather>{…}</function>``: the name in the tag, the arguments as JSON."""

from __future__ import annotations

from ..payloads import NamedJson
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["FunctionaryV31"]


@register_paradigm
class FunctionaryV31(WireParadigm):
    """Functionary 3.1, Llama 3.1 with custom tools."""

    name = "functionary_v31"
    wire = WireFormat(
        call=("<function=", "</function>"), payload=NamedJson("{name}>{arguments}"), between=""
    )
