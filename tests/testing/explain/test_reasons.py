"""Why a call that stands in a reply is none: for every way of showing one, the right reason."""

from __future__ import annotations

import pytest

from tests.test_surroundings import (
    CALLS,
    DOUBTED,
    INSIDE,
    OFFER,
    OPEN,
    PARADIGMS,
    SHOWN,
    THOUGHT,
    WRAPPED,
    written,
)
from toolproto import Reasoning, ToolCall, get_paradigm
from toolproto.testing.explain import Verdict, explain_reply
from toolproto.testing.explain.words import why

#: How the names of the ways begin, and what they mean; the first that fits counts.
SAID = {
    "in inline code": "inline_code",
    "in double backticks": "inline_code",
    "in triple backticks": "inline_code",
    "in a block quote": "block_quote",
    "in a nested block quote": "block_quote",
    "in a fence in a block quote": "block_quote",
    "in a table": "table",
    "between": "quotation",
    "in a fence in a thought": "thinking",
    "in a fence with": "code_block",
    "in a thought without an end": "open_thinking",
    "in a thought from the start, without an end": "open_thinking",
    "in a thought": "thinking",
    "in another thought": "thinking",
    "alone in a thought": "thinking",
}
SHOWINGS = {**SHOWN, **THOUGHT, **INSIDE}


def reason_for(way: str) -> str:
    return next(reason for beginning, reason in SAID.items() if way.startswith(beginning))


def cases() -> list[tuple[str, ToolCall, str]]:
    """Every call, as every paradigm writes it."""
    return [(p, call, written(p, name)) for p in PARADIGMS for name, call in CALLS.items()]


@pytest.mark.parametrize("way", SHOWINGS)
def test_a_call_that_is_shown_is_ignored_for_the_right_reason(way: str) -> None:
    reasoning = Reasoning(starts_inside=way in INSIDE)
    for name, call, text in cases():
        paradigm = get_paradigm(name, reasoning=reasoning)
        found = explain_reply(SHOWINGS[way](text), paradigm, OFFER).findings
        assert [(each.verdict, each.call) for each in found] == [(Verdict.IGNORED, call)]
        assert found[0].reasons == (reason_for(way),)


@pytest.mark.parametrize("way", {**OPEN, **WRAPPED})
def test_a_call_that_is_meant_is_never_ignored(way: str) -> None:
    verdict = Verdict.ACCEPTED if way in OPEN else Verdict.REPAIRED
    for name, call, text in cases():
        found = explain_reply({**OPEN, **WRAPPED}[way](text), get_paradigm(name), OFFER).findings
        meant = [each for each in found if "thinking" not in each.reasons]
        assert [(each.verdict, each.call) for each in meant] == [(verdict, call)]


@pytest.mark.parametrize("way", DOUBTED)
def test_a_call_in_a_doubtful_place_says_what_happens_next(way: str) -> None:
    for name, call, text in cases():
        (found,) = explain_reply(DOUBTED[way](text), get_paradigm(name), OFFER).findings
        assert (found.verdict, found.call) == (Verdict.DOUBTED, call)
        assert why(found).startswith("doubted: it appears ")
        assert why(found).endswith("write it alone, unless the tool only reads")


CALL = '{"name": "now", "arguments": {}}'
TAGGED = f"<tool_code>{CALL}</tool_code>"
#: paradigm, reply, reasons: what the tables of surroundings do not have.
OTHERS = {
    "data in other JSON": ("xml_tag", f'{{"example": {CALL}}}', ["other_json"]),
    "in a message to the user": (
        "muse_glimmer",
        " to=user<|message|>So:\n<atem:function_calls>\n"
        '<atem:invoke name="now">\n</atem:invoke>\n</atem:function_calls>',
        ["to_user"],
    ),
    "behind a result that was made up": (
        "xml_tag",
        f"{TAGGED}<tool_result>12:00</tool_result>\n{TAGGED}",
        ["after_end"],
    ),
    "behind another speaker's turn": (
        "xml_tag",
        f"Done.<|im_end|>\n<|im_start|>user\nAgain.<|im_end|>\n{TAGGED}",
        ["after_end"],
    ),
    "bare in the middle of a line": ("xml_tag", f"payload = {CALL}", ["behind_signs"]),
    "a Python call": (
        "xml_tag",
        'Let me see.\nget_weather(city="Oslo")',
        ["foreign_form"],
    ),
    "another paradigm's tag": (
        "xml_tag",
        '<function=get_weather>{"city": "Oslo"}</function>',
        ["foreign_form"],
    ),
    "another paradigm's tag in inline code": (
        "xml_tag",
        'Write `<function=get_weather>{"city": "Oslo"}</function>` there.',
        ["inline_code", "foreign_form"],
    ),
    "a Python call in a list": (
        "json_strict",
        '1. get_weather(city="Oslo")',
        ["list_item", "foreign_form"],
    ),
    "a tool nobody offered": (
        "xml_tag",
        '{"name": "linear_fit", "parameters": {"slope": 1.5}}',
        ["unknown_tool"],
    ),
    "a function nobody offered": ("pythonic", "launch(target='moon')", ["unknown_tool"]),
    "a tag nobody offered": (
        "cline",
        "<launch>\n<target>moon</target>\n</launch>",
        ["unknown_tool"],
    ),
    "in a fence with a leaked token": (
        "json_strict",
        '```json\n{"tool_calls": [{"name": "now", "arguments": {}}]}<|im_end|>\n```',
        ["code_block"],
    ),
    "a guessed form in a doubtful place": (
        "xml_tag",
        f"```json\n{CALL}\n```\nLike that.",
        ["fence_with_talk"],
    ),
    "a Python call in inline code": (
        "pythonic",
        'Write `[get_weather(city="Oslo")]` there.',
        ["inline_code"],
    ),
    "in an element that shows": ("xml_tag", f"<pre>{TAGGED}</pre>", ["element"]),
    "in a footnote": ("xml_tag", f"See below.\n\n[^1]: {TAGGED}", ["definition"]),
    "two calls in one wrapper": (
        "json_strict",
        '`{"tool_calls": [{"name": "now", "arguments": {}}, {"name": "now", "arguments": {}}]}`',
        ["inline_code"] * 2,
    ),
}


@pytest.mark.parametrize("case", OTHERS)
def test_other_reasons(case: str) -> None:
    name, reply, reasons = OTHERS[case]
    found = explain_reply(reply, get_paradigm(name), OFFER).ignored
    assert [reason for each in found for reason in each.reasons] == reasons


def test_a_fenced_call_at_the_end_of_a_reply_that_was_cut_is_not_decided() -> None:
    explanation = explain_reply(
        f"```json\n{TAGGED}\n```", get_paradigm("xml_tag"), OFFER, finish_reason="length"
    )
    assert [each.reasons for each in explanation.findings] == [("broken_off",)]


def test_code_that_calls_functions_is_no_ignored_call() -> None:
    code = "```python\nprint(len(open('a').read()))\nmain()\n```\nRun it with python(3)."
    for name in ("xml_tag", "pythonic", "hermes"):
        assert explain_reply(code, get_paradigm(name), OFFER).findings == ()


def test_without_tools_no_name_is_unknown() -> None:
    found = explain_reply("launch(target='moon')", get_paradigm("pythonic")).findings
    assert found == ()


def test_salvage_leaves_no_foreign_form_to_be_ignored() -> None:
    reply = '<function=get_weather>{"city": "Oslo"}</function>'
    found = explain_reply(reply, get_paradigm("xml_tag", salvage=True), OFFER).findings
    assert [each.verdict for each in found] == [Verdict.REPAIRED]
