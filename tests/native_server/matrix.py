"""Every way through the real proxy, asked by every kind of client: what came of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Literal, get_args

from tests.gateway.proxy.backend import served
from toolproto.gateway.proxy.app import make_app
from toolproto.gateway.proxy.config import ModelTerms, ProxyConfig, Upstream

from .answers import Way
from .clients import CLIENTS, UNREADABLE, Got, ask
from .server import BASES, NativeServer, serving
from .ways import WAYS

__all__ = ["OUTCOMES", "Cell", "Proxied", "judged_cell", "proxied"]

#: What came of an answer, the worst first; an error says that a call could not be had.
Outcome = Literal["false call", "wrong call", "lost", "markup left", "error", "right"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
_DIALECTS = {"google": "gemini"}


@dataclass(frozen=True, slots=True)
class Cell:
    """One way, asked by one *client*; *size* is how the server cut a stream, 0 for none."""

    way: Way
    client: str
    size: int | None
    got: Got
    outcome: Outcome


@dataclass
class Proxied:
    """A proxy at *url* before *server*, which speaks *api*."""

    api: str
    server: NativeServer
    url: str
    #: The proxy remembers what a model refused, so each question is to another model.
    _models: Iterator[int] = field(default_factory=count)

    def cells(
        self,
        ways: Iterable[Way],
        clients: Iterable[str] = tuple(CLIENTS),
        sizes: tuple[int | None, ...] = (0, 1, 7, None),
    ) -> Iterator[Cell]:
        """Ask with each of *clients*, streamed in pieces of *sizes*; 0 asks for a whole answer."""
        for way in ways:
            if self.api not in way.apis:
                continue
            for client in clients:
                for size in sizes:
                    if size == 0 and way.streamed_only:
                        continue
                    yield self._cell(way, client, size)

    def _cell(self, way: Way, client: str, size: int | None) -> Cell:
        self.server.way, self.server.size = way, size or None
        got = ask(client, self.url, f"m{next(self._models)}", size != 0)
        return Cell(way, client, size, got, judged_cell(way, got, streams=size != 0))


def judged_cell(way: Way, got: Got, streams: bool = False) -> Outcome:
    """Return what became of *way*, for a client that *got* this, whole or streamed."""
    meant = [(name, dict(arguments)) for name, arguments in way.calls]
    calls = list(got.calls)
    if way.error:
        return "right" if got.error else "lost"
    if got.error and got.error != UNREADABLE:
        return "error"
    if streams and way.as_streamed == got.calls:
        return "right"
    if not meant and calls:
        return "false call"
    if calls != meant:
        return "wrong call" if len(calls) >= len(meant) else "lost"
    if way.again or (got.text.strip() == way.shown.strip() if meant else got.text == way.shown):
        return "right"
    return "markup left"


@contextmanager
def proxied(api: str = "openai_chat") -> Iterator[Proxied]:
    """Give a proxy before a server that speaks *api* and loses calls."""
    server = NativeServer(WAYS["words"])
    with serving(server) as address:
        upstream = Upstream(f"{address}{BASES[api]}", _DIALECTS.get(api, api), native="auto")
        config = ProxyConfig((upstream,), ModelTerms("json_strict"), pace=0)
        with served(make_app(config)) as url:
            yield Proxied(api, server, url)
