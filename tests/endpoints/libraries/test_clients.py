"""LiteLLM and OpenAI's own SDK as endpoints, and Bedrock as boto3 speaks to it.

They speak to a server on this machine. ``make libraries`` runs it where they are installed.
"""

from __future__ import annotations

import asyncio
import time

import pytest

from toolproto import (
    AsyncChatSession,
    Attachment,
    ChatRequest,
    ChatSession,
    EndpointError,
    Message,
)
from toolproto.endpoints import AwsCredentials, BedrockConverse, ClientEndpoint, HttpEndpoint
from toolproto.endpoints.aws_signing import signed

from ...patience import PATIENCE
from ..fault_server import TEXT, Fault, FaultServer

pytestmark = pytest.mark.filterwarnings("ignore")  # theirs, not ours


def test_litellm_is_one_line():
    litellm = pytest.importorskip("litellm")
    with FaultServer(Fault()) as server:
        terms = {"api_base": server.url, "api_key": "k"}
        endpoint = ClientEndpoint(litellm.completion, model="openai/m", params=terms)
        assert ChatSession(endpoint).send("hi").text == TEXT.strip()

        async def run() -> str:
            later = ClientEndpoint(litellm.acompletion, model="openai/m", params=terms)
            async with AsyncChatSession(later) as session:
                return (await session.send("hi")).text

        assert asyncio.run(run()) == TEXT.strip()
        assert server.requests[0].body["model"] == "m"


def test_the_sdk_of_openai_is_one_line():
    openai = pytest.importorskip("openai")
    with FaultServer(Fault()) as server:
        client = openai.OpenAI(base_url=server.url, api_key="k")
        endpoint = ClientEndpoint(client.chat.completions.create, model="m", include_usage=True)
        result = ChatSession(endpoint).send("hi")
        assert (result.text, result.usage.output_tokens) == (TEXT.strip(), 7)


def creating(library: str, url: str):
    """The endpoint of a client's function, that asks once."""
    if library == "litellm":
        litellm = pytest.importorskip("litellm")
        terms = {"api_base": url, "api_key": "k", "num_retries": 0, "max_retries": 0}
        return ClientEndpoint(litellm.completion, model="openai/m", params=terms)
    openai = pytest.importorskip("openai")
    client = openai.OpenAI(base_url=url, api_key="k", max_retries=0)
    return ClientEndpoint(client.chat.completions.create, model="m")


@pytest.mark.parametrize("library", ["litellm", "openai"])
def test_a_reply_of_a_client_is_streamed(library: str):
    with FaultServer(Fault()) as server:
        session = ChatSession(creating(library, server.url))
        pieces = list(session.stream_text("hi"))
    assert len(pieces) > 1 and "".join(pieces).strip() == TEXT.strip()


@pytest.mark.parametrize("library", ["litellm", "openai"])
def test_cancelling_hangs_up_on_the_service(library: str):
    with FaultServer(Fault("endless", "body")) as server:
        session = ChatSession(creating(library, server.url))
        with session.stream("hi") as events:
            for _ in zip(events, range(6), strict=False):
                pass
            session.cancel()
            list(events)
        assert session.result.status == "aborted"
        assert server.hung_up.wait(PATIENCE)


#: Not for LiteLLM: it says of a reply that was cut that the model stopped.
CUT = [("openai", "truncate")]


@pytest.mark.parametrize(
    "library, fault",
    [*((each, fault) for each in ("litellm", "openai") for fault in ("503", "429", "reset")), *CUT],
)
def test_what_goes_wrong_with_a_client_is_an_endpoint_error(library: str, fault: str):
    with FaultServer(Fault(fault, "body" if fault == "truncate" else "request")) as server:
        result = ChatSession(creating(library, server.url)).send("hi")
    assert result.status == "error" and isinstance(result.error, EndpointError)


MODEL = "anthropic.claude-3-haiku-20240307-v1:0"


def boto3_client(url: str):
    boto3 = pytest.importorskip("boto3")
    session = boto3.Session("AKIDEXAMPLE", "secret", "token", region_name="eu-north-1")
    return session, session.client("bedrock-runtime", endpoint_url=url)


def test_bedrock_gets_from_us_what_it_gets_from_boto3():
    with FaultServer(Fault(dialect="bedrock_converse")) as server:
        url = server.url.removesuffix("/v1")
        session, client = boto3_client(url)
        theirs = client.converse_stream(
            modelId=MODEL,
            system=[{"text": "Be brief."}],
            messages=[
                {
                    "role": "user",
                    "content": [
                        {"text": "What is this?"},
                        {"image": {"format": "png", "source": {"bytes": b"hi"}}},
                        {
                            "document": {
                                "format": "pdf",
                                "name": "file 2",
                                "source": {"bytes": b"%PDF"},
                            }
                        },
                    ],
                },
                {"role": "assistant", "content": [{"text": "-"}]},
                {"role": "user", "content": [{"text": "Go on."}]},
            ],
            inferenceConfig={"stopSequences": ["</c>"], "maxTokens": 9, "temperature": 0.0},
            additionalModelRequestFields={"top_k": 5},
        )
        heard = [each for each in theirs["stream"]]
        texts = [
            each["contentBlockDelta"]["delta"] for each in heard if "contentBlockDelta" in each
        ]
        assert "".join(each["text"] for each in texts) == TEXT  # our server speaks as AWS does
        attached = (
            Attachment("image/png", data="aGk="),
            Attachment("application/pdf", data="JVBERg=="),
        )
        request = ChatRequest(
            (
                Message("system", "Be brief."),
                Message("user", "What is this?", attachments=attached),
                Message("assistant", ""),
                Message("user", "Go on."),
            ),
            stop=("</c>",),
            params={"max_tokens": 9, "temperature": 0.0, "top_k": 5},
        )
        dialect = BedrockConverse(session.get_credentials(), region="eu-north-1")
        with (
            HttpEndpoint(url, model=MODEL, dialect=dialect) as endpoint,
            endpoint.stream(request) as chunks,
        ):
            assert "".join(chunk.text for chunk in chunks) == TEXT
        first, second = server.requests
    assert (second.path, second.body) == (first.path, first.body)
    for name in ("x-amz-security-token", "host"):
        assert second.headers[name] == first.headers[name]
    scopes = [each.headers["authorization"].partition("/")[2][8:47] for each in (first, second)]
    assert scopes[0] == scopes[1] and "eu-north-1/bedrock/aws4_request" in scopes[0]


@pytest.mark.parametrize("name", [MODEL, "arn:aws:bedrock:us-east-1::foundation-model/x.y-v1:0"])
def test_a_signature_is_the_one_that_botocore_makes(name: str):
    awsrequest = pytest.importorskip("botocore.awsrequest")
    from botocore.auth import SigV4Auth
    from botocore.credentials import Credentials

    known = AwsCredentials("AKIDEXAMPLE", "secret", "token")
    address = "https://bedrock-runtime.us-east-1.amazonaws.com" + BedrockConverse().path_of(name)
    terms = {"credentials": known, "region": "us-east-1", "service": "bedrock"}
    kind = {"content-type": "application/json"}
    ours = signed(address, kind, b'{"a": 1}', **terms, now=time.time())
    auth = SigV4Auth(Credentials("AKIDEXAMPLE", "secret", "token"), "bedrock", "us-east-1")
    asked = awsrequest.AWSRequest("POST", address, kind, b'{"a": 1}')
    auth.add_auth(asked)
    if asked.headers["X-Amz-Date"] != ours["x-amz-date"]:  # a second has passed in between
        ours = signed(address, kind, b'{"a": 1}', **terms, now=time.time())
        auth.add_auth(asked := awsrequest.AWSRequest("POST", address, kind, b'{"a": 1}'))
    assert ours["authorization"] == asked.headers["Authorization"]
