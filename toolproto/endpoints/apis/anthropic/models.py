"""How Anthropic's API tells of models, page by page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..listing import Model

__all__ = ["anthropic_model", "paged"]


def anthropic_model(model: Model) -> dict[str, Any]:
    """A row of Anthropic's."""
    return {
        "type": "model",
        "id": model.name,
        "display_name": model.name,
        "created_at": model.when,
        "lifecycle": "active",
        "max_input_tokens": model.context,
        "max_tokens": model.context,
    }


def paged(rows: Sequence[dict[str, Any]], query: Mapping[str, str]) -> dict[str, Any]:
    """*rows* as Anthropic turns pages: as many as *query* wants, from where it says."""
    ids = [row["id"] for row in rows]
    if (after := query.get("after_id")) in ids:
        rows = rows[ids.index(after or "") + 1 :]
    if (before := query.get("before_id")) in ids:
        rows = rows[: ids.index(before or "")]
    wanted = query.get("limit", "")
    most = int(wanted) if wanted.isdecimal() and 0 < len(wanted) < 6 else len(rows)
    page = list(rows[:most])
    return {
        "data": page,
        "has_more": len(page) < len(rows),
        "first_id": page[0]["id"] if page else None,
        "last_id": page[-1]["id"] if page else None,
    }
