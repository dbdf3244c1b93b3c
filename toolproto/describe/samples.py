"""Plausible arguments for a tool, out of its schema alone.

They fill the one example that instructions show, and the example turns for very small models.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from ..messages import ToolCall
from ..tools.check import check_call
from ..tools.spec import ToolOffer, ToolSpec
from ..tools.work import Work
from .reading import followed
from .text import first_sentence, is_harmless, is_small

__all__ = ["example_call", "example_request", "sample"]

_DEPTH = 5
_LARGEST = 2000  # characters of an example
_PARTS = 200  # of one example: a schema that holds itself twice doubles at every level
# What finding the one example of a prompt may cost: a twentieth of a second with the worst of
# schemas, and a hundred times what an ordinary tool takes.
_VISITS = 20_000
_BY_FORMAT = {
    "date": "2024-05-17",
    "date-time": "2024-05-17T09:30:00Z",
    "time": "09:30:00",
    "email": "ada@example.com",
    "uri": "https://example.com",
    "uuid": "3f2b8c1e-5d47-4a52-9b1c-2e8f7a6d4c10",
}
# What an argument of that name usually holds; the first word of a name that is found counts.
_BY_NAME = {
    "city": "Oslo",
    "location": "Oslo",
    "country": "Norway",
    "path": "notes.txt",
    "file": "notes.txt",
    "filename": "notes.txt",
    "url": "https://example.com",
    "query": "train times to Bergen",
    "pattern": "*.txt",
    "email": "ada@example.com",
    "to": "ada@example.com",
    "date": "2024-05-17",
    "time": "09:30",
    "timezone": "Europe/Oslo",
    "tz": "Europe/Oslo",
    "name": "Ada",
    "title": "Weekly meeting",
    "subject": "Lunch",
    "text": "Hello!",
    "content": "Hello!",
    "body": "See you at noon.",
    "message": "Hello!",
    "language": "English",
    "code": "print(1 + 1)",
    "expression": "2 + 3",
    "id": "42",
}


def sample(schema: Any, root: Mapping[str, Any], name: str = "") -> Any:
    """A value that *schema* is likely to accept; None stands in for what nests too deeply."""
    return _Sampler(root).sample(schema, name, 1)


class _Sampler:
    """Makes the values of one example."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._left = _PARTS

    def sample(self, schema: Any, name: str, depth: int) -> Any:
        self._left -= 1
        schema = followed(schema, self._root)
        for key in ("examples", "enum"):
            if isinstance(schema.get(key), list) and schema[key]:
                return schema[key][0]
        for key in ("const", "default"):
            if key in schema and schema[key] is not None:
                return schema[key]
        for key in ("anyOf", "oneOf", "allOf"):
            if isinstance(schema.get(key), list) and schema[key] and depth < _DEPTH:
                return self.sample(schema[key][0], name, depth + 1)
        return self._by_type(schema, name, depth)

    def _by_type(self, schema: Mapping[str, Any], name: str, depth: int) -> Any:
        kind = schema.get("type", "object" if "properties" in schema else "string")
        kind = kind[0] if isinstance(kind, list) and kind else kind
        if depth >= _DEPTH or kind == "null" or self._left < 0:
            return None
        if kind in ("integer", "number"):
            return _number(schema)
        if kind == "boolean":
            return True
        if kind == "array":
            return [self.sample(schema.get("items"), name.removesuffix("s"), depth + 1)]
        if kind == "object":
            return self.members(schema, depth)
        return _BY_FORMAT.get(str(schema.get("format")), _by_name(name))

    def members(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        properties = schema.get("properties")
        required = schema.get("required")
        if not isinstance(properties, Mapping) or not isinstance(required, list | tuple):
            return {}
        shown = required[: max(self._left, 0)]
        return {key: self.sample(properties.get(key), str(key), depth + 1) for key in shown}


def _number(schema: Mapping[str, Any]) -> Any:
    low, high = schema.get("minimum"), schema.get("maximum")
    if isinstance(low, int | float) and low > 3:
        return low
    return high if isinstance(high, int | float) and high < 3 else 3


def _by_name(name: str) -> str:
    words = name.lower().replace("-", "_").split("_")
    return next((_BY_NAME[word] for word in reversed(words) if word in _BY_NAME), "example")


def example_call(offer: ToolOffer) -> ToolCall | None:
    """A call that one of the offered tools accepts: of the demanded one, or of the first.

    None if there is no telling within bounds what they accept.
    """
    tools = sorted(offer.tools, key=lambda tool: tool.name != offer.choice)
    work = Work(_VISITS)
    return next((call for tool in tools[:20] if (call := _valid_call(tool, work))), None)


def _valid_call(tool: ToolSpec, work: Work) -> ToolCall | None:
    sampler = _Sampler(tool.parameters)
    arguments = sampler.members(tool.parameters, 0)
    optional = [key for key in tool.properties if key not in arguments]
    if not arguments and optional:
        key = optional[0]
        arguments = {key: sampler.sample(tool.properties[key], key, 1)}
    # An example is shown as a call, so nothing in it can be spelled otherwise.
    if not is_small(arguments, _LARGEST) or not is_harmless(arguments):
        return None
    checked = check_call(ToolCall(tool.name, arguments), ToolOffer((tool,)), work=work)
    return checked if isinstance(checked, ToolCall) and not checked.repairs else None


# First words that make a description an order; anything else is taken for the name of a thing.
_ORDERS = """
    add ask book calculate call change check compute convert create delete describe download edit
    execute fetch find format generate get give insert list load look make move open plan play
    post put query read remove rename replace reserve return run save schedule search send set
    show start stop submit sum summarize tell transfer translate update upload use write
""".split()  # noqa: SIM905


def example_request(call: ToolCall, offer: ToolOffer) -> str:
    """What a person might have said to get *call*: the tool's description with values in it.

    "Current weather for a city." becomes "What is the current weather for Oslo?" A request in a
    person's words matters: shown "Use get_weather with city Oslo" as an example turn, a model of
    135 M parameters called the tool in 1 of 5 requests; shown the question, in 4 to 5.
    """
    tool = offer.get(call.name)
    text = first_sentence(tool.description).rstrip(".") if tool else ""
    text, left = _filled_in(text or call.name.replace("_", " "), call)
    first, _, rest = text.partition(" ")
    if first.lower().rstrip("s") in _ORDERS or first.lower() in _ORDERS:
        return f"Please {first.lower()} {rest}{left}."
    the = "" if first.lower() in ("the", "a", "an") else "the "
    return f"What is {the}{first.lower()} {rest}".rstrip() + f"{left}?"


def _filled_in(text: str, call: ToolCall) -> tuple[str, str]:
    """*text* with the values of *call* for its "a city", and those that found no place."""
    left: list[str] = []
    for name, value in call.arguments.items():
        shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        place = re.search(rf"\b(?:an?|the) {re.escape(name.replace('_', ' '))}\b", text)
        if place:
            text = f"{text[: place.start()]}{shown}{text[place.end() :]}"
        else:
            left.append(shown)
    return text, f": {', '.join(left)}" if left else ""
