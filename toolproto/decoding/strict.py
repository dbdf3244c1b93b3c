"""Moved to `values/strict.py`."""

from .values.strict import *  # noqa: F403
from .values.strict import Reading, Refusal, Refused  # noqa: F401
