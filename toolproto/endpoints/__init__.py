"""Chat services: over HTTP, in this process, as a function, scripted, recorded and replayed.

Nearly every name is imported from its module when it is first asked for: httpx takes a while, and
a command that only lists the dialects needs neither that nor a turn.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .chat_templates import chat_template  # its module has the same name, which would hide it

if TYPE_CHECKING:
    from ..protocol.secrets import Redactor
    from .apis.dialects import (
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
    from .base import Abortable, AsyncEndpoint, Endpoint
    from .client import ClientEndpoint
    from .function import FunctionEndpoint, as_async_endpoint, as_endpoint
    from .http.http_endpoint import HttpEndpoint
    from .http.retries import Retries
    from .http.timeouts import Timeouts
    from .local import LocalEndpoint
    from .recorded.cassette import RecordingEndpoint, ReplayEndpoint
    from .recorded.scripted import Hold, ScriptedEndpoint, ScriptedReply

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
    "Anthropic": ".apis.dialects",
    "AsyncEndpoint": ".base",
    "AzureOpenAI": ".apis.dialects",
    "CHATML": ".apis.dialects",
    "ClientEndpoint": ".client",
    "Dialect": ".apis.dialects",
    "Endpoint": ".base",
    "FunctionEndpoint": ".function",
    "Gemini": ".apis.dialects",
    "Hold": ".recorded.scripted",
    "HttpEndpoint": ".http.http_endpoint",
    "LocalEndpoint": ".local",
    "Ollama": ".apis.dialects",
    "OpenAIChat": ".apis.dialects",
    "OpenAICompletions": ".apis.dialects",
    "PromptTemplate": ".apis.dialects",
    "RecordingEndpoint": ".recorded.cassette",
    "Redactor": "..secrets",
    "ReplayEndpoint": ".recorded.cassette",
    "Retries": ".http.retries",
    "ScriptedEndpoint": ".recorded.scripted",
    "ScriptedReply": ".recorded.scripted",
    "Timeouts": ".http.timeouts",
    "as_async_endpoint": ".function",
    "as_endpoint": ".function",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LATER[name], __package__), name)
