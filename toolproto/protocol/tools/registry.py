"""The tools a program has, and which of them it offers.

A mapping from name to :class:`Tool` in the order they were added. What is offered is always in
that order, so that the same registry gives the same prompt, byte for byte. Behind the program's own
tools stand those of its sources (:mod:`.sources`), as they are at the moment.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from operator import is_not
from typing import Any, TypeAlias

from ..errors import UsageError
from ..messages import CallProblem, ToolCall
from .check import check_call
from .define import Tool
from .names import suggest
from .offers import Offerable
from .sources import ToolSource, gathered
from .spec import ToolOffer, ToolSpec

__all__ = ["ToolRegistry"]

_CHOICES = ("auto", "required", "none")
_Given: TypeAlias = "Iterable[Tool | ToolSpec | ToolSource | Callable[..., Any]]"


class ToolRegistry(Mapping[str, Tool]):
    """Tools by name. Functions are made into tools as they are added.

    A :class:`ToolSource` (an MCP server) adds the tools that it has at the moment. The calls of a
    tool of which there is only a spec are answered elsewhere. A mapping of lists gives *tools* in
    groups, by name; each source is a group of its own name. Where this takes names of tools, it
    takes names of groups, and so do ``tools=`` and ``without=`` of a turn.
    """

    def __init__(
        self, tools: _Given | Mapping[str, _Given] | Mapping[str, Tool] | ToolOffer = ()
    ) -> None:
        self._own: dict[str, Tool] = {}
        self._sources: tuple[ToolSource, ...] = ()
        # What the sources had when *_all* was gathered.
        self._seen: tuple[object, ...] = ()
        self._all: dict[str, Tool] = self._own
        self._source_of: dict[str, str] = {}
        self._keep: Callable[[str], bool] | None = None
        self._disabled: set[str] = set()
        self._disabled_groups: set[str] = set()
        self._group_of: dict[str, str] = {}  # of tools that are not of a source
        if isinstance(tools, ToolOffer):
            tools = tools.tools
        groups: Mapping[str, Any] = tools if isinstance(tools, Mapping) else {"": tools}
        for name, grouped in groups.items():
            if isinstance(grouped, Tool):
                self.add(grouped)
            else:
                self.add_group(name, grouped)

    @property
    def sources(self) -> tuple[ToolSource, ...]:
        """The sources of tools that the program did not define itself."""
        return self._sources

    @property
    def _tools(self) -> Mapping[str, Tool]:
        if not self._sources:
            return self._own
        seen = tuple(source.tools() for source in self._sources)
        # A source gives the same object until something changes, so this costs nothing.
        if len(seen) != len(self._seen) or any(map(is_not, seen, self._seen)):
            found, self._source_of = gathered(self._own, zip(self._sources, seen, strict=True))
            keep = self._keep
            self._all = {name: tool for name, tool in found.items() if not keep or keep(name)}
            self._seen = seen
        return self._all

    def __getitem__(self, name: str) -> Tool:
        return self._tools[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)

    def __repr__(self) -> str:
        return f"ToolRegistry({', '.join(self._tools)})"

    def add(self, tool: Tool | ToolSpec | Callable[..., Any]) -> Tool:
        """Add *tool*, enabled, and return it; if its name is taken, a UsageError is raised."""
        made: Tool
        match tool:
            case Tool():
                made = tool
            case ToolSpec():
                made = Tool(tool)
            case _:
                made = Tool.from_function(tool)
        if made.name in self._own:
            raise UsageError(
                f"there is already a tool named {made.name!r}; "
                "remove() it first, or give the new one another name"
            )
        self._own[made.name] = made
        self._seen = ()
        return made

    def add_group(self, name: str, tools: _Given) -> None:
        """Add *tools* as the group *name*; a source among them stays a group of its own name."""
        for each in tools:
            if isinstance(each, ToolSource):
                self.add_source(each)
            elif name:
                self._group_of[self.add(each).name] = name
            else:
                self.add(each)

    @property
    def groups(self) -> dict[str, tuple[str, ...]]:
        """The names of the tools of each group; a source is a group, also while it has no tool."""
        found: dict[str, list[str]] = {name: [] for name in self._group_of.values()}
        found |= {source.name: [] for source in self._sources}
        for name in self:
            if group := self._group(name):
                found[group].append(name)
        return {group: tuple(names) for group, names in found.items()}

    def add_source(self, source: ToolSource) -> ToolSource:
        """Add all tools that *source* has from now on, and return it."""
        if any(source.name == each.name for each in self._sources):
            raise UsageError(
                f"there is already a source of tools named {source.name!r}; "
                "give the new one another name"
            )
        self._sources += (source,)
        return source

    def remove(self, name: str) -> Tool:
        """Remove the tool and return it."""
        if self._known(name) not in self._own:
            raise UsageError(f"{name!r} belongs to a source of tools; disable() it instead")
        self._disabled.discard(name)
        self._group_of.pop(name, None)
        self._seen = ()
        return self._own.pop(name)

    def enable(self, *patterns: str) -> None:
        """Offer the tools and groups with these names, or whose names match (``fs_*``), again."""
        named = self.matching(*patterns)
        for group in self._disabled_groups & {self._group(name) for name in named}:
            # The others of the group stay as they are.
            self._disabled.update(self.groups[group])
        self._disabled_groups -= {*patterns, *map(self._group, named)}
        self._disabled.difference_update(named)

    def disable(self, *patterns: str) -> None:
        """Do not offer the tools and groups with these names, or whose names match (``fs_*``).

        They stay in the registry. Of a group that is disabled no later tool is offered either.
        """
        self._disabled.update(self.matching(*patterns))
        self._disabled_groups |= self.groups.keys() & set(patterns)

    def matching(self, *patterns: str) -> list[str]:
        """The names of the tools that match *patterns*; UsageError if one matches nothing."""
        groups = self.groups
        for pattern in patterns:
            if pattern not in groups and not any(fnmatchcase(name, pattern) for name in self):
                self._known(pattern)
        return [name for name in self if self.is_named(name, patterns)]

    def is_named(self, name: str, patterns: Collection[str]) -> bool:
        """Whether one of *patterns* names the tool or its group, or matches the tool's name."""
        return self._group(name) in patterns or _matches(name, patterns)

    def is_enabled(self, name: str) -> bool:
        """Whether the tool is offered."""
        return self._is_on(self._known(name))

    def only(self, *patterns: str) -> ToolRegistry:
        """A new registry with the tools whose names match one of the patterns (``fs_*``)."""
        return self._filtered(lambda name: self.is_named(name, patterns))

    def without(self, *patterns: str) -> ToolRegistry:
        """A new registry with the tools whose names match none of the patterns."""
        return self._filtered(lambda name: not self.is_named(name, patterns))

    def offer(
        self,
        choice: str = "auto",
        parallel: bool = True,
        keep: Callable[[Tool], bool] = lambda tool: True,
    ) -> ToolOffer:
        """The enabled tools for which *keep* is true; *choice* may be the name of one of them."""
        tools = self._tools
        enabled = [name for name in tools if self._is_on(name) and keep(tools[name])]
        if choice not in (*_CHOICES, *enabled):
            raise UsageError(
                f"choice {choice!r} is neither one of {_CHOICES} nor an enabled tool; "
                f"the enabled tools are {enabled}"
            )
        groups = frozenset(filter(None, map(self._group, enabled)))
        return ToolOffer(tuple(tools[name].spec for name in enabled), choice, parallel, groups)

    def check(self, call: ToolCall, offer: Offerable | None = None) -> ToolCall | CallProblem:
        """The checked *call*, or what is wrong with it; see :func:`check_call`."""
        return check_call(call, self.offer() if offer is None else offer)

    def _is_on(self, name: str) -> bool:
        return name not in self._disabled and self._group(name) not in self._disabled_groups

    def _group(self, name: str) -> str:
        """The group of the tool *name*, empty if it is in none."""
        return self._group_of.get(name) or self._source_of.get(name, "")

    def _known(self, name: str) -> str:
        if name not in (tools := self._tools):
            close = suggest(name, tools) or list(tools)
            raise UsageError(f"there is no tool named {name!r}; did you mean one of {close}?")
        return name

    def _filtered(self, keep: Callable[[str], bool]) -> ToolRegistry:
        kept = ToolRegistry(tool for name, tool in self._own.items() if keep(name))
        kept._sources, before = self._sources, self._keep
        kept._keep = keep if before is None else lambda name: before(name) and keep(name)
        kept._disabled = set(self._disabled)
        kept._disabled_groups = set(self._disabled_groups)
        kept._group_of = {
            name: self._group_of[name] for name in kept._own if name in self._group_of
        }
        return kept


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)
