"""What a service with tools of its own says, before any API writes it, and what is to become of it.

A *way* is one answer by which calls get lost, or one that only looks like it. The tables of ways
are in ``leaks.py``, ``broken_calls.py``, ``refusals.py`` and ``harmless.py``; ``wires.py`` writes
each answer as the APIs do, and the tests compare what comes out with what the way expects.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toolproto.protocol.messages import Chunk, NativePiece
from toolproto.protocol.tools.spec import ToolOffer, ToolSpec

__all__ = ["APIS", "OFFER", "PARIS", "Answer", "Called", "Refused", "Said", "Thought", "Way"]

#: The APIs that the server speaks.
APIS = frozenset(["openai_chat", "anthropic", "google", "ollama"])


def _tool(name: str, does: str, required: tuple[str, ...], **kinds: str) -> ToolSpec:
    properties = {key: {"type": kind} for key, kind in kinds.items()}
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return ToolSpec(name, does, schema)


#: The tools of every request; those of FORMATS.md, one that writes text, one that needs nothing.
OFFER = ToolOffer(
    (
        _tool("get_weather", "Tell the weather.", ("city",), city="string", days="integer"),
        _tool("get_time", "Tell the time.", ("tz",), tz="string"),
        _tool("write_file", "Write a file.", ("path",), path="string", body="string"),
        _tool("list_notes", "List the notes.", (), tag="string"),
    )
)
#: The arguments that most ways mean.
PARIS: Mapping[str, Any] = {"city": "Paris", "days": 3}


@dataclass(frozen=True, slots=True)
class Said:
    """Text in the field for text."""

    text: str


@dataclass(frozen=True, slots=True)
class Thought:
    """Text in the field for thinking."""

    text: str


@dataclass(frozen=True, slots=True)
class Called:
    """A call in the field for calls.

    *arguments* are a string where the API has strings, right or wrong; anything else is sent as it
    is. *slot* is the index that a stream gives, and *slots* the index of the pieces behind the
    first one, where it differs. *repeats* is what those pieces say again: ``"id"``, ``"name"``, or
    ``"blank"`` for both, empty. An *old* call goes into ``function_call``.
    """

    name: str = "get_weather"
    arguments: Any = '{"city": "Paris", "days": 3}'
    id: str = "call_1"
    slot: int | None = 0
    slots: int | None = None
    repeats: str = ""
    old: bool = False


@dataclass(frozen=True, slots=True)
class Refused:
    """An error instead of an answer; *streamed* means that it comes in a stream with status 200."""

    status: int
    message: str
    code: str = ""
    failed: str | None = None
    streamed: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """What the service sends, and why it says that it ended; None if it does not say."""

    parts: tuple[Said | Thought | Called, ...] = ()
    finish: str | None = "stop"
    refused: Refused | None = None

    def chunks(self, size: int | None = None) -> Iterator[Chunk]:
        """The answer as a client of an API reads it, in pieces of *size* characters, or whole."""
        for part in self.parts:
            if isinstance(part, Called):
                yield from (Chunk(calls=(piece,)) for piece in _pieces(part, size))
            elif isinstance(part, Thought):
                yield from (Chunk(reasoning=text) for text in cut(part.text, size))
            else:
                yield from (Chunk(text) for text in cut(part.text, size))
        if self.finish:
            yield Chunk(finish_reason=self.finish)


def cut(text: str, size: int | None) -> list[str]:
    """Return *text* in pieces of *size* characters, or whole."""
    if size is None:
        return [text] if text else []
    return [text[at : at + size] for at in range(0, len(text), size)]


def _pieces(call: Called, size: int | None) -> Iterator[NativePiece]:
    written = call.arguments
    if not isinstance(written, str) or size is None:
        yield NativePiece(call.slot, call.id, call.name, written)
        return
    yield NativePiece(call.slot, call.id, call.name)
    id = call.id if "id" in call.repeats else ""
    name = call.name if "name" in call.repeats else ""
    slot = call.slot if call.slots is None else call.slots
    for text in cut(written, size):
        yield NativePiece(slot, id, name, text)


@dataclass(frozen=True, slots=True)
class Way:
    """One answer, and what is to become of it.

    *calls* are the calls that a client is to get, each with its arguments, and *text* is what a
    person reads beside them; None stands for the text as it was sent. Where the answer is to be
    asked *again*, the calls are those of the second answer. *as_streamed* are the calls that may go
    out in a stream, where only the end shows what is wrong with them. An *error* is the status of
    one that goes to the client. *source* names the model, the engine or the report it comes from.
    """

    name: str
    source: str
    answer: Answer
    calls: tuple[tuple[str, Mapping[str, Any]], ...] = (("get_weather", PARIS),)
    text: str | None = ""
    again: bool = False
    as_streamed: tuple[tuple[str, Mapping[str, Any]], ...] | None = None
    error: int = 0
    apis: frozenset[str] = APIS
    streamed_only: bool = False

    @property
    def shown(self) -> str:
        """What a person is to read."""
        if self.text is not None:
            return self.text
        return "".join(part.text for part in self.answer.parts if isinstance(part, Said))
