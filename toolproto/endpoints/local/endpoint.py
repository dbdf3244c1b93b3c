"""A language model that runs in this process, with llama.cpp."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from ...protocol.errors import UsageError
from ...protocol.messages import Attachment, ChatRequest
from ..attachments import check_attachments
from ..http.holding import AsyncHeldStream, HeldStream, Holding
from .engine import get_engine
from .job import GenerationJob
from .loading import EngineOptions, require_library
from .models import find_model
from .stream import AsyncLocalStream, LocalStream, MakeJob

__all__ = ["LocalEndpoint"]

#: Parameters of llama.cpp's server that are not for us. With the first two it reads the reply
#: itself; the others it drops without a word for models whose tokens it cannot map.
_REFUSED = {
    "tools": "a paradigm tells the model about tools",
    "tool_choice": "a paradigm tells the model about tools",
    "json_schema": "give a 'grammar', in GBNF",
    "response_format": "give a 'grammar', in GBNF",
}


class LocalEndpoint:
    """A model in a GGUF file, given by its name or as a path.

    Without *model* it is ``smollm2``. It is loaded when the first request comes, once for all
    endpoints with the same file and options; requests wait for their turn. The chat template is the
    model's own. *threads* above one help only if that many cores are idle. *context* is the room,
    in tokens, for a prompt and its reply. *params* are for every request, but those of a request
    win: ``temperature``, ``seed``, ``max_tokens``, ``grammar`` (GBNF) and whatever else llama.cpp's
    server knows.
    """

    def __init__(
        self,
        model: str | Path | None = None,
        *,
        threads: int = 1,
        context: int = 4096,
        params: Mapping[str, Any] | None = None,
    ) -> None:
        require_library()
        self.path = find_model(model)
        self._params = dict(params or {})
        #: Whether grammars are taken: always, unless one was refused.
        self.holding = Holding("llama.cpp")
        self._engine = get_engine(self.path.resolve(), EngineOptions(threads, context))

    def __repr__(self) -> str:
        return f"LocalEndpoint({str(self.path)!r})"

    def sees(self, attachment: Attachment) -> bool:
        """False: models that run here are not shown pictures."""
        return False

    def refusal(self, attachment: Attachment) -> str:
        """Why *attachment* cannot be sent."""
        return f"[{attachment}] cannot be shown to a model of LocalEndpoint"

    def check(self, request: ChatRequest) -> None:
        """Raise UsageError if *request* cannot be sent."""
        self._job(request)

    def stream(self, request: ChatRequest, /) -> LocalStream | HeldStream:
        """The reply to *request*, for synchronous code."""
        held = self.holding.held(request, self._params)
        if held is None:
            return self._stream(request)
        plain = partial(self._stream, request)
        return HeldStream(self._stream(held), plain, self.holding, request.constraint)

    def astream(self, request: ChatRequest, /) -> AsyncLocalStream | AsyncHeldStream:
        """The reply to *request*, for asynchronous code."""
        held = self.holding.held(request, self._params)
        if held is None:
            return self._astream(request)
        plain = partial(self._astream, request)
        return AsyncHeldStream(self._astream(held), plain, self.holding, request.constraint)

    def _stream(self, request: ChatRequest) -> LocalStream:
        return LocalStream(self._engine.submit, self._job(request))

    def _astream(self, request: ChatRequest) -> AsyncLocalStream:
        return AsyncLocalStream(self._engine.submit, self._job(request))

    def _job(self, request: ChatRequest) -> MakeJob:
        params = {"stop": list(request.stop), **self._params, **request.params}
        check_attachments(request, self.refusal)
        for name in params.keys() & _REFUSED.keys():
            raise UsageError(f"LocalEndpoint takes no parameter {name!r}: {_REFUSED[name]}")
        body = {
            **params,
            "messages": [{"role": each.role, "content": each.content} for each in request.messages],
            "stream": True,
            "reasoning_format": "none",
            "stream_options": {"include_usage": True},
            # A frame after each stretch of the prompt: an occasion to stop.
            "return_progress": True,
        }
        return partial(GenerationJob, _written(body), _has_grammar(params))


def _has_grammar(params: Mapping[str, Any]) -> bool:
    grammar = params.get("grammar", "")
    if not isinstance(grammar, str):  # which llama.cpp would pass over in silence
        raise UsageError(f"'grammar' must be a text in GBNF, not {type(grammar).__name__}")
    return bool(grammar)


def _written(body: Mapping[str, Any]) -> bytes:
    try:
        text = json.dumps(body, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"the request cannot be written as JSON: {error}") from None
    # A lone surrogate, half of a character that was cut in two, has no bytes.
    return text.encode("utf-8", "replace")
