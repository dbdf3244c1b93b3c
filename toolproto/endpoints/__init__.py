"""Chat services: over HTTP, in this process, as a function, scripted, recorded and replayed.

``HttpEndpoint`` is imported when it is first asked for, and httpx with it; so is
``LocalEndpoint``, a model in this process.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .aws_signing import AwsCredentials
from .base import Abortable, AsyncEndpoint, Endpoint
from .cassette import RecordingEndpoint, ReplayEndpoint
from .chat_template import chat_template
from .client import ClientEndpoint
from .dialects import (
    CHATML,
    Anthropic,
    AzureOpenAI,
    BedrockConverse,
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
    from .in_mlx import MlxEndpoint
    from .in_transformers import TransformersEndpoint
    from .in_vllm import VllmEndpoint
    from .local import LocalEndpoint

__all__ = [
    "CHATML",
    "Abortable",
    "Anthropic",
    "AsyncEndpoint",
    "AwsCredentials",
    "AzureOpenAI",
    "BedrockConverse",
    "ClientEndpoint",
    "Dialect",
    "Endpoint",
    "FunctionEndpoint",
    "Gemini",
    "Hold",
    "HttpEndpoint",
    "LocalEndpoint",
    "MlxEndpoint",
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
    "VllmEndpoint",
    "as_async_endpoint",
    "as_endpoint",
    "chat_template",
]


#: Imported when they are first asked for: the module of each.
_LATER = {
    "HttpEndpoint": ".http_endpoint",
    "LocalEndpoint": ".local",
    "MlxEndpoint": ".in_mlx",
    "TransformersEndpoint": ".in_transformers",
    "VllmEndpoint": ".in_vllm",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LATER[name], __package__), name)
