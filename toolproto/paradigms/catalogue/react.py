"""``Action: get_weather`` and ``Action Input: {…}`` on two lines."""

from __future__ import annotations

from ..payloads import NamedJson
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["React"]


@register_paradigm
class React(WireParadigm):
    """Older and smaller instruction models, and prompts that already reason in this form."""

    name = "react"
    wire = WireFormat(
        call=("Action: ", ""),
        payload=NamedJson("{name}\nAction Input: {arguments}", loose=True),
        result="Observation:",
    )
