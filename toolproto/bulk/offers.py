"""Tools as a row names them, read once however many rows do: definitions, or a name for them."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from ..protocol.errors import UsageError
from ..protocol.schemas.work import Work
from ..protocol.tools.spec import ToolOffer, ToolSpec, strange_from_openai

__all__ = ["Offers", "decode_json", "read_offer"]

#: Characters of definitions that are remembered in all; as values they take some ten times that.
_REMEMBERED = 4 * 1024 * 1024
#: What taming the schemas of one row may cost, as for a request of the proxy's: half a second at
#: the worst, and what is beyond that is open.
_VISITS = 30_000

# Floats that are none (Python writes NaN) would not be JSON when they are written again.
decode_json = json.JSONDecoder(parse_constant=lambda _: None).decode


class Offers:
    """The offers of many rows: *known* ones by name, others by their definitions in JSON.

    Of the others those used last are remembered, up to ``_REMEMBERED`` characters of definitions.
    """

    def __init__(self, known: Mapping[str, ToolOffer]) -> None:
        self._known = known
        self._size = 0
        self._read: OrderedDict[str, ToolOffer] = OrderedDict()

    def __call__(self, tools: Any) -> ToolOffer:
        """What *tools* offers: a name, a list of definitions, or the text of one.

        Raises ValueError for what is none of these.
        """
        text = tools if isinstance(tools, str) else json.dumps(tools, default=str)
        if text in self._known:
            return self._known[text]
        if found := self._read.get(text):
            self._read.move_to_end(text)
            return found
        offer = read_offer(text, self._known)
        if len(text) <= _REMEMBERED:
            self._remember(text, offer)
        return offer

    def _remember(self, text: str, offer: ToolOffer) -> None:
        self._read[text] = offer
        self._size += len(text)
        while self._size > _REMEMBERED:
            forgotten, _ = self._read.popitem(last=False)
            self._size -= len(forgotten)


def read_offer(text: str, known: Mapping[str, ToolOffer] | None = None) -> ToolOffer:
    """The offer that *text*, a list of definitions in JSON, makes; ValueError if it makes none."""
    try:
        definitions = decode_json(text)
    except json.JSONDecodeError as error:
        if known and text[:1] not in ("[", "{"):
            names = ", ".join(list(known)[:20])
            raise ValueError(f"no tools are known as {text:.100}; there are: {names}") from None
        raise ValueError(f"its tools are not JSON: {error.msg} at character {error.pos}") from None
    if not isinstance(definitions, list) or not all(isinstance(d, dict) for d in definitions):
        raise ValueError("its tools must be a list of definitions")
    work = Work(_VISITS)
    return ToolOffer(tuple(_spec(definition, work) for definition in definitions))


def _spec(definition: dict[str, Any], work: Work) -> ToolSpec:
    try:
        return strange_from_openai(definition, work)
    except UsageError as error:
        raise ValueError(f"its tools cannot be used: {error}") from None
