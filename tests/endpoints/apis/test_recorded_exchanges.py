"""What each wire makes of one conversation and one answer, byte for byte.

A change here is a change that clients and servers see: `pytest FILE --snapshot-update` writes it
down, and the diff of the snapshot is what to look at.
"""

from __future__ import annotations

import json

import pytest

from toolproto.endpoints.apis.asked import ApiFault
from toolproto.endpoints.apis.dialects import DIALECTS
from toolproto.endpoints.apis.pieces import Ended
from toolproto.endpoints.apis.served import APIS, GOOGLE
from toolproto.endpoints.apis.serving.api import Answer, Api, collected
from toolproto.protocol.events import TextDelta
from toolproto.protocol.messages import Attachment, ChatRequest, Message, Usage

from .google.test_server import BODY
from .samples import BODIES, PIECES, STAMP, streamed

SERVED: dict[str, tuple[Api, dict]] = {
    **{api.name: (api, BODIES[api.name]) for api in APIS.values() if api.name in BODIES},
    "ollama_generate": (
        APIS["/api/generate"],
        {"model": "m", "system": "Be brief.", "prompt": "Hi"},
    ),
    "google": (GOOGLE[True], BODY),
    "google_list": (GOOGLE[False], BODY),
}
CUT = (TextDelta("So, "), Ended("length", Usage(3, 2)))
ASKED = ChatRequest(
    (
        Message("system", "Be brief."),
        Message("user", "What is it?", attachments=(Attachment("image/png", "aGk="),)),
        Message("assistant", "A dog."),
        Message("user", "Sure?"),
    ),
    stop=("</call>",),
    params={"temperature": 0.5, "max_tokens": 9, "top_p": 0.9, "seed": 7},
)


@pytest.mark.parametrize("name", DIALECTS)
def test_a_request_to_a_server(name, snapshot):
    dialect = DIALECTS[name]
    told = [dialect.path_of("m"), dialect.headers("key"), dialect.body(ASKED, "m")]
    assert json.dumps(told, indent=1) == snapshot


@pytest.mark.parametrize("name", SERVED)
def test_an_answer_streamed(name, snapshot):
    api, body = SERVED[name]
    asked = api.read(body)
    writer = api.writer(asked, STAMP)
    failed = [*writer.begin(), *writer.fail(ApiFault(502, "The model is gone.", "upstream"))]
    streams = [streamed(api, asked, PIECES), streamed(api, asked, CUT), "".join(failed)]
    assert "\n=====\n".join(streams) == snapshot


@pytest.mark.parametrize("name", SERVED)
def test_an_answer_in_one(name, snapshot):
    api, body = SERVED[name]
    answers = [collected(PIECES), Answer("Words.", reason="length", usage=Usage(3, 2))]
    asked = api.read(body)
    whole = [api.whole(asked, [each], STAMP) for each in answers if isinstance(each, Answer)]
    told = [*whole, api.error(ApiFault(400, "Not so.", "invalid_value", "model"))]
    assert json.dumps(told, indent=1) == snapshot
