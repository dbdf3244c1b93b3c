"""What may stand for the tools on offer: an offer, a registry, tools, specs or plain functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Protocol, runtime_checkable

from ..errors import UsageError
from .define import Tool
from .sources import ToolSource
from .spec import ToolOffer, ToolSpec

__all__ = ["Offerable", "as_offer", "offer_and_tools"]


@runtime_checkable
class _Registry(Protocol):
    def offer(self) -> ToolOffer: ...


_One = Tool | ToolSpec | ToolSource | Callable[..., Any]
Offerable = ToolOffer | _Registry | _One | Iterable[_One]


def as_offer(tools: Offerable) -> ToolOffer:
    """Return the offer of *tools*, which may be called as the model likes."""
    if isinstance(tools, ToolOffer):
        return tools
    if isinstance(tools, _Registry):
        return tools.offer()
    return ToolOffer(tuple(spec for each in _each(tools) for spec in _specs(each)))


def offer_and_tools(tools: Offerable) -> tuple[ToolOffer, dict[str, Tool]]:
    """Return the offer of *tools*, and by name those of which more is known than their specs."""
    given = tuple(tools) if isinstance(tools, Iterator) else tools
    if isinstance(given, ToolOffer):
        return given, {}
    sources = (each.tools() if isinstance(each, ToolSource) else (each,) for each in _each(given))
    known = (each for several in sources for each in several if isinstance(each, Tool))
    return as_offer(given), {each.name: each for each in known}


def _each(tools: Any) -> Iterable[Any]:
    if isinstance(tools, Mapping):
        return tools.values()
    alone = callable(tools) or isinstance(tools, ToolSpec | ToolSource | str)
    return (tools,) if alone or not isinstance(tools, Iterable) else tools


def _specs(each: Any) -> Iterable[ToolSpec]:
    match each:
        case ToolSpec():
            return (each,)
        case Tool():
            return (each.spec,)
        case ToolSource():
            return (tool.spec for tool in each.tools())
        case _ if callable(each):
            return (Tool.from_function(each).spec,)
    raise UsageError(
        f"{each!r:.200} is no tool; expected tools, their specs (spec_from_openai() makes one), "
        "functions, a ToolRegistry or a ToolOffer"
    )
