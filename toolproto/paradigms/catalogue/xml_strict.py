"""``<function_call><name>f</name><arguments><arg name=…>``: well-formed XML."""

from __future__ import annotations

from ..payloads import XmlCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["XmlStrict"]


@register_paradigm
class XmlStrict(WireParadigm):
    """Models and gateways that insist on well-formed XML; entities count."""

    name = "xml_strict"
    streams_arguments = False  # only a whole element shows whether it is well-formed
    wire = WireFormat(
        call=("<function_call>", "</function_call>"),
        payload=XmlCall(),
        section=("<function_calls>", "</function_calls>"),
    )
