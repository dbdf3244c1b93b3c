"""Calls in tags, XML and plain text: what their values mean, and what is missing in them."""

from __future__ import annotations

import random
from typing import Any

import pytest

from toolproto import (
    ArgumentsDelta,
    CallCompleted,
    CallRejected,
    Grade,
    ProblemKind,
    ToolCall,
    ToolOffer,
    ToolSpec,
    get_paradigm,
    parse_any,
)
from toolproto.protocol.decoding.contract import Limits
from toolproto.protocol.decoding.families.elements import Tag, tag_at
from toolproto.protocol.decoding.markers import MORE
from toolproto.protocol.decoding.patterns import Pattern, text_before
from toolproto.protocol.paradigms.wire import WireFormat, WireParadigm
from toolproto.testing import STANDARD_OFFER
from toolproto.testing.laws import read_in_pieces

PLAN = ToolSpec(
    "plan",
    "Plan something.",
    {
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "month": {"type": "integer"},
            "share": {"type": "number"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "people": {
                "type": "array",
                "items": {"type": "object", "properties": {"age": {"type": "integer"}}},
            },
            "opts": {
                "type": "object",
                "properties": {
                    "opts": {"type": "string"},
                    "deep": {"type": "object", "properties": {"on": {"type": "boolean"}}},
                },
            },
            "note": {"type": ["string", "null"]},
            "other": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "any": {},
            "either": {"type": ["string", "integer", "array", "null"]},
            "named": {"$ref": "#/$defs/a~1b"},
            "fixed": {"const": '{"a":1}'},
        },
        "$defs": {"a/b": {"type": "string"}},
    },
)
OFFER = ToolOffer((PLAN,))
NOISE = "]<]minimax[>["


def qwen(key: str, value: str) -> str:
    inside = f"<function=plan>\n<parameter={key}>{value}</parameter>\n</function>"
    return f"<tool_call>\n{inside}\n</tool_call>"


def read(reply: str, paradigm: str = "qwen3_coder", reason: str | None = None) -> Any:
    """The last event, which is the same whole and character by character."""
    decoder = get_paradigm(paradigm)
    events: list[Any] = [
        [*(event for piece in pieces for event in reader.feed(piece)), *reader.finish(reason)][-1]
        for pieces in ([reply], list(reply))
        for reader in (decoder.decoder(OFFER),)
    ]
    assert type(events[0]) is type(events[1])
    if isinstance(events[0], CallCompleted):
        assert events[0].call.arguments == events[1].call.arguments
        assert events[0].call.repairs == events[1].call.repairs
    return events[0]


def told(event: Any) -> list[str]:
    return [f"{repair.grade.value} {repair.name}" for repair in event.call.repairs]


def test_text_between_the_tags_is_one_repair_however_it_comes() -> None:
    paradigm = get_paradigm("minimax_m3")
    written = paradigm.encode_call(ToolCall("get_weather", {"city": "Oslo"}))
    reply = written.replace('get_weather">', 'get_weather">so to speak')
    for pieces in ([reply], list(reply)):
        call = read_in_pieces(paradigm, pieces, STANDARD_OFFER)[-1]
        assert isinstance(call, CallCompleted)
        assert [repair.name for repair in call.call.repairs] == ["stray_text"]


class Prefixed(WireParadigm):
    """LongCat's form with another prefix."""

    name = "prefixed"
    wire = WireFormat(call=("<own_tool_call>", "</own_tool_call>"))


def test_elements_may_begin_as_the_marker_around_them_does() -> None:
    inside = "<own_arg_key>title</own_arg_key>\n<own_arg_value>x</own_arg_value>"
    reply = f"<own_tool_call>plan{inside}</own_tool_call>"
    [call] = Prefixed().parse_response(reply, OFFER).calls
    assert call.arguments == {"title": "x"}
    other = Prefixed().parse_response(reply.replace("own_arg", "other_arg"), OFFER)
    assert all(call.arguments.get("title") != "x" for call in other.calls)


VALUES = [
    ("opts", "{1, 2, 3}", "{1, 2, 3}", ["guessed bare_string"]),
    ("opts", "{not json", "{not json", ["guessed bare_string"]),
    ("opts", '{"opts": ...}', '{"opts": ...}', ["guessed bare_string"]),
    ("any", "[1, 2", "[1, 2", ["guessed bare_string"]),
    ("any", "some text", "some text", []),
    ("month", "three", "three", ["guessed bare_string"]),
    ("opts", "{'opts': 'x'}", {"opts": "x"}, ["lossless quote_style"]),
    ("opts", "\n{}\n", {}, []),
    ("tags", "", "", ["guessed bare_string"]),
    ("month", "07", 7, ["guessed number_form"]),
    ("month", "-007", -7, ["guessed number_form"]),
    ("share", "00.50", 0.5, ["guessed number_form"]),
    ("month", "1_000", 1000, ["lossless number_form"]),
    ("title", "07", "07", []),
    ("any", "07", "07", []),
    ("note", "null", None, ["guessed null_word"]),
    ("note", "\n null \n", None, ["guessed null_word"]),
    ("other", "null", None, ["guessed null_word"]),
    ("note", "nullable", "nullable", []),
    ("note", "null and void", "null and void", []),
    ("title", "null", "null", []),
    ("title", "<![CDATA[a </parameter> b]]>", "a </parameter> b", []),
    ("title", "\n<![CDATA[a\n]]>\n", "a\n", []),
    ("title", "a </div>\n</title> b", "a </div>\n</title> b", []),
    ("tags", "<item>a</item>\n<item>b < c</item>", ["a", "b < c"], []),
    (
        "people",
        "<item><age>3</age></item><item><age>04</age></item>",
        [{"age": 3}, {"age": 4}],
        None,
    ),
    ("opts", "<opts>x</opts><deep><on>true</on></deep>", {"opts": "x", "deep": {"on": True}}, []),
    ("opts", "<new><item>a</item></new>", {"new": ["a"]}, []),
    ("tags", "<item>a</item> and b", "<item>a</item> and b", ["guessed bare_string"]),
    ("tags", "<item>a", "<item>a", ["guessed bare_string"]),
    ("opts", "<a>1</a><a>2</a>", "<a>1</a><a>2</a>", ["guessed bare_string"]),
    ("either", "7", 7, []),
    ("either", "\n[1, 2]\n", [1, 2], []),
    ("either", "7 dollars", "7 dollars", []),
    ("either", '["half a list"', '["half a list"', []),
    ("either", "\n{not json\n", "{not json", []),
    ("either", "true", "true", []),
    ("either", "<item>7</item>", "<item>7</item>", []),
    ("either", "null", None, ["guessed null_word"]),
    ("named", "null", "null", []),
    ("fixed", '{"a":1}', '{"a":1}', []),
    ("any", "123_456", "123_456", []),
]


@pytest.mark.parametrize(("key", "text", "value", "repairs"), VALUES)
def test_a_value_is_what_its_schema_wants_or_the_text_that_it_is(
    key: str, text: str, value: Any, repairs: list[str] | None
) -> None:
    event = read(qwen(key, text))
    assert event.call.arguments == {key: value}
    assert repairs is None or told(event) == repairs


def test_elements_in_elements_keep_the_marks_of_their_dialect_out() -> None:
    inside = f"{NOISE}<item>{NOISE}<age>3{NOISE}</age>{NOISE}</item>"
    call = f'{NOISE}<invoke name="plan">{NOISE}<people>{inside}{NOISE}</people>{NOISE}</invoke>'
    event = read(f"{NOISE}<tool_call>\n{call}\n{NOISE}</tool_call>", "minimax_m3")
    assert event.call.arguments == {"people": [{"age": 3}]}
    assert told(event) == []


def test_elements_deeper_than_the_limit_stay_text() -> None:
    deep = "<a>" * 80 + "</a>" * 80
    assert read(qwen("opts", deep)).call.arguments == {"opts": deep}


def test_a_written_null_and_a_written_next_argument_read_back() -> None:
    for value in ("null", "see\n<parameter=month>\n", "see\n<arg_key>month</arg_key>"):
        for name in ("qwen3_coder", "glm45", "minimax_m2", "deepseek_v32", "kimi_k3"):
            paradigm = get_paradigm(name)
            reply = paradigm.encode_call(ToolCall("plan", {"note": value, "title": value}))
            event = read(reply, name)
            assert event.call.arguments == {"note": value, "title": value}, name


HALVES = {
    "qwen3_coder": "<tool_call>\n<function=plan>\n<parameter=title>\nx\n</parameter>\n",
    "glm45": "<tool_call>plan\n<arg_key>title</arg_key>\n<arg_value>x</arg_value>\n",
    "minimax_m2": '<minimax:tool_call>\n<invoke name="plan">\n'
    '<parameter name="title">x</parameter>\n',
    "cline": "<plan>\n<title>x</title>\n",
    "xml_strict": "<function_calls><function_call><name>plan</name><arguments>"
    '<arg name="title">x</arg></arguments>',
    "react": "Action: plan\nAction Input: x\n",
}


@pytest.mark.parametrize("paradigm", [name for name in HALVES if name != "react"])
def test_a_call_that_nothing_closes_is_guessed(paradigm: str) -> None:
    event = read(HALVES[paradigm], paradigm)
    assert event.call.arguments == {"title": "x"}
    assert told(event) == ["guessed missing_closer"]


@pytest.mark.parametrize("paradigm", HALVES)
def test_a_call_that_is_cut_before_its_closing_tag_is_truncated(paradigm: str) -> None:
    half = HALVES[paradigm]
    for end in range(half.index("x" if paradigm == "react" else "title"), len(half) + 1):
        event = read(half[:end], paradigm, "length")
        if isinstance(event, CallRejected):
            assert event.problem.kind is ProblemKind.TRUNCATED
        assert not isinstance(event, CallCompleted), half[:end]


def test_a_parameter_ends_where_the_next_one_begins_on_a_line_of_its_own() -> None:
    event = read(qwen("title", "\nDallas\n<parameter=month>\n7\n"))
    assert event.call.arguments == {"title": "Dallas", "month": 7}
    assert told(event) == ["guessed missing_closer"]
    for text in ("a <parameter=month>", "\n<parameter=unknown>", "\n<parameter=title>"):
        assert read(qwen("title", f"x{text}7")).call.arguments == {"title": f"x{text}7"}


BROKEN_TAGS = [
    ("<function=plan>", "<function plan>"),
    ("<function=plan>\n", "<function=plan\n"),
    ("<function=plan>\n", "<function=plan"),
    ("<parameter=title>", "<parameter title>"),
    ("<parameter=title>", "<parameter=parameter=title>"),
    ("<parameter=title>", "<parameter=parameter=title\n"),
    ("<parameter=title>", "<parameter=title \n"),
]


@pytest.mark.parametrize(("tag", "broken"), BROKEN_TAGS)
def test_a_tag_without_its_sign_or_its_bracket_is_mended(tag: str, broken: str) -> None:
    reply = qwen("title", "Report")
    assert tag in reply
    event = read(reply.replace(tag, broken))
    assert event.call.arguments == {"title": "Report"}
    assert told(event) == ["lossless broken_tag"]


def test_a_broken_tag_of_an_unknown_tool_is_no_call() -> None:
    for broken in ("<function nope>", "<function=nope\n", "<function=nope"):
        event = read(qwen("title", "Report").replace("<function=plan>", broken))
        assert isinstance(event, CallRejected), broken


def test_half_a_tag_in_a_value_is_a_part_of_it() -> None:
    for text in ("<function=plan\nx", "a <function plan> b", "<parameter=title\ny"):
        event = read(qwen("title", text))
        assert event.call.arguments == {"title": text}


def test_an_element_that_closes_itself_is_a_call_without_arguments() -> None:
    offer = ToolOffer((ToolSpec("now", "", {"type": "object", "properties": {}}), PLAN))
    for paradigm, reply in {
        "deepseek_v4": 'So.\n<｜DSML｜invoke name="now"/>',
        "minimax_m2": 'So.\n<invoke name="now" />\n',
        "qwen3_coder": "So.\n<tool_call>\n<function=now/>\n</tool_call>",
    }.items():
        parsed = get_paradigm(paradigm).parse_response(reply, offer)
        assert [(call.name, call.arguments) for call in parsed.calls] == [("now", {})]
        assert parsed.text.strip() == "So."


@pytest.mark.parametrize(
    ("word", "truth"),
    [("1", True), ("0", False), ("Yes", True), ("no", False), ("on", True), ("off", False)],
)
def test_words_for_yes_and_no_are_booleans_where_they_must_be(word: str, truth: bool) -> None:
    properties = {"on": {"type": "boolean"}, "text": {"type": "string"}}
    offer = ToolOffer((ToolSpec("plan", "", {"type": "object", "properties": properties}),))
    [call] = get_paradigm("qwen3_coder").parse_response(qwen("on", word), offer).calls
    assert call.arguments["on"] is truth
    # As sure as the check is of a 0 or a 1 in JSON (`tools/scalars.py`).
    assert [(r.name, r.grade) for r in call.repairs] == [("coerced_boolean", Grade.GUESSED)]
    [call] = get_paradigm("qwen3_coder").parse_response(qwen("text", word), offer).calls
    assert call.arguments == {"text": word}


def test_a_call_without_a_name_does_not_take_the_next_one_with_it() -> None:
    calls = '<invoke name=""></invoke>\n<invoke name="plan"></invoke>'
    event = read(f"<minimax:tool_call>\n{calls}\n</minimax:tool_call>", "minimax_m2")
    assert isinstance(event, CallCompleted)


def test_what_cannot_be_read_in_a_call_is_no_text() -> None:
    reply = "<tool_call>plan\n<arg_key>title</a}><arg_value>x</arg_value>\n</tool_call>"
    event = read(reply, "glm45")
    assert isinstance(event, CallRejected)
    assert event.problem.raw.endswith("</arg_value>\n")


def test_a_refused_text_argument_does_not_take_the_next_call_with_it() -> None:
    reply = 'Action: nope\nAction Input: }\nAction: plan\nAction Input: {"title": "x"}'
    event = read(reply, "react")
    assert isinstance(event, CallCompleted)
    assert event.call.arguments == {"title": "x"}


def test_the_tag_of_the_tool_closes_a_call_whose_value_is_open() -> None:
    event = read("<plan>\n<opts><opts>{}</opts>\n</plan>", "cline")
    assert told(event) == ["guessed missing_closer"]
    assert event.call.arguments == {"opts": {"opts": "{}"}}


def test_what_closes_the_list_of_calls_also_shows_that_a_call_is_over() -> None:
    call = "<tool_call>plan<tool_sep>\n<arg_key>title</arg_key>\n<arg_value>x\n</tool_call>"
    parsed = get_paradigm("hy_v3").parse_response(f"<tool_calls>\n{call}\n</tool_calls>", OFFER)
    assert [repair.name for repair in parsed.calls[0].repairs] == ["missing_closer"]
    assert parsed.calls[0].arguments == {"title": "x"}


TAGS = ["<", "/", "parameter", "=", "city", ">", " ", 'name="a"', "name='b'", "<|open|>", "call"]
TAGS += ["\nx", "<function=a"]
TAGS += ["<|sep|>", "<|close|>", NOISE, "｜DSML｜", "steptml:", "\\", "/>", '"x', "a:b", "|", "{"]


def test_what_stands_here_is_final_once_it_is_said() -> None:
    drawn = random.Random(1)
    for _ in range(4000):
        text = "".join(drawn.choices(TAGS, k=drawn.randint(1, 7)))
        whole = tag_at(text, 0, False)
        whole = tag_at(text, 0, True) if whole == MORE else whole
        for end in range(1, len(text)):
            assert tag_at(text[:end], 0, False) in (MORE, whole), text
        at_all = tag_at(text + "x" * 3000, 0, False)
        assert at_all == whole or isinstance(at_all, Tag) == isinstance(whole, Tag)


def test_text_before_an_end_is_final_once_it_is_said() -> None:
    end = Pattern(r"\n?</\s{0,2}a>")
    before = text_before(r"<\n", end)
    drawn = random.Random(2)
    for _ in range(4000):
        text = "".join(drawn.choices(["\n", "<", "/", " ", "a", ">", "</a", "</a>"], k=9))
        found = end.search(text)
        for cut in range(len(text) + 1):
            stop = before.match(text[:cut]).end()  # type: ignore[union-attr]  # may be empty
            assert found is None or stop <= found.start(), text


@pytest.mark.parametrize(
    "closer", ['</parameter name="title">', "</parameter=title>", "</parameter|>"]
)
def test_a_closing_tag_may_say_more_than_its_name(closer: str) -> None:
    reply = qwen("title", "Report").replace("</parameter>", closer)
    reply = reply.replace("</function>", "<parameter=month>\n7\n</parameter>\n</function>")
    event = read(reply)
    assert event.call.arguments == {"title": "Report", "month": 7}


def test_a_schema_that_is_referred_to_says_the_type() -> None:
    schema = {
        "type": "object",
        "properties": {"on": {"$ref": "#/$defs/day"}},
        "$defs": {"day": {"type": "string"}},
    }
    offer = ToolOffer((ToolSpec("plan", "", schema),))
    for name, reply in (
        ("qwen3_coder", qwen("on", "7")),
        ("raw_block", "<<call plan\non = 7\ncall>>"),
    ):
        [call] = get_paradigm(name).parse_response(reply, offer).calls
        assert call.arguments == {"on": "7"}, name


@pytest.mark.parametrize(
    "schema", [True, {}, {"const": 7}, {"$ref": "#/nowhere"}, {"anyOf": [True]}]
)
def test_any_schema_of_an_argument_will_do(schema: Any) -> None:
    offer = ToolOffer((ToolSpec("plan", "", {"type": "object", "properties": {"on": schema}}),))
    for name, reply in (
        ("qwen3_coder", qwen("on", "7")),
        ("raw_block", "<<call plan\non = 7\ncall>>"),
    ):
        [call] = get_paradigm(name).parse_response(reply, offer).calls
        assert call.arguments == {"on": 7}, name


def test_a_call_full_of_stray_text_has_its_limit_however_it_comes() -> None:
    paradigm = get_paradigm("xml_strict", limits=Limits(characters=60))
    reply = xml("so to speak " * 9)
    for pieces in ([reply], list(reply)):
        event = read_in_pieces(paradigm, pieces, OFFER)[-1]
        assert isinstance(event, CallRejected)
        assert event.problem.kind is ProblemKind.TOO_LARGE


TOOLIFY = [
    '<tool>get_weather</tool>\n<args_json><![CDATA[{"city": "Oslo", "days": 2}]]></args_json>',
    '<tool>get_weather</tool>\n<args_json>{"city": "Oslo", "days": 2}</args_json>',
    "<tool>get_weather</tool>\n<args>\n<city>Oslo</city>\n<days>2</days>\n</args>",
]


@pytest.mark.parametrize("call", TOOLIFY)
@pytest.mark.parametrize("start", ["<Function_AB1c_Start/>\n", ""])
def test_what_toolify_teaches_is_read_with_its_arguments(call: str, start: str):
    days = {"city": {"type": "string"}, "days": {"type": "integer"}}
    offer = ToolOffer((ToolSpec("get_weather", "", {"type": "object", "properties": days}),))
    reply = f"{start}<function_calls>\n<function_call>\n{call}\n</function_call>\n</function_calls>"
    for parsed in (
        parse_any(reply, offer),
        get_paradigm("xml_strict").parse_response(reply, offer),
    ):
        assert [each.arguments for each in parsed.calls] == [{"city": "Oslo", "days": 2}]
        assert not parsed.problems and parsed.calls[0].grade in (None, Grade.LOSSLESS)


def xml(inside: str) -> str:
    call = f"<name>plan</name><arguments>{inside}</arguments>"
    return f"<function_calls><function_call>{call}</function_call></function_calls>"


#: What stands in an argument of XML, what it is, and how it departs.
XML_TEXTS = [
    ("a &lt; b &amp;amp; &#233;&#xe9;", "a < b &amp; éé", []),
    ("\na\n", "\na\n", []),
    ("<![CDATA[a &amp; </arg> b]]>", "a &amp; </arg> b", []),
    ("a & b < c", "a & b < c", ["lossless raw_markup"]),
    ("a <b>c</b>", "a <b>c</b>", ["guessed raw_markup"]),
    ("a &amp b &lt c", "a &amp b &lt c", ["guessed raw_markup"]),
    ("<?x &y", "<?x &y", ["guessed raw_markup", "lossless raw_markup"]),
    ("&bogus; &#x110000;", "&bogus; &#x110000;", ["guessed raw_markup"]),
]


@pytest.mark.parametrize(("text", "value", "repairs"), XML_TEXTS)
def test_in_xml_entities_are_characters(text: str, value: str, repairs: list[str]) -> None:
    event = read(xml(f'<arg name="title">{text}</arg>'), "xml_strict")
    assert event.call.arguments == {"title": value}
    assert told(event) == repairs


def test_in_xml_what_is_not_escaped_in_a_list_is_said() -> None:
    event = read(xml('<arg name="tags">["S&P 500", "a < b", "&lt;"]</arg>'), "xml_strict")
    assert event.call.arguments == {"tags": ["S&P 500", "a < b", "<"]}
    assert told(event) == ["lossless raw_markup"]
    event = read(xml('<![CDATA[{"title": "<a>&amp;</a>"}]]>'), "xml_strict")
    assert event.call.arguments == {"title": "<a>&amp;</a>"}
    assert told(event) == []


def test_in_xml_a_text_is_handed_out_while_it_comes() -> None:
    decoder = get_paradigm("xml_strict").decoder(OFFER)
    decoder.feed("<function_calls><function_call><name>plan</name>")
    told = decoder.feed('<arguments><arg name="title">a &lt; b')
    assert [event.text for event in told if isinstance(event, ArgumentsDelta)][-1].endswith("b")


XML_FAULTS = [
    ('<arg name="month" type="int">3</arg><month>4</month>', ProblemKind.MALFORMED),
    ("{not json}", ProblemKind.MALFORMED),
    ("{&quot;title&quot;: &quot;x", ProblemKind.MALFORMED),
]


@pytest.mark.parametrize(("inside", "kind"), XML_FAULTS)
def test_in_xml_nothing_is_dropped(inside: str, kind: ProblemKind) -> None:
    event = read(xml(inside), "xml_strict")
    assert isinstance(event, CallRejected)
    assert event.problem.kind is kind


def test_in_xml_arguments_beside_their_element_are_guessed() -> None:
    event = read(xml("<title>x</title></arguments><note>y</note><arguments>"), "xml_strict")
    assert event.call.arguments == {"title": "x", "note": "y"}
    assert told(event) == ["guessed flattened_arguments"]


@pytest.mark.parametrize("paradigm", ["qwen3_coder", "xml_strict"])
def test_a_reply_that_ends_within_a_tag_is_cut_short(paradigm: str) -> None:
    written = get_paradigm(paradigm).encode_call(ToolCall("plan", {"title": "x", "month": 3}))
    event = read(written[: written.index("month") + 3], paradigm)
    assert isinstance(event, CallRejected)
    assert event.problem.kind is ProblemKind.TRUNCATED


def test_what_is_behind_a_tag_in_a_value_may_come_later() -> None:
    value = "<parameter=a>\nfalse\n</parameter>\n<parameter=b>\n\n"
    inside = f"<function=other>\n<parameter=odd>\n{value}\n</parameter>\n</function>"
    reply = f"<tool_call>\n{inside}\n</tool_call>"
    end = reply.rindex("</parameter>") + len("</parameter>")
    for begin in range(end - 40, end - 20):
        pieces = [reply[:begin], reply[begin:end], reply[end:]]
        events: list[Any] = read_in_pieces(get_paradigm("qwen3_coder"), pieces, OFFER)
        assert events[-1].call.arguments == {"odd": value}


@pytest.mark.parametrize("paradigm", ["xml_strict", "bfcl_verbose_xml", "bfcl_verbose_xml_tagged"])
@pytest.mark.parametrize("name", ["arguments", "params", "input"])
def test_an_argument_may_be_called_as_what_stands_around_all(paradigm: str, name: str) -> None:
    properties = {name: {"type": "array"}, "days": {"type": "integer"}}
    offer = ToolOffer((ToolSpec("f", "", {"type": "object", "properties": properties}),))
    form = get_paradigm(paradigm)
    for arguments in ({name: [1], "days": 3}, {}):
        written = form.encode_calls([ToolCall("f", arguments)])
        for pieces in ([written], list(written)):
            events: list[Any] = read_in_pieces(form, pieces, offer)
            (call,) = [event.call for event in events if isinstance(event, CallCompleted)]
            assert (call.arguments, call.repairs) == (arguments, ())


def test_a_name_between_quotes_may_have_a_less_than_sign_in_tokens() -> None:
    properties = {"a<b": {"type": "string"}}
    offer = ToolOffer((ToolSpec("is<it", "", {"type": "object", "properties": properties}),))
    form = get_paradigm("kimi_k3")
    written = form.encode_calls([ToolCall("is_it", {"a_b": "x"})])
    written = written.replace("is_it", "is<it").replace("a_b", "a<b")
    for pieces in ([written], list(written)):
        events: list[Any] = read_in_pieces(form, pieces, offer)
        (call,) = [event.call for event in events if isinstance(event, CallCompleted)]
        assert (call.name, call.arguments) == ("is<it", {"a<b": "x"})


def test_a_name_behind_itself_is_that_of_the_tool_in_any_form() -> None:
    call = ToolCall("get_weather.get_weather", {"city": "Oslo"})
    written = get_paradigm("muse_glimmer").encode_calls([call])
    (found,) = parse_any(written, STANDARD_OFFER).calls
    assert (found.name, found.arguments) == ("get_weather", {"city": "Oslo"})


_TALK = "</parameter> and </function> and <parameter=path> are text here."


@pytest.mark.parametrize(
    "said",
    [
        f"The tags {_TALK}",
        f"a\n{_TALK}\nb",
        "x</parameter>y",
        "x</parameter> y",
        "x\n</parameter>\ny",
        "x\n</parameter>\n</function>, y",
        "x\n</parameter>\n</function>\n y",
    ],
)
def test_words_behind_what_closes_a_value_show_that_it_was_text(said):
    reply = (
        "<tool_call>\n<function=write_file>\n<parameter=path>\na.md\n</parameter>\n"
        f"<parameter=content>\n{said}\n</parameter>\n</function>\n</tool_call>"
    )
    paradigm = get_paradigm("qwen3_coder")
    parsed = paradigm.parse_response(reply, STANDARD_OFFER)
    assert read_in_pieces(paradigm, reply, STANDARD_OFFER) == list(parsed.events)
    [call] = parsed.calls
    assert (call.arguments, parsed.text) == ({"path": "a.md", "content": said}, "")
    assert call.grade is Grade.GUESSED


@pytest.mark.parametrize(
    "behind",
    [
        "</tool_call>",
        "\n</tool_call>\nDone.",
        "\n<tool_call>\n<function=now>\n</function>\n</tool_call>",
        "\n<function=now>\n</function>\n</tool_call>",
        "",
        "\n",
    ],
)
def test_what_may_stand_behind_a_call_shows_that_it_was_closed(behind):
    reply = f"<tool_call><function=now><parameter=zone>\nUTC\n</parameter>\n</function>{behind}"
    calls = get_paradigm("qwen3_coder").parse_response(reply, STANDARD_OFFER).calls
    assert calls[0].arguments == {"zone": "UTC"}
    assert [call.name for call in calls] == ["now"] * (1 + ("<function=" in behind))


def test_behind_a_call_that_no_marker_surrounds_a_reply_goes_on():
    reply = "<function=now>\n<parameter=zone>UTC</parameter>\n</function>\nI wait."
    parsed = get_paradigm("openhands").parse_response(reply, STANDARD_OFFER)
    assert (parsed.calls[0].arguments, parsed.text) == ({"zone": "UTC"}, "\nI wait.")
