"""Moved to `families/json_tokens.py`."""

from .families.json_tokens import (
    STRING_ENDS,
    STRING_MARKS,
    JsonListener,
    JsonTokens,
    string_stop,
    structural_tail,
)

__all__ = [
    "STRING_ENDS",
    "STRING_MARKS",
    "JsonListener",
    "JsonTokens",
    "string_stop",
    "structural_tail",
]
