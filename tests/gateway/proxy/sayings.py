"""What a backend says instead of a whole reply; for those who need no server."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["Cut", "Messages", "Refusal"]

Messages = list[dict[str, Any]]


@dataclass
class Refusal:
    """Said instead of a reply: a status of the backend's own."""

    status: int
    message: str
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Cut:
    """Said instead of a whole reply: *text*, and why it ends there; None breaks it off."""

    text: str
    reason: str | None = "length"
