"""The tools a program has, and which of them it offers.

A mapping from name to :class:`Tool` in the order they were added. What is offered is always in
that order, so that the same registry gives the same prompt, byte for byte.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from ..errors import UsageError
from ..messages import CallProblem, ToolCall
from .check import check_call
from .define import Tool
from .names import suggest
from .spec import ToolOffer

__all__ = ["ToolRegistry"]

_CHOICES = ("auto", "required", "none")


class ToolRegistry(Mapping[str, Tool]):
    """Tools by name. Functions are made into tools as they are added."""

    def __init__(self, tools: Iterable[Tool | Callable[..., Any]] = ()) -> None:
        self._tools: dict[str, Tool] = {}
        self._disabled: set[str] = set()
        for each in tools:
            self.add(each)

    def __getitem__(self, name: str) -> Tool:
        return self._tools[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)

    def __repr__(self) -> str:
        return f"ToolRegistry({', '.join(self._tools)})"

    def add(self, tool: Tool | Callable[..., Any]) -> Tool:
        """Add *tool*, enabled, and return it; a name that is taken is a UsageError."""
        made = tool if isinstance(tool, Tool) else Tool.from_function(tool)
        if made.name in self._tools:
            raise UsageError(
                f"there is already a tool named {made.name!r}; "
                "remove() it first, or give the new one another name"
            )
        self._tools[made.name] = made
        return made

    def remove(self, name: str) -> Tool:
        """Take the tool out and return it."""
        self._known(name)
        self._disabled.discard(name)
        return self._tools.pop(name)

    def enable(self, name: str) -> None:
        """Offer the tool again."""
        self._disabled.discard(self._known(name))

    def disable(self, name: str) -> None:
        """Keep the tool, but do not offer it."""
        self._disabled.add(self._known(name))

    def is_enabled(self, name: str) -> bool:
        """Whether the tool is offered."""
        return self._known(name) not in self._disabled

    def only(self, *patterns: str) -> ToolRegistry:
        """A new registry of the same tools, those whose name matches one of ``fs_*``, …"""
        return self._filtered(lambda name: _matches(name, patterns))

    def without(self, *patterns: str) -> ToolRegistry:
        """A new registry of the same tools, those whose name matches none of the patterns."""
        return self._filtered(lambda name: not _matches(name, patterns))

    def offer(self, choice: str = "auto", parallel: bool = True) -> ToolOffer:
        """The enabled tools, on these terms; *choice* is a term or an enabled tool's name."""
        enabled = [name for name in self._tools if name not in self._disabled]
        if choice not in (*_CHOICES, *enabled):
            raise UsageError(
                f"choice {choice!r} is neither one of {_CHOICES} nor an enabled tool; "
                f"the enabled tools are {enabled}"
            )
        return ToolOffer(tuple(self._tools[name].spec for name in enabled), choice, parallel)

    def check(self, call: ToolCall, offer: ToolOffer | None = None) -> ToolCall | CallProblem:
        """*call* as it may run, or what is wrong with it; see :func:`check_call`."""
        return check_call(call, self.offer() if offer is None else offer)

    def _known(self, name: str) -> str:
        if name not in self._tools:
            close = suggest(name, self._tools) or list(self._tools)
            raise UsageError(f"there is no tool named {name!r}; did you mean one of {close}?")
        return name

    def _filtered(self, keep: Callable[[str], bool]) -> ToolRegistry:
        kept = ToolRegistry(tool for name, tool in self._tools.items() if keep(name))
        kept._disabled = {name for name in self._disabled if name in kept}
        return kept


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)
