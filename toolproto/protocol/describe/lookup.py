"""``describe_tool``: a tool that tells a model about the other tools, one at a time."""

from __future__ import annotations

from ..errors import ToolFailed, UsageError
from ..tools.define import Tool
from ..tools.names import resolve_name, suggest
from ..tools.offers import Offerable, as_offer
from ..tools.spec import ToolOffer, ToolSpec
from .base import Style, WriteCall, plain_call
from .names_only import LOOKUP
from .styles import get_style

__all__ = ["description_tool"]

_PARAMETERS = {
    "type": "object",
    "properties": {"name": {"type": "string", "description": "A tool's name, as listed."}},
    "required": ["name"],
}


def description_tool(
    offer: Offerable, style: str | Style = "forms", write: WriteCall = plain_call
) -> Tool:
    """A tool that answers with the full description of one tool of *offer*, and of no other.

    Offer it beside the others and show them all as ``names_only``. *style* and *write* are for
    its answers.
    """
    known = as_offer(offer)
    if LOOKUP in known.names:
        raise UsageError(f"the offer has a tool named {LOOKUP!r} already")
    shown_in = get_style(style)

    def describe_tool(name: str) -> str:
        return shown_in.show([_found(name, known)], write)

    words = "Tell what another tool does and which arguments it takes."
    return Tool.from_schema(LOOKUP, words, _PARAMETERS, describe_tool, idempotent=True)


def _found(name: str, offer: ToolOffer) -> ToolSpec:
    names = [tool.name for tool in offer.tools]
    match = resolve_name(name, names)
    spec = offer.get(match.name) if match else None
    if spec is None:
        close = suggest(name, names)
        hint = f"; did you mean {' or '.join(close)}?" if close else "; take one from the list"
        raise ToolFailed(f"there is no tool of that name{hint}")
    return spec
