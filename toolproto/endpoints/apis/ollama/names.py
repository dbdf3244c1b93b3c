"""The words of Ollama's API: options and usage."""

from __future__ import annotations

__all__ = ["OPTIONS", "USAGE"]

#: Options that say how to generate; the others say how to load a model. Those that OpenAI has
#: no name for keep their own, which most local servers know.
OPTIONS = {
    "temperature": "temperature",
    "num_predict": "max_tokens",
    "num_ctx": "num_ctx",
    "top_p": "top_p",
    "top_k": "top_k",
    "min_p": "min_p",
    "seed": "seed",
    "presence_penalty": "presence_penalty",
    "frequency_penalty": "frequency_penalty",
    "repeat_penalty": "repeat_penalty",
}
#: Where the tokens of the input and those of the output are counted.
USAGE = ("prompt_eval_count", "eval_count")
