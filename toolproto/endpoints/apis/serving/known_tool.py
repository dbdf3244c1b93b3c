"""A tool that a client names by a type alone, since its maker's models know it: its schema.

Such tools run where the client is. Their schemas follow what the makers publish of their inputs;
what runs on the makers' own servers has none here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

__all__ = ["KnownTool", "number", "object_of", "place", "text", "texts"]


class KnownTool(NamedTuple):
    """What the model is told of a tool."""

    description: str
    parameters: Mapping[str, Any]


def object_of(required: Sequence[str], **properties: Any) -> dict[str, Any]:
    """Return the schema of an object of *properties*, and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def text(about: str, *choices: str) -> dict[str, Any]:
    """Return the schema of a string, which may be one of *choices*."""
    chosen = {"enum": list(choices)} if choices else {}
    return {"type": "string", "description": about, **chosen}


def number(about: str) -> dict[str, Any]:
    """Return the schema of a whole number."""
    return {"type": "integer", "description": about}


def texts(about: str) -> dict[str, Any]:
    """Return the schema of a list of strings."""
    return {"type": "array", "items": {"type": "string"}, "description": about}


def place(about: str) -> dict[str, Any]:
    """Return the schema of a list of whole numbers."""
    return {"type": "array", "items": {"type": "integer"}, "description": about}
