"""The words of Google's API: parameters, roles, usage, ends and errors."""

from __future__ import annotations

__all__ = ["MODEL", "PARAMS", "REASONS", "STATUSES", "USAGE"]

#: Generation parameters in OpenAI's words, and here.
PARAMS = {
    "temperature": "temperature",
    "top_p": "topP",
    "top_k": "topK",
    "max_tokens": "maxOutputTokens",
    "presence_penalty": "presencePenalty",
    "frequency_penalty": "frequencyPenalty",
    "seed": "seed",
}
#: The role of the one who answers.
MODEL = "model"
#: Where the tokens of the input and those of the output are counted.
USAGE = ("promptTokenCount", "candidatesTokenCount")
REASONS = {
    "stop": "STOP",
    "tool_calls": "STOP",
    "length": "MAX_TOKENS",
    "content_filter": "SAFETY",
}
STATUSES = {
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    408: "DEADLINE_EXCEEDED",
    409: "ABORTED",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    501: "UNIMPLEMENTED",
    504: "DEADLINE_EXCEEDED",
}
