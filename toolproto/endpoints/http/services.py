"""Which service takes a grammar, and in which words.

One dialect is spoken by many servers, and each has fields of its own for this. A server that does
not know a field drops it without a word, so a service is told a grammar only if somebody said
which it is, or its address does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from ...protocol.grammar.ebnf import ebnf
from ...protocol.grammar.gbnf import gbnf
from ...protocol.grammar.ir import Grammar
from ...protocol.grammar.json_schema import json_schema
from ...protocol.grammar.structural_tag import structural_tag

__all__ = ["FIELDS", "SERVICES", "Told", "service_at"]

#: The rendering, and the fields of a request that hold it.
Told = tuple[str, dict[str, Any]]


def _llama_cpp(grammar: Grammar) -> Told:
    # Not ``grammar_lazy``: for chats the server sets that itself, by its own reading of the
    # template. The whole grammar leaves words free until a call begins as well.
    return "gbnf", {"grammar": gbnf(grammar)}


def _vllm(grammar: Grammar) -> Told:
    if grammar.is_free:
        return "structural_tag", {"response_format": structural_tag(grammar)}
    return "ebnf", {"structured_outputs": {"grammar": ebnf(grammar)}}


def _sglang(grammar: Grammar) -> Told:
    if grammar.is_free:
        return "structural_tag", {"response_format": structural_tag(grammar)}
    return "ebnf", {"ebnf": ebnf(grammar)}


def _openai(grammar: Grammar) -> Told | None:
    schema = json_schema(grammar)
    if schema is None or schema.get("type") != "object":
        return None
    told = {"name": "reply", "schema": schema}
    return "json_schema", {"response_format": {"type": "json_schema", "json_schema": told}}


def _ollama(grammar: Grammar) -> Told | None:
    schema = json_schema(grammar)
    return None if schema is None else ("json_schema", {"format": schema})


#: What each service is told; None where it cannot be told that grammar.
SERVICES: Mapping[str, Callable[[Grammar], Told | None]] = {
    "llama.cpp": _llama_cpp,
    "vllm": _vllm,
    "sglang": _sglang,
    "openai": _openai,
    "lm_studio": _openai,
    "ollama": _ollama,
}
#: Who sets one of these has plans of his own.
FIELDS = frozenset(
    ["grammar", "grammar_lazy", "json_schema", "response_format", "structured_outputs", "ebnf",
     "guided_grammar", "guided_json", "guided_regex", "structural_tag", "format", "regex"]
)  # fmt: skip
_BY_PORT = {1234: "lm_studio"}


def service_at(url: str, dialect: str) -> str | None:
    """The service that is surely spoken to at *url* in *dialect*."""
    if dialect == "ollama":
        return "ollama"
    if dialect != "openai_chat":
        return None
    parts = urlsplit(url)
    if (parts.hostname or "").endswith("api.openai.com"):
        return "openai"
    return _BY_PORT.get(parts.port or 0)
