"""Moved: see `thinking.py`."""

from .thinking import Reasoning

__all__ = ["Reasoning"]
