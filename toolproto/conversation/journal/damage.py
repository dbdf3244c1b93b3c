"""What a store holds that nobody wrote so: a disk lost a bit, or somebody edited the file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ...protocol.errors import StoreError, ToolProtoError

__all__ = ["told_if_damaged"]


@contextmanager
def told_if_damaged() -> Iterator[None]:
    """Raise StoreError for a record of which something is missing, or is something else.

    Use it where records are read, also as a decorator.
    """
    try:
        yield
    except ToolProtoError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        told = f"{type(error).__name__}: {error}"[:200]
        raise StoreError(
            f"a record of the session is damaged ({told}); restore the store from a copy"
        ) from None
