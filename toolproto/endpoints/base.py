"""What toolproto needs from a chat service: messages in, text out, in pieces.

An endpoint is anything with ``stream`` (for :class:`~toolproto.conversation.session.ChatSession`),
with ``astream`` (for :class:`~toolproto.conversation.session.AsyncChatSession`), or with both.
Entering the context sends nothing yet; the request goes out when the first chunk is asked for.
Leaving it, at any moment, ends the request and gives back all it held.

Beside that, a session uses what else an endpoint has: ``check(request)`` raises UsageError for a
request that cannot be sent, before anything is kept of the message; ``refusal(attachment)`` says
why an attachment cannot be sent; ``sees(attachment)``, whether the model may be shown one that the
user did not attach; ``model`` is the name of the usual model; ``offers_tools`` says whether a
request may carry an offer for the service's own tools now (ToolsRefused is raised for those that it
does not take), and ``native``, if it is ``"only"``, that no other way is wanted.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import Protocol, runtime_checkable

from ..protocol.messages import ChatRequest, Chunk

__all__ = ["Abortable", "AsyncEndpoint", "Endpoint"]


@runtime_checkable
class Endpoint(Protocol):
    """A service that is read by waiting for it.

    Raises EndpointError (EndpointTimeout, WireError) from the iterator, and nothing else.
    """

    def stream(self, request: ChatRequest, /) -> AbstractContextManager[Iterator[Chunk]]:
        """The reply to *request*, in pieces; the last one gives a finish reason."""
        ...


@runtime_checkable
class AsyncEndpoint(Protocol):
    """A service that is read from an event loop; cancelling the task ends the request."""

    def astream(self, request: ChatRequest, /) -> AbstractAsyncContextManager[AsyncIterator[Chunk]]:
        """The reply to *request*, in pieces; the last one gives a finish reason."""
        ...


@runtime_checkable
class Abortable(Protocol):
    """What the iterator of ``stream`` may also be: one that another thread can stop."""

    def abort(self) -> None:
        """Make the pending and every later ``next`` raise EndpointError soon."""
        ...
