"""Habits of chat models, in labelled lines and elsewhere, that are read all the same."""

from __future__ import annotations

import pytest

from toolproto import Grade, ToolCall, ToolOffer, ToolSpec, get_paradigm
from toolproto.testing.laws import read_in_pieces

WEATHER = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
    "required": ["city"],
}
OFFER = ToolOffer(
    (
        ToolSpec("get_weather", "The weather.", WEATHER),
        ToolSpec("now", "The time.", {"type": "object", "properties": {}}),
    )
)
PARIS = ToolCall("get_weather", {"city": "Paris"})
NOW = ToolCall("now", {})
ARGUMENTS = '{"city": "Paris"}'


def read(name: str, text: str):
    """*text* read whole, and the same in single characters."""
    paradigm = get_paradigm(name)
    parsed = paradigm.parse_response(text, OFFER)
    assert read_in_pieces(paradigm, text, OFFER) == list(parsed.events)
    return parsed


@pytest.mark.parametrize(
    "text",
    [
        '"Paris"',
        "'Paris'",
        "`Paris`",
        "“Paris”",
        "```\nParis\n```",
        "```text\nParis\n```",
        "[Paris]",
        "\nParis",
        "city: Paris",
        'city="Paris"',
        "city: 'Paris'",
    ],
)
@pytest.mark.parametrize("behind", ["", "\nThought: I wait.", "\n**Thought:** I wait."])
def test_text_is_the_only_argument_whatever_it_is_wrapped_in(text, behind):
    parsed = read("react", f"Action: get_weather\nAction Input: {text}{behind}")
    assert parsed.calls == [PARIS]
    assert parsed.calls[0].grade is Grade.GUESSED


@pytest.mark.parametrize("text", ['"Paris" or "Rome"', "'It's'", "`a` and `b`", "cityscape: x"])
def test_quotes_that_are_not_around_all_of_a_text_stay(text):
    parsed = read("react", f"Action: get_weather\nAction Input: {text}")
    assert parsed.calls == [ToolCall("get_weather", {"city": text})]


def test_text_that_names_several_arguments_is_none_of_them():
    parsed = read("react", "Action: get_weather\nAction Input: city: Paris, days: 3")
    assert not parsed.calls and parsed.problems


@pytest.mark.parametrize(
    "said",
    ["\nAction Input:", '\nAction Input: ""', "\nAction Input: None", "\nAction Input: N/A", ""],
)
def test_a_tool_without_arguments_may_be_given_none(said):
    parsed = read("react", f"Action: now{said}")
    assert (parsed.calls, parsed.problems) == ([NOW], [])
    assert parsed.calls[0].grade is Grade.GUESSED


def test_a_name_alone_is_no_call_of_a_tool_that_needs_more():
    assert not read("react", "Action: get_weather").calls


@pytest.mark.parametrize(
    ("action", "given"),
    [
        ("**Action:** ", "**Action Input:** "),
        ("**Action**: ", "**Action Input**: "),
        ("Action：", "Action Input："),
        ("Action 2: ", "Action Input 2: "),
        ("Action: ", "Action_Input: "),
        ("Action: ", "Input: "),
    ],
)
def test_labels_are_read_as_chat_models_write_them(action, given):
    parsed = read("react", f"{action}get_weather\n{given}{ARGUMENTS}")
    assert (parsed.calls, parsed.text) == ([PARIS], "")
    assert read("react", f"{action}get_weather\n{given}Paris").calls == [PARIS]


@pytest.mark.parametrize("item", ["- ", "### "])
def test_a_label_in_a_list_or_a_heading_is_doubted(item):
    parsed = read("react", f"{item}Action: get_weather\n{item}Action Input: {ARGUMENTS}")
    assert parsed.calls == [PARIS] and parsed.calls[0].place == "container"


@pytest.mark.parametrize(
    "thought", ["Thought: I look", "**Thought:** I look", "Thought 2: Why not"]
)
@pytest.mark.parametrize("given", [ARGUMENTS, "Paris"])
def test_a_thought_above_a_label_need_be_no_sentence(thought, given):
    text = f"{thought}\nAction: get_weather\nAction Input: {given}"
    (call,) = read("react", text).calls
    assert call == PARIS and not call.place


def test_a_shown_label_begins_no_call():
    parsed = read("react", f"Write `**Action:** get_weather\n**Action Input:** {ARGUMENTS}`.")
    assert not parsed.calls


@pytest.mark.parametrize("name", ["[get_weather]", "get_weather (to look it up)"])
def test_what_stands_around_a_name_is_passed_over(name):
    assert read("react", f"Action: {name}\nAction Input: {ARGUMENTS}").calls == [PARIS]


def test_a_thought_of_solar_ends_with_its_message():
    call = get_paradigm("solar_open").encode_call(PARIS)
    begins = "<|begin|>assistant"
    parsed = read("solar_open", f"<|think|>Rain?<|end|>{begins}<|content|>I look.<|end|>{call}")
    assert (parsed.reasoning, parsed.text, parsed.calls) == ("Rain?", "I look.", [PARIS])
    parsed = read("solar_open", f"<|think|>Rain?<|end|>{begins}{call}")
    assert (parsed.reasoning, parsed.text, parsed.calls) == ("Rain?", "", [PARIS])


def test_the_end_of_a_message_ends_no_other_thought():
    call = get_paradigm("solar_open").encode_call(PARIS)
    parsed = read("solar_open", f"<think>Not <|end|>{call}</think>It rains.")
    assert (parsed.calls, parsed.text) == ([], "It rains.")


PRINTED = 'print(get_weather(city="Paris"))'


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pythonic", PRINTED),
        ("pythonic", f"[{PRINTED}]"),
        ("bfcl_python", f"[{PRINTED}]"),
        ("olmo3", f"<function_calls>{PRINTED}</function_calls>"),
        ("lfm2", f"<|tool_call_start|>[{PRINTED}]<|tool_call_end|>"),
        ("xml_tag", f"<tool_code>\n{PRINTED}\n</tool_code>"),
    ],
)
def test_a_printed_call_is_a_guess(name, text):
    parsed = read(name, text)
    assert (parsed.calls, parsed.text) == ([PARIS], "")
    assert parsed.calls[0].grade is Grade.GUESSED


def test_printed_code_is_no_call_where_no_python_was_asked_for():
    assert not read("hermes", PRINTED).calls
    assert not read("hermes", f"```python\n{PRINTED}\n```").calls


def test_a_space_may_stand_before_the_number_of_a_call():
    called = f"functions.get_weather: 0<|tool_call_argument_begin|>{ARGUMENTS}"
    parsed = read("kimi_k2", f"<|tool_call_begin|>{called}<|tool_call_end|>")
    assert parsed.calls == [PARIS] and parsed.calls[0].id == "functions.get_weather:0"


def test_a_comma_behind_a_number_in_a_line_is_no_part_of_it():
    parsed = read("raw_block", '<<call get_weather\ncity = "Paris"\ndays = 3,\ncall>>')
    assert parsed.calls == [ToolCall("get_weather", {"city": "Paris", "days": 3})]


@pytest.mark.parametrize("head", ["Rain?assistantcommentary", "commentary"])
def test_a_call_of_harmony_is_read_without_its_special_tokens(head):
    text = f"{head} to=functions.get_weather json{ARGUMENTS}"
    (call,) = read("harmony", text).calls
    assert call == PARIS and not call.doubt
    (call,) = read("harmony", f"It says {text} there.").calls
    assert call.doubt
