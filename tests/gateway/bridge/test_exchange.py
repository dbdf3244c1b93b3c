"""One answer: what the model is asked, what leaves, what is asked again."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.amount import some_paradigms
from toolproto.endpoints.apis.asked import AnswerShape, Asked, ClientTool
from toolproto.endpoints.apis.pieces import Ended, Failed, Piece, joined
from toolproto.endpoints.apis.serving.api import Answer, collected
from toolproto.gateway.bridge.calls import OutgoingCalls
from toolproto.gateway.bridge.exchange import Exchange
from toolproto.protocol.events import ArgumentsDelta, CallCompleted, CallStarted, TextDelta
from toolproto.protocol.messages import Chunk, Message, ProblemKind, ToolCall, ToolResult, Usage
from toolproto.protocol.paradigms import get_paradigm
from toolproto.protocol.tools.spec import ToolOffer, ToolSpec

WEATHER = ToolSpec(
    "get_weather",
    "Current weather for a city.",
    {
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
        "required": ["city"],
    },
)
TIME = ToolSpec("now", "The time.", {"type": "object", "properties": {}})
OFFER = ToolOffer((WEATHER, TIME))
ASKED = Asked("m", (Message("user", "How is Oslo?"),), OFFER)
STREAMED = replace(ASKED, stream=True)
CALL = '<tool_code>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_code>'
NOW = '<tool_code>{"name": "now", "arguments": {}}</tool_code>'


def answer(asked: Asked, *replies: str, reason: str = "stop", size: int = 3) -> list[Piece]:
    """The pieces that go out when the model says *replies*, one after the other."""
    exchange = Exchange(asked, get_paradigm("xml_tag"), reasks=2)
    pieces: list[Piece] = []
    for reply in replies:
        assert not exchange.done
        for at in range(0, len(reply), size):
            pieces += exchange.feed(Chunk(reply[at : at + size]))
        pieces += exchange.feed(Chunk(finish_reason=reason, usage=Usage(10, 5)))
        pieces += exchange.finish()
    assert exchange.done
    return pieces


def whole(asked: Asked, *replies: str, reason: str = "stop") -> Answer:
    found = collected(answer(asked, *replies, reason=reason))
    assert isinstance(found, Answer), found
    return found


BOTH = pytest.mark.parametrize("asked", [ASKED, STREAMED], ids=["whole", "streamed"])


@BOTH
def test_a_call_leaves_with_its_name_and_arguments(asked):
    found = whole(asked, f"Let me look. {CALL}")
    (call,) = found.calls
    assert (call.name, json.loads(call.arguments)) == ("get_weather", {"city": "Oslo"})
    assert (found.text, found.reason) == ("Let me look. ", "tool_calls")
    assert call.id.startswith("call_")


@BOTH
def test_several_calls_leave_in_order_each_with_an_id_of_its_own(asked):
    found = whole(asked, CALL + NOW)
    assert [call.name for call in found.calls] == ["get_weather", "now"]
    assert found.calls[1].arguments == "{}"
    assert len({call.id for call in found.calls}) == 2


@BOTH
def test_words_alone_are_an_answer(asked):
    found = whole(asked, "Rain, I suppose.")
    assert (found.text, found.calls, found.reason) == ("Rain, I suppose.", [], "stop")


def test_arguments_leave_while_they_are_written():
    exchange = Exchange(STREAMED, get_paradigm("xml_tag"))
    out = exchange.feed(Chunk('<tool_code>{"name": "get_weather", "arguments": {"city": "Osl'))
    assert isinstance(out[0], CallStarted)
    assert "".join(piece.text for piece in out[1:] if isinstance(piece, ArgumentsDelta)) == (
        '{"city": "Osl'
    )


@BOTH
def test_white_space_between_calls_is_no_text(asked):
    assert whole(asked, f"So. \n{CALL}\n\n{NOW}\n").text == "So. \n"
    assert whole(asked, f"So. {CALL}\n\nDone.").text == "So. \n\nDone."


def test_one_call_is_open_at_a_time_and_the_end_comes_last():
    kinds = [type(piece) for piece in answer(STREAMED, f"So. {CALL}{NOW}")]
    calls = [kind for kind in kinds if kind not in (TextDelta, ArgumentsDelta)]
    assert calls == [CallStarted, CallCompleted, CallStarted, CallCompleted, Ended]


MISTAKES = {
    "unreadable": "<tool_code>weather in Oslo?</tool_code>",
    "unknown tool": '<tool_code>{"name": "send_mail", "arguments": {}}</tool_code>',
}


@BOTH
@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_of_which_nothing_went_out_is_asked_again(asked, mistake):
    found = whole(asked, mistake, CALL)
    assert [call.name for call in found.calls] == ["get_weather"]
    assert (found.text, found.usage) == ("", Usage(20, 10))


def test_the_model_is_told_what_was_wrong():
    exchange = Exchange(ASKED, get_paradigm("xml_tag"))
    exchange.feed(Chunk(MISTAKES["unknown tool"], finish_reason="stop"))
    assert exchange.finish() == []
    *_, said, advice = exchange.request.messages
    assert said == Message("assistant", MISTAKES["unknown tool"])
    assert "there is no tool 'send_mail'" in advice.content


@BOTH
def test_an_unknown_tool_never_leaves_even_when_the_model_insists(asked):
    pieces = answer(asked, *[MISTAKES["unknown tool"]] * 3)
    assert isinstance(pieces[-1], Failed)
    assert not any(isinstance(piece, CallStarted) for piece in pieces)


def test_a_mistake_behind_words_that_went_out_is_asked_about():
    found = whole(STREAMED, f"Let me see. {MISTAKES['unknown tool']}", f"Let me see. Now. {CALL}")
    assert (found.text.strip(), found.reason) == ("Let me see. Now.", "tool_calls")
    assert [call.name for call in found.calls] == ["get_weather"]


def insisting(asked: Asked, *replies: str) -> tuple[str, Failed]:
    """The words that went out before the answer failed, and how it did."""
    *pieces, failed = answer(asked, *replies)
    assert isinstance(failed, Failed), failed
    return "".join(piece.text for piece in pieces if isinstance(piece, TextDelta)), failed


@BOTH
@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_behind_words_that_is_not_mended_is_never_an_end_like_any_other(asked, mistake):
    """Eighteen agents took the words for all there was, and ended as if they were done."""
    words, failed = insisting(asked, *[f"Let me see. {mistake}"] * 3)
    assert words.strip() == ("Let me see." if asked.stream else "")
    assert (failed.status, failed.code) == (400, "unusable_tool_call")


def test_a_strict_call_behind_words_that_does_not_fit_is_asked_about():
    asked = replace(STREAMED, strict=frozenset({"get_weather"}))
    wrong = "Let me see. " + CALL.replace('"city"', '"town"')
    assert [call.name for call in whole(asked, wrong, CALL).calls] == ["get_weather"]
    assert insisting(asked, wrong, wrong, wrong)[1].code == "unusable_tool_call"


def test_a_model_that_falls_silent_over_its_mistake_has_not_mended_it():
    unknown = f"Let me see. {MISTAKES['unknown tool']}"
    _, failed = insisting(STREAMED, unknown, "", "")
    assert "send_mail" in failed.message


def test_a_model_that_goes_on_in_words_has_mended_its_mistake():
    found = whole(STREAMED, f"So.{MISTAKES['unknown tool']}", "I have no such tool.")
    assert (found.text, found.reason) == ("So.\n\nI have no such tool.", "stop")


AGAIN = {
    "all of it": ("Let me see. {}", "Let me see. {}", "Let me see. "),
    "and goes on": ("Let me see. {}", "Let me see. Now. {}", "Let me see. Now. "),
    "a part of it": ("I see. Now. {}", "I see. {}", "I see. Now. "),
    "only the beginning": ("Let me see. {}", "Let me do it. {}", "Let me see. Let me do it. "),
    "other space": ("Let me see.\n\n{}", "\nLet me see.\n{}", "Let me see.\n\n"),
    "other words": ("So. {}", "Well. {}", "So. Well. "),
    "without a space": ("So.{}", "Well. {}", "So.\n\nWell. "),
}


@pytest.mark.parametrize("first, then, seen", AGAIN.values(), ids=AGAIN)
@pytest.mark.parametrize("size", [1, 3, 500])
def test_what_is_said_again_after_a_mistake_goes_out_once(first, then, seen, size):
    mistake = MISTAKES["unknown tool"]
    pieces = answer(STREAMED, first.format(mistake), then.format(CALL), size=size)
    assert "".join(piece.text for piece in pieces if isinstance(piece, TextDelta)) == seen


def test_what_is_said_a_third_time_goes_out_once():
    mistake = MISTAKES["unknown tool"]
    said = ["One. {}", "One. Two. {}", "One. Two. Three. {}"]
    found = whole(STREAMED, *(each.format(mistake) for each in said[:2]), said[2].format(CALL))
    assert found.text == "One. Two. Three. "
    found = whole(STREAMED, f"One. {mistake}", f"Two. {mistake}", f"One. {CALL}")
    assert found.text == "One. Two. "


@pytest.mark.parametrize("size", [1, 3, 500])
def test_white_space_behind_a_call_does_not_depend_on_chunks(size):
    pieces = answer(STREAMED, f"{CALL}\n\nDone. \n\n{NOW} \n", size=size)
    assert [piece.text for piece in joined(pieces) if isinstance(piece, TextDelta)] == ["\n\nDone."]


@pytest.mark.parametrize("size", [1, 3, 500])
def test_an_answer_behind_a_thought_begins_with_its_first_line(size):
    pieces = answer(STREAMED, "<think>Hm.</think>\n\n  Rain.\n", size=size)
    assert "".join(piece.text for piece in pieces if isinstance(piece, TextDelta)) == "  Rain.\n"


@BOTH
def test_nothing_is_waited_for_behind_a_result_that_was_made_up(asked):
    exchange = Exchange(asked, get_paradigm("xml_tag"))
    exchange.feed(Chunk(f"{CALL}\n<tool_result>4 degrees"))
    assert exchange.is_over
    found = collected(exchange.finish()) if not asked.stream else exchange.finish()[-1]
    assert found.reason == "tool_calls"


@pytest.mark.parametrize("name", some_paradigms(3))
def test_no_stop_word_of_ours_cuts_an_argument(name):
    """Any file that held ``<tool_result`` ended in its middle."""
    assert Exchange(ASKED, get_paradigm(name)).request.stop == ()


@BOTH
def test_a_call_that_is_only_shown_is_asked_about_and_never_leaves(asked):
    shown = f"You would write {CALL} for that."
    found = whole(asked, shown, "No call is needed.")
    assert (found.calls, found.reason) == ([], "stop")
    found = whole(asked, shown, CALL)
    assert [call.name for call in found.calls] == ["get_weather"]
    found = whole(asked, shown, shown, shown)
    assert (found.calls, found.reason) == ([], "stop")
    assert '"name": "get_weather"' in found.text


def test_wrong_arguments_are_mended_or_asked_again():
    wrong = CALL.replace('"Oslo"', '"Oslo", "days": "three"')
    mended = CALL.replace('"Oslo"', '"Oslo", "days": "3"')
    found = whole(ASKED, wrong, mended)
    assert json.loads(found.calls[0].arguments) == {"city": "Oslo", "days": 3}


def test_a_strict_tool_leaves_only_whole_and_valid():
    asked = replace(STREAMED, strict=frozenset({"get_weather"}))
    found = whole(asked, CALL.replace('"city"', '"town"'), CALL)
    assert json.loads(found.calls[0].arguments) == {"city": "Oslo"}


@BOTH
@pytest.mark.parametrize(
    "reason, said",
    [("length", "length"), ("MAX_TOKENS", "length"), ("abort", "length"),
     ("SAFETY", "content_filter"), ("refusal", "content_filter")],
)  # fmt: skip
def test_a_call_that_was_cut_is_no_call_and_the_end_says_so(asked, reason, said):
    pieces = answer(asked, CALL[:50], reason=reason)
    assert pieces[-1] == Ended(said, Usage(10, 5))
    assert not any(isinstance(piece, CallCompleted) for piece in pieces)


def test_nothing_of_a_cut_call_is_seen_by_who_does_not_stream():
    assert whole(ASKED, CALL[:50], reason="length").calls == []


def test_a_whole_call_before_the_cut_counts():
    assert whole(ASKED, f"{CALL}\nAnd", reason="length").reason == "tool_calls"


def test_a_call_right_before_the_cut_goes_out():
    found = whole(ASKED, CALL, reason="length")
    assert len(found.calls) == 1


def test_a_call_that_breaks_after_a_part_went_out_is_an_error_and_no_finish():
    broken = '<tool_code>{"name": "get_weather", "arguments": {"city": "Oslo", @@ ##'
    pieces = answer(STREAMED, broken)
    assert isinstance(pieces[0], CallStarted)
    assert isinstance(pieces[-1], Failed)
    assert not any(isinstance(piece, Ended | CallCompleted) for piece in pieces)


@pytest.mark.parametrize("sent", ['{"city": "Rome"}', '{"city": "Oslo"', ""])
def test_a_call_that_reads_otherwise_than_it_went_out_does_not_end(sent):
    calls = OutgoingCalls(STREAMED, live=True)
    assert len([*calls.start(0, "get_weather"), *calls.add(ArgumentsDelta(0, sent))]) == 2
    assert not [*calls.complete(0, ToolCall("get_weather", {"city": "Oslo"}))]
    assert calls.half_out


def test_the_calls_of_a_reply_share_what_checking_may_cost():
    """Each of them took seconds, with a schema of a few hundred bytes."""
    twice = {f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(40)}
    schema = {"properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": {**twice, "d40": False}}
    offer = ToolOffer((ToolSpec("slow", "", schema), TIME))
    calls = OutgoingCalls(replace(ASKED, offer=offer), live=False)
    for index in range(500):
        assert not calls.complete(index, ToolCall("slow", {"a": 1}))
    bounded = {ProblemKind.TOO_LARGE, ProblemKind.INVALID_ARGUMENTS}
    assert {problem.kind for problem in calls.problems} <= bounded
    assert len(calls.problems) == 500


@pytest.mark.parametrize("reason", ["stop", "length"])
def test_nothing_follows_a_call_that_broke_after_a_part_went_out(reason):
    """Found by fuzzing: the next call would have gone out, and the end been a regular one."""
    broken = '<tool_call>\n{"name": "now", "arguments"\x00' + get_paradigm("hermes").encode_call(
        ToolCall("get_weather", {"city": "Oslo"})
    )
    exchange = Exchange(STREAMED, get_paradigm("hermes"))
    pieces = [*exchange.feed(Chunk(broken, finish_reason=reason)), *exchange.finish()]
    assert [type(piece) for piece in pieces] == [CallStarted, Failed]


@BOTH
def test_nothing_follows_the_one_call_that_was_wanted(asked):
    asked = replace(asked, offer=replace(OFFER, parallel=False))
    for size in (1, 3, 500):
        pieces = answer(asked, f"{CALL}\nand so on", size=size)
        assert not any(isinstance(piece, TextDelta) for piece in pieces)


def test_a_call_that_the_model_left_unfinished_is_asked_again():
    assert whole(ASKED, '<tool_code>{"name": "get_weather", ', CALL).calls


HALF_CALL = '<tool_code>{"name": "get_weather", "arguments": {"city": "Oslo", "x": [}}</tool_code>'


@BOTH
def test_a_call_taken_for_words_at_the_end_of_a_reply_is_asked_about(asked):
    """In the middle of a sentence, and out of form: an agent would have stopped there."""
    found = whole(asked, f"ok {HALF_CALL}", CALL)
    assert [call.name for call in found.calls] == ["get_weather"]


@BOTH
@pytest.mark.parametrize("call", [CALL, HALF_CALL])
def test_a_call_in_a_sentence_that_ends_each_reply_is_no_regular_end(asked, call):
    _, failed = insisting(asked, *[f"ok {call}\n"] * 3)
    assert failed.code == "unusable_tool_call"


def test_a_call_in_a_sentence_is_not_asked_about_where_no_tool_is_offered_any_more():
    call = ToolCall("get_weather", {"city": "Oslo"}, id="call_1")
    turns = (
        Message("assistant", "", calls=(call,)),
        Message("user", "", results=(ToolResult(call, "rain"),)),
    )
    asked = replace(ASKED, offer=ToolOffer(), messages=(*ASKED.messages, *turns))
    assert whole(asked, f"ok {CALL}").reason == "stop"


def test_half_a_call_in_the_middle_of_an_explanation_is_asked_about():
    found = whole(ASKED, f"You write {HALF_CALL} and then wait.", "It rains.")
    assert found.text.endswith("It rains.")


@BOTH
def test_a_call_in_a_fence_waits_for_the_end_of_the_reply(asked):
    exchange = Exchange(asked, get_paradigm("xml_tag"))
    pieces = exchange.feed(Chunk(f"I look.\n\n```\n{CALL}\n```\n", finish_reason="stop"))
    assert not any(isinstance(piece, CallStarted) for piece in pieces)
    assert any(isinstance(piece, CallCompleted) for piece in exchange.finish())


@BOTH
def test_an_introduced_call_with_text_behind_it_is_asked_about_streamed_and_whole_alike(asked):
    found = whole(asked, f"For example:\n\n{CALL}\n\nThat is how one asks.", "Well.")
    assert found.calls == []


@BOTH
def test_words_behind_a_call_come_too_late_streamed_and_whole_alike(asked):
    assert len(whole(asked, f"{CALL} is what you would write.").calls) == 1


def with_choice(asked: Asked, choice: str) -> Asked:
    return replace(asked, offer=replace(asked.offer, choice=choice))


@BOTH
def test_no_call_leaves_where_none_may(asked):
    asked = with_choice(asked, "none")
    found = whole(asked, f"Rain. {CALL}")
    assert (found.text.strip(), found.calls, found.reason) == ("Rain.", [], "stop")


@BOTH
def test_a_forbidden_call_and_nothing_else_is_asked_again(asked):
    found = whole(with_choice(asked, "none"), CALL, "Rain.")
    assert (found.text, found.calls) == ("Rain.", [])


def test_no_instructions_are_sent_where_no_call_may_be_made():
    request = Exchange(with_choice(ASKED, "none"), get_paradigm("xml_tag")).request
    assert [message.role for message in request.messages] == ["user"]


@BOTH
def test_a_forbidden_call_that_is_insisted_on_ends_in_a_sentence_that_says_so(asked):
    found = whole(with_choice(asked, "none"), CALL, CALL, CALL)
    told = "(No answer: the model only tried to call get_weather, and no tool may be called here.)"
    assert (found.text, found.calls, found.reason) == (told, [], "stop")


def test_a_forbidden_call_of_an_unknown_tool_does_not_bring_its_name_to_the_client():
    call = CALL.replace("get_weather", "rm -rf /")
    assert "rm" not in whole(with_choice(ASKED, "none"), call, call, call).text


@BOTH
def test_a_forbidden_call_where_json_is_wanted_is_an_error(asked):
    """No sentence of ours would be what the client asked for."""
    asked = replace(with_choice(asked, "none"), shape=AnswerShape())
    _, failed = insisting(asked, CALL, CALL, CALL)
    assert failed.status == 400


@BOTH
def test_a_tool_may_be_called_by_the_name_its_client_knows(asked):
    """A tool named ``auto`` is offered as ``auto_tool``; the user may well speak of ``auto``."""
    spec, known = ToolSpec("auto_tool", "", {"properties": {}}), {"auto_tool": ClientTool("auto")}
    asked = replace(asked, offer=ToolOffer((spec,)), tools=known)
    written = '<tool_code>{"name": "auto", "arguments": {}}</tool_code>'
    (call,) = whole(asked, written).calls
    assert call.name == "auto_tool"


PARTIAL = ToolSpec("PartialReading", "", {"properties": {"city": {"type": "string"}}})


@BOTH
@pytest.mark.parametrize("choice", ["PartialReading", "required"])
def test_a_part_of_its_name_is_enough_for_the_one_tool_that_is_demanded(asked, choice):
    """Instructor's partial objects: the schema of ``PartialReading`` describes a ``Reading``."""
    asked = replace(asked, offer=ToolOffer((PARTIAL,), choice))
    written = '<tool_code>{"name": "Reading", "arguments": {"city": "Oslo"}}</tool_code>'
    (call,) = whole(asked, written).calls
    assert (call.name, json.loads(call.arguments)) == ("PartialReading", {"city": "Oslo"})


@BOTH
def test_a_part_of_a_name_is_no_name_where_the_model_may_choose(asked):
    asked = replace(asked, offer=ToolOffer((PARTIAL, WEATHER)))
    written = '<tool_code>{"name": "Reading", "arguments": {"city": "Oslo"}}</tool_code>'
    assert whole(asked, written, CALL).calls[0].name == "get_weather"


@BOTH
@pytest.mark.parametrize("choice", ["required", "get_weather"])
def test_a_demanded_call_is_asked_for_again(asked, choice):
    found = whole(with_choice(asked, choice), "I would say rain.", CALL)
    assert (found.text, [call.name for call in found.calls]) == ("", ["get_weather"])


@BOTH
def test_another_tool_than_the_demanded_one_does_not_leave(asked):
    found = whole(with_choice(asked, "now"), CALL, NOW)
    assert [call.name for call in found.calls] == ["now"]


@BOTH
def test_a_model_that_will_not_call_is_an_error(asked):
    pieces = answer(with_choice(asked, "required"), "No.", "No.", "No.")
    assert isinstance(pieces[-1], Failed)
    assert pieces[-1].code == "tool_choice_unmet"
    assert len(pieces) == 1


@BOTH
def test_one_call_only_where_the_client_takes_one_at_a_time(asked):
    asked = replace(asked, offer=replace(OFFER, parallel=False))
    assert [call.name for call in whole(asked, CALL + NOW).calls] == ["get_weather"]


@BOTH
def test_an_answer_in_a_shape_is_its_json_alone(asked):
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    asked = replace(asked, shape=AnswerShape(schema))
    found = whole(asked, "Sure! 3", '```json\n{"n": 3}\n```')
    assert found.text == '{"n": 3}'


def test_a_call_needs_no_shape():
    assert whole(replace(ASKED, shape=AnswerShape()), CALL).calls


@BOTH
def test_a_reply_without_a_word_is_asked_for_again(asked):
    exchange = Exchange(asked, get_paradigm("xml_tag"))
    before = exchange.request.messages
    assert not exchange.feed(Chunk(" ", finish_reason="stop")) + exchange.finish()
    assert [each.role for each in exchange.request.messages] == [each.role for each in before]
    assert "wrote nothing" in exchange.request.messages[-1].content


@BOTH
def test_a_model_that_stays_silent_is_an_error_that_nobody_tries_again(asked):
    (failed,) = answer(asked, "", "<think>Hm.", "", reason="stop")[-1:]
    assert isinstance(failed, Failed)
    assert (failed.status, failed.code) == (400, "empty_reply")


def test_a_reply_that_breaks_off_is_an_error():
    exchange = Exchange(STREAMED, get_paradigm("xml_tag"))
    exchange.feed(Chunk("Let me"))
    assert isinstance(exchange.finish()[-1], Failed)


def test_tool_history_is_text_upstream_even_without_tools():
    call = ToolCall("get_weather", {"city": "Oslo"}, "call_1")
    asked = Asked(
        "m",
        (
            Message("system", "Be brief."),
            Message("user", "How is Oslo?"),
            Message("assistant", "", (call,)),
            Message("user", "", results=(ToolResult(call, "rain"),)),
            Message("system", "And kind."),
            Message("user", "And?"),
        ),
    )
    request = Exchange(asked, get_paradigm("xml_tag")).request
    assert [message.role for message in request.messages] == ["system", "user", "assistant", "user"]
    assert request.messages[0].content == "Be brief.\n\nAnd kind."
    assert "rain" in request.messages[3].content and "And?" in request.messages[3].content
    assert not any(message.calls or message.results for message in request.messages)


@BOTH
@pytest.mark.parametrize("reason, stopped", [("stop", False), ("stop_sequence", True)])
def test_an_end_at_a_stop_sequence_is_told_apart_where_the_backend_does(asked, reason, stopped):
    ended = answer(asked, "Rain.", reason=reason)[-1]
    assert ended == Ended("stop", Usage(10, 5), stopped)
