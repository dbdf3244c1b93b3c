"""Generation parameters in layers: an endpoint's, a session's, a turn's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["merged", "present"]


def merged(*layers: Mapping[str, Any]) -> dict[str, Any]:
    """*layers* as one: a later one wins, member by member where both have an object.

    None stays, so that a layer further down, which only the endpoint knows, is overruled, too.
    """
    result: dict[str, Any] = {}
    for layer in layers:
        for key, value in layer.items():
            below = result.get(key)
            if isinstance(below, Mapping) and isinstance(value, Mapping):
                value = merged(below, value)
            result[key] = value
    return result


def present(params: Mapping[str, Any]) -> dict[str, Any]:
    """*params* without the members that are None, which are to be left out."""
    return {
        key: present(value) if isinstance(value, Mapping) else value
        for key, value in params.items()
        if value is not None
    }
