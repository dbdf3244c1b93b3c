"""Moved to `calls/shape.py`."""

from .calls.shape import CallFields, CallShape, as_object, read_arguments, read_fields

__all__ = ["CallFields", "CallShape", "as_object", "read_arguments", "read_fields"]
