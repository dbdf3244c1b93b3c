"""No call is made of what only shows one; calls in every form are found, however they are cut."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.amount import amount, some
from toolproto.protocol.events import CallCompleted, CallRejected, Event, TextDelta
from toolproto.protocol.messages import ProblemKind, ToolCall
from toolproto.protocol.native import NativeReader
from toolproto.protocol.paradigms import get_paradigm, list_paradigms
from toolproto.testing import STANDARD_OFFER
from toolproto.testing.places import TEMPLATES, PlaceTemplate, draw_placing, example_placings

_FILE = Path(__file__).parents[2] / "testing" / "places" / "commonmark.json"
SIZES = (1, 7, 100_000)
OSLO = ToolCall("get_weather", {"city": "Oslo"})
CODE = ToolCall("write_file", {"path": "a.py", "content": "x = [1]\nprint('a')\n"})
#: Forms whose calls stand in a code fence, as examples do.
FENCED = {"bfcl_json", "fenced_json", "yaml_block"}
#: Forms without a marker, or with one that many a text has: they count as the whole text.
BARE = {"bfcl_python", "functionary_v32", "json_strict", "llama3_json", "llamacpp_generic"}
BARE |= {"pythonic", "xlam"}
MARKED = [name for name in list_paradigms() if name not in FENCED | BARE]


def cut(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def read(pieces: list[str], reason: str = "stop") -> list[Event]:
    reader = NativeReader(STANDARD_OFFER)
    return [event for piece in pieces for event in reader.feed(piece)] + reader.finish(reason)


def calls_of(events: list[Event]) -> list[ToolCall]:
    return [event.call for event in events if isinstance(event, CallCompleted)]


def text_of(events: list[Event]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def said_by(pieces: list[str], reason: str = "stop") -> tuple[str, list[ToolCall], list[str]]:
    events = read(pieces, reason)
    problems = [event.problem.message for event in events if isinstance(event, CallRejected)]
    return text_of(events), calls_of(events), problems


# -- precision ----------------------------------------------------------------------------


def assert_none_shown_is_made(template: PlaceTemplate, size: int, form: str) -> None:
    """Each call in *template* has a city of its own, so that it is known which one was read."""
    parts, paradigm = template.text.split("{call}"), get_paradigm(form)
    made = [ToolCall("get_weather", {"city": f"C{at}"}) for at in range(len(parts))]
    text = parts[0] + "".join(
        paradigm.encode_call(call) + rest for call, rest in zip(made, parts[1:], strict=False)
    )
    pieces = cut(text, size)
    events = read(pieces)
    found = calls_of(events)
    for call, expected in zip(made, template.expected, strict=False):
        assert expected == "plain" or call not in found, f"{expected} in {text!r}"
    assert not [event for event in events if isinstance(event, CallRejected)], text
    if not found:
        assert events == [TextDelta(piece) for piece in pieces]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("form", ("hermes", "qwen3_coder"))
def test_no_call_is_made_of_one_that_is_shown_or_doubted(size: int, form: str):
    random = Random(size)
    for template in some(TEMPLATES, 3, first=size):
        assert_none_shown_is_made(template, size, form)
    for _ in range(amount(30, 3_000)):
        assert_none_shown_is_made(draw_placing(random).judged(), size, form)


@pytest.mark.parametrize("size", SIZES)
def test_no_call_is_made_where_an_example_of_commonmark_shows_one(size: int):
    examples = list(example_placings(json.loads(_FILE.read_text("utf-8"))["examples"]))
    for placing in some(examples, 120, first=size):
        assert_none_shown_is_made(placing.judged(), size, "hermes")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "text",
    [
        '{"name": "Oslo", "population": 700000}',
        '{"name": "get_weather_report", "arguments": {"city": "Oslo"}}',
        '[{"name": "Oslo"}, {"name": "Bergen"}]',
        '{"type": "object", "properties": {"city": {"type": "string"}}}',
        '{"tool": "hammer", "price": 3}',
        '{"action": "none"}',
        "GET_WEATHER(city='Oslo')",
        "get_weather(city='Oslo') gives you the weather.",
        "I called get_weather with Oslo, and then now(), which gave the time.",
        "Summary: the assistant wrote <tool_call> and the server lost it.",
        "The tool get_weather{city} is described below.",
        "[TOOL_CALLS] is what Mistral's template writes before calls.",
        "Use `<function=get_weather>` as in the docs, or [get_weather](https://a.b/c).",
    ],
)
def test_text_about_calls_passes_as_it_came(text: str, size: int):
    pieces = cut(text, size)
    assert read(pieces) == [TextDelta(piece) for piece in pieces]


#: What begins or ends markers, and what stands in calls; no whole opener.
WORDS = st.sampled_from(
    [
        *("I", "the", "call", "tool", "json", "then", "3.", "*", "-", "|", "{", "}", "\n", "\n\n"),
        *("```", "`", "<", "[x]", "[1]", "<b>", "</div>", "<think>", "</think>", '"a"', "Act"),
        *("<tool", "<tool_call", "<function", "</tool_call>", "</function>", "[TOOL", "<|"),
        *("<|im_end|>", "weather", "weather(", "functions.", '"name":', '{"name": "x"}'),
    ]
)


@given(st.lists(WORDS, max_size=30).map(" ".join), st.lists(st.integers(0, 200), max_size=8))
def test_any_text_without_a_call_passes_event_by_event(text: str, cuts: list[int]):
    places = sorted({0, len(text), *(each for each in cuts if each < len(text))})
    pieces = [text[start:end] for start, end in pairwise(places)]
    assert read(pieces) == [TextDelta(piece) for piece in pieces]


# -- recall -------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("before", ("", "I look.\n\n"))
def test_calls_in_every_marked_form_are_found_and_their_markup_is_gone(before: str, size: int):
    for name in some(MARKED, 4 if size == 1 else 2, first=len(before)):  # all of them in a soak
        for calls in ([OSLO], [CODE], [OSLO, CODE]):
            text = before + get_paradigm(name).encode_calls(calls)
            said, found, _ = said_by(cut(text, size))
            assert (said.strip(), found) == (before.strip(), calls), text


@pytest.mark.parametrize("size", SIZES)
def test_calls_without_a_marker_are_found_as_the_whole_text(size: int):
    for name in BARE:
        text = get_paradigm(name).encode_calls([CODE])
        assert said_by(cut(text, size))[:2] == ("", [CODE]), text


@pytest.mark.parametrize("size", SIZES)
def test_a_call_that_was_cut_off_is_a_problem_and_its_markup_is_gone(size: int):
    for name in ("hermes", "qwen3_coder", "deepseek_v3", "glm45", "mistral", "kimi_k2", "harmony"):
        whole = get_paradigm(name).encode_calls([CODE])
        for end in (whole.index("write_file") + len("write_file"), whole.index("a.py") + 2):
            events = read(cut(f"I look.\n\n{whole[:end]}", size), "length")
            [problem] = [event.problem for event in events if isinstance(event, CallRejected)]
            assert (problem.kind, problem.name) == (ProblemKind.TRUNCATED, "write_file"), name
            assert text_of(events).strip() == "I look."


UNREADABLE = ['"arguments": "Oslo, please"', '"arguments": [1, 2]', '{"city": "Oslo"']


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("arguments", UNREADABLE)
def test_a_named_tool_behind_an_opener_that_cannot_be_read_is_a_problem(arguments, size):
    text = f'So.\n<tool_call>\n{{"name": "write_file" {arguments}}}\n</tool_call>'
    said, calls, problems = said_by(cut(text, size))
    assert (said, calls, len(problems)) == ("So.\n", [], 1)


# A label in the middle of a line opens nothing here, and the reader of replies takes it for one.
@example("react", "Ok. ", "", [39])
@given(
    st.sampled_from(MARKED),
    st.sampled_from(["", "So:\n", "Ok. ", "> ", "<think>hm</think>\n"]),
    st.sampled_from(["", "\n", "\nDone.", " so.", "\n```"]),
    st.lists(st.integers(0, 400), max_size=8),
)
def test_any_cut_gives_the_same_calls_and_the_same_text(name, before, behind, cuts):
    text = before + get_paradigm(name).encode_calls([OSLO, CODE]) + behind
    places = sorted({0, len(text), *(each for each in cuts if each < len(text))})
    assert said_by([text[a:b] for a, b in pairwise(places)]) == said_by([text])
