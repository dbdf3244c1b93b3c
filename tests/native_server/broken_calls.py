"""Calls that a service sends as such, but broken, and answers that hold nothing."""

from __future__ import annotations

import json

from .answers import PARIS, Answer, Called, Said, Thought, Way

__all__ = ["BROKEN", "BROKEN_ARGUMENTS", "EMPTY", "SIDE_LEAKS"]

_ARGUMENTS = '{"city": "Paris", "days": 3}'
_STRINGS = frozenset(["openai_chat", "anthropic"])
_OPENAI = frozenset(["openai_chat"])
_TIME = Called("get_time", '{"tz": "UTC"}', "call_2", 1)
_BOTH = (("get_weather", PARIS), ("get_time", {"tz": "UTC"}))
_NOTES = (("list_notes", {}),)


def _arguments(name: str, source: str, written: object, **expected: object) -> Way:
    call = Called(arguments=written)
    return Way(name, source, Answer((call,), "tool_calls"), apis=_STRINGS, **expected)  # type: ignore[arg-type]


#: Arguments that are not what the API says they are.
BROKEN_ARGUMENTS: tuple[Way, ...] = (
    _arguments("arguments_object", "ggml-org/llama.cpp#20198", dict(PARIS)),
    _arguments("arguments_cut", "vllm-project/vllm#32152", '{"city": "Paris", "days": 3'),
    _arguments("arguments_beheaded", "vllm-project/vllm#35266", '"city": "Paris", "days": 3}'),
    _arguments("arguments_single_quotes", "Qwen2.5", "{'city': 'Paris', 'days': 3}"),
    _arguments("arguments_python", "Llama 3", "{'city': 'Paris', 'days': 3,}"),
    _arguments("arguments_trailing_comma", "anomalyco/opencode#24289",
               '{"city": "Paris", "days": 3,}'),
    _arguments("arguments_json_string", "huggingface/smolagents#1003", json.dumps(_ARGUMENTS)),
    _arguments("arguments_fenced", "Gemma 3 behind LM Studio", f"```json\n{_ARGUMENTS}\n```"),
    _arguments("arguments_number_written", "ar-jan/llm-venice#45",
               '{"city": "Paris", "days": "3"}',
               as_streamed=(("get_weather", {"city": "Paris", "days": "3"}),)),
    _arguments("arguments_twice", "lidge-jun/opencodex#361", _ARGUMENTS * 2),
    _arguments("arguments_two_objects", "mcowger/plexus#691", _ARGUMENTS + '{"city": "Rome"}',
               again=True),
    _arguments("arguments_prose", "groq/groq-typescript#28", "the weather in Paris", again=True),
    _arguments("arguments_incomplete", "openai/openai-agents-js#664", '{"days": 3}', again=True,
               as_streamed=(("get_weather", {"days": 3}),)),
    _arguments("arguments_missing_all", "openai/openai-agents-js#664", "", again=True),
    Way("arguments_raw_lines", "Qwen2.5-Coder",
        Answer((Called("write_file", '{"path": "a.py", "body": "one\ntwo"}'),), "tool_calls"),
        (("write_file", {"path": "a.py", "body": "one\ntwo"}),), apis=_STRINGS),
    Way("arguments_empty", "Lexus2016/hermes-agent-evolution#1170",
        Answer((Called("list_notes", ""),), "tool_calls"), _NOTES, apis=_STRINGS),
    Way("arguments_null", "1jehuang/jcode#225",
        Answer((Called("list_notes", None),), "tool_calls"), _NOTES),
    Way("arguments_word_null", "AIDotNet/OpenDeepWiki#392",
        Answer((Called("list_notes", "null"),), "tool_calls"), _NOTES, apis=_STRINGS),
)  # fmt: skip


def _named(name: str, source: str, written: str, **expected: object) -> Way:
    return Way(name, source, Answer((Called(written),), "tool_calls"), **expected)  # type: ignore[arg-type]


#: Names, ids, indexes and ends that are wrong.
BROKEN: tuple[Way, ...] = (
    _named("name_case", "gptscript-ai/gptscript#299", "GET_WEATHER"),
    _named("name_prefix", "gpt-oss", "functions.get_weather"),
    _named("name_default_api", "Gemini 2.5", "default_api.get_weather"),
    _named("name_channel", "vllm-project/vllm#32587", "get_weather<|channel|>commentary"),
    _named("name_separator", "teo-mateo/llm-dock#21", "get-weather"),
    _named("name_twice", "servers that send the name in every piece", "get_weatherget_weather"),
    _named("name_unknown", "lightpanda-io/browser#3149", "forecast", again=True),
    _named("name_empty", "AI-Shell-Team/aish#200", "", again=True),
    Way("index_missing", "openai/openai-python#3246",
        Answer((Called(slot=None),), "tool_calls"), apis=_OPENAI, streamed_only=True),
    Way("index_missing_twice", "jin-bo/agentao#117",
        Answer((Called(slot=None), Called("get_time", '{"tz": "UTC"}', "call_2", None)),
               "tool_calls"), _BOTH, apis=_OPENAI, streamed_only=True),
    Way("index_always_0", "ollama/ollama#15457",
        Answer((Called(), Called("get_time", '{"tz": "UTC"}', "call_2", 0)), "tool_calls"),
        _BOTH, apis=_OPENAI, streamed_only=True),
    Way("index_always_0_without_id", "vercel/ai#18440",
        Answer((Called(id=""), Called("get_time", '{"tz": "UTC"}', "", 0)), "tool_calls"),
        _BOTH, apis=_OPENAI, streamed_only=True),
    Way("index_wanders", "dirac-run/dirac#215",
        Answer((Called(slots=1),), "tool_calls"), apis=_OPENAI, streamed_only=True),
    Way("name_in_every_piece", "ikawrakow/ik_llama.cpp",
        Answer((Called(repeats="id name"),), "tool_calls"), apis=_OPENAI, streamed_only=True),
    Way("name_blank_in_every_piece", "earendil-works/pi#8387",
        Answer((Called(repeats="blank"),), "tool_calls"), apis=_OPENAI, streamed_only=True),
    Way("id_missing", "anomalyco/opencode#25925",
        Answer((Called(id=""),), "tool_calls"), apis=_STRINGS),
    Way("id_twice", "can1357/oh-my-pi#2055",
        Answer((Called(), Called("get_time", '{"tz": "UTC"}', "call_1", 1)), "tool_calls"),
        _BOTH, apis=_STRINGS),
    Way("finish_stop", "Blaizzy/mlx-vlm#1014", Answer((Called(),), "stop")),
    Way("finish_missing", "gateways that cut the last chunk", Answer((Called(),), None),
        apis=_OPENAI),
    Way("function_call", "servers of 2023", Answer((Called(old=True),), "function_call"),
        apis=_OPENAI),
)  # fmt: skip

_HERMES = f'<tool_call>\n{{"name": "get_weather", "arguments": {_ARGUMENTS}}}\n</tool_call>'

#: Markup that leaks beside a call that arrived: it goes, and makes no second call.
SIDE_LEAKS: tuple[Way, ...] = (
    Way("leak_beside_call", "mudler/LocalAI#10346",
        Answer((Said(_HERMES), Called()), "tool_calls")),
    Way("harmony_beside_call", "livekit/agents-js#1632",
        Answer((Said(f"<|channel|>commentary to=functions.get_weather<|message|>{_ARGUMENTS}"
                     "<|call|>"), Called()), "tool_calls")),
    Way("words_beside_call", "MTPLX", Answer((Said("I will look."), Called()), "tool_calls"),
        text="I will look."),
    Way("another_call_leaks", "ml-explore/mlx-lm#1448",
        Answer((Said(_HERMES), _TIME), "tool_calls"), (("get_time", {"tz": "UTC"}),)),
)  # fmt: skip


def _empty(name: str, source: str, *parts: Said | Thought, finish: str | None = "stop") -> Way:
    return Way(name, source, Answer(parts, finish), again=True)


#: Nothing that can be used.
EMPTY: tuple[Way, ...] = (
    _empty("nothing", "nugget/thane-ai-agent#167"),
    _empty("blank", "Ollama", Said("\n\n")),
    _empty("only_a_thought", "janhq/jan#8712", Thought("The user wants the weather.")),
    _empty("finish_without_calls", "mastra-ai/mastra#14187", finish="tool_calls"),
    _empty("thought_finish_without_calls", "labring/FastGPT#7339", Thought("I call it."),
           finish="tool_calls"),
    Way("malformed_function_call", "vercel/ai#5039", Answer((), "MALFORMED_FUNCTION_CALL"),
        again=True, apis=frozenset(["google"])),
)  # fmt: skip
