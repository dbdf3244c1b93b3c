"""What the proxy needs of an API: requests in, answers out, whole or streamed.

Translation does no I/O and reads no clock: an id and the time come in a :class:`Stamp`. What is
written is JSON in ASCII, so that no character can be taken for the end of a line on the way.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from json.encoder import encode_basestring_ascii
from secrets import token_hex
from typing import Any, Protocol

from ....protocol.events import ArgumentsDelta, CallStarted, ReasoningDelta, TextDelta
from ....protocol.messages import Usage
from ..asked import ApiFault, Asked
from ..pieces import Ended, Failed, Piece, Reason
from .content import Sees, blind

__all__ = [
    "HOLE",
    "Answer",
    "Api",
    "ApiFault",
    "EventTemplates",
    "Stamp",
    "StreamWriter",
    "WrittenCall",
    "collected",
    "sse",
]


@dataclass(frozen=True, slots=True)
class Stamp:
    """What identifies a response: *id* is a token for the API to put its prefix before."""

    id: str
    created: int


@dataclass(slots=True)
class WrittenCall:
    """A call as it goes out: *arguments* is the JSON text of an object."""

    id: str
    name: str
    arguments: str = ""


@dataclass(slots=True)
class Answer:
    """One whole answer."""

    text: str = ""
    thought: str = ""
    calls: list[WrittenCall] = field(default_factory=list)
    reason: Reason = "stop"
    usage: Usage = field(default_factory=Usage)
    stopped: bool = False


class StreamWriter(Protocol):
    """Writes the pieces of the answers of one response, in the order they come."""

    def begin(self) -> list[str]:
        """What comes before everything."""
        ...

    def write(self, choice: int, piece: Piece) -> list[str]:
        """*piece* of the answer number *choice*; never a :class:`Failed` one."""
        ...

    def end(self) -> list[str]:
        """What comes after the last answer has ended."""
        ...

    def fail(self, fault: ApiFault) -> list[str]:
        """What comes instead of an end."""
        ...


class Api(Protocol):
    """One API that clients speak."""

    @property
    def name(self) -> str:
        """What logs and metrics call it."""
        ...

    @property
    def dialect(self) -> str | None:
        """The dialect of a backend that speaks the same; None if no backend does."""
        ...

    @property
    def backend_path(self) -> str | None:
        """Where such a backend has it, if that is not the path of its dialect."""
        ...

    @property
    def media_type(self) -> str:
        """That of a stream."""
        ...

    @property
    def keep_alive(self) -> str:
        """What keeps a silent connection open; empty if the API has nothing for it."""
        ...

    def is_about_tools(self, body: Mapping[str, Any]) -> bool:
        """Whether *body* says a word about tools; told without reading the rest."""
        ...

    def read(self, body: Mapping[str, Any], sees: Sees = blind) -> Asked:
        """The request in *body*; BadRequest if it is none.

        *sees* says what the model can be shown beside text.
        """
        ...

    def writer(self, asked: Asked, stamp: Stamp) -> StreamWriter:
        """A writer of the streamed response to *asked*."""
        ...

    def whole(self, asked: Asked, answers: Sequence[Answer], stamp: Stamp) -> dict[str, Any]:
        """The response that is not streamed."""
        ...

    def error(self, fault: ApiFault) -> dict[str, Any]:
        """The body of a response that tells *fault*."""
        ...


def collected(pieces: Iterable[Piece]) -> Answer | Failed:
    """The whole of an answer, out of its pieces."""
    answer = Answer()
    texts: list[str] = []
    thoughts: list[str] = []
    arguments: list[list[str]] = []
    for piece in pieces:
        match piece:
            case TextDelta(text):
                texts.append(text)
            case ReasoningDelta(text):
                thoughts.append(text)
            case CallStarted(_, name, id):
                answer.calls.append(WrittenCall(id, name))
                arguments.append([])
            case ArgumentsDelta(index, text):
                arguments[index].append(text)
            case Ended(reason, usage, stopped):
                answer.reason, answer.usage, answer.stopped = reason, usage, stopped
            case Failed():
                return piece
    answer.text, answer.thought = "".join(texts), "".join(thoughts)
    for call, written in zip(answer.calls, arguments, strict=True):
        call.arguments = "".join(written) or "{}"
    return answer


#: Stands for a text in what :class:`EventTemplates` write; nobody else can write it.
HOLE = token_hex(16)


class EventTemplates:
    """Server-sent events that differ by one text, which has to be written for every token.

    All else of an event is written once. To write the whole of it took 11 µs, and the text alone
    takes half of one; a token costs the proxy some 110.
    """

    def __init__(self) -> None:
        self._halves: dict[Hashable, tuple[str, str]] = {}

    def filled(self, kind: Hashable, text: str, make: Callable[[], str]) -> str:
        """The event of *kind* with *text*; *make* writes one with :data:`HOLE`."""
        halves = self._halves.get(kind)
        if halves is None:
            before, _, after = make().partition(f'"{HOLE}"')
            halves = self._halves[kind] = (before, after)
        return f"{halves[0]}{encode_basestring_ascii(text)}{halves[1]}"


def sse(data: Any, event: str | None = None) -> str:
    """A server-sent event."""
    named = f"event: {event}\n" if event else ""
    written = data if isinstance(data, str) else json.dumps(data, separators=(",", ":"))
    return f"{named}data: {written}\n\n"
