"""Plausible arguments for a tool, out of its schema alone.

They fill the one example that instructions show, and the example turns for very small models.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ..messages import ToolCall
from ..schemas.work import Work
from ..tools.check import check_call
from ..tools.offers import Offerable, as_offer
from ..tools.spec import ToolOffer, ToolSpec
from .reading import followed
from .text import is_harmless, is_small

__all__ = ["example_call", "example_calls"]

_DEPTH = 5
_LARGEST = 2000  # characters of an example
_PARTS = 200  # of one example: a schema that holds itself twice doubles at every level
# What finding the one example of a prompt may cost: a hundredth of a second with the worst of
# schemas, and many times what an ordinary tool takes.
_VISITS = 5_000
_EXAMPLES = 3  # of one tool that differ in their values
_NUMBERS = (3, 12, 24)
_BY_FORMAT = {
    "date": ("2024-05-17", "2024-11-02", "2025-01-20"),
    "date-time": ("2024-05-17T09:30:00Z", "2024-11-02T18:15:00Z", "2025-01-20T07:05:00Z"),
    "time": ("09:30:00", "18:15:00", "07:05:00"),
    "email": ("ada@example.com", "ben@example.org", "eva@example.net"),
    "uri": ("https://example.com", "https://example.org/news", "https://example.net/a"),
    "uuid": (
        "3f2b8c1e-5d47-4a52-9b1c-2e8f7a6d4c10",
        "8a1d90e2-7c35-4f0b-a6d8-51c3e9b24f77",
        "1c6e4b7a-90d2-4e83-b5f1-7a2d8c03e6b9",
    ),
}
# What an argument of that name usually holds, and two other things that it may hold; the last word
# of a name that is found counts.
_BY_NAME = {
    "city": ("Oslo", "Rome", "Lima"),
    "location": ("Oslo", "Rome", "Lima"),
    "country": ("Norway", "Italy", "Peru"),
    "path": ("notes.txt", "letter.md", "plan.csv"),
    "file": ("notes.txt", "letter.md", "plan.csv"),
    "filename": ("notes.txt", "letter.md", "plan.csv"),
    "url": ("https://example.com", "https://example.org/news", "https://example.net/a"),
    "query": ("train times to Bergen", "a red bicycle", "how to bake bread"),
    "pattern": ("*.txt", "*.py", "*.md"),
    "email": ("ada@example.com", "ben@example.org", "eva@example.net"),
    "to": ("ada@example.com", "ben@example.org", "eva@example.net"),
    "date": ("2024-05-17", "2024-11-02", "2025-01-20"),
    "time": ("09:30", "18:15", "07:05"),
    "timezone": ("Europe/Oslo", "Asia/Tokyo", "America/Lima"),
    "tz": ("Europe/Oslo", "Asia/Tokyo", "America/Lima"),
    "name": ("Ada", "Ben", "Eva"),
    "title": ("Weekly meeting", "Dentist", "Birthday party"),
    "subject": ("Lunch", "Invoice", "Holiday"),
    "text": ("Hello!", "I am on my way.", "Good night."),
    "content": ("Hello!", "I am on my way.", "Good night."),
    "body": ("See you at noon.", "Thank you for the letter.", "The train is late."),
    "message": ("Hello!", "I am on my way.", "Good night."),
    "language": ("English", "French", "German"),
    "code": ("print(1 + 1)", "print('done')", "x = 5"),
    "expression": ("2 + 3", "7 * 8", "100 / 4"),
    "id": ("42", "108", "7"),
    "room": ("kitchen", "bedroom", "garage"),
    "phone": ("+47 22 00 00 00", "+39 06 0000", "+51 1 000 0000"),
    "street": ("Main Street 5", "Via Appia 12", "Calle Sol 8"),
    "postcode": ("0150", "00100", "15001"),
}


class _Sampler:
    """Makes the values of one example; *which* of several that differ, the usual one first.

    None stands in for what nests too deeply.
    """

    def __init__(self, root: Mapping[str, Any], which: int = 0) -> None:
        self._root = root
        self._which = which
        self._left = _PARTS

    def sample(self, schema: Any, name: str, depth: int) -> Any:
        self._left -= 1
        schema = followed(schema, self._root)
        for key in ("examples", "enum"):
            if isinstance(schema.get(key), list) and schema[key]:
                return self._one_of(schema[key])
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
            return _number(schema, self._one_of(_NUMBERS))
        if kind == "boolean":
            return self._which != 1
        if kind == "array":
            return [self.sample(schema.get("items"), name.removesuffix("s"), depth + 1)]
        if kind == "object":
            return self.members(schema, depth)
        named = _named_in(schema.get("description"))
        return self._one_of(named or _text(str(schema.get("format")), name))

    def _one_of(self, values: Sequence[Any]) -> Any:
        return values[self._which % len(values)]

    def members(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        properties = schema.get("properties")
        required = schema.get("required")
        if not isinstance(properties, Mapping) or not isinstance(required, list | tuple):
            return {}
        shown = required[: max(self._left, 0)]
        return {key: self.sample(properties.get(key), str(key), depth + 1) for key in shown}


# Values that a description gives: "such as 'Berkeley, CA' or 'New York, NY'", "such as USD".
# Without quotes it must look like one: "such as concerts" goes on in words.
_NAMED = re.compile(
    r"(?:\be\.g\.|\bsuch as|\bfor example)[,:]?"
    r" (?:(?P<mark>['\"`])(?P<first>[^'\"`<>\n]{1,40})(?P=mark)(?!\w)"
    r"(?:,? (?:or|and) (?P=mark)(?P<second>[^'\"`<>\n]{1,40})(?P=mark)(?!\w))?"
    r"|(?P<word>(?=[\w*./:@-]*[^a-z\s.,;)])[\w*./:@-]{1,30}?)(?=[.,;)]?(?:\s|$)))"
)


def _named_in(description: Any) -> tuple[str, ...]:
    """The values, at most two, that *description* gives as examples."""
    found = isinstance(description, str) and _NAMED.search(description, 0, _LARGEST)
    if not found:
        return ()
    return tuple(filter(None, found.group("first", "second", "word")))


def _number(schema: Mapping[str, Any], wanted: int) -> Any:
    low, high = schema.get("minimum"), schema.get("maximum")
    if isinstance(low, int | float) and low > wanted:
        return low
    return high if isinstance(high, int | float) and high < wanted else wanted


def _text(format: str, name: str) -> tuple[str, ...]:
    if format in _BY_FORMAT:
        return _BY_FORMAT[format]
    words = name.lower().replace("-", "_").split("_")
    known = (_BY_NAME[word] for word in reversed(words) if word in _BY_NAME)
    return next(known, ("example", "another", "third"))


def example_call(offer: Offerable) -> ToolCall | None:
    """A call that one of the offered tools accepts: of the demanded one, or of the first.

    None if there is no telling within bounds what they accept.
    """
    known = as_offer(offer)
    tools = sorted(known.tools, key=lambda tool: tool.name != known.choice)[:20]
    work = Work(_VISITS)
    return next((call for tool in tools if (call := _valid_call(tool, work))), None)


def example_calls(offer: ToolOffer, most: int) -> list[ToolCall]:
    """A call of each of the first *most* tools, then others of each with other values.

    Every second time the tools come in the opposite order. Of the demanded tool alone, if one is.
    """
    work = Work(_VISITS)
    tools = [tool for tool in offer.tools if tool.name == offer.choice] or offer.tools[:most]
    there_and_back = (tools[:: -1 if which % 2 else 1] for which in range(_EXAMPLES))
    made = (
        _valid_call(tool, work, which)
        for which, ordered in enumerate(there_and_back)
        for tool in ordered
    )
    return [call for call in made if call is not None]


def _valid_call(tool: ToolSpec, work: Work, which: int = 0) -> ToolCall | None:
    sampler = _Sampler(tool.parameters, which)
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
