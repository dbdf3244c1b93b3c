"""What clients look up before they ask anything: models, what they can do, and versions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from ..bridge.admission import read_object
from ..bridge.asked import BadRequest
from ..bridge.failures import failure_of, fault_of
from ..bridge.listing import (
    Model,
    anthropic_model,
    details,
    google_model,
    lm_studio_model,
    native_lm_studio_model,
    ollama_model,
    openai_model,
    paged,
)
from ..bridge.translate import api_at
from ..bridge.translate.base import Api
from ..errors import EndpointError
from .config import ProxyConfig
from .incoming import client_key, read_body
from .listing import Unlisted, served_models
from .others import Others
from .relay import Relay
from .responding import refused
from .streamed import AsciiJson
from .upstreams import Backends

__all__ = ["Directory"]

#: The version of Ollama that clients are told of: they ask for a lower bound.
_OLLAMA_VERSION = "0.13.0"
_Told = Callable[[list[Model]], dict[str, Any]]


class Directory:
    """Answers what clients look up."""

    def __init__(
        self, config: ProxyConfig, backends: Backends, relay: Relay, others: Others
    ) -> None:
        self._config = config
        self._backends = backends
        self._relay = relay
        self._others = others

    async def models(self, request: Request) -> Response:
        """The models, as OpenAI lists them, or as Anthropic or Google for their own clients."""
        if _is_google(request):
            return await self.google(request)
        if _is_anthropic(request):
            query = dict(request.query_params)
            return await self._told(
                request, lambda them: paged(_each(anthropic_model, them), query)
            )
        return await self._told(
            request, lambda them: {"object": "list", "data": _each(openai_model, them)}
        )

    async def model(self, request: Request) -> Response:
        """One model, in the same words."""
        one = anthropic_model if _is_anthropic(request) else openai_model
        one = google_model if _is_google(request) else one
        return await self._one(request, request.path_params["model"], one)

    async def tags(self, request: Request) -> Response:
        """The models, as Ollama lists them."""
        return await self._told(request, lambda them: {"models": _each(ollama_model, them)})

    async def running(self, request: Request) -> Response:
        """The models that are loaded, as Ollama lists them: all of them, for all anybody knows."""
        if self._others.speaks("ollama"):
            return await self._others.answer(request)
        loaded = {"expires_at": "2318-01-01T00:00:00Z", "size_vram": 0}
        return await self._told(
            request, lambda them: {"models": [{**ollama_model(each), **loaded} for each in them]}
        )

    async def version(self, request: Request) -> Response:
        """The version of Ollama."""
        if self._others.speaks("ollama"):
            return await self._others.answer(request)
        return AsciiJson({"version": _OLLAMA_VERSION})

    async def alive(self, request: Request) -> Response:
        """What Ollama says at its root, which its clients ask for to see whether it is there."""
        return PlainTextResponse("Ollama is running")

    async def lm_studio(self, request: Request) -> Response:
        """The models, as LM Studio lists them."""
        return await self._told(
            request, lambda them: {"object": "list", "data": _each(lm_studio_model, them)}
        )

    async def lm_studio_one(self, request: Request) -> Response:
        """One model, as LM Studio tells of it."""
        return await self._one(request, request.path_params["model"], lm_studio_model)

    async def native(self, request: Request) -> Response:
        """The models as OpenRouter lists them (``data``), and LM Studio (``models``).

        Both have their list at one path, and look for it under another name.
        """
        return await self._told(
            request,
            lambda them: {
                "object": "list",
                "data": _each(openai_model, them),
                "models": _each(native_lm_studio_model, them),
            },
        )

    async def google(self, request: Request) -> Response:
        """The models, as Google lists them."""
        return await self._told(request, lambda them: {"models": _each(google_model, them)})

    async def google_one(self, request: Request) -> Response:
        """One model, as Google tells of it."""
        return await self._one(request, request.path_params["model"], google_model)

    async def show(self, request: Request) -> Response:
        """What Ollama tells of a model: that it takes tools, before all."""
        try:
            values = read_object(await read_body(request, self._config.limits.body))
            name = values.get("model") or values.get("name")
            if not isinstance(name, str):
                raise BadRequest("model is required", "model")
            if self._backends.find(name).dialect == "ollama":
                told = await self._others.told(request, {**values, "model": name})
                if told is not None:
                    return AsciiJson(_with_tools(told))
        except BadRequest as error:
            return refused(api_at("/api/show"), error.fault)
        except EndpointError as error:
            return refused(api_at("/api/show"), fault_of(failure_of(error)))
        return await self._one(request, name, _shown)

    async def _one(
        self, request: Request, name: str, told: Callable[[Model], dict[str, Any]]
    ) -> Response:
        api = _api(request)
        try:
            found = await self._found(request, name)
        except EndpointError as error:
            return refused(api, fault_of(failure_of(error)))
        if found is None:
            message = f"model '{name[:200]}' not found"
            return refused(api, BadRequest(message, "model", "model_not_found", 404).fault)
        return AsciiJson(told(found))

    async def _found(self, request: Request, name: str) -> Model | None:
        try:
            models = await self._models(request)
        except Unlisted as error:
            if not error.is_there or self._config.upstream(name) is None:
                raise
            # A backend that has no list may well have the model.
            return Model(name, sees=self._config.terms(name).vision)
        # Ollama's clients may leave out the tag that everything has.
        names = (name, name.removesuffix(":latest"))
        return next((model for model in models if model.name in names), None)

    async def _told(self, request: Request, told: _Told) -> Response:
        try:
            return AsciiJson(told(await self._models(request)))
        except EndpointError as error:
            return refused(_api(request), fault_of(failure_of(error)))

    async def _models(self, request: Request) -> list[Model]:
        key = client_key(request)
        return await served_models(self._config, self._backends, self._relay, key)


def _each(told: Callable[[Model], dict[str, Any]], models: Sequence[Model]) -> list[dict[str, Any]]:
    return [told(model) for model in models]


def _api(request: Request) -> Api:
    """The API in whose words the client is told what is wrong."""
    path = "/v1/messages" if _is_anthropic(request) else request.url.path
    return api_at("/v1beta/models" if _is_google(request) else path)


def _is_anthropic(request: Request) -> bool:
    return "anthropic-version" in request.headers


def _is_google(request: Request) -> bool:
    return "x-goog-api-key" in request.headers


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


def _with_tools(told: dict[str, Any]) -> dict[str, Any]:
    """What Ollama tells of a model, which takes tools here whatever it says."""
    known = told.get("capabilities")
    capabilities = list(known) if isinstance(known, list) else ["completion"]
    return {**told, "capabilities": list(dict.fromkeys([*capabilities, "tools"]))}
