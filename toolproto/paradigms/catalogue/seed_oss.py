"""``<seed:tool_call><function=f><parameter=k>v</parameter></function></seed:tool_call>``."""

from __future__ import annotations

from ..payloads import TaggedCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["SeedOss"]


@register_paradigm
class SeedOss(WireParadigm):
    """ByteDance Seed-OSS."""

    name = "seed_oss"
    wire = WireFormat(
        call=("<seed:tool_call>\n", "\n</seed:tool_call>"),
        payload=TaggedCall(argument=("<parameter={key}>", "</parameter>\n")),
    )
