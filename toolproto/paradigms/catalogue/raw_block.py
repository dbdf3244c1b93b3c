"""``<<call write_file``, a line for each argument, and a block for text as it is: no escapes."""

from __future__ import annotations

from ..line_payloads import RawCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["RawBlock"]


@register_paradigm
class RawBlock(WireParadigm):
    """Models that are to write code, or any text that would be full of escapes in JSON."""

    name = "raw_block"
    wire = WireFormat(call=("<<call ", "\ncall>>"), payload=RawCall())

    def _how(self) -> str:
        return (
            "To use one, write its call exactly as shown, from <<call to call>>. Behind = stands"
            " JSON. Text of several lines, or with quotes in it, goes between <<END and a line"
            " that is just END, exactly as it is, without any escapes:\n"
            'key <<END\nThe first "line".\nThe second line.\nEND'
        )
