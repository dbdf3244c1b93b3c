"""How careful to be with a tool, by what its server claims about it.

Annotations are a stranger's claim. They are believed as far as policy goes by risks at all; who
does not want that says so with ``risk`` (the least of every tool of a server) or ``risks``.
"""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

from ...protocol.tools.define import Risk
from .config import McpConfig

__all__ = ["claimed_risk", "is_told", "risk_of"]

_ORDER: tuple[Risk, ...] = ("read", "write", "egress", "exec")
_HINTS = ("readOnlyHint", "destructiveHint", "openWorldHint")


def claimed_risk(annotations: Any) -> Risk:
    """The worst that a tool with *annotations* can do, if its server tells the truth.

    Who claims nothing gets ``egress``: what a call holds goes to a foreign program, and nobody
    says what that does with it.
    """
    told = annotations if isinstance(annotations, Mapping) else {}
    reads, destroys, leaves = (told.get(hint) for hint in _HINTS)
    if not any(isinstance(each, bool) for each in (reads, destroys, leaves)):
        return "egress"
    if reads is True:
        return "egress" if leaves is True else "read"
    if leaves is True:
        return "exec" if destroys is True else "egress"
    return "write"


def is_told(name: str, config: McpConfig) -> bool:
    """Return True if the user says what the tool *name* can do, or trusts its server."""
    return bool(config.trusted) or any(fnmatchcase(name, pattern) for pattern in config.risks)


def risk_of(name: str, annotations: Any, config: McpConfig) -> Risk:
    """The risk of the tool *name*, as its server calls it: what the user says comes first."""
    for pattern, risk in config.risks.items():
        if fnmatchcase(name, pattern):
            return risk
    return max(claimed_risk(annotations), config.risk or "read", key=_ORDER.index)
