"""What to look for in the prose of a reply, and where.

A paradigm says how its calls and results look (:class:`ReplyForm`); together with the tags of
thinking and the tokens of chat templates that makes the :class:`Landmarks` of its replies, compiled
once for all of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache

from .call_shape import CallShape
from .leaks import LEAKS
from .reasoning import Reasoning
from .scanner import Marker, MarkerSet

__all__ = ["Landmark", "Landmarks", "ReplyForm", "landmarks"]


@dataclass(frozen=True, slots=True)
class ReplyForm:
    """How calls and results look in a paradigm's replies.

    *call* are the markers around a call, or None where calls stand without any; *results* open a
    result block, and *result_key* is the first member of one written in JSON: neither is ever
    the model's to write.
    """

    shape: CallShape
    call: tuple[str, str] | None = None
    results: tuple[str, ...] = ()
    result_key: str | None = None


class Landmark(Enum):
    """What a marker in prose announces."""

    CALL = auto()
    RESULT = auto()
    THOUGHT = auto()
    END_OF_CALL = auto()
    END_OF_THOUGHT = auto()
    LEAK = auto()


class Landmarks:
    """The markers of one form of reply, and the characters worth stopping at."""

    def __init__(self, form: ReplyForm, reasoning: Reasoning) -> None:
        self.call = (Marker(form.call[0]), Marker(form.call[1])) if form.call else None
        table = [
            *((opener, Landmark.CALL) for opener in (self.call or ())[:1]),
            *((closer, Landmark.END_OF_CALL) for closer in (self.call or ())[1:]),
            *((Marker(text), Landmark.RESULT) for text in form.results),
            *((Marker(opener), Landmark.THOUGHT) for opener, _ in reasoning.tags),
            *((Marker(closer), Landmark.END_OF_THOUGHT) for _, closer in reasoning.tags),
            *((marker, Landmark.LEAK) for marker in LEAKS),
        ]
        self._kinds = [kind for _, kind in table]
        self._markers = MarkerSet([marker for marker, _ in table])
        self.ends_of_thought = MarkerSet([Marker(closer) for _, closer in reasoning.tags])
        self.telling = _telling([marker for marker, _ in table])

    def at(self, text: str, at: int, final: bool) -> tuple[Landmark | None, int]:
        """The landmark at *at* and where it ends; None with NO, or with MORE if one may be."""
        number, end = self._markers.at(text, at, final)
        return (self._kinds[number], end) if number >= 0 else (None, end)


@lru_cache(maxsize=256)
def landmarks(form: ReplyForm, reasoning: Reasoning) -> Landmarks:
    """The landmarks of that form."""
    return Landmarks(form, reasoning)


def _telling(markers: Sequence[Marker]) -> re.Pattern[str]:
    """What to stop at in prose: a character that, with the one behind it, may mean something.

    Most brackets in prose and code are told apart here, without stopping.
    """
    pairs = {"<": r"\s/\\|A-Za-z", "{": r"\s\"'“‘`A-Za-z_", "[": r"\s{", "~": "~"}
    literals = []
    for marker in markers:
        first = marker.text[0]
        if first in pairs:
            pairs[first] += re.escape(marker.text[1:2]) or r"\s\S"
        else:
            literals.append(_or_its_beginning(marker.text))
    told = [f"{re.escape(first)}(?=[{behind}]|\\Z)" for first, behind in pairs.items()]
    return re.compile("|".join(["`", *told, *literals]))


def _or_its_beginning(text: str) -> str:
    """A pattern for the first character of *text*, where all of it follows or the end comes."""
    behind = ""
    for char in reversed(text[1:]):
        behind = f"(?:{re.escape(char)}{behind}|\\Z)"
    return f"{re.escape(text[0])}(?={behind})"
