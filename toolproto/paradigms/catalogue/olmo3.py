"""``<function_calls>f(a=1)</function_calls>``: Python calls, one on each line."""

from __future__ import annotations

from ..payloads import PythonCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["Olmo3"]


@register_paradigm
class Olmo3(WireParadigm):
    """OLMo 3."""

    name = "olmo3"
    wire = WireFormat(
        call=("<function_calls>", "</function_calls>"), payload=PythonCall(listed=False)
    )
