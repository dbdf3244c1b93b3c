"""Any client that has OpenAI's chat completions as a Python function.

::

    ClientEndpoint(litellm.completion, model="bedrock/…")
    ClientEndpoint(llama_cpp.Llama("model.gguf").create_chat_completion)
    ClientEndpoint(openai.AzureOpenAI(…).chat.completions.create, model="gpt-4o")
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any

from ..protocol.errors import UsageError, WireError
from ..protocol.messages import Attachment, ChatRequest, Chunk
from ..protocol.params import merged, present
from .apis.openai_chat.client import OpenAIChat
from .attachments import check_attachments
from .function import FunctionEndpoint, is_async

__all__ = ["ClientEndpoint"]


class ClientEndpoint(FunctionEndpoint):
    """Replies of *create*, a function with the parameters of OpenAI's chat completions.

    It is called with ``messages``, ``stream=True`` and, if there is one, *model*, and gives chunks
    as dicts or as objects with ``model_dump``; an async one is for an AsyncChatSession. *params* go
    with every request, a request's own win. With *include_usage* token counts are asked for, which
    not every client knows. *vision* is whether the model sees, as for an HttpEndpoint.
    """

    def __init__(
        self,
        create: Callable[..., Any],
        *,
        model: str = "",
        params: Mapping[str, Any] | None = None,
        include_usage: bool = False,
        vision: bool | None = None,
    ) -> None:
        if not callable(create):
            raise UsageError(f"{create!r:.200} cannot be called; give a function, not its client")
        self._create, self.model, self.vision = create, model, vision
        self._params = dict(params or {})
        self._dialect = OpenAIChat(include_usage)
        super().__init__(self._areply if is_async(create) else self._reply)

    def __repr__(self) -> str:
        name = getattr(self._create, "__qualname__", type(self._create).__name__)
        return f"ClientEndpoint({name}, model={self.model!r})"

    def sees(self, attachment: Attachment) -> bool:
        """Whether the model may be shown *attachment* although the user did not attach it."""
        return self.vision is True and self._dialect.takes(attachment)

    def refusal(self, attachment: Attachment) -> str:
        """Why *attachment* cannot be sent; empty if it can."""
        if self.vision is False or not self._dialect.takes(attachment):
            return f"[{attachment}] cannot be sent by {self!r}"
        return ""

    def check(self, request: ChatRequest) -> None:
        """Raise UsageError if *request* cannot be sent."""
        self._asked(request)

    def _asked(self, request: ChatRequest) -> dict[str, Any]:
        check_attachments(request, self.refusal)
        body = self._dialect.body(request, request.model or self.model)
        if not body["model"]:
            del body["model"]
        return present(merged({**body, **self._params}, request.params))

    def _reply(self, request: ChatRequest) -> Iterator[Chunk]:
        events = self._create(**self._asked(request))
        ended = False
        try:
            for event in _several(events):
                if (chunk := self._dialect.chunk_of(_plain(event))) is not None:
                    ended = ended or chunk.finish_reason is not None
                    yield chunk
        finally:
            _hang_up(events)
        _check_end(ended)

    async def _areply(self, request: ChatRequest) -> AsyncIterator[Chunk]:
        events = self._create(**self._asked(request))
        events = await events if inspect.isawaitable(events) else events
        ended = False
        try:
            if not hasattr(events, "__aiter__"):
                events = _each(_several(events))
            async for event in events:
                if (chunk := self._dialect.chunk_of(_plain(event))) is not None:
                    ended = ended or chunk.finish_reason is not None
                    yield chunk
        finally:
            close = getattr(events, "aclose", None) or getattr(events, "close", None)
            closing = close() if callable(close) else None
            if inspect.isawaitable(closing):
                await closing
        _check_end(ended)


def _several(events: Any) -> Any:
    """*events* one by one; a reply that was not streamed is one."""
    return [events] if isinstance(events, Mapping) or hasattr(events, "choices") else events


def _hang_up(events: Any) -> None:
    """Close a stream: LiteLLM's cannot be closed by those who wait, but the one inside it can."""
    for stream in (events, getattr(events, "completion_stream", None)):
        if callable(close := getattr(stream, "close", None)):
            close()
            return


async def _each(events: Any) -> AsyncIterator[Any]:
    for event in events:
        yield event


def _plain(event: Any) -> Mapping[str, Any]:
    dump = getattr(event, "model_dump", None)
    plain = dump() if callable(dump) else event
    if not isinstance(plain, Mapping):
        raise WireError(f"the client gave {event!r:.200}; expected chunks of chat completions")
    return plain


def _check_end(ended: bool) -> None:
    if not ended:
        raise WireError("the reply ended without a finish reason; it was broken off")
