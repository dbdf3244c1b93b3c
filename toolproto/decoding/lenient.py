"""Moved to `values/`."""

from .values import repairs
from .values.lenient import read_json, read_lenient

__all__ = ["read_json", "read_lenient", "repairs"]
