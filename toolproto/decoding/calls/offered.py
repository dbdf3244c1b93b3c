"""Which names are tools, while a reply is being read?

Reading only needs to tell a tool's name from other words; mending a name is for the check
that comes after (`tools/check.py`). So names are compared without case and separators.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache

from ...tools.spec import ToolOffer, ToolSpec

__all__ = ["NOTHING", "Offered", "offered"]

#: What some models put before every name.
_PREFIX = "functions"
_SEPARATORS = re.compile(r"[\W_]+")


@lru_cache(maxsize=4096)  # the same few names, once for every reply
def _folded(name: str) -> str:
    return _SEPARATORS.sub("", name[:256]).lower()


class Offered:
    """The tools of one offer, by name."""

    def __init__(self, offer: ToolOffer) -> None:
        self._tools = {_folded(tool.name): tool for tool in offer.tools}
        self.any = bool(self._tools)
        self.names = tuple(tool.name for tool in offer.tools)
        self._sorted = sorted(self._tools)
        self._tags = {name.lower(): name for name in self.names}

    @property
    def folded(self) -> frozenset[str]:
        """The names without case and separators, as they are compared."""
        return frozenset(self._tools)

    def get(self, name: str) -> ToolSpec | None:
        """The tool that goes by *name*, give or take its spelling."""
        folded = _folded(name)
        tool = self._tools.get(folded)
        if tool is None and folded.startswith(_PREFIX):
            tool = self._tools.get(folded.removeprefix(_PREFIX))
        return tool

    def knows(self, name: str) -> bool:
        """Is this the name of an offered tool? True for any name where nothing is offered."""
        return not self.any or self.get(name) is not None

    def may_know(self, begun: str) -> bool:
        """May *begun* be the beginning of a name that is known?"""
        folded = _folded(begun)
        if not self.any or _PREFIX.startswith(folded) or folded.startswith(_PREFIX):
            return True
        after = bisect_left(self._sorted, folded)
        return after < len(self._sorted) and self._sorted[after].startswith(folded)

    def tag(self, name: str) -> str:
        """The tool that an element called *name* stands for; empty if there is none."""
        return self._tags.get(name.replace("\\_", "_").partition(":")[0].lower(), "")

    def begins_tag(self, name: str) -> bool:
        """May *name* be the beginning of an element that is called like a tool?"""
        begun = name.replace("\\_", "_").rstrip("\\").partition(":")[0].lower()
        return any(tag.startswith(begun) for tag in self._tags)

    def keys(self, name: str | None) -> frozenset[str] | None:
        """The argument names of that tool, if it takes no others."""
        tool = self.get(name) if name else None
        return frozenset(tool.properties) if tool is not None and tool.properties else None


def offered(offer: ToolOffer) -> Offered:
    """The tools of *offer*: made once, however many replies are read under the last few offers."""
    known = _latest.get(id(offer))
    if known is None or known[0] is not offer:
        if len(_latest) >= _MOST:
            _latest.clear()
        known = _latest[id(offer)] = (offer, Offered(offer))
    return known[1]


#: Where no tool is on offer.
NOTHING = Offered(ToolOffer())
#: By identity, since comparing offers takes longer than making one of these. Each holds its offer,
#: so that no other offer can have its number meanwhile.
_latest: dict[int, tuple[ToolOffer, Offered]] = {}
_MOST = 64
