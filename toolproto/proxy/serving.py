"""One request of a client, from its bytes to the bytes of the answer."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import replace
from math import ceil, isfinite
from typing import Any, NoReturn

from starlette.requests import Request
from starlette.responses import Response

from ..endpoints.dialects import get_dialect
from ..errors import EndpointError
from .asked import Asked, BadRequest
from .config import Limits, ProxyConfig
from .exchange import Exchange
from .feed import Came, Feed, failure_of
from .listing import model_names, openai_list, tag_list
from .passing import Passing, kept_headers
from .pieces import Failed, Piece
from .record import LOGGER, Record, Recorder
from .relay import Relay, Relayed
from .streamed import AsciiJson, ClosingStream
from .translate import api_at
from .translate.base import Answer, Api, Fault, Stamp, StreamWriter, collected
from .translate.reading import required
from .upstreams import Backends, spoken_params, taught

__all__ = ["Serving", "refused"]

#: What is logged for a client that did not wait; nobody reads it.
_LEFT = 499
#: Names of models are kept, in caches and in the log.
_LONGEST_NAME = 512


class Serving:
    """Answers requests as *config* says; made once for each process."""

    def __init__(self, config: ProxyConfig, recorder: Recorder) -> None:
        self._config = config
        self._recorder = recorder
        self._backends = Backends(config)
        self._relay = Relay()
        self._passing = Passing(self._backends, self._relay)

    async def close(self) -> None:
        """Close every connection to a backend."""
        await self._backends.close()
        await self._relay.close()

    async def models(self, request: Request) -> Response:
        """The models of every backend, as OpenAI lists them."""
        return await self._listed(request, openai_list)

    async def tags(self, request: Request) -> Response:
        """The models of every backend, as Ollama lists them."""
        return await self._listed(request, tag_list)

    async def _listed(
        self, request: Request, told: Callable[[Sequence[str]], dict[str, Any]]
    ) -> Response:
        try:
            names = await model_names(self._backends, self._relay, client_key(request))
        except EndpointError as error:
            failed = failure_of(error)
            return refused(api_at(request.url.path), fault_of(failed))
        return AsciiJson(told(names))

    async def answer(self, api: Api, request: Request) -> Response:
        """The response to *request*, which speaks *api*; a client that leaves gets none."""
        try:
            body = await read_body(request, self._config.limits.body)
            values = read_object(body)
            model = _model(values)
        except BadRequest as error:
            return refused(api, error.fault)
        record = self._recorder.begin(model, api)
        making = asyncio.create_task(self._made(api, body, values, request, record))
        leaving = asyncio.create_task(_left(request))
        try:
            await asyncio.wait((making, leaving), return_when=asyncio.FIRST_COMPLETED)
            if not making.done():
                return Response(status_code=_LEFT)
            response = making.result()
            response.headers.setdefault("x-request-id", record.id)
            return response
        finally:
            # Before the response is sent: a stream listens for its client itself.
            making.cancel()
            leaving.cancel()
            await asyncio.gather(making, leaving, return_exceptions=True)

    async def _made(
        self, api: Api, body: bytes, values: Mapping[str, Any], request: Request, record: Record
    ) -> Response:
        key = client_key(request)
        try:
            _check(values, self._config.limits)
            passed = await self._passing.attempt(
                api, record.model, body, values, key, request.headers
            )
            if passed is None:
                return await self._answered(api, api.read(values), key, record)
            return await _handed_on(passed, record)
        except BadRequest as error:
            record.end("refused")
            return refused(api, error.fault)
        except EndpointError as error:
            record.end("failed")
            return refused(api, fault_of(failure_of(error)), error.retry_after)
        except asyncio.CancelledError:
            record.end("left")
            raise
        except Exception:
            LOGGER.exception("a request failed for a reason of ours")
            record.end("failed")
            return refused(api, Fault(500, "an error inside the proxy", "internal"))

    async def _answered(self, api: Api, asked: Asked, key: str | None, record: Record) -> Response:
        terms = self._config.terms(asked.model)
        paradigm = taught(asked.model, terms)
        record.taught(asked, paradigm.name)
        endpoint = await self._backends.endpoint(asked.model, key)
        dialect = self._backends.find(asked.model).dialect
        _check_stops(asked, dialect)
        own = asked.own if dialect == api.dialect else {}
        asked = replace(asked, params={**spoken_params(dialect, asked.params), **own})
        exchanges = [
            Exchange(
                asked,
                paradigm,
                reasks=terms.reasks,
                examples=terms.examples,
                most=self._config.limits.reply,
            )
            for _ in range(asked.choices)
        ]
        feed = Feed(exchanges, endpoint, self._config.keep_alive)
        running = _Running(api, asked, exchanges, feed, record, self._config.keep_alive)
        return await (running.streamed() if asked.stream else running.whole())


class _Running:
    """One response that is being made."""

    def __init__(
        self,
        api: Api,
        asked: Asked,
        exchanges: list[Exchange],
        feed: Feed,
        record: Record,
        silence: float,
    ) -> None:
        self._api = api
        self._asked = asked
        self._exchanges = exchanges
        self._feed = feed
        self._record = record
        self._stamp = Stamp(secrets.token_hex(12), int(time.time()))
        self._silence = silence
        self._outcome = "left"

    async def whole(self) -> Response:
        """A response in one piece."""
        pieces: list[list[Piece]] = [[] for _ in self._exchanges]
        try:
            while not self._feed.is_over:
                for choice, more in (await self._feed.next()).items():
                    pieces[choice] += more
            answers = [collected(each) for each in pieces]
            failed = next((each for each in answers if isinstance(each, Failed)), None)
            self._outcome = "failed" if failed else "answered"
        finally:
            await self._closed()
        if failed is not None:
            return refused(self._api, fault_of(failed), failed.retry_after)
        whole = [answer for answer in answers if isinstance(answer, Answer)]
        return AsciiJson(self._api.whole(self._asked, whole, self._stamp))

    async def streamed(self) -> Response:
        """A stream; what fails before anything came is an error with its own status."""
        try:
            first = await self._feed.next()
        except BaseException:
            await self._closed()
            raise
        failed = _failure(first)
        if failed is not None:
            self._outcome = "failed"
            await self._closed()
            return refused(self._api, fault_of(failed), failed.retry_after)
        headers = {"cache-control": "no-cache", "x-accel-buffering": "no"}
        written, close = self._written(first), self._closed
        return ClosingStream(written, close, headers=headers, media_type=self._api.media_type)

    async def _written(self, came: Came) -> AsyncIterator[str]:
        writer, now = self._api.writer(self._asked, self._stamp), time.monotonic
        written, begun = now(), writer.begin()
        while True:
            more = [
                frame
                for choice, pieces in came.items()
                for piece in pieces
                for frame in writer.write(choice, piece)
            ]
            if (ended := self._end(writer, came)) is not None:
                yield "".join([*begun, *more, *ended])
                return
            # Nothing came, or what came is not shown to this client, a thought perhaps.
            if not more and now() - written >= self._silence:
                more = [self._api.keep_alive]
            if frames := "".join([*begun, *more]):
                yield frames
                written, begun = now(), []
            came = await self._feed.next()

    def _end(self, writer: StreamWriter, came: Came) -> list[str] | None:
        """What comes after *came*, if that was the last; None if it was not."""
        if failed := _failure(came):
            self._outcome = "failed"
            return writer.fail(fault_of(failed))
        if not self._feed.is_over:
            return None
        self._outcome = "answered"
        return writer.end()

    async def _closed(self) -> None:
        await self._feed.close()
        self._record.end(self._outcome, self._exchanges)


async def _left(request: Request) -> None:
    """Wait until the client of *request* has gone."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _handed_on(passed: Relayed, record: Record) -> Response:
    """The response that is what a backend answered."""
    headers = kept_headers(passed.headers)
    if passed.status >= 400:
        told = await passed.told()
        record.end("passed")
        return Response(told, passed.status, headers)

    async def close() -> None:
        await passed.close()
        record.end("passed")

    return ClosingStream(passed.pieces(), close, passed.status, headers)


def _failure(came: Came) -> Failed | None:
    # An answer that failed says nothing after that.
    last = (pieces[-1] for pieces in came.values())
    return next((piece for piece in last if isinstance(piece, Failed)), None)


def _model(values: Mapping[str, Any]) -> str:
    model: str = required(values, "model", str)
    if len(model) > _LONGEST_NAME:
        raise BadRequest(f"model is longer than {_LONGEST_NAME} characters", "model")
    return model


def _check(values: Mapping[str, Any], limits: Limits) -> None:
    """Raise BadRequest for a request that would cost too much."""
    counts = {"n": (values.get("n"), limits.choices)}
    for field, most in (
        ("tools", limits.tools),
        ("functions", limits.tools),
        ("messages", limits.messages),
        ("input", limits.messages),
    ):
        several = values.get(field)
        counts[field] = (len(several) if isinstance(several, list) else None, most)
    for field, (count, most) in counts.items():
        if isinstance(count, int) and count > most:
            raise BadRequest(f"{field}: {count} is more than {most}", field)


def _check_stops(asked: Asked, dialect: str) -> None:
    """Raise BadRequest for stop sequences that the backend would not be told."""
    most = get_dialect(dialect).most_stops
    if most is not None and len(asked.stop) > most:
        told = f"stop: {len(asked.stop)} sequences are more than the {most} that the backend takes"
        raise BadRequest(told, "stop")


def fault_of(failed: Failed) -> Fault:
    """What a client is told of a failure."""
    return Fault(failed.status, failed.message, failed.code)


def refused(api: Api, fault: Fault, retry_after: float | None = None) -> Response:
    """The response that tells *fault*, in the words of *api*."""
    headers = {} if retry_after is None else {"retry-after": str(ceil(retry_after))}
    return AsciiJson(api.error(fault), fault.status, headers)


def client_key(request: Request) -> str | None:
    """The key that came with *request*: a bearer token, or Anthropic's header."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer" and token.strip():
        return token.strip()
    return request.headers.get("x-api-key") or None


async def read_body(request: Request, most: int) -> bytes:
    """The body, which may be so many bytes long."""
    pieces, size = [], 0
    async for piece in request.stream():
        size += len(piece)
        if size > most:
            raise BadRequest(f"the body is longer than {most} bytes", None, "too_large", 413)
        pieces.append(piece)
    return b"".join(pieces)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _finite(written: str) -> float:
    # ``1e999`` is JSON, but nothing that could be written as JSON again.
    number = float(written)
    if not isfinite(number):
        raise ValueError(f"{written} is too large")
    return number


def read_object(body: bytes) -> dict[str, Any]:
    """The JSON object in *body*."""
    try:
        values = json.loads(body, parse_constant=_refuse_constant, parse_float=_finite)
    except (ValueError, RecursionError):
        raise BadRequest("the body is not JSON") from None
    if not isinstance(values, dict):
        raise BadRequest("the body is to be a JSON object")
    return values
