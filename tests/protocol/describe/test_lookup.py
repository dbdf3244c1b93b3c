"""``describe_tool``: about the offered tools everything, about others nothing."""

from __future__ import annotations

import pytest

from toolproto import (
    ToolCall,
    ToolFailed,
    ToolOffer,
    ToolRegistry,
    ToolSpec,
    UsageError,
    get_paradigm,
)
from toolproto.protocol.describe import describe_tools, description_tool

from .cases import FIFTY, MEETING, NOW

OFFER = ToolOffer((MEETING, NOW))


def test_it_tells_all_about_a_tool():
    assert (
        description_tool(OFFER)(name="book_meeting") == describe_tools(ToolOffer((MEETING,))).text
    )


def test_it_tells_it_in_the_style_and_the_paradigm_asked_for():
    assert description_tool(OFFER, "typescript")(name="now") == "now()"
    write = get_paradigm("xml_tag").encode_call
    assert "<tool_code>" in description_tool(OFFER, write=write)(name="now")


@pytest.mark.parametrize("name", ["bookMeeting", "functions.book_meeting", "book-meeting"])
def test_a_name_in_another_spelling_will_do(name):
    assert "book_meeting" in description_tool(OFFER)(name=name)


@pytest.mark.parametrize("name", ["", "book", "secret", "describe_tool", "\n", "x" * 10_000])
def test_a_tool_that_is_not_offered_is_not_described(name):
    lookup = description_tool(ToolOffer((NOW,)))
    with pytest.raises(ToolFailed, match="there is no tool of that name") as failed:
        lookup(name=name)
    assert len(str(failed.value)) < 100


def test_a_near_name_is_suggested():
    with pytest.raises(ToolFailed, match="did you mean book_meeting"):
        description_tool(OFFER)(name="book_meting_rooms")


def test_it_is_a_tool_like_any_other():
    lookup = description_tool(OFFER)
    registry = ToolRegistry([lookup])
    call = ToolCall("describe_tool", {"name": "now"})
    assert registry.check(call) == call
    assert (lookup.risk, lookup.idempotent) == ("read", True)
    assert lookup.bind(call.arguments) == {"name": "now"}


def test_a_name_that_is_taken_is_refused():
    taken = ToolSpec("describe_tool", "", {"type": "object"})
    with pytest.raises(UsageError, match="already"):
        description_tool(ToolOffer((taken,)))


def test_the_list_of_names_says_how_to_ask():
    offer = ToolOffer((*FIFTY, description_tool(ToolOffer(FIFTY)).spec))
    text = describe_tools(offer, "names_only", write=get_paradigm("json_strict").encode_call).text
    assert text.endswith(
        '{"tool_calls": [{"name": "describe_tool", "arguments": {"name": "<name>"}}]}'
    )
