"""Definitions of tools as several services take them at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...protocol.schemas.compiling import COMPILERS, compiled
from ...protocol.tools.spec import ToolOffer

__all__ = ["mended_offer"]

#: Each service is asked again about what another one made of a schema.
_ROUNDS = 4


def mended_offer(offer: ToolOffer, services: Sequence[str]) -> ToolOffer:
    """Return *offer* with schemas that all *services* take; names stay as they are."""
    tools = [replace(tool, parameters=_mended(tool.parameters, services)) for tool in offer.tools]
    return replace(offer, tools=tuple(tools))


def _mended(schema: Mapping[str, Any], services: Sequence[str]) -> Mapping[str, Any]:
    for _ in range(_ROUNDS):
        before = schema
        for name in services:
            schema, _found = compiled(schema, COMPILERS[name])
        if schema is before:
            break
    return schema
