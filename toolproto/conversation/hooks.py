"""Taking part in a turn from outside.

Subclass :class:`Hooks` and override what you need; a session takes any number of them and calls
them in the order it was given them::

    on_turn_start        once, after the user's message was taken; may return a clean-up
    transform_system     the system prompt of each request
    transform_params     the generation parameters of each request
    on_before_request    the whole request; may change or replace it
    on_stream_data       each chunk of the reply; may replace it
    on_message_append    each message but the user's own, before it joins the conversation
    on_after_request     the reply is whole: append messages, ask for another request
    before_tool          each checked call, before anybody approves it
    after_tool           each result, before anybody reviews it
    on_turn_end          once, after success or cancellation, not after an error

All but ``on_message_append`` may be ``async`` in an AsyncChatSession. They run one after another,
but ``on_after_request`` of all hooks runs at the same time: in threads in a ChatSession, as tasks
in an AsyncChatSession. What a hook raises ends the turn with that error; all ``on_after_request``
hooks are called before that. Clean-ups run in reverse order whatever happens. A call that a hook
sees may be replaced, never changed in place.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import wraps
from threading import RLock
from typing import TYPE_CHECKING, Any

from ..protocol.errors import UsageError
from ..protocol.messages import ChatRequest, Chunk, Message, ToolCall, ToolResult

if TYPE_CHECKING:
    from ..protocol.tools.define import Tool
    from ..protocol.tools.registry import ToolRegistry

__all__ = [
    "Appended",
    "Hooks",
    "MessageAppending",
    "ReplyEnded",
    "RequestReady",
    "StreamData",
    "TurnStarting",
    "check_hook",
    "overriding",
    "replies_ended",
]


#: What of a message can be sent beside its role, and what is.
_CAN_BE_SENT = ("content", "attachments", "reasoning")
_SENT = _CAN_BE_SENT[:2]


@dataclass(frozen=True, slots=True)
class TurnStarting:
    """A turn begins. *message* is the user's, None when a pending turn is resumed."""

    message: Message | None
    messages: tuple[Message, ...]


@dataclass(slots=True)
class RequestReady:
    """A request about to be sent; assign to *request* to change it.

    *tools* are the session's. A tool that is added here is taught in this very request.
    """

    request: ChatRequest
    tools: ToolRegistry

    def set_messages(self, messages: Iterable[Message], *, fields: Iterable[str] = _SENT) -> None:
        """Send *messages* instead, and of each only its role and these *fields*.

        Services are sent content and attachments; *reasoning* is for an endpoint of your own. Where
        the tools go to the service in its own way, calls and results are sent as well.
        """
        kept = tuple(fields)
        if unknown := [each for each in kept if each not in _CAN_BE_SENT]:
            raise UsageError(f"a request has no field {unknown[0]!r}; there are {_CAN_BE_SENT}")
        if self.request.offer is not None:
            kept += ("calls", "results")
        plain = tuple(
            replace(
                Message(each.role, ""),
                **{name: value for name in kept if (value := getattr(each, name))},
            )
            for each in messages
        )
        stable = self.request.stable_prefix
        if _beginning(plain, stable) != _beginning(self.request.messages, stable):
            stable = 0
        self.request = replace(self.request, messages=plain, stable_prefix=stable)


@dataclass(frozen=True, slots=True)
class StreamData:
    """A chunk that came. *heard* are the texts of those before it.

    ``chunk.raw`` is the block of the service's stream, for what toolproto does not read.
    """

    chunk: Chunk
    heard: Sequence[str]
    _message: Callable[[], Message] = field(repr=False, compare=False)

    @property
    def message(self) -> Message:
        """The message under construction: text, thinking and calls before this chunk."""
        return self._message()


@dataclass(slots=True)
class MessageAppending:
    """A message about to join the conversation; assign to *message* to change it.

    *messages* is the conversation so far.
    """

    message: Message
    messages: tuple[Message, ...]
    prevented: bool = False
    position: int | None = None

    def prevent_default(self) -> None:
        """Leave the message out, unless :meth:`place` puts it somewhere."""
        self.prevented = True

    def place(self, position: int) -> None:
        """Put the message before the one that is at *position* now, not at the end."""
        if not 0 <= position <= len(self.messages):
            raise UsageError(f"position {position} is not within the {len(self.messages)} messages")
        self.prevented, self.position = True, position


@dataclass(frozen=True, slots=True)
class Appended:
    """Messages that a hook asked to append."""

    messages: tuple[Message, ...]
    request: bool
    priority: int
    order: int


@dataclass(slots=True)
class ReplyEnded:
    """A reply is whole and part of the conversation.

    *last_chunk* is the one that said why the reply ended, with the usage of the whole reply; None
    if the service has sent none.
    """

    message: Message
    finish_reason: str
    last_chunk: Chunk | None
    _append_now: Callable[[Message], object] = field(repr=False)
    # Hooks run at the same time, and are told of messages one at a time.
    _one_at_a_time: RLock = field(repr=False)
    _order: int = 0
    deferred: list[Appended] = field(default_factory=list)
    wants_request: bool = False
    over: bool = field(default=False, repr=False)

    def append_message(
        self,
        message: Message | Iterable[Message],
        *,
        request: bool = False,
        priority: int = 0,
        deferred: bool = False,
    ) -> None:
        """Append to the conversation, and with *request* send another request afterwards.

        At once; or *deferred* until every hook is done and the tools have answered: then the
        messages of all hooks are sorted by *priority*, highest first.
        """
        messages: tuple[Any, ...]
        messages = (message,) if isinstance(message, Message) else tuple(message)
        if self.over:
            raise UsageError("messages can be appended only while on_after_request runs")
        if wrong := [each for each in messages if not isinstance(each, Message)]:
            raise UsageError(f"append_message got {wrong[0]!r}; expected a Message or several")
        self.wants_request = self.wants_request or (request and bool(messages))
        if deferred:
            self.deferred.append(Appended(messages, request, priority, self._order))
            return
        for each in messages:
            with self._one_at_a_time:
                self._append_now(each)

    def append_and_request(
        self, message: Message | Iterable[Message], *, priority: int = 0, deferred: bool = False
    ) -> None:
        """Append, and send another request afterwards."""
        self.append_message(message, request=True, priority=priority, deferred=deferred)


def replies_ended(
    count: int,
    message: Message,
    finish_reason: str,
    last_chunk: Chunk | None,
    append_now: Callable[[Message], object],
) -> list[ReplyEnded]:
    """Return what *count* hooks are shown of the reply *message*, one for each."""
    lock = RLock()
    return [
        ReplyEnded(message, finish_reason, last_chunk, append_now, lock, order)
        for order in range(count)
    ]


class Hooks:
    """Override what you need. A hook that returns None changes nothing."""

    def on_turn_start(self, turn: TurnStarting) -> Any:
        """May return a function to call when the turn is over, whatever happens."""

    def transform_system(self, prompt: str) -> Any:
        """May return another system prompt."""

    def transform_params(self, params: Mapping[str, Any]) -> Any:
        """May return other generation parameters."""

    def on_before_request(self, moment: RequestReady) -> Any:
        """May change ``moment.request``, or return another."""

    def on_stream_data(self, data: StreamData) -> Any:
        """May return another Chunk."""

    def on_message_append(self, moment: MessageAppending) -> None:
        """May change ``moment.message``, move it or leave it out. Never async."""

    def on_after_request(self, moment: ReplyEnded) -> Any:
        """May append messages and ask for another request."""

    def before_tool(self, call: ToolCall, tool: Tool) -> Any:
        """May return another ToolCall, or a ToolResult that answers without running anything."""

    def after_tool(self, result: ToolResult) -> Any:
        """May return another ToolResult."""

    def on_turn_end(self, result: Any) -> Any:
        """Sees the TurnResult before the clean-ups run."""


def _beginning(messages: Sequence[Message], characters: int) -> str:
    first = messages[0] if messages else None
    return first.content[:characters] if first and first.role == "system" else ""


#: What hooks are called, and how a name begins that is to be one.
_NAMES = tuple(name for name in vars(Hooks) if not name.startswith("_"))
_BEGINNINGS = ("on_", "before_", "after_", "transform_")
#: As alike are two names of which one is misspelt.
_ALIKE = 0.8
#: The calls that a hook sees.
_CALLS: dict[str, Callable[..., Iterable[ToolCall]]] = {
    "before_tool": lambda call, tool: (call,),
    "after_tool": lambda result: (result.call,),
    "on_message_append": lambda moment: moment.message.calls,
    "on_after_request": lambda moment: moment.message.calls,
}


def check_hook(hook: Any) -> None:
    """Raise UsageError if *hook* has a method that looks like a hook and is none."""
    names = {name for name in dir(hook) if not name.startswith("_")}
    for name in sorted(names.difference(_NAMES)):
        meant = get_close_matches(name, _NAMES, 1, _ALIKE)
        if meant or (isinstance(hook, Hooks) and name.startswith(_BEGINNINGS)):
            hint = f"did you mean {meant[0]!r}?" if meant else f"there are: {', '.join(_NAMES)}"
            raise UsageError(f"{type(hook).__name__}.{name} is no hook; {hint}")


def overriding(hooks: Iterable[Any], name: str) -> list[Callable[..., Any]]:
    """The methods *name* of those *hooks* that have one of their own, in order."""
    methods = [getattr(hook, name, None) for hook in hooks]
    default = getattr(Hooks, name)
    own = [
        method
        for method in methods
        if method is not None and getattr(method, "__func__", None) is not default
    ]
    return [_watched(method, name) for method in own] if name in _CALLS else own


def _watched(method: Callable[..., Any], name: str) -> Callable[..., Any]:
    """*method*, raising UsageError if it changes the arguments of a call in place.

    Nobody would hear of that: some calls are copies, and others run as they were approved.
    """

    def checker(arguments: Iterable[Any]) -> Callable[[Any], Any]:
        calls = tuple(_CALLS[name](*arguments))
        before = deepcopy([call.arguments for call in calls])

        def checked(answer: Any) -> Any:
            pairs = zip(calls, before, strict=True)
            changed = [call for call, known in pairs if call.arguments != known]
            if changed and answer is not changed[0]:
                raise UsageError(
                    f"{name} changed the arguments of {changed[0].name!r} in place; return or "
                    "assign a new call instead: replace(call, arguments={**call.arguments, …})"
                )
            return answer

        return checked

    @wraps(method)
    def watched(*arguments: Any) -> Any:
        checked = checker(arguments)
        return checked(method(*arguments))

    @wraps(method)
    async def awaited(*arguments: Any) -> Any:
        checked = checker(arguments)
        return checked(await method(*arguments))

    return awaited if inspect.iscoroutinefunction(method) else watched
