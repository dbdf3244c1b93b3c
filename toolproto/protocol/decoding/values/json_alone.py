"""JSON that stands alone in a text: an answer, written for its own sake."""

from __future__ import annotations

from collections.abc import Iterator

from .lenient import read_json
from .strict import Reading

__all__ = ["json_alone"]

#: How many places at which JSON may begin are tried: prose has brackets, too.
_MOST_BEGINNINGS = 8


def json_alone(text: str) -> Iterator[Reading]:
    """Yield the objects and lists in *text* that fill their lines, but for a label before them.

    Such JSON is an answer. JSON in the middle of a sentence is part of the sentence.
    """
    at, seen = _beginning(text, 0), 0
    while at >= 0 and seen < _MOST_BEGINNINGS:
        reading = read_json(text, at)
        if isinstance(reading, Reading) and _stands_alone(text, at, reading):
            yield reading
            at = _beginning(text, max(reading.end, at + 1))
        else:
            at = _beginning(text, at + 1)
        seen += 1


def _stands_alone(text: str, at: int, reading: Reading) -> bool:
    """Return True if the value at *at* fills its lines, but for a label before it.

    ``[1]`` within a sentence is no list of numbers.
    """
    before = text[text.rfind("\n", 0, at) + 1 : at].strip(" \t`*")
    end = text.find("\n", reading.end)
    behind = text[reading.end : end if end >= 0 else len(text)].strip(" \t`.;*")
    labelled = before.endswith((":", "=", "json"))
    return isinstance(reading.value, dict | list) and not behind and (not before or labelled)


def _beginning(text: str, start: int) -> int:
    places = [place for place in (text.find("{", start), text.find("[", start)) if place >= 0]
    return min(places, default=-1)
