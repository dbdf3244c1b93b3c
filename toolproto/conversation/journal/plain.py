"""Any value as JSON can hold it: what it cannot hold is written as Python would print it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

__all__ = ["Json", "plain", "plain_members"]

Json = dict[str, Any]
#: What JSON holds as it is; whole numbers may have too many digits.
_SIMPLE = (str, bool, float, type(None))


def plain_members(value: Mapping[str, Any]) -> Json:
    """Return *value* as a dict whose members JSON can hold."""
    return {str(key): plain(each) for key, each in value.items()}


def plain(value: Any) -> Any:
    """Return *value* if JSON can hold it, else the text that Python prints for it."""
    if type(value) in _SIMPLE:
        return value
    try:
        return json.loads(json.dumps(value, default=_shown))
    except (TypeError, ValueError, RecursionError):
        return _looks(value)


def _shown(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else _looks(value)


def _looks(value: Any) -> str:
    try:
        return repr(value)
    except Exception:  # a number of too many digits, an object that cannot tell itself
        return f"<{type(value).__name__}>"
