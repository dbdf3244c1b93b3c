"""What a traceback of a turn shows: the way to the mistake, without the way through the turn."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TypeVar

from ...protocol.errors import ToolProtoError

__all__ = ["shortened"]

E = TypeVar("E", bound=BaseException)
_WAY = {__name__.partition(".")[0], *sys.stdlib_module_names}


def shortened(error: E) -> E:
    """Return *error* without the frames of ours that led to the code of a hook, a model or a tool.

    What we raised ourselves says all it has to say. Any other error that comes from our own code is
    a bug, and keeps its traceback.
    """
    found = _foreign(error.__traceback__)
    if found is not None or isinstance(error, ToolProtoError):
        error.__traceback__ = found
    return error


def _foreign(traceback: TracebackType | None) -> TracebackType | None:
    """Return *traceback* from the first frame on that is neither ours nor Python's."""
    while traceback is not None:
        module = str(traceback.tb_frame.f_globals.get("__name__", ""))
        if module.partition(".")[0] not in _WAY:
            return traceback
        traceback = traceback.tb_next
    return None
