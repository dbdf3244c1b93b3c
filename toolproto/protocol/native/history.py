"""Which conversations a service with tools of its own would refuse, and how they are put right.

Clients keep what a model wrote, broken calls included, forget half of an exchange when they make a
conversation shorter, and answer calls late or not at all. A service refuses such a request for ever
after: "An assistant message with 'tool_calls' must be followed by tool messages" (OpenAI),
"Unterminated string" (vLLM), "tool call result does not follow tool call" (MiniMax). Whatever no
service refuses stays the very message it was, so that the prefix that a service has cached holds.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, count, takewhile
from operator import is_
from typing import NamedTuple

from ..decoding.values.lenient import read_json
from ..decoding.values.strict import Reading
from ..events import TextDelta, calls_of
from ..messages import Message, ToolCall, ToolResult
from ..tools.spec import ToolOffer
from .reader import NativeReader

__all__ = ["Righted", "put_right"]

#: What stands for a result that never came.
_UNANSWERED = "no result came for this call"
#: Where a client's API is read, text that is no JSON becomes the value of this argument.
_UNREAD = "arguments"


class Righted(NamedTuple):
    """A conversation that no service refuses, and what was done to it, for a line of the log."""

    messages: list[Message]
    notes: tuple[str, ...]


def put_right(messages: Sequence[Message], offer: ToolOffer) -> Righted:
    """Return *messages* as a service takes them; those that are sound are the same objects."""
    righting = _Righting(offer)
    put = [each for step in _steps(messages) for each in righting.step(step)]
    done = (f"{what}: {times}" for what, times in righting.done.items() if times)
    return Righted(put, tuple(done))


def _steps(messages: Sequence[Message]) -> Iterator[list[Message]]:
    """Split *messages* before each reply: what the model said, then all that came of it.

    Replies that only call, one right behind the other, wait for their results together: clients of
    OpenAI's responses keep parallel calls like that.
    """
    step: list[Message] = []
    for message in messages:
        waits_with = step and step[-1].role == "assistant" and step[-1].calls and message.calls
        if message.role == "assistant" and step and not waits_with:
            yield step
            step = []
        step.append(message)
    if step:
        yield step


class _Righting:
    """One conversation on its way: the ids that are taken, and what was done so far."""

    def __init__(self, offer: ToolOffer) -> None:
        self.done: Counter[str] = Counter()
        self._offer = offer
        self._ids: set[str] = set()

    def step(self, step: list[Message]) -> list[Message]:
        """Return the messages of one step, its calls answered right behind it."""
        said = list(takewhile(lambda message: message.role == "assistant", step))
        rest = step[len(said) :]
        said = self._joined([self._read(message) for message in said])
        asked = [call for message in said for call in message.calls]
        made = [self._mended(call) for call in asked]
        if made and not all(map(is_, asked, made)):
            said[-1] = replace(said[-1], calls=tuple(made))
        waiting = _Waiting(asked, made)
        rows = [[waiting.take(each) for each in message.results] for message in rest]
        if _is_sound(rest, rows, len(made)):
            return [*said, *rest]
        found = {result.call.id: result for row in rows for result in row if result}
        behind = [Message("user", "", results=tuple(self._results(made, found)))] if made else []
        self.done["results that came late"] += sum(map(any, rows[1:]))
        others = chain.from_iterable(map(self._others, rest, rows))
        return [*said, *behind, *others]

    def _results(self, calls: list[ToolCall], found: dict[str, ToolResult]) -> Iterator[ToolResult]:
        for call in calls:
            self.done["calls without a result"] += call.id not in found
            yield found.get(call.id) or ToolResult(call, _UNANSWERED, is_error=True)

    def _others(self, message: Message, row: Sequence[ToolResult | None]) -> Iterator[Message]:
        """Give what *message* says beside the results of calls."""
        for result, place in zip(message.results, row, strict=True):
            if place is None:
                self.done["results without a call"] += 1
                yield _told(result)
        if not message.results:
            yield message
        elif message.content or message.attachments:
            yield replace(message, results=())

    def _joined(self, said: list[Message]) -> list[Message]:
        """Return one message where calls of several wait for their results together."""
        if len(said) < 2:
            return said
        self.done["replies that called one after the other"] += 1
        text = "\n\n".join(message.content for message in said if message.content)
        thought = "\n\n".join(message.reasoning for message in said if message.reasoning)
        calls = tuple(call for message in said for call in message.calls)
        return [replace(said[-1], content=text, reasoning=thought, calls=calls, segments=())]

    def _read(self, message: Message) -> Message:
        """Return *message* with the calls that stand in its text, where an answer's would count."""
        if message.calls or not any(name in message.content for name in self._offer.names):
            return message
        reader = NativeReader(self._offer, ids=lambda: "")
        events = [*reader.feed(message.content), *reader.finish("stop")]
        calls = calls_of(events)
        if not calls:
            return message
        self.done["calls written as text"] += len(calls)
        text = "".join(event.text for event in events if isinstance(event, TextDelta))
        return replace(message, content=text.strip(), calls=tuple(calls), segments=())

    def _mended(self, call: ToolCall) -> ToolCall:
        """Return *call* with an id of its own, and with arguments that are an object."""
        mended = call
        if not call.id or call.id in self._ids:
            if call.id:
                self.done["ids that came twice"] += 1
            mended = replace(mended, id=self._free(call.id))
        self._ids.add(mended.id)
        given = call.arguments.get(_UNREAD)
        tool = self._offer.get(call.name)
        is_own = tool is None or _UNREAD in tool.properties
        if len(call.arguments) == 1 and isinstance(given, str) and not is_own:
            reading = read_json(given)
            if isinstance(reading, Reading) and isinstance(reading.value, dict):
                self.done["arguments that were no JSON"] += 1
                mended = replace(mended, arguments=reading.value)
        return mended

    def _free(self, id: str) -> str:
        """Return an id that is not taken: the same one in the next request of the client."""
        name, first = (id, 2) if id else ("call", 1)
        return next(new for n in count(first) if (new := f"{name}_{n}") not in self._ids)


class _Waiting:
    """The calls of one step that wait for a result, under the ids that the client knows."""

    def __init__(self, asked: Sequence[ToolCall], made: Sequence[ToolCall]) -> None:
        self._calls: dict[str, deque[ToolCall]] = {}
        self._same = {id(call) for call in asked} & {id(call) for call in made}
        for known, call in zip(asked, made, strict=True):
            self._calls.setdefault(known.id, deque()).append(call)

    def take(self, result: ToolResult) -> ToolResult | None:
        """Return *result* as that of a call of this step; None if there is none for it."""
        calls = self._calls.get(result.call.id)
        if not calls:
            return None
        call = calls.popleft()
        return result if id(call) in self._same else replace(result, call=call)


def _is_sound(rest: Sequence[Message], rows: Sequence[list[ToolResult | None]], calls: int) -> bool:
    """Return True if the first message behind so many *calls* answers them all, and no other."""
    if not calls:
        return not any(rows)
    return (
        bool(rows)
        and len(rows[0]) == calls
        and all(map(is_, rest[0].results, rows[0]))
        and not any(rows[1:])
    )


def _told(result: ToolResult) -> Message:
    """Return *result* as words of the user."""
    said = f"Result of {result.call.name or 'a tool'}:\n{result.content}"
    return Message("user", said, attachments=result.attachments)
