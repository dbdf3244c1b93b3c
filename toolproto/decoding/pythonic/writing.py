"""Writing a call as Python, so that reading it gives the same call."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from keyword import iskeyword
from typing import Any

from ...messages import ToolCall

__all__ = ["write_call"]

_IDENTIFIER = re.compile(r"[^\W\d]\w{0,127}")
_LITERALS = {True: "True", False: "False", None: "None"}


def write_call(call: ToolCall) -> str:
    """``name(key="value", other=1)``; a key that Python could not have goes as ``**{...}``."""
    arguments = ", ".join(_argument(key, value) for key, value in call.arguments.items())
    return f"{call.name}({arguments})"


def _argument(key: str, value: Any) -> str:
    if _IDENTIFIER.fullmatch(key) and not iskeyword(key):
        return f"{key}={_literal(value)}"
    return f"**{{{_literal(key)}: {_literal(value)}}}"


def _literal(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return _LITERALS[value]
    if isinstance(value, Mapping):
        members = (f"{_literal(key)}: {_literal(each)}" for key, each in value.items())
        return f"{{{', '.join(members)}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_literal(each) for each in value)}]"
    return json.dumps(value, ensure_ascii=False)  # a number, or a string: Python reads it as well
