"""Where a thought that a token of `thinking_tokens.py` began ends, and which calls in it count.

Reasoning models write their thoughts between tags, in the same text as the answer. Some chat
templates put the opening tag into the prompt, so that the reply *starts* inside a thought: that
cannot be seen from the reply while it streams, and has to be said.
"""

from __future__ import annotations

from ..markers import MORE, NO
from ..source import Pull
from .attempts import Attempts
from .landmarks import Found, Landmark, Table


def read_thought(
    reader: Attempts, opened: Found | None = None, *, again: bool = False
) -> Pull[None]:
    """In a thought that *opened*, to its end.

    By the model's template some calls end a thought. One that began in the prompt, by whatever
    marker, is often begun once more; *again* says that this was read.
    """
    source, landmarks = reader.source, reader.landmarks
    tag = opened.tag.lstrip() if opened else ""
    markers = landmarks.in_thought if tag in landmarks.named else landmarks.in_thought_message
    reader.inside = "thinking"
    reader.place.begin_thought()
    while source.at < len(source.text) or (yield from source.peek()):
        stop, found = _next_marker(markers, source.text, source.at, source.final)
        if isinstance(found, Found) and found.kind is Landmark.THOUGHT:
            stop, found = found.end, NO  # one more in it is a part of it
        reader.out.reasoning(source.text[source.at : stop], source.offset)
        source.at = stop
        if found == MORE:
            yield
        elif isinstance(found, Found):
            by_call = found.call is not None or found.kind is Landmark.DROPPED
            if not by_call:
                source.at = found.end
            reader.inside = ""
            reader.doubt(reader.place.end_thought(by_call=by_call))
            reader.line_begins = True
            return


def _next_marker(markers: Table, text: str, at: int, final: bool) -> tuple[int, Found | int]:
    """Where the next of *markers* stands, or may stand, and what it is."""
    while begun := markers.begins.search(text, at):
        found = markers.at(text, begun.start(), final)
        if found != NO:
            return begun.start(), found
        at = begun.end()
    return len(text), NO
