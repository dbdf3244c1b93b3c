"""Chat services: over HTTP, in this process, as a function, scripted, recorded and replayed.

``HttpEndpoint`` is imported when it is first asked for, and httpx with it; so is
``LocalEndpoint``, a model in this process.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .base import Abortable, AsyncEndpoint, Endpoint
from .cassette import RecordingEndpoint, ReplayEndpoint
from .chat_template import chat_template
from .client import ClientEndpoint
from .dialects import (
    CHATML,
    Anthropic,
    AzureOpenAI,
    Dialect,
    Gemini,
    Ollama,
    OpenAIChat,
    OpenAICompletions,
    PromptTemplate,
    Tgi,
)
from .function import FunctionEndpoint, as_async_endpoint, as_endpoint
from .redaction import Redactor
from .retries import Retries
from .scripted import Hold, ScriptedEndpoint, ScriptedReply
from .timeouts import Timeouts

if TYPE_CHECKING:
    from .http_endpoint import HttpEndpoint
    from .in_transformers import TransformersEndpoint
    from .local import LocalEndpoint

__all__ = [
    "CHATML",
    "Abortable",
    "Anthropic",
    "AsyncEndpoint",
    "AzureOpenAI",
    "ClientEndpoint",
    "Dialect",
    "Endpoint",
    "FunctionEndpoint",
    "Gemini",
    "Hold",
    "HttpEndpoint",
    "LocalEndpoint",
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
    "Tgi",
    "Timeouts",
    "TransformersEndpoint",
    "as_async_endpoint",
    "as_endpoint",
    "chat_template",
]


#: Imported when they are first asked for: the module of each.
_LATER = {
    "HttpEndpoint": ".http_endpoint",
    "LocalEndpoint": ".local",
    "TransformersEndpoint": ".in_transformers",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LATER[name], __package__), name)
