"""Why a call that stands in a reply is none, or doubted: in every place, the right reason."""

from __future__ import annotations

import pytest

from toolproto import Reasoning, ToolCall, get_paradigm
from toolproto.protocol.messages import PLACES
from toolproto.testing import STANDARD_OFFER as OFFER
from toolproto.testing.explain import Finding, Verdict, explain_reply
from toolproto.testing.explain.words import REASONS, why
from toolproto.testing.places import TEMPLATES, PlaceTemplate

OSLO = ToolCall("get_weather", {"city": "Oslo"})
#: That they are nested 2,000 deep, nobody looks for.
SHORT = [each for each in TEMPLATES if len(each.text) < 1_000]


def told(finding: Finding) -> str:
    """What is said of a call, in the words of the templates."""
    match finding.verdict:
        case Verdict.ACCEPTED | Verdict.REPAIRED:
            return "plain"
        case Verdict.DOUBTED:
            assert finding.call is not None
            return f"doubted {finding.call.place}"
        case _:
            assert finding.verdict is Verdict.IGNORED
            return f"shown {' '.join(finding.reasons)}"


@pytest.mark.parametrize("template", SHORT, ids=lambda each: each.text[:40])
@pytest.mark.parametrize("name", ["xml_tag", "json_strict"])
def test_the_place_of_a_call_is_told_as_the_design_says(name: str, template: PlaceTemplate) -> None:
    form = get_paradigm(name)
    reply = template.text.replace("{call}", form.encode_call(OSLO))
    findings = explain_reply(reply, form, OFFER).findings
    assert [each.call for each in findings] == [OSLO] * len(template.expected)
    expected = [each.replace("late ", "doubted ") for each in template.expected]
    assert [told(each) for each in findings] == expected


def test_the_templates_have_every_place() -> None:
    places = {each.partition(" ")[2] for template in SHORT for each in template.expected}
    assert places - {""} == set(PLACES) <= set(REASONS)


@pytest.mark.parametrize("starts_inside", [True, False])
def test_a_thought_that_is_never_closed_is_told(starts_inside: bool) -> None:
    form = get_paradigm("xml_tag", reasoning=Reasoning(starts_inside=starts_inside))
    thought = f"Perhaps:\n{form.encode_call(OSLO)}"
    reply = thought if starts_inside else f"<think>{thought}"
    (found,) = explain_reply(reply, form, OFFER).findings
    assert (found.verdict, found.reasons) == (Verdict.IGNORED, ("open_thinking",))


def test_a_doubted_call_says_what_happens_next() -> None:
    form = get_paradigm("xml_tag")
    (found,) = explain_reply(f"Ok, {form.encode_call(OSLO)}", form, OFFER).findings
    assert why(found) == (
        "doubted: it appears in the middle of a sentence;"
        " whoever decides is asked, or the model where nobody does, unless the tool only reads"
    )


CALL = '{"name": "now", "arguments": {}}'
TAGGED = f"<tool_code>{CALL}</tool_code>"
#: paradigm, reply, reasons: what the tables of surroundings do not have.
OTHERS = {
    "data in other JSON": ("xml_tag", f'{{"example": {CALL}}}', ["json"]),
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
    "bare in the middle of a line": ("xml_tag", f"payload = {CALL}", ["sentence"]),
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
        ["code", "foreign_form"],
    ),
    "a Python call in a list": (
        "json_strict",
        '1. get_weather(city="Oslo")',
        ["container", "foreign_form"],
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
    "a guessed form in a doubtful place": ("xml_tag", f"- {CALL}", ["container"]),
    "a Python call in inline code": (
        "pythonic",
        'Write `[get_weather(city="Oslo")]` there.',
        ["code"],
    ),
    "two calls in one wrapper": (
        "json_strict",
        'So `{"tool_calls": [{"name": "now", "arguments": {}}, {"name": "now", "arguments": {}}]}`',
        ["code"] * 2,
    ),
}


@pytest.mark.parametrize("case", OTHERS)
def test_other_reasons(case: str) -> None:
    name, reply, reasons = OTHERS[case]
    found = explain_reply(reply, get_paradigm(name), OFFER).ignored
    assert [reason for each in found for reason in each.reasons] == reasons


def test_a_fenced_call_at_the_end_of_a_reply_that_was_cut_is_read() -> None:
    explanation = explain_reply(
        f"```json\n{TAGGED}\n```", get_paradigm("xml_tag"), OFFER, finish_reason="length"
    )
    assert [each.verdict for each in explanation.findings] == [Verdict.REPAIRED]


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
