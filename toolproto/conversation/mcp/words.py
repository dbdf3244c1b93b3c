"""What a server says about its tools, in a form that can stand in a prompt."""

from __future__ import annotations

import re
from typing import Any

from ...protocol.foreign_text import without_hidden
from ...protocol.schemas.schema import subschemas

__all__ = ["plain", "plain_schema"]

_LONGEST_IN_SCHEMA = 1_000


def plain(text: Any, longest: int) -> str:
    """*text* without what a person would not see, and not longer than it may be."""
    if not isinstance(text, str):
        return ""
    cut = text[: 2 * longest]  # what is left out of the rest is not worth looking for
    seen = re.sub(r"\n{3,}", "\n\n", without_hidden(cut)).strip()
    return seen if len(seen) <= longest and len(text) == len(cut) else seen[: longest - 1] + "…"


def plain_schema(schema: dict[str, Any]) -> None:
    """Make the words in *schema*, which is tame and the caller's own, plain.

    Values (``enum``, ``const``, ``default``) are what the server wants to hear, and stay.
    """
    pending: list[Any] = [schema]
    while pending:
        each = pending.pop()
        if not isinstance(each, dict):
            continue
        each.pop("$comment", None)
        for key in ("description", "title"):
            if key in each:
                each[key] = plain(each[key], _LONGEST_IN_SCHEMA)
        pending += (inner for _, inner in subschemas(each))
