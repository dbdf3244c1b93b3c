"""Holding a model to a grammar: the fields that go with a request, and a service that refuses them.

A refusal is remembered: the request is sent again without the grammar, and later ones go without
it at once.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, ExitStack
from dataclasses import dataclass, field, replace
from typing import Any, Self

from ...protocol.errors import EndpointError, UsageError
from ...protocol.grammar.constraint import Constraint
from ...protocol.grammar.ir import Grammar
from ...protocol.grammar.room import fitted, room_of
from ...protocol.messages import ChatRequest, Chunk
from ..base import Abortable
from .services import FIELDS, SERVICES, Told

__all__ = ["AsyncHeldStream", "HeldStream", "Holding"]

_LOG = logging.getLogger("toolproto")
_MOST_KEPT = 8
_REFUSALS = (400, 404, 415, 422, 500, 501)
_WORDS = (
    "grammar", "gbnf", "ebnf", "guided", "structured", "structural", "response_format", "schema",
    "format", "regex", "xgrammar", "outlines",
)  # fmt: skip


@dataclass(slots=True)
class Holding:
    """Whether the service called *service* is told grammars; one object for all requests to it."""

    service: str | None = None
    refused: str = field(default="", init=False)
    #: What was told of the last grammars: a conversation asks for the same one with every request.
    _kept: list[tuple[Grammar, int | None, Told | None]] = field(
        default_factory=list, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        if self.service is not None and self.service not in SERVICES:
            raise UsageError(f"there is no service {self.service!r}; give one of {list(SERVICES)}")

    def held(self, request: ChatRequest, own: Mapping[str, Any]) -> ChatRequest | None:
        """*request* with the fields that tell its grammar; None if it goes without.

        *own* are the endpoint's parameters: who sets such a field there is left alone.
        """
        constraint = request.constraint
        if not isinstance(constraint, Constraint) or FIELDS & {*request.params, *own}:
            return None
        told = self._told(constraint, room_of({**own, **request.params}))
        if told is None:
            if constraint.demanded:
                raise UsageError(self._why_not())
            return None
        constraint.rendering = told[0]
        return replace(request, params={**request.params, **told[1]})

    def _told(self, constraint: Constraint, room: int | None) -> Told | None:
        if self.service is None or (self.refused and not constraint.demanded):
            return None
        grammar = constraint.grammar
        if grammar is None:
            return None
        for known, tokens, told in self._kept:
            if known is grammar and tokens == room:
                return told
        told = SERVICES[self.service](grammar if room is None else fitted(grammar, room))
        self._kept = [*self._kept[1 - _MOST_KEPT :], (grammar, room, told)]
        return told

    def _why_not(self) -> str:
        if self.service is None:
            return (
                "this endpoint does not say which service it is, so no grammar can be sent; give it"
                f" service=, one of {list(SERVICES)}, or constrain='auto'"
            )
        return f"{self.service} cannot take a grammar for these replies; use constrain='auto'"

    def is_refusal(self, error: EndpointError, constraint: Constraint) -> bool:
        """Whether *error* says that the grammar was not taken; it is remembered then."""
        said = f"{error} {error.body}".lower()
        if constraint.demanded or (error.status or 400) not in _REFUSALS:
            return False
        if not any(word in said for word in _WORDS):
            return False
        self.refused = str(error)[:200]
        constraint.rendering = ""
        _LOG.warning("the service takes no grammar, so none is sent: %s", self.refused)
        return True


class HeldStream:
    """A reply under a grammar; if the service refuses that, the reply to *plain* instead."""

    def __init__(
        self, held: Any, plain: Callable[[], Any], holding: Holding, constraint: Constraint
    ) -> None:
        self._stack = ExitStack()
        self._held = held
        self._chunks: Iterator[Chunk] = iter(())
        self._plain: Callable[[], Any] | None = plain
        self._holding, self._constraint = holding, constraint

    def __enter__(self) -> Self:
        self._chunks = iter(self._stack.enter_context(self._held))
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def __iter__(self) -> Iterator[Chunk]:
        return self

    def __next__(self) -> Chunk:
        try:
            chunk = next(self._chunks)
        except EndpointError as error:
            plain, self._plain = self._plain, None
            if plain is None or not self._holding.is_refusal(error, self._constraint):
                raise
            self._chunks = iter(self._stack.enter_context(plain()))
            return next(self._chunks)
        self._plain = None
        return chunk

    def abort(self) -> None:
        """Stop the reply that is being read."""
        if isinstance(self._chunks, Abortable):
            self._chunks.abort()


class AsyncHeldStream:
    """The same, on an event loop."""

    def __init__(
        self,
        held: AbstractAsyncContextManager[AsyncIterator[Chunk]],
        plain: Callable[[], AbstractAsyncContextManager[AsyncIterator[Chunk]]],
        holding: Holding,
        constraint: Constraint,
    ) -> None:
        self._stack = AsyncExitStack()
        self._held, self._plain = held, plain
        self._holding, self._constraint = holding, constraint

    async def __aenter__(self) -> AsyncIterator[Chunk]:
        chunks = await self._stack.enter_async_context(self._held)
        return self._chunks(chunks)

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def _chunks(self, chunks: AsyncIterator[Chunk]) -> AsyncIterator[Chunk]:
        begun = False
        try:
            async for chunk in chunks:
                begun = True
                yield chunk
            return
        except EndpointError as error:
            if begun or not self._holding.is_refusal(error, self._constraint):
                raise
        async for chunk in await self._stack.enter_async_context(self._plain()):
            yield chunk
