"""Answers in which nothing is lost: texts that mean no call, and native calls that work.

The contexts are those of the law of place, and what users complained about in other rescues:
summaries that speak of calls, JSON whose ``name`` is no tool, documentation of the markup.
"""

from __future__ import annotations

from .answers import PARIS, Answer, Called, Said, Thought, Way

__all__ = ["HARMLESS", "WORKING"]

_CALL = '{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}'
_HERMES = f"<tool_call>\n{_CALL}\n</tool_call>"
_LINE = f"<tool_call>{_CALL}</tool_call>"
_QUOTED = _HERMES.replace("\n", "\n> ")


def _harmless(name: str, source: str, text: str, thought: str = "") -> Way:
    parts = (*((Thought(thought),) if thought else ()), Said(text))
    return Way(name, source, Answer(parts), (), None)


HARMLESS: tuple[Way, ...] = (
    _harmless("words", "any", "It is 21 degrees in Paris, and it will stay so for three days."),
    _harmless("summary", "an agent's compaction",
              "I called get_weather(city='Paris', days=3) and it said 21 degrees. Then I called "
              "get_time for UTC."),
    _harmless("summary_list", "an agent's compaction",
              "Done so far:\n\n- `get_weather` for Paris: 21 degrees\n- `write_file`: a.py\n"),
    _harmless("summary_json", "an agent's compaction",
              '## Tool calls\n\n1. get_weather {"city": "Paris"} gave 21 degrees\n'
              '2. get_time {"tz": "UTC"} gave noon\n'),
    _harmless("in_a_sentence", "the law of place",
              f"Qwen writes {_LINE} where it wants the weather."),
    _harmless("code_span", "the law of place", f"Write `{_LINE}` to call it."),
    _harmless("fenced_example", "the law of place",
              f"A call looks like this:\n\n```xml\n{_HERMES}\n```\n\nThat is all there is to it."),
    _harmless("fenced_json_example", "the law of place",
              f"The format is:\n\n```json\n{_CALL}\n```\n\nReplace Paris by your city."),
    _harmless("fenced_at_the_end", "answers that end with an example",
              f"This is how it would be called:\n\n```xml\n{_HERMES}\n```"),
    _harmless("fenced_json_at_the_end", "answers that end with an example",
              f"You would send:\n\n```json\n{_CALL}\n```\n"),
    _harmless("fenced_alone", "answers that are one example", f"```json\n{_CALL}\n```"),
    _harmless("fence_in_fence", "the law of place",
              f"````markdown\nLike this:\n\n```\n{_HERMES}\n```\n````\n\nSo much for the page."),
    _harmless("python_code", "answers about code",
              '```python\nweather = get_weather(city="Paris", days=3)\nprint(weather)\n```\n'),
    _harmless("python_line", "answers about code",
              "You call it as get_weather(city=\"Paris\", days=3) and print what it gives."),
    _harmless("list_item", "the law of place",
              f"- Hermes: {_LINE}\n- Mistral: [TOOL_CALLS] [...]\n"),
    _harmless("table", "the law of place",
              f"| model | form |\n|---|---|\n| Qwen | {_LINE} |\n\nAs of today."),
    _harmless("block_quote", "the law of place", f"The page says:\n\n> {_QUOTED}\n\nSo it is."),
    _harmless("html_comment", "the law of place", f"Text.\n\n<!-- {_LINE} -->\n\nMore text."),
    _harmless("quotation", "the law of place", f"It answered “{_LINE}” and stopped."),
    _harmless("corner_quotation", "the law of place", f"模型写了「{_LINE}」，然后停了。"),
    _harmless("indented_code", "the law of place",
              f"The model wrote:\n\n    {_LINE}\n\nand then it stopped."),
    _harmless("heading", "the law of place", f"# What {_LINE} means\n\nIt asks for the weather."),
    _harmless("larger_json", "the law of place",
              f'{{"model": "qwen3", "raw": {_CALL}, "ok": true}}'),
    _harmless("json_person", "answers that are JSON",
              '{"name": "Ada Lovelace", "arguments": ["who", "when"], "born": 1815}'),
    _harmless("json_package", "answers that are JSON",
              '{\n  "name": "my-app",\n  "version": "1.0.0",\n  "dependencies": {}\n}'),
    _harmless("json_other_tool", "answers that are JSON",
              '{"name": "send_mail", "arguments": {"to": "a@example.org"}}'),
    _harmless("json_definition", "answers that define a tool",
              '{"name": "get_weather", "description": "Tell the weather.", "parameters": '
              '{"type": "object", "properties": {"city": {"type": "string"}}}}'),
    _harmless("json_list", "answers that are JSON", '["get_weather", "get_time", "write_file"]'),
    _harmless("other_tool_in_markup", "an agent that writes another agent's calls",
              '<tool_call>\n{"name": "send_mail", "arguments": {"to": "a@example.org"}}\n'
              "</tool_call>"),
    _harmless("element_named_invoke", "answers about XML",
              'In the file stands `<invoke name="build">`; rename it.'),
    _harmless("markers_explained", "answers about templates",
              "Mistral begins its calls with [TOOL_CALLS], Hermes with <tool_call>, and Kimi with "
              "<|tool_calls_section_begin|>."),
    _harmless("angle_brackets", "answers about C++", "Use std::vector<int> and a < b && c > d."),
    _harmless("brackets", "answers about lists", "[1] The weather. [2] The time. {a: 1}"),
    _harmless("lone_brace", "text that ends like a beginning", "The set is written {"),
    _harmless("ends_in_half_an_opener", "text that ends like a beginning",
              "And then it wrote <tool"),
    _harmless("shell", "answers about a shell", "$ get_weather --city Paris\n21 degrees\n"),
    _harmless("thought_shows_a_call", "thoughts that plan",
              "It is 21 degrees.", f"I could write {_LINE}, but I know it."),
    _harmless("thought_ends_in_a_call", "thoughts that plan, and an answer",
              "It is 21 degrees in Paris.", f"I would write\n{_HERMES}"),
    _harmless("action_none", "ReAct", "Action: none\nThe answer is 21 degrees."),
    _harmless("blank_lines", "any", "\n\nHello.\n\n"),
)  # fmt: skip


def _working(name: str, *parts: Said | Thought | Called, **expected: object) -> Way:
    return Way(name, "a server that works", Answer(parts, "tool_calls"), **expected)  # type: ignore[arg-type]


_TIME = Called("get_time", '{"tz": "UTC"}', "call_2", 1)
_MARKUP = {"path": "a.md", "body": f"{_LINE}\n```\n{{"}
#: The same as JSON.
_WRITTEN = (
    '{"path": "a.md", "body": "<tool_call>{\\"name\\": \\"get_weather\\", \\"arguments\\": '
    '{\\"city\\": \\"Paris\\", \\"days\\": 3}}</tool_call>\\n```\\n{"}'
)

WORKING: tuple[Way, ...] = (
    _working("call", Called()),
    _working("call_behind_words", Said("I will look."), Called(), text="I will look."),
    _working("call_behind_a_thought", Thought("The weather, then."), Called()),
    _working("two_calls", Called(), _TIME,
             calls=(("get_weather", PARIS), ("get_time", {"tz": "UTC"}))),
    _working("call_without_arguments", Called("list_notes", "{}"), calls=(("list_notes", {}),)),
    _working("arguments_hold_markup", Called("write_file", _WRITTEN),
             calls=(("write_file", _MARKUP),)),
    _working("arguments_in_unicode", Called("get_time", '{"tz": "Zürich 🕛"}'),
             calls=(("get_time", {"tz": "Zürich 🕛"}),)),
    _working("words_that_show_a_call", Said(f"I could write `{_LINE}`."), Called(),
             text=f"I could write `{_LINE}`."),
)  # fmt: skip
