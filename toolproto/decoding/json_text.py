"""The characters that the inside of a JSON string stands for."""

from __future__ import annotations

import json
import re

__all__ = ["unescape"]

_decode = json.JSONDecoder(strict=False).decode
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


def unescape(body: str) -> str:
    """Decode what stands between two quotes; an escape JSON does not have loses its backslash."""
    if "\\" not in body:
        return body
    try:
        return str(_decode(f'"{body}"'))
    except ValueError:
        return _ESCAPED.sub(r"\1", body)
