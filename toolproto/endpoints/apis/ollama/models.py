"""How Ollama's API tells of a model."""

from __future__ import annotations

import hashlib
from typing import Any

from ..listing import Model

__all__ = ["details", "ollama_model"]


def ollama_model(model: Model) -> dict[str, Any]:
    """A row of Ollama's."""
    return {
        "name": model.name,
        "model": model.name,
        "modified_at": model.when,
        "size": 0,
        "digest": hashlib.sha256(model.name.encode("utf-8", "replace")).hexdigest(),
        "details": details(),
    }


def details() -> dict[str, Any]:
    """What Ollama tells of the file of a model; nobody here has seen it."""
    unknown = dict.fromkeys(["parent_model", "family", "parameter_size", "quantization_level"], "")
    return {**unknown, "format": "gguf", "families": []}
