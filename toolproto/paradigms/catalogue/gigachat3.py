"""``<|function_call|>{"name": …, "arguments": {…}}``: one call behind a token."""

from __future__ import annotations

from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["Gigachat3"]


@register_paradigm
class Gigachat3(WireParadigm):
    """GigaChat 3 and 3.1."""

    name = "gigachat3"
    wire = WireFormat(
        call=("<|function_call|>", ""), also=(("<|message_sep|>\n\nfunction call<|role_sep|>", ""),)
    )
