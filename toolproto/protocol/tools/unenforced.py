"""Which patterns in a tool's schema no call is held to, told to the tool's author."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from itertools import islice
from typing import Any

from ..schemas.patterns import MOST_PATTERNS, Unenforced, prepared
from ..schemas.schema import subschemas
from .spec import ToolSpec

__all__ = ["warn_of_unenforced"]

_log = logging.getLogger("toolproto.tools")


def warn_of_unenforced(spec: ToolSpec) -> None:
    """Log a warning for each pattern of *spec* that calls are not held to."""
    # As many as one reply's calls could be held to anyway.
    for place, pattern in islice(_patterns(spec.parameters), MOST_PATTERNS):
        try:
            prepared(pattern)
        except Unenforced as reason:
            told = "the pattern %.80r at %.80s of %r is not enforced: %s"
            _log.warning(told, pattern, place, spec.name, reason)


def _patterns(schema: Any) -> Iterator[tuple[str, str]]:
    pending: list[tuple[tuple[str | int, ...], Any]] = [((), schema)]
    while pending:
        path, each = pending.pop()
        if not isinstance(each, dict):
            continue
        found = [each.get("pattern"), *each.get("patternProperties", ())]
        where = "/".join(map(str, path)) or "the top"
        yield from ((where, pattern) for pattern in found if isinstance(pattern, str))
        pending.extend(((*path, *more), inner) for more, inner in subschemas(each))
