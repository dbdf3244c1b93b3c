"""``<function=f><parameter=k>…</parameter></function>``: for agents that write code."""

from __future__ import annotations

from ..payloads import TaggedCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["Openhands"]


@register_paradigm
class Openhands(WireParadigm):
    """Agents that edit files: nothing has to be escaped."""

    name = "openhands"
    wire = WireFormat(payload=TaggedCall(argument=("<parameter={key}>", "</parameter>\n")))
