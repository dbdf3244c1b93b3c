"""Calls in Python syntax: ``[get_weather(city="Paris", days=3), get_time(tz="UTC")]``.

Read as they stream by a literal reader of our own: nothing is evaluated, nothing recurses, and
every departure from plain Python literals is labelled. :class:`PythonCalls` reads,
:func:`leading_call` tells where reading is worth a try, :func:`write_call` writes.
"""

from __future__ import annotations

from .calls import PythonCalls
from .names import leading_call
from .writing import write_call

__all__ = ["PythonCalls", "leading_call", "write_call"]
