"""What of a client's request a dialect has words for: generation parameters and stop sequences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..asked import Asked, BadRequest
from . import get_dialect

__all__ = ["check_stops", "spoken_params"]

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


def check_stops(asked: Asked, dialect: str) -> None:
    """Raise BadRequest for stop sequences that the backend would not be told."""
    most = get_dialect(dialect).most_stops
    if most is not None and len(asked.stop) > most:
        told = f"stop: {len(asked.stop)} sequences are more than the {most} that the backend takes"
        raise BadRequest(told, "stop")
