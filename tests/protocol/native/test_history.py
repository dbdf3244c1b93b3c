"""Conversations that a service would refuse are put right; all others stay what they were."""

from __future__ import annotations

import pytest

from toolproto import ToolCall
from toolproto.protocol.messages import Message, ToolResult
from toolproto.protocol.native.history import put_right
from toolproto.testing import STANDARD_OFFER

OSLO = ToolCall("get_weather", {"city": "Oslo"}, "a")
ROME = ToolCall("get_weather", {"city": "Rome"}, "b")
NOW = ToolCall("now", {}, "a")
RAIN, SUN, NOON = ToolResult(OSLO, "rain"), ToolResult(ROME, "sun"), ToolResult(NOW, "noon")


def user(text: str) -> Message:
    return Message("user", text)


def called(*calls: ToolCall, text: str = "") -> Message:
    return Message("assistant", text, calls=calls)


def gave(*results: ToolResult) -> Message:
    return Message("user", "", results=results)


def missing(call: ToolCall) -> ToolResult:
    return ToolResult(call, "no result came for this call", is_error=True)


SOUND = {
    "words": [user("Rain?"), Message("assistant", "Yes.")],
    "one call": [user("Rain?"), called(OSLO), gave(RAIN), Message("assistant", "Yes.")],
    "results in another order": [user("Rain?"), called(OSLO, ROME), gave(SUN, RAIN)],
    "two steps": [user("Rain?"), called(OSLO), gave(RAIN), called(ROME), gave(SUN), user("So?")],
    "a request behind the result": [called(OSLO), gave(RAIN), user("And Rome?")],
    "words that name a tool": [Message("assistant", "I have get_weather, and I may use it.")],
    "an argument of that name": [
        called(ToolCall("other", {"arguments": "--all"}, "c")),
        gave(ToolResult(ToolCall("other", {"arguments": "--all"}, "c"), "done")),
    ],
}


@pytest.mark.parametrize("messages", SOUND.values(), ids=SOUND)
def test_what_no_service_refuses_stays_the_very_message(messages):
    put, notes = put_right(messages, STANDARD_OFFER)
    assert [id(each) for each in put] == [id(each) for each in messages]
    assert notes == ()


TOLD = user("Result of get_weather:\nrain")
AGAIN = ToolCall("now", {}, "a_2")
#: What came, what goes to the service, and what the log says.
BROKEN = {
    "a call without a result": (
        [called(OSLO), user("And?")],
        [called(OSLO), gave(missing(OSLO)), user("And?")],
        ["calls without a result: 1"],
    ),
    "a call at the end": (
        [user("Rain?"), called(OSLO)],
        [user("Rain?"), called(OSLO), gave(missing(OSLO))],
        ["calls without a result: 1"],
    ),
    "one of two results": (
        [called(OSLO, ROME), gave(SUN)],
        [called(OSLO, ROME), gave(missing(OSLO), SUN)],
        ["calls without a result: 1"],
    ),
    "a result without a call": (
        [user("Rain?"), gave(RAIN), user("So?")],
        [user("Rain?"), TOLD, user("So?")],
        ["results without a call: 1"],
    ),
    "a result behind a reply in words": (
        [Message("assistant", "So."), gave(RAIN)],
        [Message("assistant", "So."), TOLD],
        ["results without a call: 1"],
    ),
    "a result that came twice": (
        [called(OSLO), gave(RAIN, RAIN)],
        [called(OSLO), gave(RAIN), TOLD],
        ["results without a call: 1"],
    ),
    "a result behind a request": (
        [called(OSLO), user("Quick!"), gave(RAIN)],
        [called(OSLO), gave(RAIN), user("Quick!")],
        ["results that came late: 1"],
    ),
    "results in messages of their own": (
        [called(OSLO, ROME), gave(RAIN), gave(SUN)],
        [called(OSLO, ROME), gave(RAIN, SUN)],
        ["results that came late: 1"],
    ),
    "two replies that wait together": (
        [called(OSLO, text="One."), called(ROME, text="Two."), gave(RAIN, SUN)],
        [called(OSLO, ROME, text="One.\n\nTwo."), gave(RAIN, SUN)],
        ["replies that called one after the other: 1"],
    ),
    "an id that came before": (
        [called(OSLO), gave(RAIN), called(NOW), gave(NOON)],
        [called(OSLO), gave(RAIN), called(AGAIN), gave(ToolResult(AGAIN, "noon"))],
        ["ids that came twice: 1"],
    ),
    "two calls with one id": (
        [called(OSLO, NOW), gave(RAIN, NOON)],
        [called(OSLO, AGAIN), gave(RAIN, ToolResult(AGAIN, "noon"))],
        ["ids that came twice: 1"],
    ),
    "arguments in single quotes": (
        [called(ToolCall("get_weather", {"arguments": "{'city': 'Oslo'}"}, "a")), gave(RAIN)],
        [called(OSLO), gave(RAIN)],
        ["arguments that were no JSON: 1"],
    ),
    "arguments that were cut": (
        [called(ToolCall("get_weather", {"arguments": '{"city": "Oslo'}, "a")), gave(RAIN)],
        [called(OSLO), gave(RAIN)],
        ["arguments that were no JSON: 1"],
    ),
}


@pytest.mark.parametrize(("came", "goes", "notes"), BROKEN.values(), ids=BROKEN)
def test_what_a_service_refuses_is_put_right_and_said(came, goes, notes):
    put = put_right(came, STANDARD_OFFER)
    assert put.messages == goes
    assert [each.id for message in put.messages for each in message.calls] == [
        each.id for message in goes for each in message.calls
    ]
    assert [each.call.id for message in put.messages for each in message.results] == [
        each.call.id for message in goes for each in message.results
    ]
    assert list(put.notes) == notes


@pytest.mark.parametrize("came", [each[0] for each in BROKEN.values()], ids=BROKEN)
def test_what_was_put_right_needs_nothing_more(came):
    put = put_right(came, STANDARD_OFFER).messages
    again = put_right(put, STANDARD_OFFER)
    assert again == (put, ())
    assert [id(each) for each in again.messages] == [id(each) for each in put]


@pytest.mark.parametrize("came", [each[0] for each in BROKEN.values()], ids=BROKEN)
def test_what_follows_changes_nothing_before_it(came):
    # A service keeps what it has read of a prompt only as far as the next one begins the same.
    put = put_right(came, STANDARD_OFFER).messages
    more = [*came, Message("assistant", "So."), user("And now?")]
    assert put_right(more, STANDARD_OFFER).messages == [*put, *more[-2:]]


def test_a_call_without_an_id_gets_one():
    nameless = ToolCall("now", {}, "")
    put = put_right([called(nameless), gave(ToolResult(nameless, "noon"))], STANDARD_OFFER)
    (call,), (result,) = put.messages[0].calls, put.messages[1].results
    assert call.id == result.call.id == "call_1"


def test_arguments_that_nobody_can_read_stay_as_the_client_s_api_read_them():
    prose = ToolCall("get_weather", {"arguments": "the weather, please"}, "a")
    messages = [called(prose), gave(ToolResult(prose, "what?"))]
    assert put_right(messages, STANDARD_OFFER).messages == messages


LEAKED = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'


def test_a_call_that_was_left_in_the_text_is_told_as_one_that_was_not_run():
    came = [user("Rain?"), Message("assistant", f"I look.\n\n{LEAKED}"), user("And?")]
    put, notes = put_right(came, STANDARD_OFFER)
    said, told = put[1], put[2]
    assert (said.content, said.calls) == ("I look.", (OSLO,))
    assert told.results == (missing(said.calls[0]),)
    assert put[0] is came[0] and put[3] is came[2]
    assert notes == ("calls written as text: 1", "calls without a result: 1")


@pytest.mark.parametrize("text", [f"Write `{LEAKED}`.", f"So:\n\n```\n{LEAKED}\n```\n\nIs it."])
def test_a_call_that_was_only_shown_stays_text(text):
    came = [Message("assistant", text), user("Thanks.")]
    assert put_right(came, STANDARD_OFFER) == (came, ())
