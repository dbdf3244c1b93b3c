"""Whatever a model's template writes, its paradigm reads: every published form, as it stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pytest

from tests.amount import together
from toolproto import Event, Message, ToolCall, ToolOffer, ToolSpec, get_paradigm, list_paradigms
from toolproto.protocol.paradigms.salvage import parse_any
from toolproto.testing.laws import read_in_pieces

WEATHER = ToolSpec(
    "get_weather",
    "The weather of the next days.",
    {
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
        "required": ["city"],
    },
)
TIME = ToolSpec(
    "get_time",
    "The time in a zone.",
    {"type": "object", "properties": {"tz": {"type": "string"}}, "required": ["tz"]},
)
OFFER = ToolOffer((WEATHER, TIME))
OTHERS = ToolOffer((ToolSpec("send_mail", "Send a mail.", {"type": "object", "properties": {}}),))

PARIS = ToolCall("get_weather", {"city": "Paris", "days": 3})
IN_PARIS = ToolCall("get_weather", {"city": "Paris"})
UTC = ToolCall("get_time", {"tz": "UTC"})
ONE, TWO = [PARIS], [PARIS, UTC]


class Published(NamedTuple):
    """A reply in the form of *paradigm*, and the calls that it says."""

    paradigm: str
    calls: Sequence[ToolCall]
    text: str


PUBLISHED = [
    Published(
        "hermes",
        ONE,
        """<tool_call>
{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}
</tool_call>""",
    ),
    Published(
        "hermes",
        TWO,
        """<tool_call>
{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}
</tool_call>
<tool_call>
{"name": "get_time", "arguments": {"tz": "UTC"}}
</tool_call>""",
    ),
    Published(
        "qwen3_coder",
        ONE,
        """<tool_call>
<function=get_weather>
<parameter=city>
Paris
</parameter>
<parameter=days>
3
</parameter>
</function>
</tool_call>""",
    ),
    Published(
        "qwen3_coder",
        TWO,
        """<tool_call>
<function=get_weather>
<parameter=city>
Paris
</parameter>
<parameter=days>
3
</parameter>
</function>
</tool_call>
<tool_call>
<function=get_time>
<parameter=tz>
UTC
</parameter>
</function>
</tool_call>""",
    ),
    Published(
        "seed_oss",
        ONE,
        """<seed:tool_call>
<function=get_weather>
<parameter=city>Paris</parameter>
<parameter=days>3</parameter>
</function>
</seed:tool_call>""",
    ),
    Published(
        "seed_oss",
        TWO,
        """<seed:tool_call>
<function=get_weather>
<parameter=city>Paris</parameter>
<parameter=days>3</parameter>
</function>
</seed:tool_call>
<seed:tool_call>
<function=get_time>
<parameter=tz>UTC</parameter>
</function>
</seed:tool_call>""",
    ),
    Published(
        "llama3_json", ONE, '{"name": "get_weather", "parameters": {"city": "Paris", "days": 3}}'
    ),
    Published(
        "llama3_json",
        TWO,
        '{"name": "get_weather", "parameters": {"city": "Paris", "days": 3}}; '
        '{"name": "get_time", "parameters": {"tz": "UTC"}}',
    ),
    Published(
        "llama3_json",
        TWO,
        '{"name": "get_weather", "parameters": {"city": "Paris", "days": 3}}'
        '{"name": "get_time", "parameters": {"tz": "UTC"}}',
    ),
    Published(
        "llama3_json",
        ONE,
        '<|python_tag|>{"name": "get_weather", "parameters": {"city": "Paris", "days": 3}}',
    ),
    Published("pythonic", ONE, '[get_weather(city="Paris", days=3)]'),
    Published("pythonic", TWO, '[get_weather(city="Paris", days=3), get_time(tz="UTC")]'),
    Published(
        "pythonic",
        TWO,
        '<|python_start|>[get_weather(city="Paris", days=3), get_time(tz="UTC")]<|python_end|>',
    ),
    Published(
        "lfm2", ONE, "<|tool_call_start|>[get_weather(city='Paris', days=3)]<|tool_call_end|>"
    ),
    Published(
        "lfm2",
        TWO,
        "<|tool_call_start|>[get_weather(city='Paris', days=3), get_time(tz='UTC')]"
        "<|tool_call_end|>",
    ),
    Published("olmo3", ONE, '<function_calls>get_weather(city="Paris", days=3)</function_calls>'),
    Published(
        "olmo3",
        TWO,
        """<function_calls>get_weather(city="Paris", days=3)
get_time(tz="UTC")</function_calls>""",
    ),
    Published(
        "mistral",
        ONE,
        '[TOOL_CALLS] [{"name": "get_weather", "arguments": {"city": "Paris", "days": 3},'
        ' "id": "call00001"}]',
    ),
    Published(
        "mistral",
        ONE,
        '[TOOL_CALLS][{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}]',
    ),
    Published(
        "mistral",
        TWO,
        '[TOOL_CALLS] [{"name": "get_weather", "arguments": {"city": "Paris", "days": 3},'
        ' "id": "call00001"}, {"name": "get_time", "arguments": {"tz": "UTC"}, "id": "call00002"}]',
    ),
    Published(
        "mistral",
        TWO,
        '[TOOL_CALLS][{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}},'
        ' {"name": "get_time", "arguments": {"tz": "UTC"}}][/TOOL_CALLS]',
    ),
    Published("mistral_v11", ONE, '[TOOL_CALLS]get_weather[ARGS]{"city": "Paris", "days": 3}'),
    Published("mistral_v11", ONE, '[TOOL_CALLS]get_weather{"city": "Paris", "days": 3}'),
    Published(
        "mistral_v11",
        TWO,
        '[TOOL_CALLS]get_weather[ARGS]{"city": "Paris", "days": 3}'
        '[TOOL_CALLS]get_time[ARGS]{"tz": "UTC"}',
    ),
    Published(
        "mistral_v11",
        TWO,
        '[TOOL_CALLS]get_weather[CALL_ID]a1b2c3d4e[ARGS]{"city": "Paris", "days": 3}'
        '[TOOL_CALLS]get_time[CALL_ID]b1b2c3d4e[ARGS]{"tz": "UTC"}',
    ),
    Published(
        "deepseek_v3",
        ONE,
        """<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather
```json
{"city": "Paris", "days": 3}
```<｜tool▁call▁end｜><｜tool▁calls▁end｜>""",
    ),
    Published(
        "deepseek_v3",
        TWO,
        """<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather
```json
{"city": "Paris", "days": 3}
```<｜tool▁call▁end｜>
<｜tool▁call▁begin｜>function<｜tool▁sep｜>get_time
```json
{"tz": "UTC"}
```<｜tool▁call▁end｜><｜tool▁calls▁end｜>""",
    ),
    Published(
        "deepseek_v31",
        ONE,
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>"
        '{"city": "Paris", "days": 3}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    ),
    Published(
        "deepseek_v31",
        TWO,
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>"
        '{"city": "Paris", "days": 3}<｜tool▁call▁end｜><｜tool▁call▁begin｜>get_time<｜tool▁sep｜>'
        '{"tz": "UTC"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    ),
    Published(
        "deepseek_v32",
        ONE,
        """<｜DSML｜function_calls>
<｜DSML｜invoke name="get_weather">
<｜DSML｜parameter name="city" string="true">Paris</｜DSML｜parameter>
<｜DSML｜parameter name="days" string="false">3</｜DSML｜parameter>
</｜DSML｜invoke>
</｜DSML｜function_calls>""",
    ),
    Published(
        "deepseek_v32",
        TWO,
        """<｜DSML｜function_calls>
<｜DSML｜invoke name="get_weather">
<｜DSML｜parameter name="city" string="true">Paris</｜DSML｜parameter>
<｜DSML｜parameter name="days" string="false">3</｜DSML｜parameter>
</｜DSML｜invoke>
<｜DSML｜invoke name="get_time">
<｜DSML｜parameter name="tz" string="true">UTC</｜DSML｜parameter>
</｜DSML｜invoke>
</｜DSML｜function_calls>""",
    ),
    Published(
        "deepseek_v32",
        ONE,
        """<｜DSML｜function_calls>
<｜DSML｜invoke name="get_weather">
{"city": "Paris", "days": 3}
</｜DSML｜invoke>
</｜DSML｜function_calls>""",
    ),
    Published(
        "deepseek_v4",
        TWO,
        """<｜DSML｜tool_calls>
<｜DSML｜invoke name="get_weather">
<｜DSML｜parameter name="city" string="true">Paris</｜DSML｜parameter>
<｜DSML｜parameter name="days" string="false">3</｜DSML｜parameter>
</｜DSML｜invoke>
<｜DSML｜invoke name="get_time">
<｜DSML｜parameter name="tz" string="true">UTC</｜DSML｜parameter>
</｜DSML｜invoke>
</｜DSML｜tool_calls>""",
    ),
    Published(
        "deepseek_v4",
        TWO,
        """<｜DSML｜ calls>
<｜DSML｜ invoke name="get_weather">
<｜DSML｜ parameter name="city" string="true">Paris</｜DSML｜ parameter>
<｜DSML｜ parameter name="days" string="false">3</｜DSML｜ parameter>
</｜DSML｜ invoke>
<｜DSML｜ invoke name="get_time">
<｜DSML｜ parameter name="tz" string="true">UTC</｜DSML｜ parameter>
</｜DSML｜ invoke>
</｜DSML｜ calls>""",
    ),
    Published(
        "deepseek_v4",
        ONE,
        """<｜GCML｜tool_calls>
<｜GCML｜invoke name="get_weather">
<｜GCML｜parameter name="city" string="true">Paris</｜GCML｜parameter>
<｜GCML｜parameter name="days" string="false">3</｜GCML｜parameter>
</｜GCML｜invoke>
</｜GCML｜tool_calls>""",
    ),
    Published(
        "glm45",
        ONE,
        """<tool_call>get_weather
<arg_key>city</arg_key>
<arg_value>Paris</arg_value>
<arg_key>days</arg_key>
<arg_value>3</arg_value>
</tool_call>""",
    ),
    Published(
        "glm45",
        TWO,
        """<tool_call>get_weather
<arg_key>city</arg_key>
<arg_value>Paris</arg_value>
<arg_key>days</arg_key>
<arg_value>3</arg_value>
</tool_call>
<tool_call>get_time
<arg_key>tz</arg_key>
<arg_value>UTC</arg_value>
</tool_call>""",
    ),
    Published(
        "glm47",
        ONE,
        "<tool_call>get_weather<arg_key>city</arg_key><arg_value>Paris</arg_value>"
        "<arg_key>days</arg_key><arg_value>3</arg_value></tool_call>",
    ),
    Published(
        "glm47",
        TWO,
        "<tool_call>get_weather<arg_key>city</arg_key><arg_value>Paris</arg_value>"
        "<arg_key>days</arg_key><arg_value>3</arg_value></tool_call>"
        "<tool_call>get_time<arg_key>tz</arg_key><arg_value>UTC</arg_value></tool_call>",
    ),
    Published(
        "glm47",
        ONE,
        "<iquest_tool_call>get_weather<arg_key>city</arg_key><arg_value>Paris</arg_value>"
        "<arg_key>days</arg_key><arg_value>3</arg_value></iquest_tool_call>",
    ),
    Published(
        "kimi_k2",
        ONE,
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0"
        '<|tool_call_argument_begin|>{"city": "Paris", "days": 3}<|tool_call_end|>'
        "<|tool_calls_section_end|>",
    ),
    Published(
        "kimi_k2",
        TWO,
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0"
        '<|tool_call_argument_begin|>{"city": "Paris", "days": 3}<|tool_call_end|>'
        "<|tool_call_begin|>functions.get_time:1"
        '<|tool_call_argument_begin|>{"tz": "UTC"}<|tool_call_end|><|tool_calls_section_end|>',
    ),
    Published(
        "kimi_k2",
        ONE,
        "<|tool_call_section_begin|><|tool_call_begin|>functions.get_weather:7"
        '<|tool_call_argument_begin|>{"city": "Paris", "days": 3}<|tool_call_end|>'
        "<|tool_call_section_end|>",
    ),
    Published(
        "kimi_k3",
        ONE,
        '<|open|>tools<|sep|><|open|>call tool="get_weather" index="1"<|sep|>'
        '<|open|>argument key="city" type="string"<|sep|>Paris<|close|>argument<|sep|>'
        '<|open|>argument key="days" type="number"<|sep|>3<|close|>argument<|sep|>'
        "<|close|>call<|sep|><|close|>tools<|sep|>",
    ),
    Published(
        "kimi_k3",
        TWO,
        '<|open|>tools<|sep|><|open|>call tool="get_weather" index="1"<|sep|>'
        '<|open|>argument key="city" type="string"<|sep|>Paris<|close|>argument<|sep|>'
        '<|open|>argument key="days" type="number"<|sep|>3<|close|>argument<|sep|>'
        '<|close|>call<|sep|><|open|>call tool="get_time" index="2"<|sep|>'
        '<|open|>argument key="tz" type="string"<|sep|>UTC<|close|>argument<|sep|>'
        "<|close|>call<|sep|><|close|>tools<|sep|>",
    ),
    Published(
        "minimax_m2",
        ONE,
        """<minimax:tool_call>
<invoke name="get_weather">
<parameter name="city">Paris</parameter>
<parameter name="days">3</parameter>
</invoke>
</minimax:tool_call>""",
    ),
    Published(
        "minimax_m2",
        TWO,
        """<minimax:tool_call>
<invoke name="get_weather">
<parameter name="city">Paris</parameter>
<parameter name="days">3</parameter>
</invoke>
<invoke name="get_time">
<parameter name="tz">UTC</parameter>
</invoke>
</minimax:tool_call>""",
    ),
    Published(
        "minimax_m1",
        ONE,
        """<tool_calls>
{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}
</tool_calls>""",
    ),
    Published(
        "minimax_m1",
        TWO,
        """<tool_calls>
{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}
{"name": "get_time", "arguments": {"tz": "UTC"}}
</tool_calls>""",
    ),
    Published(
        "minimax_m3",
        ONE,
        """]<]minimax[>[<tool_call>
]<]minimax[>[<invoke name="get_weather">]<]minimax[>[<city>Paris]<]minimax[>[</city>"""
        """]<]minimax[>[<days>3]<]minimax[>[</days>]<]minimax[>[</invoke>
]<]minimax[>[</tool_call>""",
    ),
    Published(
        "minimax_m3",
        TWO,
        """]<]minimax[>[<tool_call>
]<]minimax[>[<invoke name="get_weather">]<]minimax[>[<city>Paris]<]minimax[>[</city>"""
        """]<]minimax[>[<days>3]<]minimax[>[</days>]<]minimax[>[</invoke>
]<]minimax[>[<invoke name="get_time">]<]minimax[>[<tz>UTC]<]minimax[>[</tz>"""
        """]<]minimax[>[</invoke>
]<]minimax[>[</tool_call>""",
    ),
    Published(
        "jamba",
        ONE,
        '<tool_calls>[{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}]'
        "</tool_calls>",
    ),
    Published(
        "jamba",
        TWO,
        '<tool_calls>[{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}},'
        ' {"name": "get_time", "arguments": {"tz": "UTC"}}]</tool_calls>',
    ),
    Published(
        "apriel",
        TWO,
        '<tool_calls>[{"name": "get_weather", "arguments": {"city": "Paris", "days": 3},'
        ' "id": "1"}, {"name": "get_time", "arguments": {"tz": "UTC"}, "id": "2"}]</tool_calls>',
    ),
    Published(
        "nemotron",
        ONE,
        '<TOOLCALL>[{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}]</TOOLCALL>',
    ),
    Published(
        "nemotron",
        TWO,
        '<TOOLCALL>[{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}},'
        ' {"name": "get_time", "arguments": {"tz": "UTC"}}]</TOOLCALL>',
    ),
    Published(
        "hy_v3",
        [IN_PARIS],
        """<tool_calls>
<tool_call>get_weather<tool_sep>
<arg_key>city</arg_key>
<arg_value>Paris</arg_value>
</tool_call>
</tool_calls>""",
    ),
    Published(
        "hy_v3",
        [IN_PARIS, UTC],
        """<tool_calls>
<tool_call>get_weather<tool_sep>
<arg_key>city</arg_key>
<arg_value>Paris</arg_value>
</tool_call>
<tool_call>get_time<tool_sep>
<arg_key>tz</arg_key>
<arg_value>UTC</arg_value>
</tool_call>
</tool_calls>""",
    ),
    Published(
        "hy_v3",
        ONE,
        """<tool_calls:opensource>
<tool_call:opensource>get_weather<tool_sep:opensource>
<arg_key:opensource>city</arg_key:opensource>
<arg_value:opensource>Paris</arg_value:opensource>
<arg_key:opensource>days</arg_key:opensource>
<arg_value:opensource>3</arg_value:opensource>
</tool_call:opensource>
</tool_calls:opensource>""",
    ),
    Published(
        "granite3",
        ONE,
        '<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}]',
    ),
    Published(
        "granite3",
        TWO,
        '<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}},'
        ' {"name": "get_time", "arguments": {"tz": "UTC"}}]',
    ),
    Published(
        "granite3",
        ONE,
        '<tool_call> [{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}]',
    ),
    Published(
        "granite_20b_fc",
        ONE,
        '<function_call> {"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}',
    ),
    Published(
        "granite_20b_fc",
        TWO,
        """<function_call> {"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}
<function_call> {"name": "get_time", "arguments": {"tz": "UTC"}}""",
    ),
    Published(
        "internlm",
        ONE,
        """<|action_start|><|plugin|>
{"name": "get_weather", "parameters": {"city": "Paris", "days": 3}}<|action_end|>""",
    ),
    Published(
        "internlm",
        TWO,
        """<|action_start|><|plugin|>
{"name": "get_weather", "parameters": {"city": "Paris", "days": 3}}<|action_end|>"""
        """<|action_start|><|plugin|>
{"name": "get_time", "parameters": {"tz": "UTC"}}<|action_end|>""",
    ),
    Published(
        "internlm",
        ONE,
        '<|action_start|> <|plugin|>{"name": "get_weather",'
        ' "parameters": {"city": "Paris", "days": 3}}<|action_end|>',
    ),
    Published(
        "phi4_mini",
        ONE,
        'functools[{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}]',
    ),
    Published(
        "phi4_mini",
        TWO,
        ' functools[{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}},'
        ' {"name": "get_time", "arguments": {"tz": "UTC"}}]',
    ),
    Published("xlam", ONE, '[{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}]'),
    Published(
        "xlam",
        TWO,
        '[{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}},'
        ' {"name": "get_time", "arguments": {"tz": "UTC"}}]',
    ),
    Published(
        "ernie45",
        ONE,
        """</think>


<tool_call>
{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}
</tool_call>
""",
    ),
    Published(
        "ernie45",
        TWO,
        """</think>


<tool_call>
{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}
</tool_call>
<tool_call>
{"name": "get_time", "arguments": {"tz": "UTC"}}
</tool_call>
""",
    ),
    Published(
        "longcat",
        ONE,
        '<longcat_tool_call>{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}'
        "</longcat_tool_call>",
    ),
    Published(
        "longcat",
        TWO,
        """<longcat_tool_call>"""
        """{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}</longcat_tool_call>
<longcat_tool_call>{"name": "get_time", "arguments": {"tz": "UTC"}}</longcat_tool_call>""",
    ),
    Published(
        "step3",
        [IN_PARIS],
        """<｜tool_calls_begin｜>
<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="get_weather">
<steptml:parameter name="city">Paris</steptml:parameter>
</steptml:invoke><｜tool_call_end｜>
<｜tool_calls_end｜>""",
    ),
    Published(
        "step3",
        [IN_PARIS, UTC],
        """<｜tool_calls_begin｜>
<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="get_weather">
<steptml:parameter name="city">Paris</steptml:parameter>
</steptml:invoke><｜tool_call_end｜>
<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="get_time">
<steptml:parameter name="tz">UTC</steptml:parameter>
</steptml:invoke><｜tool_call_end｜>
<｜tool_calls_end｜>""",
    ),
    Published(
        "functionary_v31", ONE, '<function=get_weather>{"city": "Paris", "days": 3}</function>'
    ),
    Published(
        "functionary_v31",
        TWO,
        '<function=get_weather>{"city": "Paris", "days": 3}</function>'
        '<function=get_time>{"tz": "UTC"}</function>',
    ),
    Published(
        "functionary_v32",
        ONE,
        """get_weather
{"city": "Paris", "days": 3}""",
    ),
    Published(
        "functionary_v32",
        TWO,
        """get_weather
{"city": "Paris", "days": 3}>>>get_time
{"tz": "UTC"}""",
    ),
    Published(
        "command_r",
        ONE,
        """Action:
```json
[
    {
        "tool_name": "get_weather",
        "parameters": {"city": "Paris", "days": 3}
    }
]```""",
    ),
    Published(
        "command_r",
        TWO,
        """Action:
```json
[
    {
        "tool_name": "get_weather",
        "parameters": {"city": "Paris", "days": 3}
    },
    {
        "tool_name": "get_time",
        "parameters": {"tz": "UTC"}
    }
]```""",
    ),
    Published(
        "command_a",
        ONE,
        """<|START_ACTION|>[
    {"tool_call_id": "0", "tool_name": "get_weather", "parameters": {"city": "Paris", "days": 3}}
]<|END_ACTION|>""",
    ),
    Published(
        "command_a",
        TWO,
        """<|START_ACTION|>[
    {"tool_call_id": "0", "tool_name": "get_weather", "parameters": {"city": "Paris", "days": 3}},
    {"tool_call_id": "1", "tool_name": "get_time", "parameters": {"tz": "UTC"}}
]<|END_ACTION|>""",
    ),
    Published(
        "functiongemma",
        ONE,
        "<start_function_call>call:get_weather{city:<escape>Paris<escape>,days:3}"
        "<end_function_call>",
    ),
    Published(
        "functiongemma",
        TWO,
        "<start_function_call>call:get_weather{city:<escape>Paris<escape>,days:3}"
        "<end_function_call><start_function_call>call:get_time{tz:<escape>UTC<escape>}"
        "<end_function_call>",
    ),
    Published(
        "gemma4",
        ONE,
        '<|tool_call>call:get_weather{city:<|"|>Paris<|"|>,days:3}<tool_call|>',
    ),
    Published(
        "gemma4",
        TWO,
        '<|tool_call>call:get_weather{city:<|"|>Paris<|"|>,days:3}<tool_call|>'
        '<|tool_call>call:get_time{tz:<|"|>UTC<|"|>}<tool_call|>',
    ),
    Published(
        "harmony",
        ONE,
        "<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>"
        '{"city": "Paris", "days": 3}<|call|>',
    ),
    Published(
        "harmony",
        TWO,
        "<|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json"
        '<|message|>{"city": "Paris", "days": 3}<|call|>'
        "<|start|>assistant<|channel|>commentary to=functions.get_time <|constrain|>json"
        '<|message|>{"tz": "UTC"}<|call|>',
    ),
    Published(
        "harmony",
        ONE,
        "<|start|>assistant to=functions.get_weather<|channel|>commentary json<|message|>"
        '{"city": "Paris", "days": 3}<|call|>',
    ),
    Published(
        "apertus",
        ONE,
        '<|tools_prefix|>[{"get_weather": {"city": "Paris", "days": 3}}]<|tools_suffix|>',
    ),
    Published(
        "apertus",
        TWO,
        '<|tools_prefix|>[{"get_weather": {"city": "Paris", "days": 3}},'
        ' {"get_time": {"tz": "UTC"}}]<|tools_suffix|>',
    ),
    Published(
        "gigachat3",
        ONE,
        '<|function_call|>{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}',
    ),
    Published(
        "gigachat3",
        ONE,
        """<|message_sep|>

function call<|role_sep|>
{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}""",
    ),
    Published(
        "gigachat3",
        TWO,
        '<|function_call|>{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}'
        '<|function_call|>{"name": "get_time", "arguments": {"tz": "UTC"}}',
    ),
    Published(
        "solar_open",
        ONE,
        "<|tool_calls|><|tool_call:begin|>call00001<|tool_call:name|>get_weather"
        '<|tool_call:args|>{"city": "Paris", "days": 3}<|tool_call:end|><|calls|>',
    ),
    Published(
        "solar_open",
        TWO,
        "<|tool_calls|><|tool_call:begin|>call00001<|tool_call:name|>get_weather"
        '<|tool_call:args|>{"city": "Paris", "days": 3}<|tool_call:end|>'
        "<|tool_call:begin|>call00002<|tool_call:name|>get_time"
        '<|tool_call:args|>{"tz": "UTC"}<|tool_call:end|><|calls|>',
    ),
    Published(
        "solar_open2",
        ONE,
        """<|tool_call:start|>get_weather
<|tool_arg:start|>city<|tool_arg:value|>Paris<|tool_arg:end|>
<|tool_arg:start|>days<|tool_arg:value|>3<|tool_arg:end|>
<|tool_call:end|>""",
    ),
    Published(
        "solar_open2",
        TWO,
        """<|tool_call:start|>get_weather
<|tool_arg:start|>city<|tool_arg:value|>Paris<|tool_arg:end|>
<|tool_arg:start|>days<|tool_arg:value|>3<|tool_arg:end|>
<|tool_call:end|>
<|tool_call:start|>get_time
<|tool_arg:start|>tz<|tool_arg:value|>UTC<|tool_arg:end|>
<|tool_call:end|>""",
    ),
    Published(
        "minicpm5",
        ONE,
        '<function name="get_weather"><param name="city">Paris</param>'
        '<param name="days">3</param></function>',
    ),
    Published(
        "minicpm5",
        TWO,
        """<function name="get_weather"><param name="city"><![CDATA[Paris]]></param>"""
        """<param name="days">3</param></function>
<function name="get_time"><param name="tz">UTC</param></function>""",
    ),
    Published(
        "dots",
        [IN_PARIS],
        """<dots_function_call>
<invoke name="get_weather">
<parameter name="city">Paris</parameter>
</invoke>
</dots_function_call>""",
    ),
    Published(
        "dots",
        [IN_PARIS, UTC],
        """<dots_function_call>
<invoke name="get_weather">
<parameter name="city">Paris</parameter>
</invoke>
<invoke name="get_time">
<parameter name="tz">UTC</parameter>
</invoke>
</dots_function_call>""",
    ),
    Published(
        "muse_glimmer",
        [IN_PARIS],
        """ to=get_weather<|message|><atem:function_calls>
<atem:invoke name="get_weather">
<atem:parameter name="city">Paris</atem:parameter>
</atem:invoke>
</atem:function_calls><|eot|>""",
    ),
    Published(
        "muse_glimmer",
        [IN_PARIS, UTC],
        """ to=get_weather<|message|><atem:function_calls>
<atem:invoke name="get_weather">
<atem:parameter name="city">Paris</atem:parameter>
</atem:invoke>
</atem:function_calls><|eom|><|start|>assistant to=get_time<|message|><atem:function_calls>
<atem:invoke name="get_time">
<atem:parameter name="tz">UTC</atem:parameter>
</atem:invoke>
</atem:function_calls><|eot|>""",
    ),
    Published(
        "inkling",
        ONE,
        "<|message_model|>get_weather<|content_invoke_tool_json|>"
        '{"name":"get_weather","args":{"city":"Paris","days":3}}<|end_message|>',
    ),
    Published(
        "inkling",
        TWO,
        "<|message_model|>get_weather<|content_invoke_tool_json|>"
        '{"name":"get_weather","args":{"city":"Paris","days":3}}<|end_message|>'
        "<|message_model|>get_time<|content_invoke_tool_json|>"
        '{"name":"get_time","args":{"tz":"UTC"}}<|end_message|>',
    ),
    Published(
        "k2_horizon",
        [IN_PARIS],
        "<ifm|tool_calls><ifm|tool_call>get_weather<ifm|arg_key>city</ifm|arg_key>"
        "<ifm|arg_value>Paris</ifm|arg_value></ifm|tool_call></ifm|tool_calls>",
    ),
    Published(
        "k2_horizon",
        TWO,
        "<ifm|tool_calls><ifm|tool_call>get_weather<ifm|arg_key>city</ifm|arg_key>"
        "<ifm|arg_type>string</ifm|arg_type><ifm|arg_value>Paris</ifm|arg_value>"
        "<ifm|arg_key>days</ifm|arg_key><ifm|arg_type>integer</ifm|arg_type>"
        "<ifm|arg_value>3</ifm|arg_value></ifm|tool_call>"
        "<ifm|tool_call>get_time<ifm|arg_key>tz</ifm|arg_key>"
        "<ifm|arg_value>UTC</ifm|arg_value></ifm|tool_call></ifm|tool_calls>",
    ),
    Published(
        "plamo3",
        ONE,
        "<|plamo:begin_tool_requests:plamo|><|plamo:begin_tool_request:plamo|>"
        "<|plamo:begin_tool_name:plamo|>get_weather<|plamo:end_tool_name:plamo|>"
        "<|plamo:begin_tool_arguments:plamo|><|plamo:constrain|>json<|plamo:msg|>"
        '{"city": "Paris", "days": 3}<|plamo:end_tool_arguments:plamo|>'
        "<|plamo:end_tool_request:plamo|><|plamo:end_tool_requests:plamo|>",
    ),
    Published(
        "plamo3",
        TWO,
        "<|plamo:begin_tool_requests:plamo|><|plamo:begin_tool_request:plamo|>"
        "<|plamo:begin_tool_name:plamo|>get_weather<|plamo:end_tool_name:plamo|>"
        "<|plamo:begin_tool_arguments:plamo|><|plamo:constrain|>json<|plamo:msg|>"
        '{"city": "Paris", "days": 3}<|plamo:end_tool_arguments:plamo|>'
        "<|plamo:end_tool_request:plamo|><|plamo:begin_tool_request:plamo|>"
        "<|plamo:begin_tool_name:plamo|>get_time<|plamo:end_tool_name:plamo|>"
        "<|plamo:begin_tool_arguments:plamo|><|plamo:constrain|>json<|plamo:msg|>"
        '{"tz": "UTC"}<|plamo:end_tool_arguments:plamo|>'
        "<|plamo:end_tool_request:plamo|><|plamo:end_tool_requests:plamo|>",
    ),
    Published(
        "llamacpp_generic",
        ONE,
        '{"tool_call": {"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}}',
    ),
    Published(
        "llamacpp_generic",
        TWO,
        '{"tool_calls": [{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}},'
        ' {"name": "get_time", "arguments": {"tz": "UTC"}}]}',
    ),
]

# Where a template writes special tokens, endpoints show them in one of these spellings.
SPELLINGS = [{"｜": "|", "▁": "_"}, {"▁": " "}, {"<|": "<｜", "|>": "｜>"}]


def respelled(text: str) -> list[str]:
    found = []
    for spelling in SPELLINGS:
        other = text
        for sign, instead in spelling.items():
            other = other.replace(sign, instead)
        found.append(other)
    return [other for other in dict.fromkeys(found) if other != text]


RESPELLED = [
    Published(case.paradigm, case.calls, other)
    for case in PUBLISHED
    for other in respelled(case.text)
]


@together(case=PUBLISHED)
def test_a_published_reply_reads_as_the_calls_that_it_says(case: Published) -> None:
    parsed = get_paradigm(case.paradigm).parse_response(case.text, OFFER)
    assert parsed.calls == case.calls
    assert parsed.problems == []
    assert parsed.text.strip() == ""


@together(case=PUBLISHED)
def test_words_around_a_published_reply_stay_text(case: Published) -> None:
    reply = f"Let me look.\n\n{case.text}\n\nOne moment."
    parsed = get_paradigm(case.paradigm).parse_response(reply, OFFER)
    assert parsed.calls == case.calls
    assert parsed.problems == []
    assert parsed.text.split() == ["Let", "me", "look.", "One", "moment."]


@together(case=PUBLISHED)
def test_a_published_reply_streams_as_it_reads(case: Published) -> None:
    paradigm = get_paradigm(case.paradigm)
    for reply in (case.text, f"Let me look. {case.text}\nOne moment."):
        whole: list[Event] = list(paradigm.parse_response(reply, OFFER).events)
        assert read_in_pieces(paradigm, reply, OFFER) == whole


@together(case=PUBLISHED)
def test_what_a_paradigm_writes_itself_needs_no_repair(case: Published) -> None:
    paradigm = get_paradigm(case.paradigm)
    parsed = paradigm.parse_response(paradigm.encode_calls(case.calls), OFFER)
    assert parsed.calls == case.calls
    assert [call.repairs for call in parsed.calls] == [()] * len(case.calls)
    assert parsed.problems == []
    assert parsed.text.strip() == ""


@together(case=RESPELLED)
def test_special_tokens_are_read_in_other_spellings(case: Published) -> None:
    paradigm = get_paradigm(case.paradigm)
    parsed = paradigm.parse_response(case.text, OFFER)
    assert parsed.calls == case.calls
    assert parsed.problems == []
    assert parsed.text.strip() == ""
    assert read_in_pieces(paradigm, case.text, OFFER) == list(parsed.events)


@together(case=PUBLISHED + RESPELLED)
def test_any_published_reply_is_read_without_its_form_being_known(case: Published) -> None:
    parsed = parse_any(case.text, OFFER)
    assert parsed.calls == case.calls
    assert parsed.problems == []


@together(case=PUBLISHED + RESPELLED)
def test_a_form_that_nobody_asked_for_runs_no_tool_that_nobody_offered(case: Published) -> None:
    parsed = parse_any(case.text, OTHERS)
    assert parsed.calls == []
    assert parsed.problems == []


#: Taught by a prompt alone: no template writes them, so nobody published an example.
@pytest.mark.parametrize("paradigm", ["kimi_k2", "kimi_k3"])
def test_calls_of_one_message_are_numbered_as_their_template_does(paradigm: str) -> None:
    [published] = [case.text for case in PUBLISHED if case[:2] == (paradigm, TWO)]
    [sent] = get_paradigm(paradigm).encode_history([Message("assistant", "", calls=(PARIS, UTC))])
    assert sent.content == published


PROMPTED = {
    "bfcl_concise_xml",
    "bfcl_concise_xml_tagged",
    "bfcl_json",
    "bfcl_json_tagged",
    "bfcl_python",
    "bfcl_python_tagged",
    "bfcl_verbose_xml",
    "bfcl_verbose_xml_tagged",
    "cline",
    "fenced_json",
    "function_tag",
    "json_strict",
    "openhands",
    "raw_block",
    "react",
    "xml_strict",
    "xml_tag",
    "yaml_block",
}


#: Those that come with us: an example in a guide may register another one later.
OURS = frozenset(list_paradigms())


def test_every_form_that_a_template_writes_has_an_example() -> None:
    shown = {case.paradigm for case in PUBLISHED}
    assert OURS - shown - PROMPTED == set()


def test_the_markers_of_the_usual_form_are_known_where_no_form_is() -> None:
    call = ToolCall("get_weather", {"city": "Oslo"})
    reply = f"I'll look. {get_paradigm('xml_tag').encode_call(call)}"
    [read] = parse_any(reply, OFFER).calls
    assert (read, read.grade) == (call, None)
