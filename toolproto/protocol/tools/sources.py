"""Where tools come from that a program did not define itself, and that may change while it runs.

An MCP server is such a source. A registry asks its sources for their tools again and again, so a
source answers at once, from what it knows; whoever runs a turn opens the source first.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import count

from .define import Tool

__all__ = ["LONGEST_NAME", "ToolSource", "free_name", "gathered"]

#: Of a tool, as ``names.check_name`` has it.
LONGEST_NAME = 128
_BETWEEN = "__"


class ToolSource(ABC):
    """Something that has tools: *name* is put in front of those whose names are taken."""

    name: str

    @abstractmethod
    def tools(self) -> Sequence[Tool]:
        """What it has at the moment: the same object until that changes. Never waits."""

    @property
    @abstractmethod
    def is_open(self) -> bool:
        """Whether it can be used as it is."""

    @abstractmethod
    def open(self) -> None:
        """Wait until it can be used; where it can already, do nothing."""

    @abstractmethod
    async def aopen(self) -> None:
        """Like :meth:`open`, awaited."""

    @abstractmethod
    def close(self) -> None:
        """Give back whatever it holds; it can be opened again."""


def gathered(
    own: Mapping[str, Tool], sources: Iterable[tuple[ToolSource, Sequence[Tool]]]
) -> tuple[dict[str, Tool], dict[str, str]]:
    """*own* tools, behind them those of the *sources*, and of which source each of these is.

    Whoever comes first keeps the name, so that a tool that appears later renames no other.
    """
    found, origins = dict(own), dict[str, str]()
    for source, tools in sources:
        for tool in tools:
            name = tool.name
            if name in found:
                name = free_name(f"{source.name}{_BETWEEN}{name}", found)
                tool = replace(tool, spec=replace(tool.spec, name=name))
            found[name], origins[name] = tool, source.name
    return found, origins


def free_name(name: str, taken: Mapping[str, object]) -> str:
    """*name*, cut to what a tool may have and with a number behind it where it is taken."""
    name = name[:LONGEST_NAME]
    for number in count(2):
        if name not in taken:
            break
        end = f"_{number}"
        name = name.removesuffix(f"_{number - 1}")[: LONGEST_NAME - len(end)] + end
    return name
