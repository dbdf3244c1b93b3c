"""Requests that a service refuses because of their tools, or for another reason.

Where the answer is asked again, it is asked in the paradigm; other errors go to the client.
"""

from __future__ import annotations

from .answers import PARIS, Answer, Refused, Way

__all__ = ["REFUSED"]

_OPENAI = frozenset(["openai_chat"])
_CALL = (("get_weather", PARIS),)


def _refused(name: str, source: str, status: int, message: str, **said: object) -> Way:
    error = Refused(status, message, **said)  # type: ignore[arg-type]
    return Way(name, source, Answer((), None, error), again=True, apis=_OPENAI)


REFUSED: tuple[Way, ...] = (
    Way("no_tools_400", "ollama/ollama#6027",
        Answer((), None, Refused(400, "registry.ollama.ai/library/m does not support tools")),
        again=True, apis=frozenset(["openai_chat", "ollama"])),
    _refused("no_tools_404", "evalstate/fast-agent#122", 404,
             "No endpoints found that support tool use. To learn more about provider routing, "
             "visit: https://openrouter.ai/docs/provider-routing"),
    _refused("no_tools_500", "llama.cpp without --jinja", 500,
             "tools param requires --jinja flag"),
    _refused("no_parser", "vLLM without --enable-auto-tool-choice", 400,
             '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be '
             "set"),
    _refused("no_tools_in_stream", "gateways of Ollama", 400, "m does not support tools",
             streamed=True),
    _refused("failed_generation", "huggingface/smolagents#1119", 400,
             "Failed to call a function. Please adjust your prompt. See 'failed_generation' for "
             "more details.", code="tool_use_failed",
             failed='get_weather{"city": "Paris", "days": 3}</function>'),
    _refused("failed_generation_element", "langchain-ai/langchain#31440", 400,
             "Failed to call a function. Please adjust your prompt. See 'failed_generation' for "
             "more details.", code="tool_use_failed",
             failed='<function=get_weather>{"city": "Paris", "days": 3}</function>'),
    _refused("failed_generation_unreadable", "anomalyco/opencode#1018", 400,
             "Failed to call a function. Please adjust your prompt. See 'failed_generation' for "
             "more details.", code="tool_use_failed",
             failed="Tool use failed: JSON does not match the expected schema for tool calls"),
    _refused("grammar", "ggml-org/llama.cpp#25895", 400,
             "Failed to initialize samplers: failed to parse grammar"),
    _refused("schema", "containers/kubernetes-mcp-server#758", 400,
             "JSON schema conversion failed:\nPattern must start with '^' and end with '$'"),
    Way("forbidden", "OpenAI", Answer((), None, Refused(403, "you may not use this model")),
        (), error=403, apis=_OPENAI),
    Way("too_long", "llama.cpp",
        Answer((), None, Refused(400, "the request exceeds the available context size")),
        (), error=400, apis=_OPENAI),
)  # fmt: skip
