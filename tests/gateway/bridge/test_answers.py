"""Responses that are remembered: by id, for whom they were given, within bounds."""

from __future__ import annotations

import gc
import tracemalloc
from typing import Any

import pytest

from tests import plain
from tests.gateway.proxy.backend import Backend
from tests.gateway.proxy.clients.model import model_of
from tests.gateway.proxy.wire import OSLO, WEATHER, proxy
from toolproto.endpoints.apis.asked import BadRequest
from toolproto.endpoints.apis.openai_responses.server import ResponsesApi
from toolproto.endpoints.apis.pieces import Ended
from toolproto.endpoints.apis.serving.api import Answer, Stamp, collected
from toolproto.gateway.bridge.answers import Answers
from toolproto.gateway.proxy.config import ProxyLimits
from toolproto.protocol.events import TextDelta
from toolproto.protocol.messages import Usage

API = ResponsesApi()
TOOL = {"type": "function", **WEATHER}


def answered(answers: Answers, number: int, key: str | None = "k", **body: Any) -> dict[str, Any]:
    """The response to a request, which says its *number*."""
    values = answers.recalled({"model": "m", "input": f"question {number}", **body}, key)
    asked = answers.remembering(API.read(values), values, key)
    answer = collected([TextDelta(f"answer {number}"), Ended("stop", Usage(1, 1))])
    assert isinstance(answer, Answer)
    return API.whole(asked, [answer], Stamp(f"r{number}", 0))


def said(answers: Answers, key: str | None = "k", **body: Any) -> list[str]:
    values = answers.recalled({"model": "m", "input": "And?", **body}, key)
    return [message.content for message in API.read(values).messages]


def test_what_was_said_before_is_said_again():
    answers = Answers(10_000)
    first = answered(answers, 1, instructions="Be brief.")
    assert first["store"] is True
    second = answered(answers, 2, previous_response_id=first["id"])
    assert second["previous_response_id"] == first["id"]
    assert said(answers, previous_response_id=second["id"]) == [
        "question 1", "answer 1", "question 2", "answer 2", "And?",
    ]  # fmt: skip
    # An earlier one may be gone on from, too.
    assert said(answers, previous_response_id=first["id"]) == ["question 1", "answer 1", "And?"]


def test_items_are_found_by_their_ids():
    answers = Answers(10_000)
    (item,) = answered(answers, 1)["output"]
    for reference in ({"type": "item_reference", "id": item["id"]}, {"id": item["id"]}):
        given = [reference, {"role": "user", "content": "And?"}]
        assert said(answers, input=given) == ["answer 1", "And?"]


def test_references_may_not_become_more_than_is_kept():
    answers = Answers(20_000)
    ids = [answered(answers, number)["output"][0]["id"] for number in range(2)]
    assert said(answers, input=[{"id": id} for id in ids]) == ["answer 0\nanswer 1"]
    with pytest.raises(BadRequest, match="longer than 20000 bytes") as refused:
        said(answers, input=[{"id": ids[0]}] * 1_000)
    assert refused.value.status == 413


def test_they_take_no_more_memory_than_they_may():
    tracemalloc.start()
    try:
        answers = Answers(200_000)
        before = tracemalloc.get_traced_memory()[0]
        for number in range(200):
            answered(answers, number, tools=[TOOL] * 3)
        gc.collect()
        taken = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert len(answers._kept) < 200  # some had to go
    assert taken < 300_000


def test_nobody_else_finds_them():
    answers = Answers(10_000)
    first = answered(answers, 1)
    for key in (None, "other"):
        with pytest.raises(BadRequest, match="not found"):
            said(answers, key, previous_response_id=first["id"])
        with pytest.raises(BadRequest, match="not found"):
            said(answers, key, input=[{"id": first["output"][0]["id"]}])


def test_nothing_is_kept_that_is_not_to_be_stored():
    answers = Answers(10_000)
    first = answered(answers, 1, store=False)
    assert first["store"] is False
    with pytest.raises(BadRequest) as refused:
        said(answers, previous_response_id=first["id"])
    assert refused.value.code == "previous_response_not_found"
    assert (refused.value.status, refused.value.param) == (400, "previous_response_id")


def test_the_oldest_are_forgotten_with_their_items():
    answers = Answers(6_000)
    responses = [answered(answers, number) for number in range(20)]
    found = []
    for response in responses:
        try:
            said(answers, previous_response_id=response["id"])
            said(answers, input=[{"id": response["output"][0]["id"]}])
            found.append(response["id"])
        except BadRequest:
            assert not found, "one that is newer is gone"
    assert 1 <= len(found) < 10 and found[-1] == responses[-1]["id"]


def test_a_long_conversation_does_not_outgrow_its_bounds():
    answers = Answers(20_000)
    id = None
    for number in range(100):
        try:
            id = answered(answers, number, previous_response_id=id)["id"]
        except BadRequest:
            id = None  # it was too long to be kept
        assert answers._size <= 20_000
        assert len(answers._items) == len(answers._kept)


def test_with_no_bytes_nothing_is_kept_and_the_remedy_is_told():
    answers = Answers(0)
    assert answered(answers, 1)["store"] is False
    with pytest.raises(BadRequest, match=r"Nothing is stored here: send the items"):
        said(answers, previous_response_id="resp_r1")


@pytest.mark.parametrize("id", [7, {"a": 1}, ["x"], True])
def test_an_id_that_is_none_is_refused(id: Any):
    with pytest.raises(BadRequest):
        said(Answers(1_000), previous_response_id=id)
    with pytest.raises(BadRequest):
        said(Answers(1_000), input=[{"type": "item_reference", "id": id}])


@pytest.mark.parametrize("stream", [False, True])
def test_a_tool_is_called_and_answered_without_saying_everything_again(stream: bool):
    with proxy(Backend(model_of("xml_tag"))) as url:
        body = {"model": "m", "tools": [TOOL], "stream": stream}
        path = f"{url}/v1/responses"
        first = plain.post(path, json={**body, "input": OSLO})
        id = first.text.split('"id":')[1].split('"')[1]
        kept = plain.get(f"{path}/{id}").json()
        call = kept["output"][-1]
        result = {"type": "function_call_output", "call_id": call["call_id"], "output": "rain"}
        by_response = {"previous_response_id": id, "input": [result]}
        references = [{"type": "item_reference", "id": item["id"]} for item in kept["output"]]
        by_items = {"input": [{"role": "user", "content": OSLO}, *references, result]}
        for again in (by_response, by_items):
            answer = plain.post(path, json={**body, "stream": False, **again}).json()
            assert answer["output"][0]["content"][0]["text"] == "I was told: rain"
        items = plain.get(f"{path}/{id}/input_items").json()
        assert [item["role"] for item in items["data"]] == ["user"] and not items["has_more"]
        assert plain.delete(f"{path}/{id}").json()["deleted"] is True
        gone = plain.get(f"{path}/{id}")
        refused = plain.post(path, json={**body, **by_response})
        lost = plain.post(path, json={**body, **by_items})
    assert gone.status_code == 404 and id in gone.json()["error"]["message"]
    assert refused.status_code == 400
    assert refused.json()["error"]["code"] == "previous_response_not_found"
    assert lost.status_code == 404
    assert lost.json()["error"]["type"] == "not_found_error"


def test_how_much_is_remembered_is_a_setting():
    with proxy(Backend(model_of("xml_tag")), limits=ProxyLimits(remembered=0)) as url:
        answer = plain.post(f"{url}/v1/responses", json={"model": "m", "input": "Hello"}).json()
        assert answer["store"] is False
        assert plain.get(f"{url}/v1/responses/{answer['id']}").status_code == 404
