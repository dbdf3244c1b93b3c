"""The words for how tools go to a service: as text, in its own way if it can, or only so."""

from __future__ import annotations

from typing import Any, Final, Literal, get_args

from .errors import UsageError

__all__ = ["NATIVE_MODES", "Native", "checked_native"]

Native = Literal["never", "auto", "only"]
NATIVE_MODES: Final[tuple[Native, ...]] = get_args(Native)


def checked_native(said: Any) -> Native:
    """Return *said*; UsageError if it is none of the words."""
    for mode in NATIVE_MODES:
        if said == mode:
            return mode
    raise UsageError(f"native is {said!r}; use one of {', '.join(NATIVE_MODES)}")
