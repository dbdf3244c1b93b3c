"""What the sessions of a workspace have in common: a prompt, and tools.

A session keeps the name of its workspace. What the workspace brings is the program's to say, each
time a session of it is made or opened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from ..protocol.errors import UsageError
from ..protocol.tools.define import Tool
from ..protocol.tools.registry import ToolRegistry
from ..protocol.tools.sources import ToolSource
from ..protocol.tools.spec import ToolOffer

__all__ = ["Workspace"]


@dataclass(frozen=True, slots=True)
class Workspace:
    """A workspace: its *system* prompt stands above a session's own, and so do its *tools*."""

    name: str
    system: str = ""
    tools: Iterable[Tool | ToolSource | Callable[..., Any]] = ()

    def with_tools(self, tools: Iterable[Any] | ToolRegistry | ToolOffer) -> ToolRegistry:
        """Return a registry of the workspace's tools and of a session's own *tools*."""
        own = tuple(self.tools)
        if not own:
            return tools if isinstance(tools, ToolRegistry) else ToolRegistry(tools)
        if isinstance(tools, ToolRegistry):
            raise UsageError(
                f"the workspace {self.name!r} brings tools ({len(own)}), and a registry is the "
                "program's own: give a list of tools, or add the workspace's to the registry"
            )
        return ToolRegistry((*own, *(tools.tools if isinstance(tools, ToolOffer) else tools)))
