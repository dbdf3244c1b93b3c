"""The dialects, and finding one by name."""

from __future__ import annotations

from ....protocol.errors import UsageError
from ..anthropic.client import Anthropic
from ..dialect import END, Dialect, End
from ..google.client import Gemini
from ..openai_chat.azure import AzureOpenAI
from ..openai_chat.client import OpenAIChat
from ..openai_completions.client import CHATML, OpenAICompletions, PromptTemplate
from .ollama import Ollama

__all__ = [
    "CHATML",
    "DIALECTS",
    "END",
    "Anthropic",
    "AzureOpenAI",
    "Dialect",
    "End",
    "Gemini",
    "Ollama",
    "OpenAIChat",
    "OpenAICompletions",
    "PromptTemplate",
    "get_dialect",
]

#: By name, each with its usual options; make one yourself to choose others.
DIALECTS: dict[str, Dialect] = {
    dialect.name: dialect
    for dialect in (
        *(OpenAIChat(), OpenAICompletions(), Anthropic(), Ollama()),
        *(Gemini(), AzureOpenAI()),
    )
}


def get_dialect(dialect: str | Dialect) -> Dialect:
    """The dialect of that name; a dialect is its own."""
    if isinstance(dialect, Dialect):
        return dialect
    if dialect not in DIALECTS:
        raise UsageError(
            f"there is no dialect {dialect!r}; give one of {list(DIALECTS)}, or a Dialect object"
        )
    return DIALECTS[dialect]
