"""``>>>get_weather`` and the arguments on the next line."""

from __future__ import annotations

from ..payloads import NamedJson
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["FunctionaryV32"]


@register_paradigm
class FunctionaryV32(WireParadigm):
    """Functionary 3.2."""

    name = "functionary_v32"
    wire = WireFormat(call=(">>>", ""), payload=NamedJson(), dropped=(">>>all\n",))
