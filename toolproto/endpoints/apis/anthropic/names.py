"""The words of Anthropic's messages: parameters, usage, ends and errors."""

from __future__ import annotations

from ....protocol.messages import Usage

__all__ = ["ERRORS", "PARAMS", "REASONS", "THREADLESS", "USAGE", "anthropic_usage"]

#: Generation parameters, here and in OpenAI's words. Metadata, service tiers, budgets for thinking
#: and the like mean nothing to a backend of another make, which may refuse what it does not know.
PARAMS = {
    "max_tokens": "max_tokens",
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
}
#: Where the tokens of the input and those of the output are counted.
USAGE = ("input_tokens", "output_tokens")
#: A stop sequence of the client is an end like any other, where the backend does not say so.
REASONS = {
    "stop": "end_turn",
    "length": "max_tokens",
    "tool_calls": "tool_use",
    "content_filter": "refusal",
}
#: Anthropic's client goes on without a thread when it reads this code.
THREADLESS = "thread_unsupported_request"
ERRORS = {
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}


def anthropic_usage(usage: Usage) -> dict[str, int]:
    """Return the counts of *usage*, as messages tell them."""
    read, written = USAGE
    return {read: usage.input_tokens, written: usage.output_tokens}
