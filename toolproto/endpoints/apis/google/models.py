"""How Google's API tells of a model."""

from __future__ import annotations

from typing import Any

from ..listing import Model

__all__ = ["google_model"]


def google_model(model: Model) -> dict[str, Any]:
    """A row of Google's."""
    return {
        "name": f"models/{model.name}",
        "baseModelId": model.name,
        "version": "1",
        "displayName": model.name,
        "description": "",
        "inputTokenLimit": model.context,
        "outputTokenLimit": model.context,
        "supportedGenerationMethods": ["generateContent", "countTokens"],
    }
