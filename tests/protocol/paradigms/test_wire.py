"""A delimited paradigm is one declaration, and everything else follows from it."""

from __future__ import annotations

import inspect
import time
from collections.abc import Iterator

import pytest

from toolproto import (
    CallProblem,
    Grade,
    JsonCall,
    ProblemKind,
    ToolCall,
    ToolContextDef,
    ToolOffer,
    ToolResult,
    ToolSpec,
    WireFormat,
    WireParadigm,
    get_paradigm,
    list_paradigms,
    register_paradigm,
)
from toolproto.protocol.paradigms import registry
from toolproto.testing import laws

WEATHER = ToolSpec(
    "get_weather",
    "Current weather for a city.",
    {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
    },
)
NOW = ToolSpec("now", "The time.", {"type": "object", "properties": {}})
OFFER = ToolOffer((WEATHER, NOW))


class Bracket(WireParadigm):
    """``[[call {"tool": …, "with": {…}}]]``: short, for small models."""

    name = "bracket_in_a_test"
    wire = WireFormat(call=("[[call ", "]]"), payload=JsonCall(name="tool", arguments="with"))


@pytest.fixture
def bracket() -> Iterator[ToolContextDef]:
    """The paradigm by its name, registered for the time of one test."""
    register_paradigm(Bracket)
    yield get_paradigm("bracket_in_a_test")
    del registry._registered["bracket_in_a_test"]


WRITTEN = [
    (ToolCall("now", {}), '[[call {"tool": "now", "with": {}}]]'),
    (
        ToolCall("get_weather", {"city": "Oslo"}),
        '[[call {"tool": "get_weather", "with": {"city": "Oslo"}}]]',
    ),
    (
        ToolCall("get_weather", {"city": 'a]] [[call "b"'}),
        '[[call {"tool": "get_weather", "with": {"city": "a]] [[call \\"b\\""}}]]',
    ),
    (
        ToolCall("f", {"deep": {"list": [1, [2, "]]"]], "none": None}}),
        '[[call {"tool": "f", "with": {"deep": {"list": [1, [2, "]]"]], "none": null}}}]]',
    ),
]
REPLIES = [
    "",
    "No call at all.",
    *(text for _, text in WRITTEN),
    "Let me see.\n" + "\n".join(text for _, text in WRITTEN) + "\nThat is it.",
    "[[call now]] and [[call, and [ [call {",
    '[[call {"tool": "now"',
    '[[call {"tool": "now", "with": {}}',
    '[[call {"tool": "now", "with": {}}]] [[call {"tool": "now", "with": {}}]',
    '[[call {"name": "now", "arguments": {}}]]',
    '[[call {"tool": "now", "with": {"n": NaN}}]]',
    '{"tool": "now", "with": {}}',
    '```\n[[call {"tool": "now", "with": {}}]]\n```',
    "[[" * 50,
    '<tool_result name="now">12:00</tool_result>',
]
RESULTS = [
    ToolResult(ToolCall("now", {}, "call_1"), "12:00"),
    ToolResult(ToolCall("get_weather", {"city": "Oslo"}, "call_2"), "</tool_result> no", True),
]
replies = pytest.mark.parametrize("reply", REPLIES)


def test_a_delimited_paradigm_takes_at_most_twenty_lines():
    assert len(inspect.getsource(Bracket).splitlines()) <= 20


def test_it_is_found_by_its_name_and_gone_afterwards(bracket):
    assert isinstance(bracket, Bracket)
    assert "bracket_in_a_test" in list_paradigms()


def test_tests_leave_no_paradigm_behind():
    assert "bracket_in_a_test" not in list_paradigms()


@pytest.mark.parametrize("call, text", WRITTEN, ids=lambda value: getattr(value, "name", ""))
def test_a_call_is_written_between_its_markers(bracket, call, text):
    assert bracket.encode_call(call) == text


@pytest.mark.parametrize("call, text", WRITTEN, ids=lambda value: getattr(value, "name", ""))
def test_what_is_written_reads_back_as_the_same_call(bracket, call, text):
    laws.round_trip(bracket, call, OFFER)


@replies
def test_chunking_never_matters(bracket, reply):
    laws.chunking(bracket, reply, range(len(reply)), OFFER)
    laws.chunking(bracket, reply, range(0, len(reply), 7), OFFER)


@replies
def test_any_text_gives_events_and_no_exception(bracket, reply):
    laws.totality(bracket, reply, OFFER)


@replies
def test_streamed_arguments_join_to_the_arguments(bracket, reply):
    laws.streamed_arguments(bracket, reply, OFFER)


@replies
def test_segments_cover_the_reply(bracket, reply):
    laws.lossless(bracket, reply, OFFER)


@pytest.mark.parametrize("prose", ["Words [and] brackets [[here]]. " * 30, "[" * 600, "[[cal" * 99])
def test_prose_is_not_held_back(bracket, prose):
    laws.promptness(bracket, prose, OFFER)


@pytest.mark.parametrize("piece", ["[[call ", "words ", '[[call {"tool": "now", "with": {}}]]\n'])
def test_twice_the_text_is_twice_the_work(bracket, piece):
    laws.linearity(
        bracket,
        lambda n: piece * (n // len(piece)),
        OFFER,
        clock=time.process_time,
        size=10_000,
    )


def test_the_instructions_teach_and_the_results_answer(bracket):
    laws.teaching(bracket, OFFER, RESULTS)


def test_what_we_say_runs_nothing_when_quoted(bracket):
    laws.inertness(bracket, OFFER, RESULTS)


def test_the_instructions_show_each_tool_in_its_own_form(bracket):
    instructions = bracket.instructions(OFFER)
    assert '[[call {"tool": "get_weather", "with": {"city": "<city>"}}]]' in instructions


def test_the_instructions_name_the_markers_as_words_of_their_sentence(bracket):
    assert "from [[call to ]]." in bracket.instructions(OFFER)


#: Markers that somebody has used, or could.
MARKERS = [
    ("<call>", "</call>"),
    ("<tool-call>", "</tool-call>"),
    ("[[call ", "]]"),
    ("[call]", "[/call]"),
    ("[TOOL_CALLS]", "[/TOOL_CALLS]"),
    ("<|tool_call|>", "<|/tool_call|>"),
    ("<<call>>", "<</call>>"),
    ("{{call ", "}}"),
    ("@call ", "@end"),
    ("CALL: ", "\n"),
    ("→", "←"),
    ("《", "》"),
]


def made_with(markers: tuple[str, str]) -> WireParadigm:
    return type("Made", (WireParadigm,), {"name": "made", "wire": WireFormat(call=markers)})()


@pytest.mark.parametrize("markers", MARKERS, ids=lambda markers: markers[0])
@pytest.mark.parametrize("call", [call for call, _ in WRITTEN], ids=lambda call: call.name)
def test_any_markers_read_back_what_they_wrote(markers, call):
    laws.round_trip(made_with(markers), call, OFFER)


@pytest.mark.parametrize("markers", MARKERS, ids=lambda markers: markers[0])
def test_any_markers_are_found_behind_prose_in_any_chunks(markers):
    made = made_with(markers)
    call = ToolCall("get_weather", {"city": "Oslo"})
    reply = f"I look.\n{made.encode_call(call)}\nI wait."
    laws.chunking(made, reply, range(len(reply)), OFFER)
    assert made.parse_response(reply, OFFER).calls == [call]


def test_the_usual_member_names_are_read_and_labelled(bracket):
    parsed = bracket.parse_response('[[call {"name": "now", "arguments": {}}]]', OFFER)
    assert parsed.calls == [ToolCall("now", {})]
    assert parsed.calls[0].grade is Grade.LOSSLESS


def test_generation_stops_nowhere_because_an_argument_may_hold_anything(bracket):
    assert bracket.stop(OFFER) == ()


def test_a_result_tag_of_its_own_is_what_the_model_may_not_write():
    class Other(WireParadigm):
        name = "other_in_a_test"
        wire = WireFormat(call=("[[call ", "]]"), result="outcome")

    other = Other()
    parsed = other.parse_response("<outcome>12:00</outcome>\nNoon.", OFFER)
    assert [problem.kind for problem in parsed.problems] == [ProblemKind.FABRICATED_RESULT]
    assert other.encode_results(RESULTS[:1]).startswith('<outcome name="now">')


def test_a_result_cannot_bring_a_call_in_the_open(bracket):
    """What a tool returned must not hold the markers that this paradigm's calls begin with."""
    content = bracket.encode_call(ToolCall("now", {}))
    body = bracket.encode_results([ToolResult(ToolCall("now", {}, "call_1"), content)])
    assert "[[call " not in body


def test_a_problem_is_told_in_words(bracket):
    told = bracket.format_problem(CallProblem(ProblemKind.MALFORMED, "it is empty"))
    assert "it is empty" in told


class Bracketed(WireParadigm):
    """A marker of one character behind a call, and one around all of them."""

    name = "bracketed_calls"
    wire = WireFormat(call=("@(", ")"), section=("{", "}"))


@pytest.mark.parametrize("text", ["x )", "x ) y", ")", "x }", "} ", "x ", "§ x )"])
@pytest.mark.parametrize("size", [1, 100])
def test_a_marker_of_one_character_may_end_a_reply(text, size):
    decoder = Bracketed().decoder(OFFER)
    events = [event for at in range(0, len(text), size) for event in decoder.feed(text[at:][:size])]
    said = "".join(event.text for event in [*events, *decoder.finish()])
    assert said.strip(" )}") == text.strip(" )}")


@pytest.mark.parametrize("reads", ["feed", "finish"])
def test_whatever_a_reader_raises_names_its_paradigm(reads):
    def ids() -> str:
        raise LookupError("no ids")

    decoder = Bracketed(ids=ids).decoder(OFFER)
    call = '@({"name": "now", "arguments": {}})'
    with pytest.raises(LookupError) as raised:
        decoder.feed(call if reads == "feed" else call[:-3])
        decoder.finish()
    assert raised.value.__notes__ == ["while a reply was read as bracketed_calls"]
