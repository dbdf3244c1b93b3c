"""The words of OpenAI's APIs: fields, roles and usage."""

from __future__ import annotations

from ....protocol.messages import Role, Usage

__all__ = [
    "DONE",
    "ROLES",
    "THOUGHTS",
    "USAGE",
    "openai_usage",
]

#: What ends a stream.
DONE = "[DONE]"
#: What those are here who speak without calling or answering a call.
ROLES: dict[str, Role] = {"system": "system", "developer": "system", "user": "user"}
#: Where the tokens of the input and those of the output are counted.
USAGE = ("prompt_tokens", "completion_tokens")
#: Where a message has its thoughts: DeepSeek, llama.cpp and SGLang name it the first way, and so
#: do we; OpenRouter and newer vLLM the second.
THOUGHTS = ("reasoning_content", "reasoning")


def openai_usage(usage: Usage) -> dict[str, int]:
    """Return the counts of *usage*, as chat and text completions tell them."""
    read, written = USAGE
    total = usage.input_tokens + usage.output_tokens
    return {read: usage.input_tokens, written: usage.output_tokens, "total_tokens": total}
