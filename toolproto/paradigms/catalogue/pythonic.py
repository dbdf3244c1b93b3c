"""``[get_weather(city="Paris")]``: calls as Python writes them, in a list."""

from __future__ import annotations

from ..payloads import PythonCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["Pythonic"]


@register_paradigm
class Pythonic(WireParadigm):
    """Llama 4, Llama 3.2 prompted, ToolACE, Gemma 3 prompted; models that know code better."""

    name = "pythonic"
    wire = WireFormat(payload=PythonCall(), also=(("<|python_start|>", "<|python_end|>"),))
