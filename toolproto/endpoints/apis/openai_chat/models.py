"""How OpenAI's API tells of a model."""

from __future__ import annotations

from typing import Any

from ..listing import Model

__all__ = ["openai_model"]

#: What every model takes through the proxy, in the words of OpenRouter.
_PARAMETERS = (
    *("tools", "tool_choice", "response_format", "structured_outputs", "max_tokens", "temperature"),
    *("top_p", "stop", "seed", "frequency_penalty", "presence_penalty"),
)


def openai_model(model: Model) -> dict[str, Any]:
    """A row of OpenAI's, with what OpenRouter adds to it."""
    modalities = ["text", "image"] if model.sees else ["text"]
    return {
        "id": model.name,
        "object": "model",
        "created": model.created,
        "owned_by": "upstream",
        "name": model.name,
        "context_length": model.context,
        "architecture": {
            "modality": f"{'+'.join(modalities)}->text",
            "input_modalities": modalities,
            "output_modalities": ["text"],
        },
        "supported_parameters": list(_PARAMETERS),
    }
