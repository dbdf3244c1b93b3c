"""The same call, shown and meant: what is shown never runs, what is meant always does.

Where a call stands, the templates of the law of place say; here each is read exactly as it says,
whatever is called. What no place decides is here, too: thoughts, fences, tools that are described.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest

from tests.amount import together
from toolproto import (
    CallCompleted,
    Grade,
    Limits,
    ParsedResponse,
    ProblemKind,
    Reasoning,
    ToolCall,
    ToolOffer,
    ToolSpec,
    parse_any,
)
from toolproto.protocol.paradigms import get_paradigm
from toolproto.testing.laws import read_in_pieces
from toolproto.testing.laws.places import placed
from toolproto.testing.places import TEMPLATES

OFFER = ToolOffer(
    (
        ToolSpec(
            "get_weather",
            "Current weather for a city.",
            {
                "type": "object",
                "properties": {"city": {"type": "string"}, "unit": {"enum": ["c", "f"]}},
                "required": ["city"],
            },
        ),
        ToolSpec(
            "write_file",
            "Write a file.",
            {
                "type": "object",
                "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
                "required": ["path", "content"],
            },
        ),
        ToolSpec(
            "delete_rows",
            "Delete rows by their numbers.",
            {
                "type": "object",
                "properties": {"rows": {"type": "array", "items": {"type": "integer"}}},
                "required": ["rows"],
            },
        ),
        ToolSpec("now", "The time.", {"type": "object", "properties": {}}),
    )
)
PARADIGMS = ["json_strict", "xml_tag"]
CALLS = {
    "plain": ToolCall("get_weather", {"city": "Oslo"}),
    "unicode": ToolCall("get_weather", {"city": "São Paulo, 東京 😀", "unit": "f"}),
    "code": ToolCall(
        "write_file", {"path": "a.py", "content": "def f(x):\n    return {\"a\": [x, 'b']}\n"}
    ),
    "markup": ToolCall("write_file", {"path": "a.html", "content": "<b>1 < 2</b> > “so” </tool>"}),
    "numbers": ToolCall("delete_rows", {"rows": [1, 2, -3]}),
    "nothing": ToolCall("now", {}),
}

Way = Callable[[str], str]

#: That they are nested 2,000 deep, no call need show.
PLACES = {each.text: each for each in TEMPLATES if len(each.text) < 1_000}
SHOWN = {
    text: each
    for text, each in PLACES.items()
    if all(told.startswith("shown") and told != "shown thinking" for told in each.expected)
}


def spread(written: str) -> str:
    """The same call over many lines."""
    opener, body, closer = re.fullmatch(r"(<tool_code>)?(\{.*\})(</tool_code>)?", written).groups()
    lines = [opener, json.dumps(json.loads(body), indent=2, ensure_ascii=False), closer]
    return "\n".join(filter(None, lines))


#: In a fence that holds nothing else: read, and labelled.
WRAPPED: dict[str, Way] = {
    "a fence": lambda c: f"```\n{c}\n```",
    "a fence with a language": lambda c: f"```json\n{c}\n```",
    "a fence with another language": lambda c: f"```tool_code\n{c}\n```\n",
    "a fence over many lines": lambda c: f"```json\n{spread(c)}\n```",
    "a fence of tildes": lambda c: f"~~~\n{c}\n~~~",
    "a longer fence": lambda c: f"````json\n{c}\n````",
    "a fence after a sentence": lambda c: f"I will look that up.\n\n```json\n{c}\n```\n",
    "a fence after a colon": lambda c: f"Calling the tool:\n```\n{c}\n```",
    "a fence after thinking": lambda c: f"<think>Hm.</think>\n\n```json\n{c}\n```",
    "a fence after a shown fence": lambda c: (
        f"```python\nprint(1)\n```\nThat is the code.\n```json\n{c}\n```"
    ),
    "a fence with blank lines": lambda c: f"```json\n\n{c}\n\n```\n\n",
    "a fence with words behind it": lambda c: f"```json\n{c}\n```\nThat is how a call looks.",
    "a fence with another behind it": lambda c: f"```\n{c}\n```\n```python\nx = 1\n```",
    "a fence that is never closed": lambda c: f"Let me check:\n```json\n{c}\n",
    "a fence before a leaked token": lambda c: f"```json\n{c}\n```\n<|im_end|>",
    "inline code, and nothing else": lambda c: f"`{c}`",
}

#: Shown to nobody but the model itself.
THOUGHT: dict[str, Way] = {
    "in a thought": lambda c: f"<think>I could write {c} here.</think>\nNo tool is needed.",
    "in a thought, on its own line": lambda c: f"<think>\nPerhaps:\n{c}\n</think>\nNot needed.",
    "in another thought": lambda c: f"<thinking>\n{c}\n</thinking>\nNot needed.",
    "in a thought between loud tags": lambda c: f"<THINK>\n{c}\n</Think>\nNot needed.",
    "in a thought behind a sentence": lambda c: f"Okay. <think>Perhaps {c}</think> Not needed.",
    "in a fence in a thought": lambda c: f"<think>\n```json\n{c}\n```\n</think>\n\nNot needed.",
    "in a thought without an end": lambda c: f"<think>\nShould I?\n{c}",
}

#: Shown in a thought that was opened in the prompt.
INSIDE: dict[str, Way] = {
    "in a thought from the start": lambda c: f"I could:\n{c}\n</think>\nNot needed.",
    "alone in a thought from the start": lambda c: f"{c}\n</think>\n\nNot needed.",
    "in a thought from the start, without an end": lambda c: f"Perhaps this:\n{c}\n",
}


def every(**tables):  # type: ignore[no-untyped-def]
    """One test for each paradigm, with every call and row of the table."""

    def decorate(test):  # type: ignore[no-untyped-def]
        return pytest.mark.parametrize("paradigm", PARADIGMS)(together(**tables, call=CALLS)(test))

    return decorate


def readings(paradigm: str, reply: str, reasoning: Reasoning | None = None) -> list[ParsedResponse]:
    """*reply* read whole, character by character, and in pieces of seven."""
    reader = get_paradigm(paradigm, reasoning=reasoning)
    sizes = (len(reply), 1, 7)
    return [
        ParsedResponse(
            reply,
            tuple(
                read_in_pieces(
                    reader, [reply[at : at + size] for at in range(0, len(reply), size)], OFFER
                )
            ),
        )
        for size in sizes
    ]


def written(paradigm: str, call: str) -> str:
    return get_paradigm(paradigm).encode_call(CALLS[call])


@every(place=PLACES)
def test_a_call_is_plain_doubted_or_shown_as_the_design_says(paradigm, call, place):
    template = PLACES[place]
    expected = [
        "shown" if told.startswith("shown") else told.replace("late ", "doubted ")
        for told in template.expected
    ]
    for size in (None, 1, 7):
        told = placed(get_paradigm(paradigm), template, CALLS[call], OFFER, size=size)
        assert told == expected


@every(place=SHOWN)
def test_a_call_that_is_shown_is_text(paradigm, call, place):
    reply = place.replace("{call}", written(paradigm, call))
    for parsed in readings(paradigm, reply):
        assert (parsed.calls, parsed.problems, parsed.text) == ([], [], reply)


@every(way=WRAPPED)
def test_a_wrapped_call_is_read_and_labelled(paradigm, call, way):
    reply = WRAPPED[way](written(paradigm, call))
    for parsed in readings(paradigm, reply):
        assert parsed.calls == [CALLS[call]]
        assert (parsed.calls[0].grade, parsed.calls[0].place) == (Grade.GUESSED, "")
        assert parsed.problems == []


@every(way=THOUGHT)
def test_a_call_that_is_thought_of_is_reasoning(paradigm, call, way):
    reply = THOUGHT[way](written(paradigm, call))
    for parsed in readings(paradigm, reply):
        assert parsed.calls == []
        assert parsed.problems == []
        assert written(paradigm, call) in parsed.reasoning


@every(way=INSIDE)
def test_a_call_in_a_thought_that_the_prompt_opened_is_reasoning(paradigm, call, way):
    reply = INSIDE[way](written(paradigm, call))
    for parsed in readings(paradigm, reply, Reasoning(starts_inside=True)):
        assert parsed.calls == []
        assert parsed.problems == []
        assert written(paradigm, call) in parsed.reasoning


@pytest.mark.parametrize("paradigm", PARADIGMS)
def test_a_long_example_is_never_a_plain_call(paradigm):
    """It may be read, because arguments should not wait for long, but not as a sure one."""
    call = ToolCall("write_file", {"path": "a.sh", "content": "echo line\n" * 200})
    reply = f"For example, {get_paradigm(paradigm).encode_call(call)} would write the script."
    for parsed in readings(paradigm, reply):
        assert [read for read in parsed.calls if read.grade is not Grade.GUESSED] == []


@pytest.mark.parametrize("paradigm", PARADIGMS)
@together(first=CALLS, between=["\n", "\n\n", " ", "", ",\n", "\nAnd then:\n"])
def test_two_calls_in_a_row_are_both_read(paradigm, between, first):
    reply = written(paradigm, first) + between + written(paradigm, "plain")
    for parsed in readings(paradigm, reply):
        assert parsed.calls == [CALLS[first], CALLS["plain"]]
        assert [call.grade for call in parsed.calls] == [None, None]


@pytest.mark.parametrize("fence", ["```json\n{}\n```", "~~~\n{}\n~~~\n", "Now:\n```\n{}\n```"])
@pytest.mark.parametrize("paradigm", PARADIGMS)
def test_two_calls_in_one_fence_are_both_read_and_labelled(paradigm, fence):
    both = f"{written(paradigm, 'code')}\n{written(paradigm, 'plain')}"
    for parsed in readings(paradigm, fence.format(both)):
        assert parsed.calls == [CALLS["code"], CALLS["plain"]]
        assert [call.grade for call in parsed.calls] == [Grade.GUESSED] * 2


def _flat(tool: ToolSpec) -> dict[str, object]:
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters": dict(tool.parameters),
    }


#: A tool's own description, repeated: it names the tool and has "parameters", yet calls nothing.
ECHOES: dict[str, Callable[[ToolSpec], str]] = {
    "flat": lambda tool: json.dumps(_flat(tool)),
    "flat, over many lines": lambda tool: f"I have:\n{json.dumps(_flat(tool), indent=2)}",
    "flat, after a colon": lambda tool: f"It is declared so: {json.dumps(_flat(tool))}",
    "as OpenAI writes it": lambda tool: json.dumps({"type": "function", "function": _flat(tool)}),
    "without a description": lambda tool: json.dumps(
        {"name": tool.name, "parameters": dict(tool.parameters)}
    ),
    "in a list": lambda tool: json.dumps([_flat(tool), _flat(tool)]),
    "in a fence": lambda tool: f"My tools:\n```json\n{json.dumps(_flat(tool), indent=1)}\n```",
}


@pytest.mark.parametrize("paradigm", PARADIGMS)
@together(echo=ECHOES, tool=OFFER.tools)
def test_a_tool_described_is_not_a_tool_called(paradigm, tool, echo):
    reply = ECHOES[echo](tool)
    for parsed in readings(paradigm, reply):
        assert parsed.calls == []
        assert parsed.problems == []
        assert parsed.text == reply


def test_a_tool_described_first_and_called_then_is_read_once():
    for paradigm in PARADIGMS:
        reply = f"{ECHOES['flat'](OFFER.tools[0])}\n\nI call it:\n{written(paradigm, 'plain')}"
        for parsed in readings(paradigm, reply):
            assert parsed.calls == [CALLS["plain"]]


def test_every_way_keeps_the_call_as_it_is_written():
    """A row that changed the call, or two rows that say the same, would test nothing."""
    for table in (WRAPPED, THOUGHT, INSIDE):
        replies = [way('{"a": 1}') for way in table.values()]
        assert len(set(replies)) == len(replies)
        assert all('"a": 1' in reply for reply in replies)


@pytest.mark.parametrize("open_brace", ["{name ", "f() { x "])
def test_a_brace_left_open_hides_no_marked_call(open_brace):
    paradigm = get_paradigm("xml_tag")
    parsed = paradigm.parse_response(
        f'{open_brace}\n<tool_code>{{"name": "now", "arguments": {{}}}}</tool_code>'
    )
    assert [call.name for call in parsed.calls] == ["now"]


def test_so_many_doubted_calls_are_not_read_to_the_end():
    paradigm = get_paradigm("xml_tag", limits=Limits(mistakes=2))
    call = paradigm.encode_call(ToolCall("get_weather", {"city": "Oslo"}))
    parsed = paradigm.parse_response(f"you might say {call}" * 20, OFFER)
    assert len(parsed.calls) == 8  # a quarter of a mistake each, as any that has a repair
    assert [problem.kind for problem in parsed.problems] == [ProblemKind.TOO_LARGE]


@pytest.mark.parametrize("blank", ["\n", "\n" * 30])
def test_a_call_behind_words_is_no_echo_of_the_one_before(blank):
    paradigm = get_paradigm("lfm2")
    call = paradigm.encode_call(ToolCall("get_weather", {"city": "Oslo"}))
    parts = [call, *blank, "Once more.\n\n", '[get_weather(city="Oslo")]']
    for pieces in (parts, ["".join(parts)]):
        events = read_in_pieces(paradigm, pieces, OFFER)
        assert sum(isinstance(event, CallCompleted) for event in events) == 2


@pytest.mark.parametrize("before", ["So:\n\n    ", "> So\n", "- ", "So, "])
def test_a_call_without_its_marker_is_text_where_it_is_doubted(before):
    json_call = '{"name": "get_weather", "arguments": {"city": "Oslo"}}'
    hermes = get_paradigm("hermes")
    for read in (hermes.parse_response, parse_any):
        assert read(f"{before}<my_call>{json_call}</my_call>\n", OFFER).calls == []
        [call] = read(f"So it is.\n\n<my_call>{json_call}</my_call>\n", OFFER).calls
        assert call.grade is Grade.GUESSED


@pytest.mark.parametrize("named", ["`<think>`", "the <think> tag", "<think>, then", '"<think>"'])
def test_a_thought_that_names_its_tag_holds_no_other(named):
    paradigm = get_paradigm("xml_tag")
    call = paradigm.encode_call(ToolCall("get_weather", {"city": "Oslo"}))
    [read] = paradigm.parse_response(f"<think>I use {named}.</think>\n{call}", OFFER).calls
    assert read.grade is None
