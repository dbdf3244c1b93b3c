"""Calls that leak into the text, with half of their markers or with none that anybody declared."""

from __future__ import annotations

from itertools import count

import pytest

from toolproto import ParsedResponse, ToolCall, ToolOffer, ToolSpec, get_paradigm, parse_any
from toolproto.protocol.events import merge
from toolproto.protocol.paradigms.salvage import any_decoder
from toolproto.testing.laws import read_in_pieces

STRINGS = {"path": {"type": "string"}, "body": {"type": "string"}}
WRITE = ToolSpec("write_file", "Writes a file.", {"type": "object", "properties": STRINGS})
OFFER = ToolOffer((WRITE,))
CALL = ToolCall("write_file", {"path": "a.py"})
ARGUMENTS = '{"path": "a.py"}'


def read(name: str, text: str) -> ParsedResponse:
    """*text* read whole, and the same in single characters; by every form if *name* is ``any``."""
    if name != "any":
        paradigm = get_paradigm(name)
        parsed = paradigm.parse_response(text, OFFER)
        assert read_in_pieces(paradigm, text, OFFER) == list(parsed.events)
        return parsed
    decoder = any_decoder(OFFER, ids=map(str, count()).__next__)
    events = [event for char in text for event in decoder.feed(char)]
    events = merge([*events, *decoder.finish()])
    parsed = parse_any(text, OFFER, ids=map(str, count()).__next__)
    assert events == list(parsed.events)
    return parsed


@pytest.mark.parametrize("name", ["any", "kimi_k2"])
@pytest.mark.parametrize("end", ["", "<|tool_call_end|><|tool_calls_section_end|>"])
def test_a_call_of_kimi_may_lack_the_token_before_its_name(name, end):
    parsed = read(name, f"functions.write_file:0 <|tool_call_argument_begin|>{ARGUMENTS}{end}")
    assert (parsed.calls, parsed.text) == ([CALL], "")
    assert parsed.calls[0].id == "functions.write_file:0"
    assert "missing_marker" in [repair.name for repair in parsed.calls[0].repairs]


@pytest.mark.parametrize("name", ["any", "mistral_v11"])
@pytest.mark.parametrize("id", ["", "[CALL_ID]abc123def"])
def test_a_call_of_mistral_may_lack_the_token_before_its_name(name, id):
    parsed = read(name, f"I'll write it.\n\nwrite_file{id}[ARGS]{ARGUMENTS}")
    assert parsed.calls == [CALL]
    assert parsed.calls[0].is_unmarked


@pytest.mark.parametrize("text", ["write_file[ARGS] is how it begins.", "See write_file[1]{a}."])
def test_a_name_before_a_bracket_is_no_call_without_arguments(text):
    assert (read("any", text).calls, read("any", text).text) == ([], text)


@pytest.mark.parametrize("name", ["any", "minimax_m2"])
@pytest.mark.parametrize("gap", ["\n  ", " "])
def test_arguments_may_be_written_as_the_options_of_a_command(name, gap):
    # MiniMax M2.1 to M2.7, where the server's prompt does not show them their own form.
    options = f'{{{gap}--path "a.py"{gap}--body "print(\\"a -- b\\")"\n}}'
    text = f'[TOOL_CALL]\n{{tool => "write_file", args => {options}}}\n[/TOOL_CALL]'
    parsed = read(name, text)
    assert parsed.calls == [ToolCall("write_file", {"path": "a.py", "body": 'print("a -- b")'})]
    assert parsed.text == ""


@pytest.mark.parametrize("name", ["any", "pythonic"])
def test_a_call_may_be_told_of_as_transcripts_tell_of_one(name):
    parsed = read(name, f"[Calling tool: write_file({ARGUMENTS})]")
    assert (parsed.calls, parsed.text) == ([CALL], "")
    assert read(name, "[Calling tool: none]").text == "[Calling tool: none]"


@pytest.mark.parametrize("name", ["any", "xml_strict"])
@pytest.mark.parametrize(
    "inside", [f"<arguments>{ARGUMENTS}</arguments>", "<path>a.py</path>", f"\n{ARGUMENTS}\n"]
)
def test_a_call_may_stand_in_an_element_called_tool(name, inside):
    # step-3.7-flash, where a gateway does not pass on the tools.
    parsed = read(name, f"<tool><name>write_file</name>{inside}</tool>")
    assert (parsed.calls, parsed.text) == ([CALL], "")


@pytest.mark.parametrize("name", ["any", "hermes"])
def test_a_name_that_was_said_twice_is_that_of_the_tool(name):
    text = f'<tool_call>{{"name": "write_filewrite_file", "arguments": {ARGUMENTS}}}</tool_call>'
    [call] = read(name, text).calls
    assert call == CALL
    assert "named_twice" in [repair.name for repair in call.repairs]


FINAL = "<|channel|>final<|message|>"
JSON_CALL = f'{{"name": "write_file", "arguments": {ARGUMENTS}}}'
COMMENTARY = (
    f"<|channel|>commentary to=functions.write_file <|constrain|>json<|message|>{ARGUMENTS}"
)


@pytest.mark.parametrize("name", ["any", "harmony"])
@pytest.mark.parametrize(
    "head", ["", "<|start|>assistant", "<|start|>assistant<|channel|>analysis"]
)
@pytest.mark.parametrize("said", [JSON_CALL, f"So:\n\n```json\n{JSON_CALL}\n```\n"])
def test_what_harmony_says_to_the_person_holds_no_call(name, head, said):
    thought = "<|message|>Hm.<|end|><|start|>assistant" if head.endswith("analysis") else ""
    parsed = read(name, f"{head}{thought}{FINAL}{said}<|return|>")
    assert (parsed.calls, parsed.problems, parsed.text) == ([], [], said)


@pytest.mark.parametrize("end", ["<|end|><|start|>assistant", "<|end|>", ""])
def test_a_call_of_harmony_counts_behind_what_it_says_to_the_person(end):
    parsed = read("harmony", f"{FINAL}I write it.{end}{COMMENTARY}<|call|>")
    assert (parsed.calls, parsed.text) == ([CALL], "I write it.")


@pytest.mark.parametrize("channel", ["final", "commentary", "comment"])
@pytest.mark.parametrize("says", ["", " <|constrain|>json", "<|constrain|>JSON", " code"])
def test_no_head_of_harmony_stays_in_the_text(channel, says):
    text = f"<|start|>assistant<|channel|>{channel}{says}<|message|>Done.<|return|>"
    assert read("harmony", text).text == "Done."


@pytest.mark.parametrize("name", ["any", "kimi_k2"])
def test_noise_between_the_markers_of_kimi_leaves_none_of_them_in_the_text(name):
    call = f"functions.write_file:0<|tool_call_argument_begin|>{ARGUMENTS}"
    text = (
        "<|tool_calls_section_begin|> I write. <|tool_call_begin|>"
        f"{call}<|tool_call_end|> so <|tool_calls_section_end|>"
    )
    parsed = read(name, text)
    assert (parsed.calls, parsed.text) == ([CALL], " I write.  so ")


NAMESPACE = "antml:"


@pytest.mark.parametrize("name", ["any", "minimax_m2"])
@pytest.mark.parametrize("around", [True, False])
def test_the_tags_of_claude_leak_with_their_namespace(name, around):
    written = '<invoke name="write_file">\n<parameter name="path">a.py</parameter>\n</invoke>'
    plain = f"<function_calls>\n{written}\n</function_calls>" if around else written
    text = plain.replace("</", "</" + NAMESPACE)
    for tag in ("function_calls", "invoke", "parameter"):
        text = text.replace(f"<{tag}", f"<{NAMESPACE}{tag}")
    parsed = read(name, text)
    assert (parsed.calls, parsed.text) == ([CALL], "")


@pytest.mark.parametrize("name", ["any", "qwen3_coder"])
@pytest.mark.parametrize("end", ["</function>", "</function_write_file>"])
@pytest.mark.parametrize("wrapper", [True, False])
def test_a_tag_may_join_the_name_of_its_tool_with_an_underscore(name, end, wrapper):
    text = f"<function_write_file>\n<parameter=path>\na.py\n</parameter>\n{end}"
    parsed = read(name, f"<tool_call>\n{text}\n</tool_call>" if wrapper else text)
    assert (parsed.calls, parsed.text) == ([CALL], "")


@pytest.mark.parametrize("tag", ["function_calls", "function_list", "function_write"])
def test_an_element_with_an_underscore_that_names_no_tool_is_text(tag):
    text = f"<{tag}>\nit\n</{tag}>"
    assert (read("qwen3_coder", text).calls, read("qwen3_coder", text).text) == ([], text)


@pytest.mark.parametrize("name", ["any", "gemma4"])
@pytest.mark.parametrize(
    "text",
    [
        "default_api:write_file{path:'a.py'}",
        "call:default_api:write_file{path:'a.py'}",
        '<|tool_call>call:default_api:write_file{path:<|"|>a.py<|"|>}<tool_call|>',
    ],
)
def test_the_namespace_that_gemini_gives_its_tools_is_no_part_of_their_name(name, text):
    parsed = read(name, text)
    assert (parsed.calls, parsed.text) == ([CALL], "")


@pytest.mark.parametrize("name", ["any", "qwen3_coder"])
def test_a_call_of_qwen_may_have_lost_its_head(name):
    text = (
        "<name>write_file\n</parameter>\n<parameter=path>\na.py\n</parameter>\n"
        "</function>\n</tool_call>"
    )
    parsed = read(name, text)
    assert (parsed.calls, parsed.text.strip()) == ([CALL], "")
    assert parsed.calls[0].is_unmarked
    for shown in ("<name>write_file</name>", "<name>\nMe\n</name>", "<name>write_file"):
        assert (read(name, shown).calls, read(name, shown).text) == ([], shown)


def test_a_name_right_before_its_arguments_is_a_call_if_nothing_stands_before_it():
    parsed = read("any", f"write_file{ARGUMENTS}")
    assert (parsed.calls, parsed.text) == ([CALL], "")
    assert parsed.calls[0].is_unmarked
    for text in (f"So:\n\nwrite_file{ARGUMENTS}", "write_file{a}", 'other{"path": "a.py"}'):
        assert (read("any", text).calls, read("any", text).text) == ([], text)
