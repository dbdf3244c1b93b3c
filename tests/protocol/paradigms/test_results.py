"""What a model is told came of its calls."""

from __future__ import annotations

import json

import pytest

from toolproto import (
    CallProblem,
    Message,
    ProblemKind,
    ToolCall,
    ToolOffer,
    ToolResult,
    ToolSpec,
    get_paradigm,
)

OFFER = ToolOffer(
    (
        ToolSpec("now", "The time.", {"type": "object", "properties": {}}),
        ToolSpec("add", "A sum.", {"type": "object", "properties": {"a": {}, "b": {}}}),
    )
)
NOW = ToolCall("now", {}, "call_1")
ADD = ToolCall("add", {"a": 1, "b": 2}, "call_2")
NOON = ToolResult(NOW, "12:00")
SUM = ToolResult(ADD, "3")
FAILED = ToolResult(ADD, "out of numbers", is_error=True)

#: Results, and the text that brings them to the model, in each paradigm.
WRITTEN = {
    "none": ([], "", ""),
    "one": (
        [NOON],
        '{"tool_call_result": {"toolCallId": "call_1", "name": "now", "result": "12:00"}}',
        '<tool_result name="now">\n12:00\n</tool_result>',
    ),
    "several": (
        [NOON, SUM],
        '{"tool_call_result": {"toolCallId": "call_1", "name": "now", "result": "12:00"}}\n'
        '{"tool_call_result": {"toolCallId": "call_2", "name": "add", "result": "3"}}',
        '<tool_result name="now">\n12:00\n</tool_result>\n'
        '<tool_result name="add">\n3\n</tool_result>',
    ),
    "an error": (
        [FAILED],
        '{"tool_call_result": {"toolCallId": "call_2", "name": "add", "isError": true, '
        '"result": "out of numbers"}}',
        '<tool_result name="add" error="true">\nout of numbers\n</tool_result>',
    ),
    "code": (
        [ToolResult(NOW, 'if a < b:\n    print("é & 😀")\n')],
        '{"tool_call_result": {"toolCallId": "call_1", "name": "now", '
        '"result": "if a < b:\\n    print(\\"é & 😀\\")\\n"}}',
        '<tool_result name="now">\nif a < b:\n    print("é & 😀")\n\n</tool_result>',
    ),
    "nothing": (
        [ToolResult(NOW, "")],
        '{"tool_call_result": {"toolCallId": "call_1", "name": "now", "result": ""}}',
        '<tool_result name="now">\n\n</tool_result>',
    ),
}
PARADIGMS = ["json_strict", "xml_tag"]
both = pytest.mark.parametrize("paradigm", [get_paradigm(name) for name in PARADIGMS], ids=str)


def text(kind: str, name: str) -> str:
    return WRITTEN[kind][1 + PARADIGMS.index(name)]


@both
@pytest.mark.parametrize("kind", WRITTEN)
def test_results_are_written_so(paradigm, kind):
    assert paradigm.encode_results(WRITTEN[kind][0]) == text(kind, paradigm.name)


@both
@pytest.mark.parametrize("kind", [kind for kind in WRITTEN if kind != "none"])
def test_results_come_in_one_user_message_that_still_knows_them(paradigm, kind):
    results = WRITTEN[kind][0]
    assert paradigm.format_results(results) == [
        Message("user", text(kind, paradigm.name), results=tuple(results))
    ]


@both
def test_no_results_are_no_message(paradigm):
    assert paradigm.format_results([]) == []


@pytest.mark.parametrize("kind", WRITTEN)
def test_each_result_in_json_is_one_line(kind):
    results, lines, _ = WRITTEN[kind]
    told = [json.loads(line)["tool_call_result"]["result"] for line in lines.splitlines()]
    assert told == [result.content for result in results]


# -- history ------------------------------------------------------------------------------


@both
def test_plain_messages_are_sent_as_they_are(paradigm):
    messages = [
        Message("system", "Be kind."),
        Message("user", "Hello"),
        Message("assistant", "  Hello!\n"),
    ]
    assert paradigm.encode_history(messages) == messages


@both
def test_a_call_is_written_behind_what_was_said(paradigm):
    (sent,) = paradigm.encode_history([Message("assistant", "I look.\n\n", calls=(NOW,))])
    assert sent == Message("assistant", f"I look.\n{paradigm.encode_call(NOW)}")


@both
def test_calls_without_words_stand_alone(paradigm):
    (sent,) = paradigm.encode_history([Message("assistant", "", calls=(NOW, ADD))])
    assert sent.content == paradigm.encode_calls((NOW, ADD))
    assert paradigm.parse_response(sent.content).calls == [NOW, ADD]


@both
def test_results_take_the_place_of_the_text_of_their_message(paradigm):
    (sent,) = paradigm.encode_history([Message("user", "old form", results=(NOON, SUM))])
    assert sent == Message("user", text("several", paradigm.name))


@both
def test_results_formatted_here_are_sent_as_they_were_formatted(paradigm):
    (formatted,) = paradigm.format_results([NOON, FAILED])
    (sent,) = paradigm.encode_history([formatted])
    assert sent.content == formatted.content


def test_a_history_of_one_paradigm_can_be_sent_in_another():
    first, second = map(get_paradigm, PARADIGMS)
    history = [Message("assistant", "", calls=(NOW,)), *first.format_results([NOON])]
    assert second.encode_history(history) == [
        Message("assistant", second.encode_call(NOW)),
        Message("user", text("one", "xml_tag")),
    ]


@both
def test_thinking_is_not_sent_back(paradigm):
    (sent,) = paradigm.encode_history(
        [Message("assistant", "Yes.", calls=(NOW,), reasoning="secret")]
    )
    assert "secret" not in sent.content
    assert sent.reasoning == ""


@both
@pytest.mark.parametrize("said", ["", "I look.", "Two things:\n- this\n- that"])
def test_a_history_reads_back_as_the_calls_it_was_made_of(paradigm, said):
    (sent,) = paradigm.encode_history([Message("assistant", said, calls=(NOW, ADD))])
    parsed = paradigm.parse_response(sent.content, OFFER)
    assert parsed.calls == [NOW, ADD]
    assert [call.grade for call in parsed.calls] == [None, None]
    assert parsed.text.strip() == said


@both
def test_a_history_is_not_changed_by_being_sent(paradigm):
    history = [
        Message("assistant", " I look. ", calls=(NOW,)),
        Message("user", "", results=(NOON,)),
    ]
    before = list(history)
    paradigm.encode_history(history)
    assert history == before


# -- problems -----------------------------------------------------------------------------

AGAIN = "Write only this call again, all of it, in exactly the form you were shown."
TOLD = [
    (
        CallProblem(ProblemKind.MALFORMED, "it is empty"),
        f"Your tool call could not be used: it is empty. {AGAIN}",
    ),
    (
        CallProblem(ProblemKind.UNKNOWN_TOOL, "the tools are: now, add", name="later"),
        "Your call of 'later' could not be used: the tools are: now, add."
        " Call one of these, or answer in plain words.",
    ),
    (
        CallProblem(ProblemKind.UNKNOWN_TOOL, "no such tool", name="no", suggestions=("now",)),
        f"Your call of 'no' could not be used: no such tool. Did you mean now? {AGAIN}",
    ),
    (
        CallProblem(ProblemKind.UNKNOWN_TOOL, "no such tool", suggestions=("now", "add")),
        f"Your tool call could not be used: no such tool. Did you mean now or add? {AGAIN}",
    ),
]


@both
@pytest.mark.parametrize("problem, told", TOLD)
def test_a_problem_is_told_as_advice(paradigm, problem, told):
    assert paradigm.format_problem(problem) == told


@both
@pytest.mark.parametrize(
    "reply",
    ['{"tool_calls": [{"name": "now", "arguments": {"a": NaN}}]}', "<tool_code>x</tool_code>"],
)
def test_the_advice_ends_its_sentences_once(paradigm, reply):
    for problem in paradigm.parse_response(reply, OFFER).problems:
        assert ".." not in paradigm.format_problem(problem)


@both
def test_a_made_up_result_is_not_asked_for_again(paradigm):
    """The calls before it were good and have run: asking for them again would run them twice."""
    problem = CallProblem(ProblemKind.FABRICATED_RESULT, "you wrote a tool result yourself")
    assert "call again" not in paradigm.format_problem(problem)
