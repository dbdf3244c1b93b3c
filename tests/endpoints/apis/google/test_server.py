"""Google's API, both directions."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolproto.endpoints.apis.asked import ApiFault, BadRequest
from toolproto.endpoints.apis.google.server import GoogleApi
from toolproto.endpoints.apis.pieces import Ended
from toolproto.endpoints.apis.serving.api import Answer, collected
from toolproto.gateway.bridge.prompting import first_request
from toolproto.protocol.events import TextDelta
from toolproto.protocol.messages import Attachment, Message, ToolCall, ToolResult, Usage
from toolproto.protocol.paradigms import get_paradigm

from ..samples import CONVERSATION, PIECES, STAMP, streamed
from ..test_hostile import FEW, VALUES, places

API = GoogleApi()
SCHEMA = {"type": "OBJECT", "properties": {"city": {"type": "STRING"}}, "required": ["city"]}
BODY: dict[str, Any] = {
    "model": "m",
    "stream": True,
    "systemInstruction": {"parts": [{"text": "Be brief."}]},
    "contents": [
        {"role": "user", "parts": [{"text": "How is Oslo?"}]},
        {
            "role": "model",
            "parts": [
                {"text": "Hm.", "thought": True},
                {"text": "Let me look."},
                {"functionCall": {"name": "get_weather", "args": {"city": "Oslo"}}},
                {"functionCall": {"name": "now"}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"name": "get_weather", "response": {"result": "rain"}}},
                {"functionResponse": {"name": "now", "response": {"output": "noon"}}},
                {"text": "And?"},
            ],
        },
    ],
    "tools": [
        {
            "functionDeclarations": [
                {"name": "get_weather", "description": "The weather.", "parameters": SCHEMA},
                {"name": "now", "description": "The time."},
            ]
        },
        {"googleSearch": {}},
    ],
    "toolConfig": {"functionCallingConfig": {"mode": "AUTO"}},
    "generationConfig": {
        "temperature": 0.5,
        "topP": 0.9,
        "maxOutputTokens": 100,
        "stopSequences": ["END"],
        "candidateCount": 1,
        "thinkingConfig": {"includeThoughts": True},
    },
    "safetySettings": [],
}


def read(**changes: Any) -> Any:
    return API.read({**BODY, **changes})


def test_the_conversation_is_that_of_every_other_api():
    assert read().messages == CONVERSATION


def test_tools_terms_and_parameters_are_read():
    asked = read()
    weather, now = asked.offer.tools
    assert (weather.name, weather.parameters["properties"]) == (
        "get_weather",
        {"city": {"type": "string"}},
    )
    assert now.parameters == {"type": "object"}
    assert asked.notes[0] == "get_weather: odd type at the top"
    assert asked.notes[-1] == "left out google_search: it runs on its maker's servers"
    assert asked.params == {"temperature": 0.5, "top_p": 0.9, "max_tokens": 100}
    assert (asked.stop, asked.stream, asked.choices) == (("END",), True, 1)


def test_names_may_be_written_with_underscores():
    snake = {
        "model": "m",
        "system_instruction": {"parts": [{"text": "Be brief."}]},
        "contents": [{"role": "user", "parts": [{"text": "?"}]}],
        "tools": [{"function_declarations": [{"name": "now", "parameters_json_schema": {}}]}],
        "tool_config": {"function_calling_config": {"mode": "any"}},
        "generation_config": {"max_output_tokens": 7, "response_mime_type": "application/json"},
    }
    asked = API.read(snake)
    assert asked.messages == (Message("system", "Be brief."), Message("user", "?"))
    assert (asked.offer.names, asked.offer.choice) == ({"now"}, "required")
    assert asked.params == {"max_tokens": 7} and asked.shape is not None


CALLING: dict[str, tuple[Any, str, set[str]]] = {
    "auto": ({"mode": "AUTO"}, "auto", {"get_weather", "now"}),
    "validated": ({"mode": "VALIDATED"}, "auto", {"get_weather", "now"}),
    "any": ({"mode": "ANY"}, "required", {"get_weather", "now"}),
    "one": ({"mode": "ANY", "allowedFunctionNames": ["now"]}, "now", {"get_weather", "now"}),
    "some": (
        {"mode": "ANY", "allowedFunctionNames": ["now", "get_weather"]},
        "required",
        {"get_weather", "now"},
    ),
    "none": ({"mode": "NONE"}, "none", {"get_weather", "now"}),
}


@pytest.mark.parametrize(("calling", "choice", "names"), CALLING.values(), ids=CALLING)
def test_the_choice_of_tools_is_read(calling: Any, choice: str, names: set[str]):
    offer = read(toolConfig={"functionCallingConfig": calling}).offer
    assert (offer.choice, offer.names) == (choice, names)


def test_results_find_their_calls_by_id_or_by_name_and_may_be_anything():
    calls = [{"functionCall": {"id": id, "name": "now", "args": {}}} for id in ("a", "b")]
    results = [
        {"functionResponse": {"id": "b", "name": "now", "response": {"error": "late"}}},
        {"functionResponse": {"id": "a", "name": "now", "response": {"hour": 1}}},
    ]
    turns = [{"role": "model", "parts": calls}, {"role": "function", "parts": results}]
    _, last = read(contents=turns, systemInstruction=None).messages
    first, second = (ToolCall("now", {}, id) for id in ("a", "b"))
    assert last.results == (
        ToolResult(first, '{"hour": 1}'),
        ToolResult(second, "late", is_error=True),
    )
    assert [result.call.id for result in last.results] == ["a", "b"]


def test_images_and_documents_are_parts():
    parts = [
        {"inlineData": {"mimeType": "image/png", "data": "aGk="}},
        {"inlineData": {"mimeType": "text/plain", "data": "aGk="}},
        {"fileData": {"mimeType": "video/mp4", "fileUri": "https://a.b/c"}},
        {"videoMetadata": {"fps": 1}},
        {"executableCode": {"language": "PYTHON", "code": "1+1"}},
        {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "2"}},
    ]
    contents = [{"parts": parts}]
    (said,) = read(contents=contents, systemInstruction=None).messages
    assert said.content.split("\n") == [
        "[image: image/png, 1 KB, not shown to this model]",
        "hi",
        "[document: video/mp4, https://a.b/c, not shown to this model]",
        "[videoMetadata, not shown to this model]",
        "1+1",
        "2",
    ]
    seeing = API.read({**BODY, "contents": contents}, lambda each: each.is_image)
    assert seeing.messages[-1].attachments == (Attachment("image/png", "aGk="),)


REFUSED: dict[str, tuple[Any, str, str]] = {
    "no contents": ({"contents": []}, "contents", "at least one"),
    "a content": ({"contents": [7]}, "contents[0]", "parts"),
    "a role": ({"contents": [{"role": "root", "parts": []}]}, "contents[0].role", "'root'"),
    "a text": ({"contents": [{"parts": [{"text": 7}]}]}, "contents[0].parts[0].text", "string"),
    "a call": (
        {"contents": [{"role": "model", "parts": [{"functionCall": {}}]}]},
        "contents[0].parts[0].functionCall.name",
        "missing",
    ),
    "a mode": (
        {"toolConfig": {"functionCallingConfig": {"mode": "MAYBE"}}},
        "toolConfig.functionCallingConfig.mode",
        "AUTO",
    ),
    "an unknown tool": (
        {"toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["fly"]}}},
        "tool_choice",
        "'fly'",
    ),
    "a number": (
        {"generationConfig": {"topP": "x"}},
        "generationConfig.topP",
        "must be a number",
    ),
    "no answers": (
        {"generationConfig": {"candidateCount": 0}},
        "generationConfig.candidateCount",
        "1 or more",
    ),
}


@pytest.mark.parametrize(("fields", "param", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_used_is_refused_by_name(fields: Any, param: str, message: str):
    with pytest.raises(BadRequest) as refused:
        read(**fields)
    assert refused.value.param == param
    assert message in refused.value.message


def test_a_whole_answer_is_one_candidate():
    answer = collected(PIECES)
    assert isinstance(answer, Answer)
    assert API.whole(read(), [answer], STAMP) == {
        "candidates": [
            {
                "content": {
                    "parts": [
                        {"text": "Oslo, then.", "thought": True},
                        {"text": "Let me look."},
                        {
                            "functionCall": {
                                "id": "call_a",
                                "name": "get_weather",
                                "args": {"city": "Oslo"},
                            }
                        },
                        {"functionCall": {"id": "call_b", "name": "now", "args": {}}},
                    ],
                    "role": "model",
                },
                "finishReason": "STOP",
                "index": 0,
            }
        ],
        "usageMetadata": {
            "promptTokenCount": 11,
            "candidatesTokenCount": 7,
            "totalTokenCount": 18,
        },
        "modelVersion": "m",
        "responseId": "abc",
    }


def parts_of(chunks: list[Any]) -> list[Any]:
    return [part for chunk in chunks for part in chunk["candidates"][0]["content"]["parts"]]


def test_a_stream_adds_up_to_the_same_as_events_and_as_a_list():
    events = streamed(API, read(), PIECES)
    chunks = [json.loads(each.removeprefix("data: ")) for each in events.split("\n\n")[:-1]]
    listing = GoogleApi(sse=False)
    assert json.loads(streamed(listing, listing.read(BODY), PIECES)) == chunks
    assert parts_of(chunks) == [
        {"text": "Oslo, ", "thought": True},
        {"text": "then.", "thought": True},
        {"text": "Let me "},
        {"text": "look."},
        {"functionCall": {"id": "call_a", "name": "get_weather", "args": {"city": "Oslo"}}},
        {"functionCall": {"id": "call_b", "name": "now", "args": {}}},
        {"text": ""},
    ]
    assert [chunk["candidates"][0].get("finishReason") for chunk in chunks] == [None] * 6 + ["STOP"]
    assert chunks[-1]["usageMetadata"]["totalTokenCount"] == 18


def test_thoughts_are_not_shown_to_who_did_not_ask_for_them():
    events = streamed(API, read(generationConfig={}), PIECES)
    assert "thought" not in events


def test_a_stream_that_fails_ends_with_the_error_in_both_forms():
    for api in (API, GoogleApi(sse=False)):
        writer = api.writer(api.read(BODY), STAMP)
        frames = [*writer.write(0, TextDelta("a")), *writer.fail(ApiFault(429, "later", "busy"))]
        for last in frames[1:] if api is API else frames[1:2]:
            assert json.loads(last.removeprefix("data: ").removeprefix(",\n")) == {
                "error": {"code": 429, "message": "later", "status": "RESOURCE_EXHAUSTED"}
            }
    assert json.loads("".join(frames))[1]["error"]["code"] == 429


@pytest.mark.parametrize(
    ("reason", "told"), [("length", "MAX_TOKENS"), ("content_filter", "SAFETY"), ("stop", "STOP")]
)
def test_the_end_has_googles_words(reason: Any, told: str):
    answer = collected([Ended(reason, Usage())])
    assert isinstance(answer, Answer)
    assert API.whole(read(), [answer], STAMP)["candidates"][0]["finishReason"] == told


@FEW
@given(draw=st.data())
def test_a_good_body_with_anything_in_any_place_is_refused_or_understood(draw: Any):
    body = copy.deepcopy(BODY)
    *way, last = draw.draw(st.sampled_from(list(places(body))), "place")
    inner: Any = body
    for key in way:
        inner = inner[key]
    inner[last] = draw.draw(VALUES, "value")
    try:
        asked = API.read(body)
    except BadRequest as refused:
        assert len(refused.message) < 1000
        return
    first_request(asked, get_paradigm("xml_tag"))
    streamed(API, asked, PIECES)
