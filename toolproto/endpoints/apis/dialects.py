"""The dialects in which we ask model servers, and finding one by name."""

from __future__ import annotations

from ...protocol.errors import UsageError
from .anthropic.client import Anthropic
from .dialect import Dialect
from .google.client import Gemini
from .ollama.client import Ollama
from .openai_chat.azure import AzureOpenAI
from .openai_chat.client import OpenAIChat
from .openai_completions.client import OpenAICompletions

__all__ = ["DIALECTS", "get_dialect"]

#: By name, each with its usual options; make one yourself to choose others.
DIALECTS: dict[str, Dialect] = {
    dialect.name: dialect
    for dialect in (
        *(OpenAIChat(), OpenAICompletions(), Anthropic(), Ollama()),
        *(Gemini(), AzureOpenAI()),
    )
}


def get_dialect(dialect: str | Dialect) -> Dialect:
    """Return the dialect of that name; a dialect is its own."""
    if isinstance(dialect, Dialect):
        return dialect
    if dialect not in DIALECTS:
        raise UsageError(
            f"there is no dialect {dialect!r}; give one of {list(DIALECTS)}, or a Dialect object"
        )
    return DIALECTS[dialect]
