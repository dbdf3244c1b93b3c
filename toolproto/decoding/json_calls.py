"""Moved to `families/json_calls.py`."""

from .families.json_calls import JsonCalls

__all__ = ["JsonCalls"]
