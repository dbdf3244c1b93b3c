"""Moved to `calls/shape.py`."""

from .calls.shape import CallFields, CallShape, read_arguments, read_fields

__all__ = ["CallFields", "CallShape", "read_arguments", "read_fields"]
