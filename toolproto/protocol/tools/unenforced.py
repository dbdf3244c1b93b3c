"""Which patterns in a tool's schema no call is held to, told to the tool's author."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from itertools import islice
from typing import Any

from ..schemas.patterns import unenforced
from ..schemas.schema import subschemas
from .spec import ToolSpec

__all__ = ["unenforced_patterns", "warn_of_unenforced"]

_log = logging.getLogger("toolproto.tools")
#: As many as one reply's calls could be held to anyway; compiling costs up to 20 ms each.
_MOST_LOOKED_AT = 64


def warn_of_unenforced(spec: ToolSpec) -> None:
    """Log a warning for each pattern of *spec* that calls are not held to."""
    for place, pattern, reason in unenforced_patterns(spec.parameters):
        _log.warning(
            "the pattern %.80r at %.80s of %r is not enforced: %s",
            pattern,
            place,
            spec.name,
            reason,
        )


def unenforced_patterns(schema: Any) -> Iterator[tuple[str, str, str]]:
    """Yield place, pattern and reason for each pattern in *schema* that is never enforced."""
    for place, pattern in islice(_patterns(schema), _MOST_LOOKED_AT):
        if reason := unenforced(pattern):
            yield place, pattern, reason


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
