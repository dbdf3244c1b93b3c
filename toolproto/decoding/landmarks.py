"""What to look for in the prose of a reply, and where.

A paradigm says how its calls and results look (`forms.py`); together with the tags of thinking and
the tokens of chat templates that makes the :class:`Landmarks` of its replies, compiled once for
all of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache

from .forms import Family, MarkedForm, ReplyForm
from .leaks import LEAKS
from .reasoning import Reasoning
from .scanner import Marker, MarkerSet

__all__ = ["CallMarkers", "Landmark", "Landmarks", "landmarks"]


class Landmark(Enum):
    """What a marker in prose announces."""

    CALL = auto()
    RESULT = auto()
    THOUGHT = auto()
    END_OF_CALL = auto()
    END_OF_THOUGHT = auto()
    LEAK = auto()
    DROPPED = auto()


@dataclass(frozen=True, slots=True)
class CallMarkers:
    """The markers of one form of call."""

    form: MarkedForm
    opener: Marker
    closer: Marker | None

    @property
    def ends(self) -> tuple[Marker, ...]:
        """Markers that no payload goes on behind."""
        return (self.opener,) if self.closer is None else (self.closer, self.opener)


class Landmarks:
    """The markers of one form of reply, and the characters worth stopping at."""

    def __init__(self, form: ReplyForm, reasoning: Reasoning, tools: tuple[str, ...]) -> None:
        self.calls = [_markers(call) for call in (*form.calls, *map(_tool_tag, tools))]
        # A run of backticks behind a call closes it; in prose it begins a fence.
        closers = {
            call.closer.text: call.closer
            for call in self.calls
            if call.closer and call.closer.first != "`"
        }
        table = [
            *((call.opener, Landmark.CALL) for call in self.calls),
            *((closer, Landmark.END_OF_CALL) for closer in closers.values()),
            *((Marker(text), Landmark.RESULT) for text in form.results),
            *((Marker(opener), Landmark.THOUGHT) for opener, _ in reasoning.tags),
            *((Marker(closer), Landmark.END_OF_THOUGHT) for _, closer in reasoning.tags),
            *((Marker(text), Landmark.DROPPED) for text in form.dropped),
            *((marker, Landmark.LEAK) for marker in LEAKS),
        ]
        self._kinds = [kind for _, kind in table]
        self._markers = MarkerSet([marker for marker, _ in table])
        self.ends_of_thought = MarkerSet([Marker(closer) for _, closer in reasoning.tags])
        self.call_markers = [marker for marker, kind in table if kind in _OF_CALLS]
        self.telling = _telling([marker for marker, _ in table], Family.PYTHON in form.bare)

    def at(self, text: str, at: int, final: bool) -> tuple[Landmark | None, int, int]:
        """The landmark at *at*, where it ends, and its number among its kind's markers.

        None with NO, or with MORE if there may be one.
        """
        number, end = self._markers.at(text, at, final)
        return (self._kinds[number], end, number) if number >= 0 else (None, end, number)


_OF_CALLS = frozenset({Landmark.CALL, Landmark.END_OF_CALL})


def _markers(form: MarkedForm) -> CallMarkers:
    return CallMarkers(form, Marker(form.opener), Marker(form.closer) if form.closer else None)


@lru_cache(maxsize=256)
def landmarks(form: ReplyForm, reasoning: Reasoning, tools: tuple[str, ...] = ()) -> Landmarks:
    """The landmarks of that form; *tools* are those whose names may be tags."""
    return Landmarks(form, reasoning, tools)


def _tool_tag(name: str) -> MarkedForm:
    return MarkedForm(f"<{name}>", f"</{name}>", Family.TAGS, tool=name)


def _telling(markers: Sequence[Marker], python: bool) -> re.Pattern[str]:
    """What to stop at in prose: a character that, with the one behind it, may mean something.

    Most brackets in prose and code are told apart here, without stopping.
    """
    pairs = {"<": r"\s/\\|｜A-Za-z", "{": r"\s\"'“‘`A-Za-z_", "[": r"\s{", "~": "~"}
    if python:
        pairs["["] += r"A-Za-z_\"'`\["
    literals = []
    for marker in markers:
        first = marker.text[0]
        if first in pairs:
            pairs[first] += re.escape(marker.text[1:2]) or r"\s\S"
        else:
            literals.append(_or_its_beginning(marker.literal))
    told = [f"{re.escape(first)}(?=[{behind}]|\\Z)" for first, behind in pairs.items()]
    return re.compile("|".join(["`", *told, *literals]))


def _or_its_beginning(text: str) -> str:
    """A pattern for the first character of *text*, where all of it follows or the end comes."""
    behind = ""
    for char in reversed(text[1:]):
        behind = f"(?:{re.escape(char)}{behind}|\\Z)"
    return f"{re.escape(text[0])}(?={behind})"
