"""Declarations that cannot work, refused by name where they are made."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from ..errors import UsageError

__all__ = ["check_fields", "check_pair", "check_payload"]

_FIELD = re.compile(r"\{(\w+)\}")


def check_fields(
    where: str, form: Any, *, needed: Iterable[str] = (), allowed: Iterable[str] = ()
) -> None:
    """UsageError unless *form* is text with the fields it needs, in their order, and no other."""
    known = [*needed, *allowed]
    if not isinstance(form, str):
        raise UsageError(f"{where}={form!r:.200}: expected text")
    fields = _FIELD.findall(form)
    shown = ", ".join(f"{{{field}}}" for field in known) or "none"
    for field in fields:
        if field not in known:
            raise UsageError(f"{where}={form!r:.200}: there is no {{{field}}}; there are: {shown}")
    found = [field for field in fields if field in needed]
    if found != list(needed):
        wanted = " and then ".join(f"{{{field}}}" for field in needed)
        raise UsageError(f"{where}={form!r:.200}: expected {wanted}, each once")


def check_pair(where: str, pair: Any, *fields: Iterable[str]) -> None:
    """UsageError unless *pair* is two texts, each with no fields but those named for it."""
    if not isinstance(pair, tuple) or len(pair) != 2 or not all(isinstance(x, str) for x in pair):
        raise UsageError(f"{where}={pair!r:.200}: expected two markers, as ('[[', ']]')")
    for text, allowed in zip(pair, fields, strict=False):
        check_fields(where, text, allowed=allowed)


def check_payload(payload: Any) -> None:
    """UsageError unless *payload* can write calls, and says how they are read."""
    if isinstance(payload, type):
        name = payload.__name__
        raise UsageError(f"payload={name} is a class; write payload={name}(…), with parentheses")
    missing = [
        name for name in ("encode", "family", "shape", "together") if not hasattr(payload, name)
    ]
    if missing:
        raise UsageError(
            f"payload={payload!r:.200} has no {missing[0]!r}; use JsonCall(), TemplateCall(…), "
            "CustomCall(…) or another of docs/wire-format.md"
        )
