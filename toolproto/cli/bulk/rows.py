"""One row of the input: the reply in it, and what else it says.

A row that cannot be used is no error: why it cannot be is one of the values.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from ...errors import UsageError
from ...tools.spec import ToolOffer, ToolSpec, spec_from_openai
from .reading import Fields, Reading

__all__ = ["Row", "read_row"]

_MISSING: Any = object()
#: A model's tools as text, of the length that is worth remembering what they are.
_REMEMBERED = 64 * 1024


class Row(NamedTuple):
    """What a row says; with a *fault*, that is why nothing can be read."""

    text: str
    offer: ToolOffer
    paradigm: str
    finish_reason: str | None
    told: dict[str, Any]
    fault: str = ""


# Floats that are none (Python writes NaN) would not be JSON when they are written again.
_decode = json.JSONDecoder(parse_constant=lambda _: None).decode


def read_row(line: bytes, reading: Reading) -> Row:
    """The row that stands on *line*."""
    told: dict[str, Any] = {}
    try:
        values = _object(line)
        told |= _carried(values, reading.fields)
        return _row(values, reading, told)
    except UnicodeDecodeError as error:
        fault = f"not UTF-8: {error.reason} at byte {error.start}"
    except json.JSONDecodeError as error:
        fault = f"not JSON: {error.msg} at character {error.pos}"
    except RecursionError:
        fault = "nested too deeply to be read"
    except ValueError as error:
        fault = str(error)
    return Row("", reading.offer, reading.paradigm, None, told, fault)


def _object(line: bytes) -> dict[str, Any]:
    values = _decode(line.decode())
    if not isinstance(values, dict):
        raise ValueError(f"a row is to be an object, not {_kind(values)}")
    return values


def _carried(values: Mapping[str, Any], fields: Fields) -> dict[str, Any]:
    carried = {"id": _at(values, fields.id, None)} if fields.id else {}
    return carried | {name: _at(values, path, None) for name, path in fields.keep}


def _row(values: Mapping[str, Any], reading: Reading, told: dict[str, Any]) -> Row:
    fields = reading.fields
    text = _at(values, fields.reply, _MISSING)
    if not isinstance(text, str):
        raise ValueError(_no_reply(values, fields.reply, text))
    tools = _at(values, fields.tools, None) if fields.tools else None
    return Row(
        text,
        reading.offer if tools is None else _offer(tools),
        _word(values, fields.paradigm) or reading.paradigm,
        _word(values, fields.finish_reason) or reading.finish_reason,
        told,
    )


def _no_reply(values: Mapping[str, Any], path: str, found: Any) -> str:
    if found is not _MISSING:
        return f"field {path!r} is {_kind(found)}, not text"
    names = ", ".join(list(values)[:20])
    return f"no field {path!r} (--field); there are: {names:.200}"


def _word(values: Mapping[str, Any], path: str | None) -> str:
    word = _at(values, path, None) if path else None
    if word is not None and not isinstance(word, str):
        raise ValueError(f"field {path!r} is {_kind(word)}, not text")
    return word or ""


def _at(values: Mapping[str, Any], path: str, default: Any) -> Any:
    """What stands at *path*: a field of that very name, or one inside others."""
    if path in values or "." not in path:
        return values.get(path, default)
    found: Any = values
    for part in path.split("."):
        if isinstance(found, dict) and part in found:
            found = found[part]
        elif isinstance(found, list) and part.isdecimal() and int(part) < len(found):
            found = found[int(part)]
        else:
            return default
    return found


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false"}
    return "null" if value is None else names.get(type(value), "a number")


# -- a row's own tools ------------------------------------------------------------------------


def _offer(tools: Any) -> ToolOffer:
    """The tools of a row, which are a list of definitions, or the text of one."""
    text = tools if isinstance(tools, str) else json.dumps(tools)
    return _known_offer(text) if len(text) <= _REMEMBERED else _read_offer(text)


def _read_offer(text: str) -> ToolOffer:
    try:
        definitions = _decode(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"its tools are not JSON: {error.msg} at character {error.pos}") from None
    if not isinstance(definitions, list) or not all(isinstance(d, dict) for d in definitions):
        raise ValueError("its tools are to be a list of definitions")
    return ToolOffer(tuple(map(_spec, definitions)))


_known_offer = lru_cache(maxsize=256)(_read_offer)


def _spec(definition: dict[str, Any]) -> ToolSpec:
    try:
        return spec_from_openai(definition)
    except UsageError as error:
        raise ValueError(f"its tools cannot be used: {error}") from None
