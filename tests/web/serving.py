"""A server of the page in this process, and people who ask it over HTTP."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from tests import plain
from tests.patience import PATIENCE
from tests.quick_server import QuickServer, running
from toolproto.web import WebConfig
from toolproto.web.choices import Choices
from toolproto.web.run import WebServer

#: Written as the paradigm of most tests has it.
PARADIGM = "xml_tag"


def call(name: str, **arguments: Any) -> str:
    """A call as a model writes it."""
    return f"<tool_code>{json.dumps({'name': name, 'arguments': arguments})}</tool_code>"


def scripted(*replies: Any, **settings: Any) -> WebConfig:
    """A server whose model says *replies*, one after the other."""
    from toolproto.endpoints import ScriptedEndpoint

    how = {"chunk_size": None, "native": "never"}
    endpoint = ScriptedEndpoint(
        *replies, **{name: settings.pop(name, usual) for name, usual in how.items()}
    )
    options = {"paradigm": PARADIGM, **settings.pop("choices", {})}
    return WebConfig(
        given=lambda: endpoint,
        given_name="script",
        choices=Choices(source="given", **options),
        **{"pace": 0.005, **settings},
    )


class QuickWebServer(WebServer, QuickServer):
    """The server of the page, which does not wait when it ends."""


@contextmanager
def served(config: WebConfig, **options: Any) -> Iterator[str]:
    """The server of *config* on a port of this machine; *options* are uvicorn's. Its address."""
    listener = socket.create_server(("127.0.0.1", config.port if config.port != 8200 else 0))
    port = listener.getsockname()[1]
    with running(QuickWebServer(replace(config, port=port), **options), listener):
        yield f"http://127.0.0.1:{port}"


class Client:
    """Somebody who uses the API, let in by the token or a key."""

    def __init__(self, url: str, key: str) -> None:
        headers = {"authorization": f"Bearer {key}"}
        self.http = plain.Client(base_url=url, headers=headers, timeout=PATIENCE)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *failure: object) -> None:
        self.http.close()

    def get(self, path: str, **query: Any) -> Any:
        answer = self.http.get(path, params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, path: str, **body: Any) -> Any:
        answer = self.http.post(path, json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def new(self) -> str:
        return str(self.post("/api/sessions")["id"])

    def show(self, id: str) -> dict[str, Any]:
        return dict(self.get(f"/api/sessions/{id}"))

    def act(self, id: str, what: str, **body: Any) -> Any:
        return self.post(f"/api/sessions/{id}/{what}", **body)

    def events(self, id: str, after: str, until: Callable[[dict[str, Any]], bool]) -> list[Any]:
        """The events behind *after*, to the first of which *until* holds."""
        heard = []
        with self.http.stream("GET", f"/api/sessions/{id}/events", params={"after": after}) as told:
            assert told.headers["content-type"].startswith("text/event-stream")
            for line in told.iter_lines():
                if line.startswith("id: "):
                    self.last = line[4:]
                if line.startswith("data: "):
                    heard.append(json.loads(line[6:]))
                    if until(heard[-1]):
                        return heard
        raise AssertionError(f"the stream ended after {heard[-3:]}")

    def settled(self, id: str, after: str) -> list[Any]:
        """The events of a turn."""
        return self.events(id, after, lambda event: event["event"] == "settled")

    def say(self, id: str, text: str, **terms: Any) -> dict[str, Any]:
        """Say something, and wait for the turn's end; the session then."""
        after = self.show(id)["after"]
        self.act(id, "send", text=text, **terms)
        self.settled(id, after)
        return self.show(id)

    def decide(self, id: str, what: str, **body: Any) -> dict[str, Any]:
        """Decide about the first call that waits, and wait for the turn's end."""
        told = self.show(id)
        self.act(id, what, call=told["waiting"][0]["call"]["id"], **body)
        self.settled(id, told["after"])
        return self.show(id)
