"""Which models there are, asked of every backend, and how each API tells of them."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from ..errors import EndpointError
from .config import ProxyConfig, Upstream
from .relay import Relay
from .upstreams import Backends

__all__ = [
    "Model",
    "Unlisted",
    "anthropic_model",
    "details",
    "google_model",
    "key_for_all",
    "lm_studio_model",
    "models_path",
    "native_lm_studio_model",
    "ollama_model",
    "openai_model",
    "paged",
    "served_models",
]

_PATHS = {"ollama": "/api/tags"}
_MOST_BYTES = 4 * 1024 * 1024
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


class Unlisted(EndpointError):
    """No backend lists its models; *is_there* if one of them answered at least."""

    def __init__(self, message: str, is_there: bool) -> None:
        super().__init__(message)
        self.is_there = is_there


async def served_models(
    config: ProxyConfig, backends: Backends, relay: Relay, client_key: str | None
) -> list[Model]:
    """The models of all *backends*; EndpointError if none answers.

    Nobody knows for which of several backends *client_key* is; then it goes to none of them.
    """
    client_key = key_for_all(backends, client_key)
    asked = [
        _models(upstream, relay, backends.key(upstream, client_key), config)
        for upstream in backends.upstreams
    ]
    answers = await asyncio.gather(*asked, return_exceptions=True)
    lists = [answer for answer in answers if isinstance(answer, list)]
    if not lists:
        is_there = any(isinstance(each, EndpointError) and each.status for each in answers)
        raise Unlisted("no upstream lists its models", is_there)
    return [model for models in lists for model in models]


def models_path(upstream: Upstream) -> str:
    """Where *upstream* lists its models."""
    return _PATHS.get(upstream.dialect, "/models")


def key_for_all(backends: Backends, client_key: str | None) -> str | None:
    """*client_key*, if a request that names no model may take it along."""
    keyless = sum(upstream.api_key_env is None for upstream in backends.upstreams)
    return client_key if keyless <= 1 else None


async def _models(
    upstream: Upstream, relay: Relay, key: str | None, config: ProxyConfig
) -> list[Model]:
    path = models_path(upstream)
    async with asyncio.timeout(10):
        answer = await relay.send(upstream, path, key, method="GET")
        body = await answer.read(_MOST_BYTES)
    if answer.status != 200:
        raise EndpointError("the list of models was refused", status=answer.status)
    added = upstream.prefix if upstream.prefix.endswith("/") else ""
    return [
        Model(name, _context(row), _created(row), config.terms(name).vision)
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
