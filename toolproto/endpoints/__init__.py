"""Chat services: over HTTP, in this process, as a function, scripted, recorded and replayed.

Nearly every name is imported from its module when it is first asked for: httpx takes a while, and
a command that only lists the dialects needs neither that nor a turn.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .chat_template import chat_template  # its module has the same name, which would hide it

if TYPE_CHECKING:
    from ..secrets import Redactor
    from .base import Abortable, AsyncEndpoint, Endpoint
    from .cassette import RecordingEndpoint, ReplayEndpoint
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
    )
    from .function import FunctionEndpoint, as_async_endpoint, as_endpoint
    from .http_endpoint import HttpEndpoint
    from .local import LocalEndpoint
    from .retries import Retries
    from .scripted import Hold, ScriptedEndpoint, ScriptedReply
    from .timeouts import Timeouts

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
    "Timeouts",
    "as_async_endpoint",
    "as_endpoint",
    "chat_template",
]


#: Imported when they are first asked for: the module of each.
_LATER = {
    "Abortable": ".base",
    "Anthropic": ".dialects",
    "AsyncEndpoint": ".base",
    "AzureOpenAI": ".dialects",
    "CHATML": ".dialects",
    "ClientEndpoint": ".client",
    "Dialect": ".dialects",
    "Endpoint": ".base",
    "FunctionEndpoint": ".function",
    "Gemini": ".dialects",
    "Hold": ".scripted",
    "HttpEndpoint": ".http_endpoint",
    "LocalEndpoint": ".local",
    "Ollama": ".dialects",
    "OpenAIChat": ".dialects",
    "OpenAICompletions": ".dialects",
    "PromptTemplate": ".dialects",
    "RecordingEndpoint": ".cassette",
    "Redactor": "..secrets",
    "ReplayEndpoint": ".cassette",
    "Retries": ".retries",
    "ScriptedEndpoint": ".scripted",
    "ScriptedReply": ".scripted",
    "Timeouts": ".timeouts",
    "as_async_endpoint": ".function",
    "as_endpoint": ".function",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LATER[name], __package__), name)
