"""Chat services: over HTTP, as a function, scripted, recorded and replayed.

``HttpEndpoint`` is imported when it is first asked for, and httpx with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .base import Abortable, AsyncEndpoint, Endpoint
from .cassette import RecordingEndpoint, ReplayEndpoint
from .dialects import (
    CHATML,
    Anthropic,
    Dialect,
    Ollama,
    OpenAIChat,
    OpenAICompletions,
    PromptTemplate,
)
from .function import FunctionEndpoint, as_async_endpoint, as_endpoint
from .redaction import Redactor
from .retries import Retries
from .scripted import Hold, ScriptedEndpoint, ScriptedReply
from .timeouts import Timeouts

if TYPE_CHECKING:
    from .http_endpoint import HttpEndpoint

__all__ = [
    "CHATML",
    "Abortable",
    "Anthropic",
    "AsyncEndpoint",
    "Dialect",
    "Endpoint",
    "FunctionEndpoint",
    "Hold",
    "HttpEndpoint",
    "Ollama",
    "OpenAIChat",
    "OpenAICompletions",
    "PromptTemplate",
    "RecordingEndpoint",
    "Redactor",
    "ReplayEndpoint",
    "Retries",
    "ScriptedEndpoint",
    "ScriptedReply",
    "Timeouts",
    "as_async_endpoint",
    "as_endpoint",
]


def __getattr__(name: str) -> Any:
    if name != "HttpEndpoint":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .http_endpoint import HttpEndpoint

    return HttpEndpoint
