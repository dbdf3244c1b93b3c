"""Thinking about what may take long beside the event loop, so that other clients do not wait.

A hop to a thread takes a tenth of a millisecond, which is too much for each chunk of each reply; so
it is made only for large requests and replies, and where a client's schema has many parts.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, ParamSpec, TypeVar

from ...endpoints.apis.asked import Asked
from ...protocol.schemas.width import is_wide

__all__ = ["LARGE", "Beside", "has_wide_schemas"]

#: Characters of which reading takes more than some ten milliseconds.
LARGE = 16 * 1024
# Each that computes keeps the event loop waiting for up to 5 ms, the switch interval of Python.
_THREADS = 4

_Given = ParamSpec("_Given")
_Made = TypeVar("_Made")


class Beside:
    """A few threads for what may take long."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="thinking")

    async def run(
        self, make: Callable[_Given, _Made], *given: _Given.args, **named: _Given.kwargs
    ) -> _Made:
        """What *make* returns, made in another thread."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, partial(make, *given, **named))

    def close(self) -> None:
        """Let the threads go; what they are at, they do to its end."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def has_wide_schemas(asked: Asked) -> bool:
    """Whether describing or checking what *asked* offers may take long."""
    shapes: list[Any] = [spec.parameters for spec in asked.offer.tools]
    if asked.shape is not None:
        shapes.append(asked.shape.schema)
    return any(map(is_wide, shapes))
