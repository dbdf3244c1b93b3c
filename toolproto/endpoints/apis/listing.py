"""The models that there are: as backends tell of theirs, and as LM Studio does of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from ...protocol.errors import EndpointError

__all__ = ["Model", "lm_studio_model", "models_in", "native_lm_studio_model"]

#: What backends call the length of a model's context: vLLM, OpenRouter, LM Studio, Anthropic.
_CONTEXTS = ("max_model_len", "context_length", "max_context_length", "max_input_tokens")
#: What is told where the backend does not say: what most models have at the least.
_USUAL_CONTEXT = 32_768


@dataclass(frozen=True, slots=True)
class Model:
    """A model as clients name it; *context* is how many tokens it holds, *sees* whether images."""

    name: str
    context: int = _USUAL_CONTEXT
    created: int = 0
    sees: bool = False

    @property
    def when(self) -> str:
        """When it was made, as Anthropic and Ollama write it."""
        return datetime.fromtimestamp(self.created, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def models_in(
    body: bytes, added: str = "", sees: Callable[[str], bool] = lambda _: False
) -> list[Model]:
    """The models in a backend's list; *added* stands before the name of each.

    EndpointError for what is no list.
    """
    return [
        Model(name, _context(row), _created(row), sees(name))
        for row in _rows(body)
        if (name := _name(row, added))
    ]


def _rows(body: bytes) -> list[Mapping[str, Any]]:
    """The rows of a list as OpenAI, Anthropic (``data``) or Ollama (``models``) write it."""
    try:
        values = json.loads(body)
    except (ValueError, RecursionError):
        raise EndpointError("the list of models is not JSON") from None
    rows = (values.get("data") or values.get("models")) if isinstance(values, dict) else None
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _name(row: Mapping[str, Any], added: str) -> str | None:
    name = row.get("id") or row.get("name")
    return added + name if isinstance(name, str) else None


def _context(row: Mapping[str, Any]) -> int:
    meta = row.get("meta")  # llama.cpp's
    fields = {**row, "max_model_len": meta.get("n_ctx_train")} if isinstance(meta, dict) else row
    found = (fields.get(key) for key in _CONTEXTS)
    return next((each for each in found if type(each) is int and each > 0), _USUAL_CONTEXT)


def _created(row: Mapping[str, Any]) -> int:
    created = row.get("created")
    return created if type(created) is int and 0 <= created < 10**11 else 0


def lm_studio_model(model: Model) -> dict[str, Any]:
    """A row of LM Studio's older list."""
    return {
        "id": model.name,
        "object": "model",
        "type": "vlm" if model.sees else "llm",
        "publisher": "upstream",
        "arch": "unknown",
        "compatibility_type": "gguf",
        "quantization": "unknown",
        "state": "loaded",
        "max_context_length": model.context,
        "loaded_context_length": model.context,
        "capabilities": ["tool_use"],
    }


def native_lm_studio_model(model: Model) -> dict[str, Any]:
    """A row of LM Studio's newer list."""
    return {
        "type": "llm",
        "publisher": "upstream",
        "key": model.name,
        "display_name": model.name,
        "architecture": None,
        "quantization": None,
        "size_bytes": 0,
        "params_string": None,
        "loaded_instances": [{"id": model.name, "config": {"context_length": model.context}}],
        "max_context_length": model.context,
        "format": "gguf",
        "capabilities": {"vision": model.sees, "trained_for_tool_use": True},
        "description": None,
    }
