"""One request put to a model in one way: what is sent, and what came back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ...protocol.describe.tokens import estimate_tokens
from ...protocol.grammar.constraint import Constraint
from ...protocol.messages import ChatRequest, Chunk, Message, NativePiece, ToolResult
from ...protocol.native import NativeTools
from ...protocol.paradigms.base import ToolContextDef
from ...protocol.paradigms.parsed import ParsedResponse
from .arms import Arm
from .cases import Case
from .score import Marks, mark, read_reply

__all__ = ["Trial", "TrialAnswer", "TrialOutcome", "sent_texts"]

#: Asks for a reply; how it is asked, and how it may be stopped, is the runner's.
Ask = Callable[[ChatRequest], "TrialAnswer"]


@dataclass(frozen=True, slots=True)
class TrialAnswer:
    """A reply as it came, and what it took; *estimated*: the endpoint did not count tokens.

    *calls* are those that a service sent as such, in pieces.
    """

    text: str
    finish_reason: str | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    estimated: bool = False
    seconds: float = 0.0
    calls: tuple[NativePiece, ...] = ()


@dataclass(frozen=True, slots=True)
class TrialOutcome:
    """What was replied in one trial: to the request, and where there is a result, to that."""

    trial: str
    replies: tuple[TrialAnswer, ...]


@dataclass(frozen=True, slots=True)
class Trial:
    """*case*, asked as *arm* asks, in its *paradigm*.

    *opening* stands before what is said: the system prompt, and examples if there are any.
    *model* is whose replies these are; *params* go with every request. *constrain* is whether the
    model is held to a grammar.
    """

    arm: Arm
    case: Case
    paradigm: ToolContextDef
    opening: tuple[Message, ...]
    model: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)
    constrain: str = "off"

    @property
    def fingerprint(self) -> str:
        """The same as long as the same would be sent: replies to anything else are not its."""
        told = [self.model, _as_json(self._request()), dict(self.params)]
        if self.case.result is not None:
            told.append(_as_json(self._follow_up(None)))
        if self.constrain != "off":
            told.append(self.constrain)
        text = json.dumps(told, sort_keys=True, default=str)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]

    def run(self, ask: Ask) -> TrialOutcome:
        """Ask, and where the case has a result, tell it and ask again."""
        replies = [ask(self._request())]
        if self.case.result is not None:
            replies.append(ask(self._follow_up(replies[0])))
        return TrialOutcome(self.fingerprint, tuple(replies))

    def marks(self, outcome: TrialOutcome) -> Marks:
        """What the replies of *outcome* get right."""
        read = [self._read(reply) for reply in outcome.replies]
        return mark(self.case, *read[:2])

    @property
    def requests(self) -> int:
        """How many requests it takes."""
        return 1 if self.case.result is None else 2

    @property
    def prompt_tokens(self) -> int:
        """About how many tokens its requests are."""
        asked = [self._request()]
        if self.case.result is not None:
            asked.append(self._follow_up(None))
        return sum(estimate_tokens(text) for one in asked for text in sent_texts(one))

    def _request(self) -> ChatRequest:
        return self._made(Message("user", self.case.ask))

    def _follow_up(self, first: TrialAnswer | None) -> ChatRequest:
        """The request that tells the result: of the model's own call if that was right.

        Where it was not, the right call stands in its place. So the use of results is measured in
        every arm alike, whatever it does to calls.
        """
        call = self.case.calls[0].sample()
        if first is not None:
            reply = self._read(first)
            if mark(self.case, reply).right_arguments:
                call = reply.calls[0]
        call = replace(call, id="call_1")  # what is sent is the same in every run
        result = ToolResult(call, self.case.result or "", is_error=self.case.failed)
        said = Message("assistant", "", calls=(call,))
        return self._made(Message("user", self.case.ask), said, Message("user", "", (), (result,)))

    def _made(self, *said: Message) -> ChatRequest:
        messages = (*self.opening, *self.paradigm.encode_conversation(said))
        offer = self.case.offer
        return ChatRequest(
            messages,
            self.paradigm.stop(offer),
            dict(self.params),
            constraint=self._constraint(),
            offer=offer if self._is_native and offer.tools else None,
        )

    @property
    def _is_native(self) -> bool:
        return isinstance(self.paradigm, NativeTools)

    def _constraint(self) -> Constraint | None:
        paradigm, offer = self.paradigm, self.case.offer
        if self.constrain == "off" or not offer.tools or self._is_native:
            return None
        return Constraint(lambda: paradigm.grammar(offer), self.constrain == "calls")

    def _read(self, reply: TrialAnswer) -> ParsedResponse:
        said = Chunk(reply.text, calls=reply.calls)
        return read_reply(self.paradigm, self.case.offer, said, reply.finish_reason)


def _as_json(request: ChatRequest) -> list[Any]:
    told: list[Any] = [
        [[each.role, each.content] for each in request.messages],
        list(request.stop),
    ]
    return told if request.offer is None else [*told, list(sent_texts(request))]


def sent_texts(request: ChatRequest) -> Iterator[str]:
    """Yield all that a model is told by *request*, as text."""
    for message in request.messages:
        yield message.content
        for call in message.calls:
            yield json.dumps([call.name, call.id, dict(call.arguments)], default=str)
        yield from (result.content for result in message.results)
    for tool in request.offer.tools if request.offer else ():
        yield json.dumps([tool.name, tool.description, tool.parameters], default=str)
