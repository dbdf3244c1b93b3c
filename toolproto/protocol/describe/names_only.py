"""Many tools on one line each: the name, what it cannot do without, and one sentence.

Made for more tools than a prompt can hold. The rest is a call away if ``describe_tool`` is
offered as well (:func:`~toolproto.protocol.describe.lookup.description_tool` makes it); then the
text says so.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..tools.spec import ToolSpec
from .base import WriteCall
from .forms import literal_form
from .text import first_sentence, one_line

__all__ = ["LOOKUP", "NamesOnly"]

#: The name of the tool that tells the rest about another.
LOOKUP = "describe_tool"


class NamesOnly:
    """A line for each tool: ``name(required, arguments): First sentence.``"""

    name = "names_only"
    shows_calls = False

    def __init__(self, sentences: bool = True) -> None:
        self._sentences = sentences

    def show(self, tools: Sequence[ToolSpec], write: WriteCall) -> str:
        """One line for each tool, and how to ask for more if that can be asked."""
        lines = [self._line(tool) for tool in tools]
        lookup = next((tool for tool in tools if tool.name == LOOKUP), None)
        if lookup:
            form = literal_form(lookup, write)
            lines.append(f"Before you use a tool for the first time, read about it:\n{form}")
        return "\n".join(lines)

    def _line(self, tool: ToolSpec) -> str:
        takes = ", ".join(one_line(name) for name in tool.required)
        words = first_sentence(tool.description) if self._sentences else ""
        return f"- {one_line(tool.name)}({takes}){f': {words}' if words else ''}"
