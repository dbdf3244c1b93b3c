"""With ``salvage``, more is read than without: never less, and never otherwise."""

from __future__ import annotations

import pytest

from tests.amount import recorded, some_fixtures
from toolproto import ParsedResponse, ToolCall, get_paradigm
from toolproto.protocol.decoding.reply.thinking_tokens import Reasoning
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
