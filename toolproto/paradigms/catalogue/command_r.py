"""``Action:`` and a fenced JSON list."""

from __future__ import annotations

from ..payloads import JsonCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["CommandR"]


@register_paradigm
class CommandR(WireParadigm):
    """Command R and R+."""

    name = "command_r"
    wire = WireFormat(
        call=("Action:\n```json\n", "\n```"),
        payload=JsonCall("tool_name", "parameters", listed=True),
    )
