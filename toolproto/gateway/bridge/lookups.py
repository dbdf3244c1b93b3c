"""What clients look up before they ask anything: models, what they can do, and versions.

Which list a path means, and in whose words it is told, is decided here; whoever has the models
hands them over.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...endpoints.apis.anthropic.models import anthropic_model, paged
from ...endpoints.apis.asked import BadRequest
from ...endpoints.apis.google.models import google_model
from ...endpoints.apis.listing import Model, lm_studio_model, native_lm_studio_model
from ...endpoints.apis.ollama.models import details, ollama_model
from ...endpoints.apis.openai_chat.models import openai_model
from ...endpoints.apis.served import api_at
from ...endpoints.apis.serving.api import Api

__all__ = ["OLLAMA_VERSION", "Lookup", "lookup", "shown_by_ollama"]

#: The version of Ollama that clients are told of: they ask for a lower bound.
OLLAMA_VERSION = "0.13.0"
_Row = Callable[[Model], dict[str, Any]]
_ONE = ("/v1/models/", "/v1beta/models/", "/api/v0/models/", "/api/v1/models/")


@dataclass(frozen=True, slots=True)
class Lookup:
    """What is looked up in a list of models: *name*, or all of them; *api* is for complaints."""

    api: Api
    told: Callable[[Sequence[Model]], dict[str, Any]]
    name: str | None = None

    def answer(self, models: Sequence[Model]) -> dict[str, Any]:
        """The body of the answer; BadRequest if *name* is none of *models*."""
        if self.name is None:
            return self.told(models)
        # Ollama's clients may leave out the tag that everything has.
        names = (self.name, self.name.removesuffix(":latest"))
        found = [model for model in models if model.name in names]
        if not found:
            message = f"model '{self.name[:200]}' not found"
            raise BadRequest(message, "model", "model_not_found", 404)
        return self.told(found[:1])


def lookup(path: str, headers: Mapping[str, str], query: Mapping[str, str]) -> Lookup | None:
    """What is looked up at *path*; None if that is something else."""
    api = _api(path, headers)
    for start in _ONE:
        if path.startswith(start) and len(path) > len(start):
            return Lookup(api, _only(_one(path, headers)), path[len(start) :])
    told = _LISTS.get(path)
    if path == "/v1/models" and "x-goog-api-key" in headers:
        told = _LISTS["/v1beta/models"]
    elif path == "/v1/models" and "anthropic-version" in headers:
        return Lookup(api, lambda them: paged([anthropic_model(each) for each in them], query))
    return None if told is None else Lookup(api, told)


def shown_by_ollama(name: str) -> Lookup:
    """What Ollama tells of the model *name*: that it takes tools, before all."""
    return Lookup(api_at("/api/show"), _only(_shown), name)


def _api(path: str, headers: Mapping[str, str]) -> Api:
    """The API in whose words the client is told what is wrong."""
    if "x-goog-api-key" in headers:
        return api_at("/v1beta/models")
    return api_at("/v1/messages" if "anthropic-version" in headers else path)


def _one(path: str, headers: Mapping[str, str]) -> _Row:
    if path.startswith("/v1beta/") or "x-goog-api-key" in headers:
        return google_model
    if path.startswith("/api/v0/"):
        return lm_studio_model
    return anthropic_model if "anthropic-version" in headers else openai_model


def _only(row: _Row) -> Callable[[Sequence[Model]], dict[str, Any]]:
    return lambda them: row(them[0])


def _rows(row: _Row, field: str, **more: Any) -> Callable[[Sequence[Model]], dict[str, Any]]:
    return lambda them: {**more, field: [row(each) for each in them]}


def _running(model: Model) -> dict[str, Any]:
    """A model that is loaded, as all of them are, for all anybody knows."""
    return {**ollama_model(model), "expires_at": "2318-01-01T00:00:00Z", "size_vram": 0}


def _native(models: Sequence[Model]) -> dict[str, Any]:
    """The models as OpenRouter lists them (``data``), and LM Studio (``models``).

    Both have their list at one path, and look for it under another name.
    """
    data = [openai_model(each) for each in models]
    return {"object": "list", "data": data, "models": list(map(native_lm_studio_model, models))}


_LISTS: dict[str, Callable[[Sequence[Model]], dict[str, Any]]] = {
    "/v1/models": _rows(openai_model, "data", object="list"),
    "/v1beta/models": _rows(google_model, "models"),
    "/api/tags": _rows(ollama_model, "models"),
    "/api/ps": _rows(_running, "models"),
    "/api/v0/models": _rows(lm_studio_model, "data", object="list"),
    "/api/v1/models": _native,
}


def _shown(model: Model) -> dict[str, Any]:
    return {
        "license": "",
        "modelfile": f"FROM {model.name}",
        "parameters": "",
        "template": "{{ .Prompt }}",
        "details": details(),
        "model_info": {
            "general.architecture": "unknown",
            "general.basename": model.name,
            "unknown.context_length": model.context,
        },
        "capabilities": ["completion", "tools", *(["vision"] if model.sees else [])],
        "modified_at": ollama_model(model)["modified_at"],
    }
