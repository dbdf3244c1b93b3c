"""The answer of a service with tools becomes the events of every other reader."""

from __future__ import annotations

from toolproto import CallCompleted, Chunk, ToolCall, get_paradigm
from toolproto.protocol.decoding.contract import AnswerDecoder, heard
from toolproto.protocol.events import ReasoningDelta, TextDelta
from toolproto.protocol.messages import Message, NativePiece, ToolResult
from toolproto.protocol.native import NativeTools
from toolproto.protocol.taking_turns import taking_turns
from toolproto.testing import STANDARD_OFFER

PARADIGM = NativeTools(get_paradigm("json_strict"))


def test_text_thoughts_and_calls_of_an_answer_are_events():
    decoder = PARADIGM.decoder(STANDARD_OFFER)
    assert isinstance(decoder, AnswerDecoder)
    events = heard(decoder, Chunk("I will look.", "Which city?"))
    events += heard(decoder, Chunk(calls=(NativePiece(0, "a1", "get_weather"),)))
    events += heard(decoder, Chunk(calls=(NativePiece(0, arguments='{"city": "Oslo"}'),)))
    events += decoder.finish("stop")
    assert [ReasoningDelta("Which city?"), TextDelta("I will look.")] == events[:2]
    whole = [event.call for event in events if isinstance(event, CallCompleted)]
    assert whole == [ToolCall("get_weather", {"city": "Oslo"})]
    assert whole[0].id == "a1"


def test_a_prompt_says_nothing_of_tools_that_the_service_shows_itself():
    assert PARADIGM.splice_system_prompt("Be brief.", STANDARD_OFFER) == "Be brief."


def test_calls_and_results_stay_values_and_apart_from_what_is_said_around_them():
    call = ToolCall("get_weather", {"city": "Oslo"}, "a1")
    said = [
        Message("user", "Rain?"),
        Message("assistant", "", calls=(call,)),
        *PARADIGM.format_results([ToolResult(call, "no")]),
        Message("user", "Sure?"),
    ]
    assert taking_turns(PARADIGM.encode_conversation(said)) == said
