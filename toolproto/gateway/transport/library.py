"""The HTTP library that a request comes from: SDKs use httpx, or httpx2, which is its successor.

Both have the same names. A response, a stream and an error have to be of the library that the
client uses, so nothing is imported here but what the client has imported already.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Iterator
from functools import cache
from types import ModuleType
from typing import Any, Protocol

__all__ = ["AsyncClosing", "Closing", "library_of", "streams_of"]


class Closing(Protocol):
    """Bytes that may be left before their end."""

    def __iter__(self) -> Iterator[bytes]:
        """The bytes."""
        ...

    def close(self) -> None:
        """Leave them."""
        ...


class AsyncClosing(Protocol):
    """The same, on an event loop."""

    def __aiter__(self) -> AsyncIterator[bytes]:
        """The bytes."""
        ...

    async def aclose(self) -> None:
        """Leave them."""
        ...


def library_of(request: Any) -> ModuleType:
    """The library that *request* is of."""
    return sys.modules[type(request).__module__.partition(".")[0]]


@cache
def streams_of(library: ModuleType) -> tuple[type[Any], type[Any]]:
    """What a response of *library* is made of: a stream, and an async one."""

    class Stream(library.SyncByteStream):  # type: ignore[name-defined, misc]
        def __init__(self, content: Closing) -> None:
            self._content = content

        def __iter__(self) -> Iterator[bytes]:
            return iter(self._content)

        def close(self) -> None:
            self._content.close()

    class AsyncStream(library.AsyncByteStream):  # type: ignore[name-defined, misc]
        def __init__(self, content: AsyncClosing) -> None:
            self._content = content

        def __aiter__(self) -> AsyncIterator[bytes]:
            return self._content.__aiter__()

        async def aclose(self) -> None:
            await self._content.aclose()

    return Stream, AsyncStream
