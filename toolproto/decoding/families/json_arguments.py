"""What is missing of arguments whose beginning was handed out, once it is known what they are?

A call's arguments are handed out while they are strict JSON (`calls/draft.py`), up to inside a
string or just behind an opened bracket. What departs from that is read when all of it has come;
then the rest goes out as we would write it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from itertools import islice
from typing import Any

__all__ = ["remainder"]

_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*"?|[{}\[\],:]|[^\s"{}\[\],:]++', re.DOTALL)
_dumps = json.JSONEncoder(ensure_ascii=False).encode
_loads = json.JSONDecoder(strict=False).decode


def remainder(prefix: str, value: Mapping[str, Any]) -> str | None:
    """What must follow *prefix*, the certain beginning of an object, for the whole to be *value*.

    None where *value* does not begin that way.
    """
    whole, begun, count = _dumps(value), "", 0
    for token in _TOKEN.finditer(prefix):
        begun, count = token.group(), count + 1
    if not count:
        return whole
    # As we write it, it has the same tokens: so many of them are there, the last one in part.
    last = next(islice(_TOKEN.finditer(whole), count - 1, None), None)
    if last is None:
        return None
    rest = whole[last.end() :]
    try:
        if begun[0] == '"':
            rest = _rest_of_string(_loads(f'{begun}"'), _loads(last.group())) + rest
        return rest if _loads(prefix + rest) == value else None
    except (ValueError, TypeError, RecursionError):
        return None


def _rest_of_string(begun: str, whole: Any) -> str:
    """The rest of the string and its closing quote, as JSON."""
    if not isinstance(whole, str):
        raise TypeError("no string")
    if whole.startswith(begun):
        return _dumps(whole[len(begun) :])[1:]
    # The prefix may end between the two escapes that make one character.
    halves, all_halves = (text.encode("utf-16-le", "surrogatepass") for text in (begun, whole))
    if not all_halves.startswith(halves):
        raise ValueError("another string")
    return json.dumps(all_halves[len(halves) :].decode("utf-16-le", "surrogatepass"))[1:]
