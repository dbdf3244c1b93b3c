"""Where a request is meant to go, however its client spells the path.

People configure a base URL with ``/v1`` or without, twice, with a slash at its end, or that of
another service with the same API. One spelling of each path is served; the others lead there.
"""

from __future__ import annotations

import re

__all__ = ["usual"]

_SLASHES = re.compile(r"/{2,}")
#: What begins with these is as it is.
_ROOTS = ("/api/", "/v1/", "/v1beta/")
#: What other services with one of our APIs put before it.
_ELSEWHERE = (
    ("/v1/v1/", "/v1/"),
    ("/v1/api/", "/api/"),
    ("/api/v1/", "/v1/"),  # OpenRouter
    ("/api/v0/", "/v1/"),  # LM Studio
    ("/v1/v1beta/", "/v1beta/"),
    ("/v1alpha/", "/v1beta/"),
    ("/v1beta/openai/", "/v1/"),  # Google
)
#: Lists of LM Studio's, which have a form of their own.
_OWN = ("/api/v0/models", "/api/v1/models")
#: What comes after ``/v1`` in one API or the other.
_FIRST = frozenset(
    ["chat", "completions", "embeddings", "models", "messages", "responses", "audio", "images",
     "files", "moderations", "rerank", "score", "batches", "uploads"]
)  # fmt: skip


def usual(path: str) -> str:
    """The usual spelling of *path*."""
    path = _SLASHES.sub("/", path).rstrip("/") or "/"
    if path.startswith(_OWN):
        return path
    # Each is taken away once or twice; more of them is nobody's mistake.
    for spelled, meant in _ELSEWHERE * 2:
        if path.startswith(spelled):
            path = meant + path[len(spelled) :]
    if path.startswith(_ROOTS):
        return path
    first = path[1:].partition("/")[0]
    return f"/v1{path}" if first in _FIRST else path
