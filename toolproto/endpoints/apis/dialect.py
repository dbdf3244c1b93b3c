"""What a dialect knows: how one kind of chat service writes requests and replies.

A dialect does no I/O and keeps no state: a request's body out of a
:class:`~toolproto.protocol.messages.ChatRequest`, a :class:`~toolproto.protocol.messages.Chunk` out
of a frame.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from enum import Enum
from typing import Any, ClassVar, Final

from ...protocol.errors import EndpointError, WireError
from ...protocol.messages import Attachment, ChatRequest, Chunk, Usage
from .frames import Frame, Frames, ServerSentEvents

__all__ = [
    "CALL_END",
    "END",
    "Dialect",
    "End",
    "count",
    "load",
    "text_of",
    "words_of_error",
    "written_call",
]

_SHOWN = 200
#: What backends call it that do not know OpenAI's newer name.
_OLDER_NAMES = {"max_completion_tokens": "max_tokens"}
#: What only chats have; and the prompt of a text completion is ours to write.
_CHAT_ONLY = frozenset(
    ["prompt", "suffix", "echo", "reasoning_effort", "verbosity", "modalities", "audio",
     "prediction", "store", "metadata", "service_tier", "web_search_options", "prompt_cache_key",
     "safety_identifier"]
)  # fmt: skip
#: ``json.loads`` without looking for space around the value, which is hardly ever there.
_scan = json.JSONDecoder().raw_decode


class End(Enum):
    """The frame after which nothing follows."""

    END = "end"


END: Final = End.END


class Dialect(ABC):
    """How one kind of service is spoken to. Subclass it for a service of your own."""

    #: The name it is chosen by.
    name: ClassVar[str]
    #: What follows the endpoint's URL.
    path: ClassVar[str]
    #: How its streams are cut into frames.
    frames: ClassVar[type[Frames]] = ServerSentEvents
    #: The finish reason of a reply that was properly ended but gave none; None: that is an error.
    end_reason: ClassVar[str | None] = None
    #: How many stop sequences a request may have; None: any number.
    most_stops: ClassVar[int | None] = None
    #: Whether a request may offer tools in the service's own way (:attr:`ChatRequest.offer`).
    has_tools: ClassVar[bool] = False

    def headers(self, api_key: str | None) -> dict[str, str]:
        """What identifies the caller."""
        return {} if api_key is None else {"Authorization": f"Bearer {api_key}"}

    def takes(self, attachment: Attachment) -> bool:
        """Whether the service can be sent *attachment*, if the model can see it."""
        return False

    def path_of(self, model: str) -> str:
        """Where requests for *model* go, for services that have it in the path."""
        return self.path

    def spoken_params(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return those of a client's *params* that the service knows.

        They have OpenAI's names, as :meth:`body` takes them.
        """
        renamed = {_OLDER_NAMES.get(key, key): value for key, value in params.items()}
        return {key: value for key, value in renamed.items() if key not in _CHAT_ONLY}

    def writing_calls(self) -> Dialect:
        """Return the dialect that writes out as text the calls that a service read by itself.

        Some servers read calls out of what a model writes although no tools were sent. Without
        this they are left out, and nothing of the reply is there.
        """
        return self

    def answering(self, request: ChatRequest) -> Dialect:
        """Return the dialect in which the answer to *request* is read."""
        return self

    @abstractmethod
    def body(self, request: ChatRequest, model: str) -> dict[str, Any]:
        """*request* as the service wants it, asking for a stream.

        Where it has an offer, that goes with it in the service's way, and so do the calls and
        results of its messages.
        """

    @abstractmethod
    def read(self, frame: Frame) -> Chunk | End | None:
        """What *frame* adds to the reply; None for nothing.

        Raises EndpointError for an error the service reports, WireError for what cannot be read.
        """

    @abstractmethod
    def read_whole(self, body: Mapping[str, Any]) -> Chunk:
        """The reply of a service that answered all at once, although a stream was asked for."""


def load(data: str) -> dict[str, Any]:
    """The JSON object of a frame; an error object in it is raised."""
    try:
        value, end = _scan(data)
        if end != len(data):
            value = json.loads(data)  # space around it, or something that has no place there
    # RecursionError: a frame may be nested deeper than Python reads.
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise WireError(f"a frame of the reply is not a JSON object: {data[:_SHOWN]!r}")
    if value.get("error"):
        raise EndpointError(f"the service reports an error: {words_of_error(value)}", body=data)
    return value


def words_of_error(body: Any) -> str:
    """The sentence in a service's error object, whichever of the usual places it stands in."""
    for _ in range(4):
        if not isinstance(body, dict):
            break
        body = next((body[key] for key in ("error", "message", "detail") if body.get(key)), "")
    return body if isinstance(body, str) else json.dumps(body)[:_SHOWN]


def written_call(name: str, arguments: str) -> str:
    """Return the beginning of a call in Hermes' form, as far as its *arguments* go."""
    return f'\n<tool_call>{{"name": {json.dumps(name)}, "arguments": {arguments}'


#: What closes such a call.
CALL_END = "}</tool_call>"


def text_of(value: Any) -> str:
    """The text of a field that holds text or nothing."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise WireError(f"text of the reply is not a string: {str(value)[:_SHOWN]!r}")
    return value


def count(counts: Any, input_name: str, output_name: str) -> Usage | None:
    """The tokens in a service's *counts*, where there are any."""
    if not isinstance(counts, dict):
        return None
    read = [counts.get(name) for name in (input_name, output_name)]
    if not any(type(number) is int for number in read):
        return None
    # ``type(…) is int``: true is an int, too.
    return Usage(*(number if type(number) is int and number > 0 else 0 for number in read))
