"""Whether an error of a service is about the tools it was offered, and for how long that holds.

What decides are words: services have no code for it in common. Each row of the table names where
its words come from.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from enum import Enum
from typing import Any

__all__ = ["ToolRefusal", "failed_generation", "tool_refusal"]


class ToolRefusal(Enum):
    """What is wrong with the tools of a request."""

    NO_TOOLS = "no_tools"  # the service, or the model, has none: every request would fail
    SCHEMA = "schema"  # the schema of one cannot be compiled
    REQUEST = "request"  # anything else: a choice, earlier calls, a call that could not be read


#: What a service may answer to tools. 403 is about who asks, and 429 about how often.
_STATUSES = (400, 404, 405, 415, 422, 500, 501)
#: Fields of an error that repeat what was sent, or what the model wrote.
_ECHOES = ("input", "failed_generation", "raw", "ctx", "url")
_DEPTH = 6
_CODE = re.compile(r"[45][0-9]{2}")

#: What the words of an error mean; the first row that is found in them holds. None: these words
#: are not about tools, even if they name them.
_ROWS: tuple[tuple[ToolRefusal | None, re.Pattern[str]], ...] = (
    # A paradigm makes the request longer, not shorter. OpenAI: "maximum context length is 8192
    # tokens. However, your messages resulted in 9000 tokens (8000 in the messages, 1000 in the
    # functions)"; llama.cpp: "exceeds the available context size"; Anthropic: "prompt is too long";
    # Google: "The input token count (…) exceeds the maximum".
    (None, re.compile(r"context[ _](length|size|window)|prompt is too long|input token count")),
    # Groq ("Failed to call a function", and "tool choice is required, but model did not call a
    # tool"); Ollama with gpt-oss (ollama#11704, #17638); llama.cpp (llama.cpp#20532, #23838, and
    # for broken calls in the history #25510).
    (
        ToolRefusal.REQUEST,
        re.compile(r"tool_use_failed|parsing tool call|failed to parse (input|tool call|tools)"),
    ),
    # llama.cpp: "tools param requires --jinja flag" (500); vLLM: "\"auto\" tool choice requires
    # --enable-auto-tool-choice and --tool-call-parser to be set" (vllm#9986); SGLang before 0.5.3:
    # "Internal server error: Unsupported tool_call_parser: None" (sglang#10184).
    (
        ToolRefusal.NO_TOOLS,
        re.compile(r"--jinja|--enable-auto-tool-choice|--tool-call-parser|tool_call_parser: none"),
    ),
    # llama.cpp, and LM Studio and Ollama with it: "Failed to initialize samplers: failed to parse
    # grammar" (llama.cpp#25895, #26596), "JSON schema conversion failed: Unrecognized schema"
    # (#14227), and since 2026 "Unable to generate parser for this template. … JSON schema error at
    # #/properties/b: cannot resolve $ref"; OpenAI: "Invalid schema for function 'f'"; Google:
    # "Invalid JSON payload received. Unknown name \"$ref\" at
    # 'tools[0].function_declarations[0].parameters'".
    (
        ToolRefusal.SCHEMA,
        re.compile(
            r"(parse|parsing|compil\w+) (the )?grammar|json schema (conversion|error)"
            r"|unrecognized schema"
            r"|invalid schema for function|function_declarations|input_schema|initialize samplers"
        ),
    ),
    # Ollama: "registry.ollama.ai/library/gemma3:4b does not support tools" (ollama#5793); DeepSeek:
    # "deepseek-reasoner does not support Function Calling"; Bedrock: "This model doesn't support
    # tool use in streaming mode."; but DeepSeek's "does not support this tool_choice" and "… does
    # not support parallel tool calls" are about the request.
    (
        ToolRefusal.NO_TOOLS,
        re.compile(
            r"(not|n't) support (the |native |any |using )?"
            r"(tools?\b(?! choice)|function[ _-]?call)"
        ),
    ),
    # OpenRouter (404): "No endpoints found that support tool use. Try disabling \"f\"."; but "…
    # that support the provided 'tool_choice' value" is about the request.
    (ToolRefusal.NO_TOOLS, re.compile(r"no endpoints found that support tool use")),
    # OpenAI (404): "tools is not supported in this model."; Groq: "`tool calling` is not supported
    # with this model"; Google: "Function calling is not enabled for models/gemma-3-12b-it".
    (
        ToolRefusal.NO_TOOLS,
        re.compile(
            r"(?<!parallel )\b(tools?|tool[ _](use|call(s|ing)?)|function[ _]call(s|ing)?)\W+"
            r"((is|are) )?not (supported|enabled|available)"
        ),
    ),
    # llama.cpp before 2025: "Unsupported param: tools" (llama.cpp#10920); OpenAI's "Unrecognized
    # request argument supplied: tools"; FastAPI: "extra_forbidden", ["body", "tools"].
    (
        ToolRefusal.NO_TOOLS,
        re.compile(
            r"(unsupported|unrecognized|unknown|unexpected|extra)[^.\n]{0,60}\btools\b(?!\[|[ .]\d)"
        ),
    ),
    # LM Studio: "Invalid tool_choice type: 'object'", and of a template that has no place for the
    # conversation "Unable to generate parser for this template" (openhuman#5291); OpenAI: "An
    # assistant message with 'tool_calls' must be followed by tool messages"; Google: "Function call
    # is missing a thought_signature"; DeepSeek: "Missing `reasoning_content` field …
    # thinking_mode#tool-calls".
    (
        ToolRefusal.REQUEST,
        re.compile(r"tool|function[ _]?(call|response)|functions\b|parser for this template"),
    ),
)


def tool_refusal(status: int | None, body: str) -> ToolRefusal | None:
    """Return what the error in *body* says of the tools of its request, None if nothing.

    *status* is that of the answer, None for an error that came as an event of a stream.
    """
    told = _object(body)
    if (_code(told) if status is None else status) not in (*_STATUSES, None):
        return None
    words = " ".join(_strings(told)).lower() if told else body.lower()
    return next((kind for kind, row in _ROWS if row.search(words)), None)


def failed_generation(body: str) -> str:
    """Return what a model wrote that its service (Groq) could not read as a call; empty if none."""
    error = _object(body).get("error")
    written = error.get("failed_generation") if isinstance(error, dict) else None
    return written if isinstance(written, str) else ""


def _object(body: str) -> dict[str, Any]:
    try:
        told = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {"error": told}


def _code(told: dict[str, Any]) -> int | None:
    """Return the status that stands in an error."""
    error = told.get("error")
    for place in (error, told):
        if isinstance(place, dict):
            for name in ("status_code", "code", "status"):
                code = place.get(name)
                if isinstance(code, str | int) and _CODE.fullmatch(str(code)):
                    return int(code)
    return None


def _strings(value: Any, depth: int = 0) -> Iterator[str]:
    """Yield the words of an error, without those that it repeats."""
    match value:
        case str() | int():
            yield str(value)
        case dict() if depth < _DEPTH:
            for key, each in value.items():
                if key not in _ECHOES:
                    # Ollama 0.11 has its message as the key (ollama#11781).
                    yield from (str(key), *_strings(each, depth + 1))
        case list() if depth < _DEPTH:
            for each in value:
                yield from _strings(each, depth + 1)
