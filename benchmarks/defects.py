"""Payloads with exactly one mistake, made from the standard library's own sources.

Each is a ``write_file`` call whose content is real code, so that quotes, braces, backslashes
and look-alike members stand where they stand in practice. The value it should be read as is
known. The same seed gives the same payloads on the same Python.
"""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["KEYS", "KINDS", "Defect", "defects", "snippets"]

KEYS = frozenset({"name", "arguments", "path", "content"})


@dataclass(frozen=True, slots=True)
class Defect:
    """A broken text and the value that was meant."""

    kind: str
    text: str
    value: Any


@dataclass(slots=True)
class Payload:
    """A correct payload, taken apart where a mistake can be made."""

    value: dict[str, Any]
    text: str
    body: str  # the content, as JSON writes it between its quotes
    start: int  # where the body stands in the text

    @property
    def end(self) -> int:
        return self.start + len(self.body)

    def with_body(self, body: str) -> str:
        return self.text[: self.start] + body + self.text[self.end :]


Breaker = Callable[[random.Random, Payload], str | None]


@cache
def snippets() -> tuple[str, ...]:
    """Top-level functions and classes of the standard library, 100 to 6,000 characters long."""
    folder = Path(os.__file__).parent
    found: list[str] = []
    # Distributions leave links there that lead nowhere.
    for path in sorted(each for each in folder.glob("*.py") if each.is_file()):
        source = path.read_text(encoding="utf-8")
        found += re.split(r"^(?=(?:def|class|async def) )", source, flags=re.MULTILINE)
    return tuple(piece for piece in found if 100 <= len(piece) <= 6000)


def defects(count: int, seed: int = 1) -> Iterator[Defect]:
    """*count* broken payloads, the kinds taking turns."""
    rng = random.Random(seed)
    kinds = list(KINDS)
    for number in range(count):
        kind = kinds[number % len(kinds)]
        yield _defect(rng, kind)


def _defect(rng: random.Random, kind: str) -> Defect:
    """Try snippets until one allows this mistake and the mistake can be seen."""
    while True:
        payload = _payload(rng, tabs=kind == "raw_tab")
        text = KINDS[kind](rng, payload)
        if text is not None and not _is_invisible(text, payload.value):
            return Defect(kind, text, payload.value)


def _is_invisible(text: str, value: Any) -> bool:
    """Whether the mistake made another valid document, which nobody could notice."""
    try:
        return bool(json.loads(text, strict=False) != value)
    except ValueError:
        return False


def _payload(rng: random.Random, *, tabs: bool = False) -> Payload:
    code = rng.choice(snippets())
    if rng.random() < 0.75:  # some readers lose a last line break, and would lose every case
        code = code.rstrip("\n")
    if tabs:
        code = code.replace("    ", "\t")
    arguments = {"path": f"src/module_{rng.randrange(1000)}.py", "content": code}
    if rng.random() < 0.25:
        arguments = dict(reversed(arguments.items()))
    value = {"name": "write_file", "arguments": arguments}
    ascii_only = rng.random() < 0.5
    text = json.dumps(value, indent=rng.choice([None, None, 2]), ensure_ascii=ascii_only)
    body = json.dumps(code, ensure_ascii=ascii_only)[1:-1]
    return Payload(value, text, body, text.index(body))


# --- mistakes inside the content


def _escapes(body: str, wanted: str) -> list[int]:
    """Where the escape *wanted* stands in a body."""
    return [m.start() for m in re.finditer(r"\\.", body) if m[0] == wanted]


def _drop_backslashes(body: str, places: list[int]) -> str:
    for place in sorted(places, reverse=True):
        body = body[:place] + body[place + 1 :]
    return body


def _unescaped_pair(rng: random.Random, payload: Payload) -> str | None:
    pairs = [m.span() for m in re.finditer(r'(?<!\\)\\"[^"\\]*\\"', payload.body)]
    if not pairs:
        return None
    start, end = rng.choice(pairs)
    return payload.with_body(_drop_backslashes(payload.body, [start, end - 2]))


def _unescaped_quote(rng: random.Random, payload: Payload) -> str | None:
    places = _escapes(payload.body, '\\"')
    if not places:
        return None
    return payload.with_body(_drop_backslashes(payload.body, [rng.choice(places)]))


def _all_unescaped(rng: random.Random, payload: Payload) -> str | None:
    places = _escapes(payload.body, '\\"')
    return payload.with_body(_drop_backslashes(payload.body, places)) if places else None


def _raw(escape: str, character: str) -> Breaker:
    def breaker(rng: random.Random, payload: Payload) -> str | None:
        places = _escapes(payload.body, escape)
        if not places:
            return None
        body = payload.body
        for place in sorted(places if rng.random() < 0.5 else [places[0]], reverse=True):
            body = body[:place] + character + body[place + 2 :]
        return payload.with_body(body)

    return breaker


def _invalid_escape(rng: random.Random, payload: Payload) -> str | None:
    places = [m.start() for m in re.finditer(r"\\.", payload.body) if m[0] == r"\\"]
    places = [p for p in places if payload.body[p + 2 : p + 3] not in tuple('"\\/bfnrtu')]
    if not places:
        return None
    return payload.with_body(_drop_backslashes(payload.body, [rng.choice(places)]))


# --- mistakes around it


def _replace_one(old: str, *new: str) -> Breaker:
    """Replace one occurrence of the pattern *old* outside the content."""

    def breaker(rng: random.Random, payload: Payload) -> str | None:
        places = [
            match
            for match in re.finditer(old, payload.text)
            if match.end() <= payload.start or match.start() >= payload.end
        ]
        if not places:
            return None
        place = rng.choice(places)
        return (
            payload.text[: place.start()]
            + place.expand(rng.choice(new))
            + (payload.text[place.end() :])
        )

    return breaker


def _trailing_comma(rng: random.Random, payload: Payload) -> str | None:
    places = [m.start() for m in re.finditer(r"\s*}", payload.text) if m.start() >= payload.end]
    place = rng.choice(places[-2:])
    return payload.text[:place] + "," + payload.text[place:]


def _missing_close(rng: random.Random, payload: Payload) -> str | None:
    text = payload.text
    for _ in range(rng.choice([1, 1, 2])):
        text = text.removesuffix("}").rstrip()
    return text


def _missing_final_quote(rng: random.Random, payload: Payload) -> str | None:
    if payload.text[payload.end + 1] == ",":
        return None
    return payload.text[: payload.end] + payload.text[payload.end + 1 :]


def _python_repr(rng: random.Random, payload: Payload) -> str | None:
    return repr(payload.value)


def _single_quoted(rng: random.Random, payload: Payload) -> str | None:
    """Single quotes around everything, and no thought for the apostrophes within."""
    head, tail = payload.text[: payload.start], payload.text[payload.end :]
    return head.replace('"', "'") + payload.body + tail.replace('"', "'")


def _python_literal(rng: random.Random, payload: Payload) -> str | None:
    literal, value = rng.choice([("True", True), ("False", False), ("None", None)])
    payload.value["arguments"]["overwrite"] = value
    return re.sub(r"(\s*}\s*})\Z", lambda m: f', "overwrite": {literal}{m[1]}', payload.text)


def _extra_close(rng: random.Random, payload: Payload) -> str | None:
    if rng.random() < 0.5:
        return payload.text + "}"
    arguments, name = payload.value["arguments"], payload.value["name"]
    return f'{{"arguments": {json.dumps(arguments)}}}, "name": {json.dumps(name)}}}'


def _mismatched_close(rng: random.Random, payload: Payload) -> str | None:
    return payload.text[:-1] + "]"


def _escaped_json(rng: random.Random, payload: Payload) -> str | None:
    return json.dumps(payload.text, ensure_ascii=False)[1:-1]


_STRING = r'"(name|arguments|path|write_file|src/[^"]*)"'

KINDS: dict[str, Breaker] = {
    "unescaped_pair": _unescaped_pair,
    "unescaped_quote": _unescaped_quote,
    "all_unescaped": _all_unescaped,
    "raw_newline": _raw(r"\n", "\n"),
    "raw_tab": _raw(r"\t", "\t"),
    "invalid_escape": _invalid_escape,
    "trailing_comma": _trailing_comma,
    "missing_comma": _replace_one(r",(\s)", r"\1"),
    "missing_close": _missing_close,
    "missing_final_quote": _missing_final_quote,
    "missing_end_quote": _replace_one(r'(write_file|src/[^"]*)"', r"\1"),
    "python_repr": _python_repr,
    "single_quoted": _single_quoted,
    "python_literal": _python_literal,
    "bare_key": _replace_one(r'"(name|arguments|path|content)":', r"\1:"),
    "missing_key_quote": _replace_one(r'"(name|arguments|path|content)":', r'\1":', r'"\1:'),
    "comment": _replace_one(r"([{,])\s", r"\1 // a note\n", r"\1 # a note\n", r"\1 /* a note */ "),
    "extra_close": _extra_close,
    "mismatched_close": _mismatched_close,
    "smart_quotes": _replace_one(_STRING, r"“\1”"),
    "backticks": _replace_one(_STRING, r"`\1`"),
    "escaped_json": _escaped_json,
}
