"""``<tool_code>{"name": …, "arguments": {…}}</tool_code>``: for models that think aloud.

The tag keeps a call apart from the thinking around it; the JSON inside keeps code intact, which
elements for every argument would not.
"""

from __future__ import annotations

from .registry import register_paradigm
from .wire import WireFormat, WireParadigm

__all__ = ["XmlTag"]


@register_paradigm
class XmlTag(WireParadigm):
    """JSON inside one tag."""

    name = "xml_tag"
    wire = WireFormat(call=("<tool_code>", "</tool_code>"))
