"""What models leave out in forms that they were trained on, and their engines read all the same."""

from __future__ import annotations

import pytest

from toolproto import Reasoning, ToolCall, ToolOffer, ToolSpec, get_paradigm
from toolproto.testing.laws import read_in_pieces

RUN = ToolSpec(
    "run_code",
    "Runs code.",
    {"type": "object", "properties": {"code": {"type": "string"}}, "required": ["code"]},
)
OFFER = ToolOffer((RUN, ToolSpec("now", "The time.", {"type": "object", "properties": {}})))
CALL = ToolCall("run_code", {"code": "2 + 2"})
ARGUMENTS = '{"code": "2 + 2"}'
THOUGHT = "<|channel|>analysis<|message|>A sum."


def read(name: str, text: str, **options):
    """*text* read whole, and the same in single characters."""
    paradigm = get_paradigm(name, **options)
    parsed = paradigm.parse_response(text, OFFER)
    assert read_in_pieces(paradigm, text, OFFER) == list(parsed.events)
    return parsed


def test_a_thought_of_harmony_ends_where_the_answer_begins():
    parsed = read(
        "harmony", f"{THOUGHT}<|start|>assistant<|channel|>final<|message|>It is 4.<|end|>"
    )
    assert (parsed.text, parsed.reasoning, parsed.calls) == ("It is 4.", "A sum.", [])


@pytest.mark.parametrize(
    "head",
    [
        "<|start|>assistant<|channel|>commentary to=functions.run_code <|constrain|>json",
        "<|start|>assistant to=functions.run_code<|channel|>commentary <|constrain|>json",
        "<|channel|>commentary to=functions.run_code <|constrain|>json",
    ],
)
def test_a_call_of_harmony_in_an_open_thought_counts_and_is_doubted(head):
    parsed = read("harmony", f"{THOUGHT}{head}<|message|>{ARGUMENTS}<|call|>")
    assert (parsed.calls, parsed.reasoning) == ([CALL], "A sum.")
    assert parsed.calls[0].place == "thinking"


@pytest.mark.parametrize(
    ("before", "options"),
    [
        ("Here are my reasoning steps:\nA sum.", {}),
        ("A sum.", {"reasoning": Reasoning(starts_inside=True)}),
    ],
    ids=["begun in the reply", "begun in the prompt"],
)
def test_a_thought_of_apriel_ends_with_its_final_response(before, options):
    call = f'<tool_calls>[{{"name": "run_code", "arguments": {ARGUMENTS}}}]</tool_calls>'
    parsed = read("apriel", f"{before}\n[BEGIN FINAL RESPONSE]\n{call}", **options)
    assert parsed.calls == [CALL]
    assert parsed.calls[0].doubt == ""
    assert parsed.reasoning.strip() == "A sum."


def test_the_token_of_a_call_may_be_missing_behind_that_of_its_section():
    head = "<｜tool▁calls｜>function<｜tool▁sep｜>run_code"
    tail = "<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
    assert read("deepseek_v3", f"{head}\n```json\n{ARGUMENTS}\n```{tail}").calls == [CALL]


def test_a_tool_may_be_called_as_a_method():
    text = '<|python_tag|>run_code.call(code="2 + 2")'
    assert read("llama3_json", text).calls == [CALL]
    own = ToolOffer((RUN, ToolSpec("run_code.call", "Its own.", RUN.parameters)))
    (call,) = get_paradigm("llama3_json").parse_response(text, own).calls
    assert call.name == "run_code.call"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("qwen3_coder", "<tool_call>\n<function={}>"),
        ("minimax_m2", '<minimax:tool_call>\n<invoke name="{}">\n'),
        ("kimi_k3", '<|open|>tools<|sep|><|open|>call tool="{}" index="1"<|sep|>'),
    ],
)
def test_a_call_that_ends_behind_its_name_is_cut_short_unless_the_tool_takes_nothing(name, text):
    parsed = read(name, text.format("run_code"))
    assert parsed.calls == []
    assert [problem.kind.name for problem in parsed.problems] == ["TRUNCATED"]
    (call,) = read(name, text.format("now")).calls
    assert (call.name, call.arguments) == ("now", {})
    assert [repair.grade.name for repair in call.repairs] == ["GUESSED"]


def test_the_tokens_of_functiongemma_cannot_be_talk():
    call = "<start_function_call>call:run_code{code:<escape>2 + 2<escape>}<end_function_call>"
    parsed = read("functiongemma", f"こんにちは {call}")
    assert parsed.calls == [CALL]
    assert parsed.calls[0].doubt == ""


def test_the_last_token_of_plamo_is_no_text():
    paradigm = get_paradigm("plamo3")
    assert read("plamo3", paradigm.encode_calls([CALL]) + "<|plamo:tag|>").text == ""


@pytest.mark.parametrize("name", ["deepseek_v31", "hy_v3", "kimi_k2", "step3", "xml_strict"])
def test_a_call_with_all_its_markers_counts_in_a_fence(name):
    call = get_paradigm(name).encode_calls([CALL])
    parsed = read(name, f"So be it.\n\n```\n{call}\n```")
    assert (parsed.calls, parsed.text.strip()) == ([CALL], "So be it.")


@pytest.mark.parametrize("empty", ["<think />", "<think/>", "<reasoning  />"])
def test_an_empty_tag_of_thinking_begins_no_thought(empty):
    call = get_paradigm("hermes").encode_call(CALL)
    parsed = read("hermes", f"{empty}\nSo be it.\n\n{call}")
    assert (parsed.calls, parsed.reasoning) == ([CALL], "")
    assert not parsed.calls[0].doubt


def test_an_answer_of_harmony_may_say_that_it_is_json():
    thought = "<|channel|>analysis<|message|>A sum.<|end|><|start|>assistant"
    parsed = read("harmony", f'{thought}<|channel|>final <|constrain|>json<|message|>{{"sum": 4}}')
    assert (parsed.text, parsed.reasoning, parsed.calls) == ('{"sum": 4}', "A sum.", [])


@pytest.mark.parametrize("name", ["lfm2", "pythonic"])
def test_a_listed_call_needs_no_arguments_where_nothing_is_offered(name):
    paradigm = get_paradigm(name)
    (call,) = paradigm.parse_response(paradigm.encode_calls([ToolCall("now", {})])).calls
    assert (call.name, call.arguments, call.repairs) == ("now", {}, ())


@pytest.mark.parametrize("text", ["[x() for x in y]", "See [note()](http://x).", "[len()]"])
def test_what_looks_like_a_listed_call_without_arguments_is_code_where_tools_are_offered(text):
    assert read("pythonic", text).text == text


@pytest.mark.parametrize("name", ["command_a", "deepseek_v3", "glm45", "hermes", "qwen3_coder"])
def test_a_thought_that_began_in_the_prompt_may_be_begun_again(name):
    inside = Reasoning(starts_inside=True)
    for text in ("<think>\nA sum.</think>It is 4.", "\nA sum.</think>It is 4."):
        parsed = read(name, text, reasoning=inside)
        assert (parsed.text, parsed.reasoning) == ("It is 4.", "\nA sum.")


@pytest.mark.parametrize("name", ["deepseek_v31", "harmony", "kimi_k2"])
def test_arguments_with_a_bracket_too_many_go_on_behind_it(name):
    tool = ToolSpec(
        "move", "Moves.", {"type": "object", "properties": {"to": {}, "fast": {"type": "boolean"}}}
    )
    call = ToolCall("move", {"to": {"x": 1}, "fast": False})
    paradigm = get_paradigm(name)
    text = paradigm.encode_calls([call]).replace("}, ", "}}, ")
    parsed = paradigm.parse_response(text, ToolOffer((tool,)))
    assert (parsed.calls, [r.grade.name for r in parsed.calls[0].repairs]) == ([call], ["GUESSED"])


def test_strings_side_by_side_in_a_list_are_a_guess():
    (call,) = get_paradigm("pythonic").parse_response('[mail(to=["a" "b"], body="c" "d")]').calls
    assert call.arguments == {"to": ["ab"], "body": "cd"}
    assert [repair.name for repair in call.repairs] == ["joined_strings"]
