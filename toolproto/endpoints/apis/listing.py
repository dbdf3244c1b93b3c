"""How each API tells of the models that there are, and what backends say of theirs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from ...protocol.errors import EndpointError

__all__ = [
    "Model",
    "anthropic_model",
    "details",
    "google_model",
    "lm_studio_model",
    "models_in",
    "native_lm_studio_model",
    "ollama_model",
    "openai_model",
    "paged",
]

#: What backends call the length of a model's context: vLLM, OpenRouter, LM Studio, Anthropic.
_CONTEXTS = ("max_model_len", "context_length", "max_context_length", "max_input_tokens")
#: What is told where the backend does not say: what most models have at the least.
_USUAL_CONTEXT = 32_768
#: What every model takes through the proxy, in the words of OpenRouter.
_PARAMETERS = (
    *("tools", "tool_choice", "response_format", "structured_outputs", "max_tokens", "temperature"),
    *("top_p", "stop", "seed", "frequency_penalty", "presence_penalty"),
)


@dataclass(frozen=True, slots=True)
class Model:
    """A model as clients name it; *context* is how many tokens it holds, *sees* whether images."""

    name: str
    context: int = _USUAL_CONTEXT
    created: int = 0
    sees: bool = False


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


# -- how each API tells of a model --------------------------------------------------------


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


def anthropic_model(model: Model) -> dict[str, Any]:
    """A row of Anthropic's."""
    return {
        "type": "model",
        "id": model.name,
        "display_name": model.name,
        "created_at": _when(model),
        "lifecycle": "active",
        "max_input_tokens": model.context,
        "max_tokens": model.context,
    }


def ollama_model(model: Model) -> dict[str, Any]:
    """A row of Ollama's."""
    return {
        "name": model.name,
        "model": model.name,
        "modified_at": _when(model),
        "size": 0,
        "digest": hashlib.sha256(model.name.encode("utf-8", "replace")).hexdigest(),
        "details": details(),
    }


def details() -> dict[str, Any]:
    """What Ollama tells of the file of a model; nobody here has seen it."""
    unknown = dict.fromkeys(["parent_model", "family", "parameter_size", "quantization_level"], "")
    return {**unknown, "format": "gguf", "families": []}


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


def _when(model: Model) -> str:
    return datetime.fromtimestamp(model.created, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def paged(rows: Sequence[dict[str, Any]], query: Mapping[str, str]) -> dict[str, Any]:
    """*rows* as Anthropic turns pages: as many as *query* wants, from where it says."""
    ids = [row["id"] for row in rows]
    if (after := query.get("after_id")) in ids:
        rows = rows[ids.index(after or "") + 1 :]
    if (before := query.get("before_id")) in ids:
        rows = rows[: ids.index(before or "")]
    wanted = query.get("limit", "")
    most = int(wanted) if wanted.isdecimal() and 0 < len(wanted) < 6 else len(rows)
    page = list(rows[:most])
    return {
        "data": page,
        "has_more": len(page) < len(rows),
        "first_id": page[0]["id"] if page else None,
        "last_id": page[-1]["id"] if page else None,
    }
