"""With ``salvage``, more is read than without: never less, and never otherwise."""

from __future__ import annotations

import pytest

from tests.amount import recorded, some_fixtures
from toolproto import ParsedResponse, ToolCall, get_paradigm
from toolproto.protocol.decoding.reply.thinking_tokens import Reasoning
from toolproto.protocol.events import CallCompleted, TextDelta
from toolproto.protocol.paradigms import ToolContextDef, list_paradigms
from toolproto.protocol.tools.spec import ToolOffer
from toolproto.testing import STANDARD_OFFER

CALLS = [ToolCall("get_weather", {"city": "Oslo"}), ToolCall("now", {})]


def both(
    name: str, reply: str, offer: ToolOffer, **options: object
) -> tuple[ParsedResponse, ParsedResponse]:
    """*reply*, read without salvage and with it."""
    without = get_paradigm(name, **options)
    salvaging: ToolContextDef = get_paradigm(name, salvage=True, **options)
    return without.parse_response(reply, offer), salvaging.parse_response(reply, offer)


def calls(read: ParsedResponse) -> list[tuple[str, object]]:
    return [(call.name, call.arguments) for call in read.calls]


# A third of the replies: those of a family hardly differ in this. The soak tries them all.
@pytest.mark.parametrize("name", list_paradigms())
def test_whatever_is_read_without_it_is_read_with_it(name: str) -> None:
    fixtures = [each for each in recorded() if each.paradigm == name]
    for fixture in some_fixtures(fixtures, 3):
        reasoning = Reasoning(starts_inside=fixture.starts_in_thinking)
        plain, salvaged = both(name, fixture.reply, fixture.offer, reasoning=reasoning)
        if not plain.calls:
            continue
        assert calls(salvaged) == calls(plain), fixture.case
        for before, behind in zip(plain.calls, salvaged.calls, strict=True):
            assert before.repairs or not behind.repairs, fixture.case


@pytest.mark.parametrize("language", ["json", "yaml", "python"])
@pytest.mark.parametrize("name", list_paradigms())
def test_a_fence_that_another_form_opens_its_calls_with_changes_nothing(
    name: str, language: str
) -> None:
    written = get_paradigm(name).encode_calls(CALLS)
    for reply in (
        f"```{language}\n{written}\n```",
        f"```{language}\n{written}\n```\n\nIt is done.",
    ):
        plain, salvaged = both(name, reply, STANDARD_OFFER)
        if plain.calls:
            assert calls(salvaged) == calls(plain), reply


def test_a_tool_that_does_not_exist_is_not_passed_over_in_a_fence() -> None:
    reply = '```json\n{"tool_calls": [{"name": "make_report", "arguments": {}}]}\n```'
    _, salvaged = both("json_strict", reply, STANDARD_OFFER)
    assert calls(salvaged) == [("make_report", {})]


def test_another_forms_marker_around_own_calls_hides_none() -> None:
    own = get_paradigm("xml_tag").encode_calls(CALLS)
    _, salvaged = both("xml_tag", f"<tool_calls>\n{own}\n</tool_calls>", STANDARD_OFFER)
    assert len(salvaged.calls) == 2


@pytest.mark.parametrize("other", ["qwen3_coder", "glm45", "deepseek_v31", "kimi_k2"])
def test_a_thought_ends_only_where_the_own_form_ends_it(other: str) -> None:
    draft, meant = (
        get_paradigm(name).encode_calls([call])
        for name, call in (zip((other, "hermes"), CALLS, strict=True))
    )
    _, salvaged = both("hermes", f"<think>Perhaps {draft}</think>\n{meant}", STANDARD_OFFER)
    assert (calls(salvaged), salvaged.calls[0].place) == ([("now", {})], "")


def said(events) -> str:
    return "".join(each.text for each in events if isinstance(each, TextDelta))


AROUND = ["deepseek_v3", "deepseek_v31", "k2_horizon", "kimi_k2", "plamo3", "step3"]


@pytest.mark.parametrize("name", AROUND)
@pytest.mark.parametrize("size", [1, 1000])
def test_what_another_form_has_around_its_calls_goes_with_them(name, size):
    calls = [ToolCall("get_weather", {"city": city}) for city in ("Oslo", "Lima")]
    reply = f"Let me look.\n{get_paradigm(name).encode_calls(calls)}"
    decoder = get_paradigm("xml_tag", salvage=True).decoder(STANDARD_OFFER)
    chunks = [reply[at : at + size] for at in range(0, len(reply), size)]
    events = [each for chunk in chunks for each in decoder.feed(chunk)] + list(decoder.finish())
    found = [each.call.arguments for each in events if isinstance(each, CallCompleted)]
    assert found == [call.arguments for call in calls]
    assert said(events).strip() == "Let me look."


@pytest.mark.parametrize(
    "reply", ["DeepSeek writes <｜tool▁calls▁begin｜> first.", "It ends </tool_calls>."]
)
def test_it_is_text_where_no_call_stands_beside_it(reply):
    decoder = get_paradigm("xml_tag", salvage=True).decoder(STANDARD_OFFER)
    events = [*decoder.feed(reply), *decoder.finish()]
    assert said(events) == reply
