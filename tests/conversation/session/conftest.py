"""One way to play a turn that runs under both drivers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest

from tests.merged import made_for_each
from toolproto.conversation.session import AsyncChatSession, ChatSession
from toolproto.conversation.turn.result import TurnResult
from toolproto.endpoints import ScriptedEndpoint

Watch = Callable[[Any, Any], object]


class Player:
    """A session of either kind, used the same way; remembers the events of its last turn."""

    session: ChatSession | AsyncChatSession

    def __init__(self, kind: str, runner: asyncio.Runner) -> None:
        self.kind = kind
        self.runner = runner
        self.events: list[Any] = []

    def __call__(
        self, *replies: Any, paradigm: str = "xml_tag", native: str = "never", **options: Any
    ) -> Player:
        """A new session that hears *replies*."""
        self.endpoint = ScriptedEndpoint(*replies, native=native)
        self.open(self.endpoint, paradigm, **options)
        return self

    def open(self, endpoint: Any, paradigm: str = "xml_tag", **options: Any) -> None:
        kinds: dict[str, Any] = {"sync": ChatSession, "async": AsyncChatSession}
        self.session = kinds[self.kind](endpoint, paradigm, **options)

    def send(self, text: str = "go", watch: Watch | None = None, **terms: Any) -> TurnResult:
        """Play a turn to its end; *watch* sees each event and the session."""
        return self._play(lambda session: session.stream(text, **terms), watch)

    def resume(
        self, verdicts: Mapping[str, Any], watch: Watch | None = None, **named: Any
    ) -> TurnResult:
        return self._play(lambda session: session.stream_resumed(verdicts, **named), watch)

    def _play(self, start: Callable[[Any], Any], watch: Watch | None) -> TurnResult:
        self.events = []
        if isinstance(self.session, ChatSession):
            self._watch(self.session, start, watch)
        else:
            self.runner.run(self._awatch(self.session, start, watch))
        assert self.session.result is not None
        return self.session.result

    def _watch(self, session: ChatSession, start: Any, watch: Watch | None) -> None:
        with start(session) as events:
            for event in events:
                self._seen(event, watch)

    async def _awatch(self, session: AsyncChatSession, start: Any, watch: Watch | None) -> None:
        async with start(session) as events:
            async for event in events:
                self._seen(event, watch)

    def _seen(self, event: Any, watch: Watch | None) -> None:
        self.events.append(event)
        if watch:
            watch(event, self.session)

    def of(self, kind: type) -> list[Any]:
        """The events of one type."""
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def requests(self) -> list[Any]:
        return self.endpoint.requests


@contextmanager
def player(kind: str) -> Iterator[Player]:
    with asyncio.Runner() as runner:
        yield Player(kind, runner)


KINDS = ("sync", "async")
made_for_each("play", player, KINDS)


@pytest.fixture(params=KINDS)
def play(request: pytest.FixtureRequest) -> Iterator[Player]:
    with player(request.param) as made:
        yield made
