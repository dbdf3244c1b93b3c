"""What a turn asks its driver to do.

A turn is a generator of commands. Each command's type parameter is the type of the answer, so
``decision = yield from perform(Ask(request))`` is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from datetime import date
from typing import Any, ClassVar, Generic, TypeVar

from ...protocol.messages import ChatRequest, Chunk, Message, ToolCall, ToolResult
from ..deciding import approvals
from ..deciding.approvals import ApprovalRequest, Decision, EarlierAnswer
from .events import SessionEvent

__all__ = [
    "Append",
    "Ask",
    "CleanUp",
    "Clock",
    "Close",
    "Command",
    "Compute",
    "Emit",
    "Flow",
    "Hook",
    "Invoke",
    "Open",
    "Outcome",
    "Pause",
    "Read",
    "Review",
    "Settle",
    "Today",
    "Together",
    "Write",
    "emit",
    "perform",
]

R = TypeVar("R")


class Command(Generic[R]):
    """Something only a driver can do; R is what it answers.

    At an *interruptible* command a driver may throw TurnCancelled instead of answering. It throws
    that once: whatever the turn still asks for afterwards is done.
    """

    __slots__ = ()
    interruptible: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class Open(Command[None]):
    """Send *request*; its chunks become readable."""

    interruptible = True
    request: ChatRequest


@dataclass(frozen=True, slots=True)
class Read(Command[Chunk | None]):
    """The next chunk, or None at the end of the reply."""

    interruptible = True


@dataclass(frozen=True, slots=True)
class Close(Command[None]):
    """Stop reading, whether or not the reply has ended."""


@dataclass(frozen=True, slots=True)
class Invoke(Command[None]):
    """Start *calls*, all at once; *message* is the one they stand in."""

    interruptible = True
    calls: tuple[ToolCall, ...]
    message: Message


@dataclass(frozen=True, slots=True)
class Outcome:
    """A call that is done: its *result*, when it was *started* and how many *seconds* it took.

    *started* is in seconds since 1970; both are None where nobody looked at a clock.
    """

    result: ToolResult
    started: float | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Settle(Command[Outcome]):
    """Whichever started call is done next; failing and timing out are results."""

    interruptible = True


@dataclass(frozen=True, slots=True)
class Ask(Command[Decision | EarlierAnswer]):
    """Put *request* to whoever approves calls; a journal says what its answer was about."""

    interruptible = True
    request: ApprovalRequest


@dataclass(frozen=True, slots=True)
class Review(Command[approvals.Review]):
    """Show *result* to whoever reviews results."""

    interruptible = True
    result: ToolResult


@dataclass(frozen=True, slots=True)
class Hook(Command[Any]):
    """Call *function*, a hook, and wait for it if it is async."""

    interruptible = True
    function: Callable[..., Any]
    arguments: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Together(Command[None]):
    """Call all *hooks*, at the same time where that means anything.

    All run to their end; then one error is raised as it is, several as a group.
    """

    interruptible = True
    hooks: tuple[Hook, ...]


@dataclass(frozen=True, slots=True)
class Pause(Command[None]):
    """Nothing; but whatever is to interrupt the turn does so here at the latest."""

    interruptible = True


@dataclass(frozen=True, slots=True)
class Compute(Command[R]):
    """Call *function*, which looks at nothing outside and may take long: not on an event loop."""

    function: Callable[[], R]


@dataclass(frozen=True, slots=True)
class CleanUp(Command[None]):
    """Call *function*, which a hook left behind."""

    function: Callable[[], Any]


@dataclass(frozen=True, slots=True)
class Append(Command[None]):
    """*message* joined the conversation at *position*: keep it."""

    message: Message
    position: int


@dataclass(frozen=True, slots=True)
class Write(Command[None]):
    """Keep *records*, in order and all or none; *durable*: before anything else happens."""

    records: tuple[Any, ...]
    durable: bool = False


@dataclass(frozen=True, slots=True)
class Emit(Command[None]):
    """Show *event* to whoever watches the turn."""

    event: SessionEvent


class _NewEmit(Command[None]):
    """An Emit in the making."""

    __slots__ = ("event",)
    event: SessionEvent


def emit(event: SessionEvent) -> Emit:
    """An Emit, for events of which there is one a token: a frozen one takes three times as long."""
    command: Any = _NewEmit()
    command.event = event
    command.__class__ = Emit
    return command  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True)
class Clock(Command[float]):
    """Seconds, from any beginning."""


@dataclass(frozen=True, slots=True)
class Today(Command[date]):
    """The date in *zone*, by default where the program runs, for the system prompt."""

    zone: str = ""


Flow = Generator[Command[Any], Any, R]


def perform(command: Command[R]) -> Flow[R]:
    """Ask the driver and return its answer, typed."""
    answer: R = yield command
    return answer
