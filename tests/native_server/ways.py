"""All ways of ``answers.py``, in the order in which they are reported: false calls come first."""

from __future__ import annotations

from .answers import Way
from .broken_calls import BROKEN, BROKEN_ARGUMENTS, EMPTY, SIDE_LEAKS
from .harmless import HARMLESS, WORKING
from .leaks import LEAKED, THOUGHT
from .refusals import REFUSED

__all__ = ["LOSING", "SOUND", "WAYS"]

#: Nothing is lost in these.
SOUND: tuple[Way, ...] = (*HARMLESS, *WORKING)
#: A call is lost in each of these.
LOSING: tuple[Way, ...] = (
    *(*LEAKED, *THOUGHT, *BROKEN_ARGUMENTS, *BROKEN, *SIDE_LEAKS),
    *(*EMPTY, *REFUSED),
)
WAYS = {way.name: way for way in (*SOUND, *LOSING)}
