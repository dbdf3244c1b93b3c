"""One request on its way through an engine: what is asked, and where the pieces go."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from ...protocol.errors import EndpointError, ToolProtoError, WireError
from ...protocol.messages import Chunk, Usage
from ..apis.dialect import words_of_error
from ..apis.frames import Frame
from ..apis.openai_chat.client import OpenAIChat

__all__ = ["GenerationJob", "Item"]

#: What a job hands on: pieces of the reply, then None; or an error, which is the last.
Item = Chunk | ToolProtoError | None

#: The frames of llama.cpp's replies, although no server is asked.
_DIALECT = OpenAIChat()


class GenerationJob:
    """A request in llama.cpp's words, and the reader of what comes back.

    *put* gets the pieces, in the engine's thread, and must not wait. :meth:`cancel` may be called
    from any thread, at any moment: the model stops after the token, or the stretch of the prompt,
    that it is working on.
    """

    def __init__(self, body: bytes, has_grammar: bool, put: Callable[[Item], None]) -> None:
        self.body = body
        self.has_grammar = has_grammar
        #: What llama.cpp had to say about the grammar.
        self.complaint = ""
        self.cancelled = False
        self._put = put
        self._over = False
        self._reason: str | None = None
        self._usage: Usage | None = None

    def cancel(self) -> None:
        """Stop soon; what comes until then is still handed on."""
        self.cancelled = True

    def take(self, frame: bytes) -> bool:
        """Read one frame of the reply; True asks for no more."""
        try:
            self._read(frame.decode("utf-8", "replace"))
        except EndpointError as error:
            self.fail(_worded(error, self.complaint))
        return self.cancelled or self._over

    def finish(self) -> None:
        """No more frames come."""
        if self._reason is None:
            self.fail(WireError("the reply was broken off"))
        else:
            self._end(Chunk(finish_reason=self._reason, usage=self._usage), None)

    def fail(self, error: ToolProtoError) -> None:
        """There is no reply, or no more of it."""
        self._end(error)

    def _end(self, *last: Item) -> None:
        """Hand on the *last* items; only the first end counts."""
        if not self._over:
            self._over = True
            for item in last:
                self._put(item)

    def _read(self, frame: str) -> None:
        chunk = _DIALECT.read(Frame("", frame))
        if not isinstance(chunk, Chunk):
            return
        self._reason = chunk.finish_reason or self._reason
        self._usage = chunk.usage or self._usage
        if chunk.text:
            self._put(Chunk(chunk.text))


def _worded(error: EndpointError, complaint: str) -> EndpointError:
    """*error*, saying what to do about it where we know."""
    fault = _fault(error.body)
    if complaint:
        told = f"the grammar is not in llama.cpp's form (GBNF): {complaint}"
    elif fault.get("type") == "exceed_context_size_error":
        told = (
            f"the prompt takes {fault.get('n_prompt_tokens')} tokens and the model has room for "
            f"{fault.get('n_ctx')}; shorten it, or give LocalEndpoint a larger context="
        )
    elif fault:
        told = f"llama.cpp refuses the request: {words_of_error(fault)}"
    else:
        return error
    status = fault.get("code")
    return EndpointError(told, status=status if type(status) is int else None, body=error.body)


def _fault(body: str) -> dict[str, Any]:
    """The error object that llama.cpp answered with, empty for anything else."""
    try:
        fault = json.loads(body)["error"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return {}
    return fault if isinstance(fault, dict) else {}
