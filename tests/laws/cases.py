"""Cases for the laws: calls full of markers, replies full of traps."""

from __future__ import annotations

from hypothesis import strategies as st

from toolproto.messages import ToolCall, ToolResult
from toolproto.paradigms import get_paradigm, paradigms
from toolproto.tools.spec import ToolOffer, ToolSpec

WEATHER = ToolSpec(
    "get_weather",
    "Current weather for a city.",
    {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "Name of the city."},
            "unit": {"enum": ["c", "f"], "default": "c"},
        },
        "required": ["city"],
    },
)
WRITE = ToolSpec(
    "write_file",
    "Write a file.",
    {
        "type": "object",
        "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
        "required": ["path", "content"],
    },
)
TIME = ToolSpec("now", "The time.", {"type": "object", "properties": {}})
OFFER = ToolOffer((WEATHER, WRITE, TIME))

#: Read closely, by as many examples as a run can afford; the others share their engines.
CLOSELY = ("json_strict", "xml_tag", "hermes", "qwen3_coder", "pythonic")

#: Pieces in which the readers' decisions hide.
MARKS = [
    "<tool_code>", "</tool_code>", "<tool_code", "< tool_code >", "</tool_", '<tool_code a="b">',
    "<tool_result>", '<tool_result name="x">', "</tool_result>", "<think>", "</think>",
    "<thinking>", "<|im_start|>", "<|im_end|>", "<|im_start|>assistant", "<|im_start|>user",
    "[INST]", "[/INST]", "\n\nHuman:",
    '{"tool_calls": [', '{"tool_calls": ', '{"tool_call_result": ', '{"name": ', '"get_weather"',
    ', "arguments": ', '{"city": "Oslo"}', '{"city": "Os', "lo", '"}', "}}", "]}", "}", "]", "{",
    "[", '{"name": "get_weather", "arguments": {"city": "Oslo"}}', "{'name': 'get_weather', ",
    "'arguments': {'city': 'Oslo'}}", '"', "'", "\\", '\\"', "\\n", "\\u00e9", "\\ud83d", "\\ude00",
    "\\d", "```", "```json\n", "\n```\n", "~~~\n", "`", "> ", "\n", "\n\n", " ", ", ", "; ", ":",
    ".", "True", "None", "3", "3.5", "-", "NaN", "1e999", "x", "é", "😀", "\u2028", "\x00",
    "\ud800",
    '{"function": {"name": "now", "arguments": "{}"}}', '"id": "a", ', '"type": "function", ',
    '{"name": "write_file", "arguments": {"path": "a", "content": "', "print(\"hi\")", "I say ",
    "to do it", "\"<tool_code>", "“", "”", "//", "/*", "(1, 2)", "\t",
    "<tool_call>", "</tool_call>", "<function=get_weather>", "</function>", "<parameter=city>",
    "</parameter>", '<invoke name="now">', "</invoke>", "<arg_key>city</arg_key>", "<arg_value>",
    "</arg_value>", "<get_weather>", "</get_weather>", "<city>", "</city>", "[get_weather(city=",
    "get_weather(", ")", ")]", "city=", "'Oslo'", "now()", "[TOOL_CALLS]", "[ARGS]", "<|call|>",
    "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<|tool_call_begin|>", "functions.now:0", "Action: ",
    "\nAction Input: ", "\nObservation: ", "```yaml\n", "tool: now\n", "<![CDATA[", "]]>", "&amp;",
    "<<call now\n", ">>>now\n", "call:now{", "<escape>", "\r\n", "get\\_weather",
]  # fmt: skip

tricky_text = st.lists(st.sampled_from(MARKS) | st.text(max_size=4), max_size=6).map("".join)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | tricky_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(tricky_text, inner, max_size=3),
    max_leaves=8,
)
tool_names = st.from_regex(r"[a-z_][a-z0-9_.\-]{0,12}", fullmatch=True)
calls = st.builds(
    ToolCall, tool_names, st.dictionaries(tricky_text, json_values, max_size=4)
) | st.builds(
    ToolCall,
    st.sampled_from(["get_weather", "write_file", "now"]),
    st.dictionaries(st.sampled_from(["city", "unit", "path", "content"]), tricky_text, max_size=4),
)
results = st.lists(
    st.builds(
        ToolResult,
        st.builds(ToolCall, tool_names, st.just({}), st.just("call_1")),
        tricky_text,
        st.booleans(),
    ),
    max_size=3,
)


def written(call: ToolCall) -> str:
    """A call in the form of one paradigm or another."""
    names = paradigms()
    return get_paradigm(names[len(call.name) % len(names)]).encode_call(call)


replies = st.lists(
    st.sampled_from(MARKS) | st.text(max_size=6) | calls.map(written), max_size=12
).map("".join)
cuts = st.lists(st.integers(0, 10_000), max_size=12)
