"""What a client asked for, whatever API it speaks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ...protocol.messages import Message
from ...protocol.tools.spec import ToolOffer

__all__ = ["AnswerShape", "ApiFault", "Asked", "BadRequest", "ClientTool", "has_tool_history"]


@dataclass(frozen=True, slots=True)
class ApiFault:
    """What a client is told instead of an answer; *param* is the field that is wrong."""

    status: int
    message: str
    code: str
    param: str | None = None


class BadRequest(Exception):
    """The client's mistake: *message* for its programmer, *param* the field that is wrong."""

    def __init__(
        self, message: str, param: str | None = None, code: str = "invalid_value", status: int = 400
    ) -> None:
        super().__init__(message)
        self.message = message
        self.param = param
        self.code = code
        self.status = status

    @property
    def fault(self) -> ApiFault:
        """What the client is told."""
        return ApiFault(self.status, self.message, self.code, self.param)


@dataclass(frozen=True, slots=True)
class AnswerShape:
    """The answer in words is to be JSON; *schema* says of what kind, if it matters."""

    schema: Mapping[str, Any] | None = None


class ClientTool(NamedTuple):
    """A tool as its client knows it, which may differ from how the model is offered it.

    *kind* is the API's own word for what it is; calls of it go back in the form of that kind.
    """

    name: str
    kind: str = "function"
    namespace: str | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """A request, before any paradigm is put into it.

    *messages* carry calls and results as values. *params* are generation parameters under
    OpenAI's names. *strict* names the tools whose arguments leave only when they are whole and
    valid; *whole_calls* says that the API sends no others. *own* is what only a backend of the
    client's own make understands, in its words.
    *legacy* is for those who asked in OpenAI's older form. *tools* are those, by the names they
    are offered under, that are not plain functions of that name for their client. *notes* say
    what of the request was changed or left out, for the log. *size* is how many characters the
    definitions of the tools have.
    """

    model: str
    messages: tuple[Message, ...]
    offer: ToolOffer = field(default_factory=ToolOffer)
    stream: bool = False
    choices: int = 1
    stop: tuple[str, ...] = ()
    params: Mapping[str, Any] = field(default_factory=dict)
    own: Mapping[str, Any] = field(default_factory=dict)
    shape: AnswerShape | None = None
    strict: frozenset[str] = frozenset()
    whole_calls: bool = False
    include_usage: bool = False
    legacy: bool = False
    tools: Mapping[str, ClientTool] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    size: int = 0

    def tool(self, name: str) -> ClientTool:
        """The tool that is offered as *name*, as the client knows it."""
        return self.tools.get(name) or ClientTool(name)

    @property
    def needs_tools(self) -> bool:
        """Whether anything in it is about tools; otherwise it passes through untouched."""
        return bool(self.offer.tools) or has_tool_history(self.messages)


def has_tool_history(messages: Sequence[Message]) -> bool:
    """Whether tools were called earlier in the conversation."""
    return any(message.calls or message.results for message in messages)
