"""Running the code of a paradigm that may be half written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import ToolProtoError, UsageError

__all__ = ["paradigms_code"]


@contextmanager
def paradigms_code(method: str) -> Iterator[None]:
    """Whatever the paradigm's *method* raises in here becomes a UsageError that says so."""
    try:
        yield
    except ToolProtoError:
        raise
    except Exception as error:  # somebody's code
        raise UsageError(
            f"the paradigm breaks the law of totality: its {method} raises {error!r}"
        ) from error
