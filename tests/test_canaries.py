"""Canaries through every path: masked values, keys and cookies are found where they may be only.

Each canary is a text that occurs nowhere else. Everything that leaves a session or the proxy, and
everything that is written down, is looked through for it, in any spelling.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
import traceback
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests import plain
from tests.gateway.proxy.backend import served
from tests.gateway.proxy.spans import recorded_spans
from toolproto import AsyncChatSession, ChatSession, tool
from toolproto.conversation.hooks import Hooks
from toolproto.conversation.masking import Masking
from toolproto.conversation.session import export_jsonl, export_markdown
from toolproto.conversation.stores import open_store
from toolproto.conversation.turn import Compaction, TurnLimits
from toolproto.endpoints import HttpEndpoint, RecordingEndpoint, Retries
from toolproto.gateway.proxy import ModelTerms, ProxyConfig, Upstream, make_app
from toolproto.protocol.errors import ToolProtoError
from toolproto.protocol.messages import Message

PRIVATE = "Canary Lovelace"
SPELLINGS = [PRIVATE, PRIVATE.upper(), "Canary\u00a0Lovelace", "canary\n  lovelace"]
#: Keys that look like nothing in particular: they are known because they are used.
KEY = "zebra0canary0key"
URL_KEY = "zebra0canary0url"


def places(canary: str, texts: Mapping[str, str]) -> set[str]:
    """Where *canary* is found: as it is, in other letters, over lines, or escaped."""
    words = [re.escape(word) for word in canary.split()]
    plain = re.compile(r"(?:\s|\\u00a0|\\xa0|\\n|%20|\+)+".join(words), re.IGNORECASE)
    quoted = re.escape(quote(canary, safe=""))
    return {name for name, text in texts.items() if plain.search(text) or re.search(quoted, text)}


def logged(caplog: pytest.LogCaptureFixture, *but: str) -> str:
    """What was logged, less what the servers of these tests say of their own requests."""
    own = ("uvicorn.access", *but)
    records = [each for each in caplog.records if not each.name.startswith(own)]
    return "\n".join(f"{each.getMessage()} {each.exc_text or ''}" for each in records)


# -- a session ------------------------------------------------------------------------------


class Service:
    """A chat service that keeps all it is sent, says what is planned, and repeats keys."""

    def __init__(self) -> None:
        self.heads: list[str] = []
        self.bodies: list[str] = []
        self.plan: list[str | int] = []

    def app(self) -> Starlette:
        return Starlette(routes=[Route("/v1/chat/completions", self._chat, methods=["POST"])])

    async def _chat(self, request: Request) -> Response:
        self.heads.append(f"{request.url} {dict(request.headers)}")
        self.bodies.append(body := (await request.body()).decode())
        said = self.plan.pop(0) if self.plan and SUMMARY not in body else "Fine."
        if isinstance(said, int):
            told = f"refused {request.headers.get('authorization')} at {request.url}"
            return JSONResponse({"error": {"message": told}}, said)
        reason = "length" if said.endswith("…") else "stop"
        choice = {"index": 0, "message": {"content": said}, "finish_reason": reason}
        answer = JSONResponse({"choices": [choice]})
        answer.set_cookie("session", "crumb0canary")
        return answer


@pytest.fixture(scope="module")
def service() -> Iterator[tuple[Service, str]]:
    made = Service()
    with served(made.app()) as url:
        yield made, url


class Adding(Hooks):
    def on_before_request(self, moment: Any) -> Any:
        said = (*moment.request.messages, Message("user", f"P.S. {SPELLINGS[1]}"))
        return replace(moment.request, messages=said)

    def transform_params(self, params: Any) -> Any:
        return {**params, "user": PRIVATE}


@tool
def look(who: str) -> str:
    """Look somebody up. Canary Lovelace may ask for it."""
    assert "PRIVATE-" not in who
    return f"{' / '.join(SPELLINGS)}; key {KEY}; {json.dumps(SPELLINGS)}"


@tool
def fail(who: str) -> str:
    """Fail, and say for whom."""
    raise ValueError(f"nobody is called {who}, {SPELLINGS[1]}")


SUMMARY = "You summarise a conversation"
FAIL = '<tool_code>{"name": "fail", "arguments": {"who": "PRIVATE-NAME-4F9A2C1B"}}</tool_code>'
CALL = '<tool_code>{"name": "look", "arguments": {"who": "PRIVATE-NAME-4F9A2C1B"}}</tool_code>'


class Walk:
    """A session that goes every way there is: calls, mistakes, retries, summaries, a title."""

    def __init__(self, kind: str, service: tuple[Service, str], folder: Path) -> None:
        self.server, url = service
        self.server.__init__()  # type: ignore[misc]
        self.folder = folder
        self.http = HttpEndpoint(
            f"{url}/v1?token={URL_KEY}", model="m", api_key=KEY,
            retries=Retries(attempts=2, base=0.001, cap=0.002),
        )  # fmt: skip
        self.tape, self.file = folder / "tape.jsonl", folder / "chats.db"
        self.endpoint = RecordingEndpoint(self.http, self.tape)
        self.runner = asyncio.Runner() if kind == "async" else None
        self.session: Any = (AsyncChatSession if self.runner else ChatSession)(
            self.endpoint,
            "xml_tag",
            [look, fail],
            system=f"You serve {PRIVATE}.",
            masking=Masking({"name": PRIVATE}, nonce=lambda: "4F9A2C1B"),
            store=f"sqlite:///{self.file}",
            id="x",
            hooks=[Adding()],
            params={"metadata": {"for": PRIVATE}},
            compaction=Compaction(budget=2500),
            limits=TurnLimits(continuations=2),
        )
        self.errors: list[str] = []

    def do(self, method: str, *words: str) -> Any:
        done = getattr(self.session, method)(*words)
        return self.runner.run(done) if self.runner else done

    def go(self) -> None:
        long = "word " * 300
        for plan in (
            [FAIL, "It failed."],
            [CALL, "Hello PRIVATE-NAME-4F9A2C1B."],
            ["<tool_code>{broken", "I give up."],
            [500, f"A long answer {long}"],
            ["cut off …", "to the end."],
            [f"More {long}"],
            [f"Still more {long}"],
            [401],
        ):
            self.server.plan = list(plan)
            result = self.do("send", f"I am {SPELLINGS[len(plan) % 4]}, {SPELLINGS[3]}.")
            if result.error is not None:
                self.errors += traceback.format_exception(result.error)
        self.server.plan = ["PRIVATE-NAME-4F9A2C1B writes"]
        assert self.do("make_title") == "Canary Lovelace writes"
        self.server.plan = [403]
        with suppress(ToolProtoError):
            self.do("make_title")
        assert self.errors

    def written(self, caplog: pytest.LogCaptureFixture) -> dict[str, str]:
        """All texts there are, by where."""
        self.session.close()
        if self.runner:
            self.runner.run(self.http.aclose())
            self.runner.close()
        self.http.close()
        store = open_store(f"sqlite:///{self.file}")
        texts = {
            "head": "\n".join(self.server.heads),
            "body": "\n".join(self.server.bodies),
            "store": self.file.read_bytes().decode("utf-8", "replace"),
            "export": "".join(export_jsonl(store, "x")),
            "markdown": export_markdown(store, "x"),
            "cassette": self.tape.read_text(encoding="utf-8"),
            "errors": "".join(self.errors),
            "log": logged(caplog),
            "repr": repr([self.session, self.http, self.endpoint, self.session._setup.masking]),
        }
        store.close()
        return texts


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_nothing_of_a_session_leaves_that_is_masked_or_a_key(kind, service, tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    walk = Walk(kind, service, tmp_path)
    walk.go()
    texts = walk.written(caplog)
    # The conversation itself is its owner's, and stays here.
    assert places(PRIVATE, texts) == {"store", "export", "markdown"}
    # A key goes to its service; what a tool told the model is in the body, and nowhere else.
    assert places(KEY, texts) == {"head", "body"}
    assert places(URL_KEY, texts) == {"head"}
    assert "cookie" not in texts["head"].lower()
    assert len(walk.server.bodies) > 12 and SUMMARY in texts["body"]
    assert "Give the conversation a title" in texts["body"]


def test_the_search_itself_finds_what_is_there():
    for text in (*SPELLINGS, json.dumps(SPELLINGS), quote(PRIVATE), repr(SPELLINGS)):
        assert places(PRIVATE, {"here": text}) == {"here"}
    assert places(PRIVATE, {"here": "a canary sings to Lovelace"}) == set()


# -- the proxy ------------------------------------------------------------------------------

CHAT = "/v1/chat/completions"
TOOL = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}


class Client:
    """One client: its key, its cookie, what it says, and all that it was told."""

    def __init__(self, name: str, url: str) -> None:
        self.name, self._url = name, url
        self.key, self.said = f"zebra0{name}0key", f"zebra0{name}0wish"
        self.cookie = f"zebra0{name}0crumb"
        self.told: list[str] = []
        self._client = plain.Client(verify=False)

    def ask(self, model: str, **more: Any) -> None:
        body = {"model": model, "messages": [{"role": "user", "content": self.said}], **more}
        self._sent("POST", CHAT, body)

    def get(self, path: str) -> None:
        self._sent("GET", path, None)

    def close(self) -> None:
        self._client.close()

    def _sent(self, method: str, path: str, body: Any) -> None:
        headers = {"authorization": f"Bearer {self.key}", "cookie": f"c={self.cookie}"}
        with suppress(httpx.HTTPError):
            answer = self._client.request(method, self._url + path, json=body, headers=headers)
            self.told.append(f"{dict(answer.headers)} {answer.text}")


def echo() -> list[str | int]:
    """A plan without an end: words, a call, nonsense, an error that repeats the key."""
    return [
        "Hello.",
        '<tool_code>{"name": "f", "arguments": {}}</tool_code>',
        "<tool_code>{",
        401,
    ] * 8


def test_nothing_of_one_client_of_the_proxy_reaches_another_or_a_log(caplog, monkeypatch):
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("OWN_KEY", "zebra0own0key")
    spans, open_one, keyed = recorded_spans(), Service(), Service()
    open_one.plan, keyed.plan = echo(), echo()
    with served(open_one.app()) as first, served(keyed.app()) as second:
        upstreams = (
            Upstream(f"{first}/v1?token={URL_KEY}"),
            Upstream(f"{second}/v1", prefix="keyed/", api_key_env="OWN_KEY"),
        )
        config = ProxyConfig(upstreams, ModelTerms("xml_tag", reasks=1))
        with served(make_app(config)) as url:
            clients = [Client("one", url), Client("two", url)]
            for model in ("m", "keyed/m"):
                for client in clients:
                    for more in ({}, {"tools": [TOOL]}, {"tools": [TOOL], "stream": True}) * 2:
                        client.ask(model, **more)
                    client.ask(
                        model, tools=[{"type": "function", "function": {"name": client.said}}]
                    )
                    client.ask(model, tools="no list")
                    client.get("/v1/models")
                    client.get("/nowhere")
            for client in clients:
                client.close()
            counts = plain.get(f"{url}/metrics").text
    texts = {
        "open head": "\n".join(open_one.heads),
        "open body": "\n".join(open_one.bodies),
        "keyed head": "\n".join(keyed.heads),
        "keyed body": "\n".join(keyed.bodies),
        "log": logged(caplog, "httpx", "httpcore"),  # the clients are here, too
        "metrics": counts,
        "traces": "".join(span.to_json() for span in spans.get_finished_spans()),
        **{f"told {client.name}": "\n".join(client.told) for client in clients},
    }
    assert spans.get_finished_spans() and "toolproto_requests_total" in counts
    for client in clients:
        assert places(client.key, texts) == {"open head"}
        assert places(client.said, texts) <= {"open body", "keyed body", f"told {client.name}"}
        assert places(client.cookie, texts) == set()
    assert places("zebra0own0key", texts) == {"keyed head"}
    assert places(URL_KEY, texts) == {"open head"}
    assert places("crumb0canary", texts) == set()
