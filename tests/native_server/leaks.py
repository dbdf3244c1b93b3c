"""Calls that a service leaves in its text, in every form that models write.

The forms are those of FORMATS.md, each as its model writes it; where users reported how one breaks
(half of its markers, another wrapper), the report is named.
"""

from __future__ import annotations

import json

from .answers import PARIS, Answer, Called, Said, Thought, Way

__all__ = ["LEAKED", "THOUGHT"]

_ARGUMENTS = '{"city": "Paris", "days": 3}'
_CALL = f'{{"name": "get_weather", "arguments": {_ARGUMENTS}}}'
_TIME = '{"name": "get_time", "arguments": {"tz": "UTC"}}'
_BOTH = (("get_weather", PARIS), ("get_time", {"tz": "UTC"}))
_CITY = (("get_weather", {"city": "Paris"}),)
_NAMESPACE = "antml:"

_HERMES = f"<tool_call>\n{_CALL}\n</tool_call>"
_QWEN = (
    "<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n"
    "<parameter=days>\n3\n</parameter>\n</function>"
)
_INVOKE = (
    '<invoke name="get_weather">\n<parameter name="city">Paris</parameter>\n'
    '<parameter name="days">3</parameter>\n</invoke>'
)
_DSML = (
    '<｜DSML｜invoke name="get_weather">\n'
    '<｜DSML｜parameter name="city" string="true">Paris</｜DSML｜parameter>\n'
    '<｜DSML｜parameter name="days" string="false">3</｜DSML｜parameter>\n</｜DSML｜invoke>'
)
_GLM = (
    "<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n"
    "<arg_key>days</arg_key>\n<arg_value>3</arg_value>"
)
_KIMI = (
    "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0"
    f"<|tool_call_argument_begin|>{_ARGUMENTS}<|tool_call_end|><|tool_calls_section_end|>"
)
_HARMONY = (
    f"<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{_ARGUMENTS}"
)


def _namespaced(text: str) -> str:
    return text.replace("</", f"</{_NAMESPACE}").replace("<inv", f"<{_NAMESPACE}inv").replace(
        "<par", f"<{_NAMESPACE}par"
    )  # fmt: skip


def _leak(name: str, source: str, text: str, calls=(("get_weather", PARIS),), left="") -> Way:
    return Way(name, source, Answer((Said(text),)), calls, left)


#: Markers that no bare text has: the call may stand behind words.
LEAKED: tuple[Way, ...] = (
    _leak("hermes", "mudler/LocalAI#10346", _HERMES),
    _leak("hermes_behind_words", "youssofal/MTPLX#20", f"I will look.\n\n{_HERMES}",
          left="I will look."),
    _leak("hermes_twice", "Qwen3", f"{_HERMES}\n<tool_call>\n{_TIME}\n</tool_call>", _BOTH),
    _leak("hermes_unclosed", "jundot/omlx#3153", f"<tool_call>\n{_CALL}"),
    _leak("hermes_parameters", "Hermes 2", _HERMES.replace("arguments", "parameters")),
    _leak("hermes_written_arguments", "vllm-project/vllm#54964",
          '<tool_call>{"name": "get_weather", "arguments": ' + json.dumps(_ARGUMENTS)
          + "}</tool_call>"),
    _leak("hermes_behind_thinking_tags", "tenstorrent/tt-inference-server#4386",
          f"<think>\nThe weather, then.\n</think>\n\n{_HERMES}"),
    _leak("qwen_coder", "mudler/LocalAI#10346", f"<tool_call>\n{_QWEN}\n</tool_call>"),
    _leak("qwen_coder_without_opening", "ollama/ollama#16686", f"{_QWEN}\n</tool_call>"),
    _leak("qwen_coder_naked_behind_words", "jundot/omlx#844",
          f"I'll check the weather.\n\n{_QWEN}\n</tool_call>", left="I'll check the weather."),
    _leak("qwen_coder_underscore", "Qwen3-Coder behind OpenRouter",
          _QWEN.replace("function=", "function_").replace("/function", "/function_get_weather")),
    _leak("qwen_coder_beheaded", "Qwen3-Coder behind a server that cuts its first tag",
          "<name>get_weather\n</parameter>\n<parameter=city>\nParis\n</parameter>\n"
          "<parameter=days>\n3\n</parameter>\n</function>\n</tool_call>"),
    _leak("seed_oss", "Seed-OSS, lmstudio-ai/lmstudio-bug-tracker#797",
          "<seed:tool_call>\n<function=get_weather>\n<parameter=city>Paris</parameter>\n"
          "<parameter=days>3</parameter>\n</function>\n</seed:tool_call>"),
    _leak("llama3_python_tag", "Llama 3.1",
          f"<|python_tag|>{_CALL.replace('arguments', 'parameters')}"),
    _leak("llama4_python_start", "Llama 4",
          '<|python_start|>[get_weather(city="Paris", days=3)]<|python_end|>'),
    _leak("lfm2", "LFM2",
          "<|tool_call_start|>[get_weather(city='Paris', days=3)]<|tool_call_end|>"),
    _leak("olmo3", "OLMo 3",
          '<function_calls>get_weather(city="Paris", days=3)</function_calls>'),
    _leak("mistral_list", "ml-explore/mlx-lm#1374", f"[TOOL_CALLS] [{_CALL}]"),
    _leak("mistral_list_without_blank", "Mistral Nemo", f"[TOOL_CALLS][{_CALL}]"),
    _leak("mistral_args", "raullenchai/Rapid-MLX#1071",
          f"[TOOL_CALLS]get_weather[ARGS]{_ARGUMENTS}"),
    _leak("mistral_name", "Magistral", f"[TOOL_CALLS]get_weather{_ARGUMENTS}"),
    _leak("mistral_id", "Mistral Small 3.2",
          f"[TOOL_CALLS]get_weather[CALL_ID]abc123def[ARGS]{_ARGUMENTS}"),
    _leak("mistral_twice", "ml-explore/mlx-lm#1448",
          f'[TOOL_CALLS]get_weather[ARGS]{_ARGUMENTS}[TOOL_CALLS]get_time[ARGS]{{"tz": "UTC"}}',
          _BOTH),
    _leak("deepseek_v3", "DeepSeek V3",
          "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n"
          f"```json\n{_ARGUMENTS}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>"),
    _leak("deepseek_ascii", "DeepSeek R1",
          "<|tool_calls_begin|><|tool_call_begin|>function<|tool_sep|>get_weather\n"
          f"```json\n{_ARGUMENTS}\n```<|tool_call_end|><|tool_calls_end|>"),
    _leak("deepseek_v31", "DeepSeek V3.1",
          "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>"
          f"{_ARGUMENTS}<｜tool▁call▁end｜><｜tool▁calls▁end｜>"),
    _leak("dsml_function_calls", "DeepSeek V3.2, xorbitsai/inference#4771",
          f"<｜DSML｜function_calls>\n{_DSML}\n</｜DSML｜function_calls>"),
    _leak("dsml_tool_calls", "DeepSeek V4, anomalyco/opencode#24566",
          f"<｜DSML｜tool_calls>\n{_DSML}\n</｜DSML｜tool_calls>"),
    _leak("dsml_bare_invoke", "sgl-project/sglang#40236", _DSML),
    _leak("dsml_unterminated", "sgl-project/sglang#40236", f"<｜DSML｜tool_calls>\n{_DSML}\n"),
    _leak("dsml_behind_words", "TokenRhythm/opensquilla#985",
          f"Ich sehe nach.\n\n<｜DSML｜tool_calls>\n{_DSML}\n</｜DSML｜tool_calls>",
          left="Ich sehe nach."),
    _leak("dsml_double_bars", "diegosouzapw/OmniRoute#13930",
          f"<｜DSML｜ calls>\n{_DSML}\n</｜DSML｜ calls>".replace("｜DSML｜", "｜｜DSML｜｜")),
    _leak("glm45", "GLM 4.5, sgl-project/sglang#30925",
          f"<tool_call>get_weather\n{_GLM}\n</tool_call>"),
    _leak("glm47", "GLM 4.7, vllm-project/vllm-ascend#12398",
          f"<tool_call>get_weather{_GLM.replace(chr(10), '')}</tool_call>"),
    _leak("kimi_k2", "Kimi K2", _KIMI),
    _leak("kimi_k2_singular", "Kimi K2", _KIMI.replace("calls_section", "call_section")),
    _leak("kimi_k2_beheaded", "Kimi K2 behind a server that cuts special tokens",
          f"functions.get_weather:0 <|tool_call_argument_begin|>{_ARGUMENTS}<|tool_call_end|>"
          "<|tool_calls_section_end|>"),
    _leak("kimi_k3", "Kimi K3",
          '<|open|>tools<|sep|><|open|>call tool="get_weather" index="1"<|sep|>'
          '<|open|>argument key="city" type="string"<|sep|>Paris<|close|>argument<|sep|>'
          '<|open|>argument key="days" type="number"<|sep|>3<|close|>argument<|sep|>'
          "<|close|>call<|sep|><|close|>tools<|sep|>"),
    _leak("minimax_m2", "MiniMax M2",
          f"<minimax:tool_call>\n{_INVOKE}\n</minimax:tool_call>"),
    _leak("minimax_m1", "MiniMax M1", f"<tool_calls>\n{_CALL}\n</tool_calls>"),
    _leak("minimax_m3", "MiniMax M3",
          "]<]minimax[>[<tool_call>\n"
          ']<]minimax[>[<invoke name="get_weather">]<]minimax[>[<city>Paris]<]minimax[>[</city>'
          "]<]minimax[>[<days>3]<]minimax[>[</days>]<]minimax[>[</invoke>\n"
          "]<]minimax[>[</tool_call>"),
    _leak("minimax_arrows", "MiniMax M2.1 without its prompt",
          '[TOOL_CALL]\n{tool => "get_weather", args => {\n  --city "Paris"\n  --days 3\n}}\n'
          "[/TOOL_CALL]"),
    _leak("jamba", "Jamba 1.5", f"<tool_calls>[{_CALL}]</tool_calls>"),
    _leak("nemotron", "Nemotron Nano 2", f"<TOOLCALL>[{_CALL}]</TOOLCALL>"),
    _leak("hy_v3", "Hunyuan Hy3",
          "<tool_calls>\n<tool_call>get_weather<tool_sep>\n" + _GLM
          + "\n</tool_call>\n</tool_calls>"),
    _leak("granite", "Granite 3.3", f"<|tool_call|>[{_CALL}]"),
    _leak("granite_20b", "Granite 20B functioncalling", f"<function_call> {_CALL}"),
    _leak("internlm", "InternLM 2.5",
          f"<|action_start|><|plugin|>\n{_CALL.replace('arguments', 'parameters')}<|action_end|>"),
    _leak("phi4_mini", "Phi-4-mini", f"functools[{_CALL}]"),
    _leak("longcat", "LongCat-Flash",
          f"<longcat_tool_call>{_CALL}</longcat_tool_call>"),
    _leak("step3", "Step-3",
          "<｜tool_calls_begin｜>\n<｜tool_call_begin｜>function<｜tool_sep｜>"
          '<steptml:invoke name="get_weather">\n'
          '<steptml:parameter name="city">Paris</steptml:parameter>\n'
          '<steptml:parameter name="days">3</steptml:parameter>\n'
          "</steptml:invoke><｜tool_call_end｜>\n<｜tool_calls_end｜>"),
    _leak("step_element", "Step 3.7 Flash behind a gateway without tools",
          f"<tool><name>get_weather</name><arguments>{_ARGUMENTS}</arguments></tool>"),
    _leak("functionary", "Functionary v3.1", f"<function=get_weather>{_ARGUMENTS}</function>"),
    _leak("command_r", "Command R+",
          'Action:\n```json\n[\n    {\n        "tool_name": "get_weather",\n'
          f'        "parameters": {_ARGUMENTS}\n    }}\n]```'),
    _leak("command_a", "Command A",
          '<|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "get_weather", '
          f'"parameters": {_ARGUMENTS}}}\n]<|END_ACTION|>'),
    _leak("functiongemma", "FunctionGemma",
          "<start_function_call>call:get_weather{city:<escape>Paris<escape>,days:3}"
          "<end_function_call>"),
    _leak("gemma4", "Gemma 4",
          '<|tool_call>call:get_weather{city:<|"|>Paris<|"|>,days:3}<tool_call|>'),
    _leak("harmony", "lablup/mlxcel#654", f"{_HARMONY}<|call|>"),
    _leak("harmony_behind_analysis", "odysseus-dev/odysseus#4522",
          f"<|channel|>analysis<|message|>Look.<|end|><|start|>assistant{_HARMONY}<|call|>"),
    _leak("apertus", "Apertus",
          f'<|tools_prefix|>[{{"get_weather": {_ARGUMENTS}}}]<|tools_suffix|>'),
    _leak("gigachat", "GigaChat 3.1", f"<|function_call|>{_CALL}"),
    _leak("solar_open", "Solar Open",
          "<|tool_calls|><|tool_call:begin|>call00001<|tool_call:name|>get_weather"
          f"<|tool_call:args|>{_ARGUMENTS}<|tool_call:end|><|calls|>"),
    _leak("minicpm5", "MiniCPM5",
          '<function name="get_weather"><param name="city">Paris</param>'
          '<param name="days">3</param></function>'),
    _leak("dots", "dots.llm", f"<dots_function_call>\n{_INVOKE}\n</dots_function_call>"),
    _leak("inkling", "Inkling",
          '<|message_model|>get_weather<|content_invoke_tool_json|>{"name":"get_weather",'
          f'"args":{_ARGUMENTS}}}<|end_message|>'),
    _leak("k2_horizon", "K2 Horizon",
          "<ifm|tool_calls><ifm|tool_call>get_weather<ifm|arg_key>city</ifm|arg_key>"
          "<ifm|arg_value>Paris</ifm|arg_value></ifm|tool_call></ifm|tool_calls>", _CITY),
    _leak("claude_namespace", "openclaw/openclaw#97750",
          f"<{_NAMESPACE}function_calls>\n{_namespaced(_INVOKE)}\n</{_NAMESPACE}function_calls>"),
    _leak("claude_bare_invoke", "anthropics/claude-code#73808", _INVOKE),
    _leak("claude_stray_word", "anthropics/claude-code#74518, NousResearch/hermes-agent#35706",
          f"I will look.\n\ncourt\n{_INVOKE}", left="I will look.\n\ncourt"),
    _leak("calling_tool", "transcripts of LangChain",
          f"[Calling tool: get_weather({_ARGUMENTS})]"),
    # Without a marker a call counts only as the whole reply.
    _leak("bare_json", "jundot/omlx#2565", _CALL),
    _leak("bare_json_parameters", "Llama 3.2", _CALL.replace("arguments", "parameters")),
    _leak("bare_json_list", "xLAM 2", f"[{_CALL}]"),
    _leak("bare_python_list", "Gemma 3", '[get_weather(city="Paris", days=3)]'),
    _leak("bare_generic", "llama.cpp's generic format", f'{{"tool_call": {_CALL}}}'),
    _leak("bare_name", "huggingface/smolagents#1119", f"get_weather{_ARGUMENTS}"),
    _leak("bare_args", "raullenchai/Rapid-MLX#579", f"get_weather[ARGS]{_ARGUMENTS}"),
    _leak("bare_recipient", "Functionary v3.2", f"get_weather\n{_ARGUMENTS}"),
    _leak("default_api", "Gemini 2.5", 'default_api:get_weather{city:"Paris",days:3}'),
)  # fmt: skip


def _thought(name: str, source: str, text: str, *more: Said | Called) -> Way:
    return Way(name, source, Answer((Thought(text), *more)))


#: Calls in the field for thinking: meant where the answer ends with them and says nothing else.
THOUGHT: tuple[Way, ...] = (
    _thought("thought_kimi", "vybestack/llxprt-code#749, anomalyco/opencode#8851",
             f"I'll look at the weather. {_KIMI}"),
    _thought("thought_hermes", "QwQ", f"I need the weather.\n{_HERMES}"),
    _thought("thought_qwen", "Qwen3.5",
             f"The weather, then.\n\n<tool_call>\n{_QWEN}\n</tool_call>"),
    _thought("thought_dsml", "DeepSeek V4",
             f"Let me look.\n\n<｜DSML｜tool_calls>\n{_DSML}\n</｜DSML｜tool_calls>"),
    _thought("thought_glm", "vllm-project/vllm-ascend#12398",
             f"I call the tool.\n<tool_call>get_weather\n{_GLM}\n</tool_call>"),
    _thought("thought_blank_content", "GLM 4.6", f"I call it.\n{_HERMES}", Said("\n")),
)  # fmt: skip
