"""``<get_weather><city>Paris</city></get_weather>``: the tool's name is the tag."""

from __future__ import annotations

from ..payloads import TaggedCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["Cline"]


@register_paradigm
class Cline(WireParadigm):
    """Models of agents for editors (Cline, Roo); short, and nothing has to be escaped."""

    name = "cline"
    wire = WireFormat(
        payload=TaggedCall(call=("<{name}>\n", "</{name}>"), argument=("<{key}>", "</{key}>\n"))
    )
