"""The backends of a proxy: which endpoint a request goes to, and with whose key."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from ..bridge.asked import BadRequest
from ..endpoints import HttpEndpoint, Retries
from ..errors import UsageError
from ..paradigms import ToolContextDef, get_paradigm
from ..recommendations import recommend
from .config import ModelTerms, ProxyConfig, Upstream, key_in

__all__ = ["Backends", "spoken_params", "taught"]

#: Endpoints that are kept, each with its connections: one for each backend, model and key.
_MOST_KEPT = 64
#: What backends call it that do not know OpenAI's newer name.
_OLDER_NAMES = {"max_completion_tokens": "max_tokens"}
#: Anthropic refuses what it does not know.
_ANTHROPIC_PARAMS = frozenset({"max_tokens", "temperature", "top_p", "top_k", "thinking"})
#: Of what chats have, text completions know nothing; and the prompt is ours to write.
_CHAT_ONLY = frozenset(
    ["prompt", "suffix", "echo", "reasoning_effort", "verbosity", "modalities", "audio",
     "prediction", "store", "metadata", "service_tier", "web_search_options", "prompt_cache_key",
     "safety_identifier"]
)  # fmt: skip
_THINK = {"none": False, "minimal": "low", "xhigh": "high"}


class Backends:
    """Endpoints, made when they are first needed."""

    def __init__(self, config: ProxyConfig) -> None:
        self._config = config
        self._kept: OrderedDict[tuple[Upstream, str, str | None], HttpEndpoint] = OrderedDict()

    @property
    def upstreams(self) -> tuple[Upstream, ...]:
        """All of them."""
        return self._config.upstreams

    def find(self, model: str) -> Upstream:
        """The backend of *model*."""
        upstream = self._config.upstream(model)
        if upstream is None:
            prefixes = ", ".join(repr(each.prefix) for each in self._config.upstreams)
            told = f"no upstream serves {model!r}; models here begin with: {prefixes}"
            raise BadRequest(told, "model", "model_not_found", 404)
        return upstream

    def key(self, upstream: Upstream, client_key: str | None) -> str | None:
        """The key for *upstream*: the proxy's own, or the client's."""
        if upstream.api_key_env is not None:
            return key_in(upstream.api_key_env)
        # The client's key was for the proxy itself: it is nobody else's business.
        return None if self._config.key_env is not None else client_key

    async def endpoint(self, model: str, client_key: str | None) -> HttpEndpoint:
        """The endpoint that serves *model*."""
        upstream = self.find(model)
        key = self.key(upstream, client_key)
        place = (upstream, upstream.name_of(model), key)
        endpoint = self._kept.get(place) or _opened(*place, self._config.pace)
        self._kept[place] = endpoint
        self._kept.move_to_end(place)
        if len(self._kept) > _MOST_KEPT:
            _, oldest = self._kept.popitem(last=False)
            await oldest.aclose()
        return endpoint

    async def close(self) -> None:
        """Close every connection."""
        while self._kept:
            await self._kept.popitem()[1].aclose()


def _opened(upstream: Upstream, model: str, key: str | None, pace: float) -> HttpEndpoint:
    try:
        return HttpEndpoint(
            upstream.url,
            model=model,
            dialect=upstream.dialect,
            api_key=key,
            # The client knows best whether to try again.
            retries=Retries(attempts=1),
            service=upstream.service,
            pace=pace,
        )
    except UsageError as error:
        raise BadRequest(f"the key cannot be sent on: {error}", None, "invalid_api_key") from None


def spoken_params(dialect: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Generation parameters under OpenAI's names, as far as *dialect* knows them.

    Ollama's dialect renames them itself, all but the effort.
    """
    if dialect == "openai_chat":
        return dict(params)
    if dialect == "ollama":
        effort = params.get("reasoning_effort")
        think = {} if effort is None else {"think": _THINK.get(effort, effort)}
        return {**think, **{k: v for k, v in params.items() if k != "reasoning_effort"}}
    renamed = {_OLDER_NAMES.get(key, key): value for key, value in params.items()}
    if dialect == "anthropic":
        return {key: value for key, value in renamed.items() if key in _ANTHROPIC_PARAMS}
    return {key: value for key, value in renamed.items() if key not in _CHAT_ONLY}


@lru_cache(maxsize=256)
def taught(model: str, terms: ModelTerms) -> ToolContextDef:
    """The paradigm that *model* is taught. It holds no conversation, so all requests share it."""
    choice = recommend(model)
    name = choice.paradigm if terms.paradigm == "auto" else terms.paradigm
    auto = terms.paradigm == "auto"
    return get_paradigm(
        name,
        describe=terms.describe or (choice.describe if auto else None),
        teaching=terms.teaching or (choice.teaching if auto else None),
        salvage=True,
    )
