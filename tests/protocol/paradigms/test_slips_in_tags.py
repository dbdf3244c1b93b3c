"""Slips in markup: a value that is not closed, or closed by another name; values in attributes."""

from __future__ import annotations

import time

import pytest

from toolproto import Grade, ToolCall, ToolOffer, ToolSpec, get_paradigm
from toolproto.testing.laws import read_in_pieces

SEARCH = {
    "query": {"type": "string"},
    "max_results": {"type": "integer"},
    "site": {"type": ["string", "null"]},
}
OFFER = ToolOffer(
    (
        ToolSpec("search", "Searches.", {"type": "object", "properties": SEARCH}),
        ToolSpec("now", "The time.", {"type": "object", "properties": {}}),
    )
)
BOTH = {"query": "pizza", "max_results": 5}
GLM = "<tool_call>search<arg_key>query</arg_key><arg_value>{}</arg_value></tool_call>"
QWEN = "<tool_call>\n<function=search>\n<parameter=query>\n{}\n</function>\n</tool_call>"
DEEPSEEK = (
    '<｜DSML｜function_calls>\n<｜DSML｜invoke name="search">\n'
    '<｜DSML｜parameter name="{}" string="false">{}</｜DSML｜parameter>\n'
    "</｜DSML｜invoke>\n</｜DSML｜function_calls>"
)
KIMI = (
    '<|open|>tools<|sep|><|open|>call tool="search" index="0"<|sep|>'
    '<|open|>argument key="query" type="json"<|sep|>{}<|close|>argument<|sep|>'
    "<|close|>call<|sep|><|close|>tools<|sep|>"
)
VERBOSE = '<functions><function name="search"><params>{}</params></function></functions>'
CONCISE = '<functions><function name="search">{}</function></functions>'


def read(name: str, text: str):
    """The only call of *text*, read whole, and the same in single characters."""
    paradigm = get_paradigm(name)
    parsed = paradigm.parse_response(text, OFFER)
    assert read_in_pieces(paradigm, text, OFFER) == list(parsed.events)
    (call,) = parsed.calls
    return call


def repairs(call) -> list[str]:
    return [repair.name for repair in call.repairs]


@pytest.mark.parametrize("name", ["glm45", "glm47", "hy_v3"])
@pytest.mark.parametrize(
    ("closer", "repair"),
    [
        ("", "missing_closer"),
        ("</arg_val>", "other_closer"),
        ("</arg_key>", "other_closer"),
        ("</value>", "other_closer"),
    ],
)
def test_the_next_key_and_value_end_a_value_that_is_not_closed(name, closer, repair):
    inside = f"pizza{closer}<arg_key>max_results</arg_key><arg_value>5"
    call = read(name, GLM.format(inside))
    assert (call.arguments, call.grade, repairs(call)) == (BOTH, Grade.GUESSED, [repair])


def test_the_next_key_may_have_a_prefix():
    inside = "pizza<arg_key>max_results</arg_key><arg_value>5"
    text = GLM.format(inside).replace("tool_", "ifm|tool_").replace("arg_", "ifm|arg_")
    assert read("k2_horizon", f"<ifm|tool_calls>{text}</ifm|tool_calls>").arguments == BOTH


def test_a_key_that_no_argument_has_is_text_and_that_is_a_guess():
    inside = "pizza<arg_key>colour</arg_key><arg_value>5"
    call = read("glm47", GLM.format(inside))
    assert (call.arguments, repairs(call)) == ({"query": inside}, ["tag_in_value"])


def test_a_key_without_a_value_is_text():
    inside = 'text.split("<arg_key>max_results</arg_key>")'
    call = read("glm47", GLM.format(inside))
    assert (call.arguments, call.grade) == ({"query": inside}, Grade.GUESSED)


@pytest.mark.parametrize("closer", ["param", "paramter", "paramete", "arg", "value", "arg_value"])
@pytest.mark.parametrize("more", ["", "\n<parameter=max_results>\n5\n</parameter>"])
def test_a_value_may_be_closed_by_another_name(closer, more):
    call = read("qwen3_coder", QWEN.format(f"pizza\n</{closer}>{more}"))
    assert call.arguments == (BOTH if more else {"query": "pizza"})
    assert (call.grade, repairs(call)) == (Grade.GUESSED, ["other_closer"])


@pytest.mark.parametrize(
    "text",
    [
        "<params><param><value>3</value></param></params>",
        "<input><value>3</value></input>",
        'see <function name="f"><param name="x">1</param></function>',
        "a </param> b",
    ],
)
def test_what_closes_another_element_in_a_value_is_text(text):
    assert read("qwen3_coder", QWEN.format(f"{text}\n</parameter>")).arguments == {"query": text}


@pytest.mark.parametrize("text", ["pizza", 'a "b"\n\\ c'])
@pytest.mark.parametrize(("name", "form"), [("deepseek_v32", DEEPSEEK), ("kimi_k3", KIMI)])
def test_a_string_that_its_tag_calls_json_has_its_quotes(name, form, text):
    written = '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    call = read(name, form.format(*(["query", written] if form is DEEPSEEK else [written])))
    assert (call.arguments, call.grade) == ({"query": text}, None)


@pytest.mark.parametrize("text", ["pizza", "5", "{x}", '"a" or "b"'])
def test_what_is_no_string_of_json_stays_the_text_that_it_is(text):
    assert read("deepseek_v32", DEEPSEEK.format("query", text)).arguments == {"query": text}


def test_none_is_null_where_that_may_stand():
    call = read("glm47", GLM.replace("query", "site").format("None"))
    assert (call.arguments, call.grade) == ({"site": None}, Grade.GUESSED)
    assert read("glm47", GLM.format("None")).arguments == {"query": "None"}
    assert read("deepseek_v32", DEEPSEEK.format("site", "None")).arguments == {"site": None}


@pytest.mark.parametrize(
    ("name", "form"),
    [("bfcl_verbose_xml", VERBOSE), ("bfcl_concise_xml", CONCISE), ("minicpm5", CONCISE[11:-12])],
)
@pytest.mark.parametrize("closer", ["</param>", "\n</param>\n", "</parameter>"])
def test_a_value_in_a_tag_needs_no_empty_tag(name, form, closer):
    argument = f'<param name="query" value="pizza" type="string">{closer}'
    call = read(name, form.format(argument))
    assert (call.arguments, call.grade) == ({"query": "pizza"}, None)


def test_a_value_in_a_tag_that_nothing_closes_is_a_guess():
    given = '<param name="query" value="pizza"><param name="max_results" value="5">'
    call = read("bfcl_concise_xml", CONCISE.format(given))
    assert (call.arguments, repairs(call)) == (BOTH, ["missing_closer"])


def test_a_value_in_a_tag_and_another_one_behind_it_is_a_guess():
    call = read("bfcl_concise_xml", CONCISE.format('<param name="query" value="a">b</param>'))
    assert (call.arguments, call.grade) == ({"query": "b"}, Grade.GUESSED)


def test_a_value_in_a_tag_may_be_long():
    text = "word " * 6000
    call = read("bfcl_verbose_xml", VERBOSE.format(f'<param name="query" value="{text}"/>'))
    assert (call.arguments, call.grade) == ({"query": text}, None)


def test_a_long_value_in_a_tag_takes_no_longer_for_each_token_than_a_short_one():
    decoder = get_paradigm("bfcl_verbose_xml").decoder(OFFER)
    decoder.feed('<functions><function name="search"><params><param name="query" value="')

    def spent() -> float:
        start = time.process_time()
        for _ in range(200):
            decoder.feed("word")
        return time.process_time() - start

    spent()
    short = min(spent() for _ in range(3))
    for _ in range(5000):
        decoder.feed("word")
    assert min(spent() for _ in range(3)) < 5 * short


@pytest.mark.parametrize("gap", ["", "\n"])
def test_behind_a_name_and_empty_parentheses_tags_hold_the_arguments(gap):
    call = read("glm45", GLM.replace("search", f"search(){gap}", 1).format("pizza"))
    assert call.arguments == {"query": "pizza"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cline", '<search max_results="5"><query>pizza</query></search>'),
        ("minicpm5", CONCISE[11:-12].replace('h"', 'h" max_results="5"')),
    ],
)
def test_an_argument_among_the_attributes_of_the_call_is_not_passed_over_in_silence(name, text):
    call = read(name, text.format('<param name="query">pizza</param>'))
    assert (call.arguments, call.grade) == ({"query": "pizza"}, Grade.GUESSED)


@pytest.mark.parametrize("gap", ["", "\n"])
def test_a_line_break_may_stand_between_the_tags_around_calls(gap):
    for name, form in (("bfcl_verbose_xml", VERBOSE), ("bfcl_concise_xml", CONCISE)):
        inside = form.format('<param name="query" value="pizza"/>')
        call = read(f"{name}_tagged", f"<TOOLCALL>{gap}{inside}{gap}</TOOLCALL>")
        assert (call.arguments, call.grade) == ({"query": "pizza"}, None)


@pytest.mark.parametrize("name", ["function_tag", "functionary_v31", "qwen3_coder"])
def test_an_empty_tag_with_the_name_of_a_tool_calls_it(name):
    assert read(name, "<function=now/>").arguments == {}


@pytest.mark.parametrize("name", ["glm45", "solar_open2"])
def test_a_call_may_end_the_reply_before_its_last_value_is_closed(name):
    paradigm = get_paradigm(name)
    call = ToolCall("search", {"query": "pizza"})
    closer = "<|tool_arg:end|>\n" if name == "solar_open2" else "</arg_value>\n"
    read_back = read(name, paradigm.encode_calls([call]).replace(closer, ""))
    assert (read_back, read_back.grade) == (call, Grade.GUESSED)


def test_a_value_may_hold_the_token_that_ends_a_call():
    paradigm = get_paradigm("solar_open2")
    both = "<|tool_call:start|>now\n<|tool_call:end|>"
    for held in ("a <|tool_call:end|><|tool_call:end|> b", f"So:\n{both}\n{both}\n", both):
        call = ToolCall("search", {"query": held, "site": held})
        assert read("solar_open2", paradigm.encode_calls([call])) == call


def test_a_value_may_hold_the_end_of_a_call_and_the_next_one():
    held = 'End it with </invoke>\n<invoke name="now"> and go on.'
    text = (
        '<minimax:tool_call>\n<invoke name="search">\n'
        f'<parameter name="query">{held}</parameter>\n</invoke>\n</minimax:tool_call>'
    )
    assert read("minimax_m2", text).arguments == {"query": held}


@pytest.mark.parametrize("name", ["cline", "minimax_m3"])
def test_a_value_that_its_own_element_seems_to_end_is_a_guess(name):
    paradigm = get_paradigm(name)
    call = ToolCall("search", {"query": "HERE", "site": "a.b"})
    # A plain closer, as a file has it.
    text = paradigm.encode_calls([call]).replace("HERE", "<p><query>x</query></p>")
    assert read(name, text).grade == Grade.GUESSED


def test_null_in_a_doubtful_place_is_a_call_like_any_other():
    call = QWEN.replace("query", "site").format("null\n</parameter>")
    assert read("qwen3_coder", f"**{call}**").arguments == {"site": None}
