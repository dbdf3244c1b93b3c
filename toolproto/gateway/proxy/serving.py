"""One request of a client, from its bytes to the bytes of the answer."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from ...endpoints.apis.asked import Asked, BadRequest
from ...endpoints.apis.dialects import get_dialect
from ...endpoints.apis.ollama.server import OllamaApi
from ...endpoints.apis.served import check_stops
from ...endpoints.apis.serving.api import Api, ApiFault, Stamp
from ...endpoints.apis.serving.content import Sees, blind
from ...endpoints.base import AsyncEndpoint
from ...endpoints.http.refusals import tools_refused
from ...protocol.errors import EndpointError
from ...protocol.guard.levels import guard_from
from ...protocol.native import NativeTools
from ...protocol.native_mode import Native
from ..bridge.admission import check_messages, read_model, read_object
from ..bridge.answers import Answers
from ..bridge.calls import work_of_request
from ..bridge.exchange import Exchange
from ..bridge.failures import failure_of, fault_of
from ..bridge.taught import natively, taught
from ..http_server import read_body
from .beside import LARGE, Beside, has_wide_schemas
from .config import ProxyConfig
from .feed import Feed
from .incoming import check_limits, client_key
from .log import LOGGER, log_line
from .passing import ClientRequest, Passing, kept_headers
from .readiness import Readiness
from .record import Recorder, RequestRecord
from .relay import Relay, Relayed
from .rescuing import Rescuing
from .responding import Responding, refused
from .streamed import AsciiJson, ClosingStream
from .upstreams import Backends

__all__ = ["Serving"]

#: Characters of a backend's error that are shown as such.
_SHOWN = 300
#: What is logged for a client that did not wait; nobody reads it.
_LEFT = 499


class Serving:
    """Answers requests as *config* says; made once for each process."""

    def __init__(self, config: ProxyConfig, recorder: Recorder) -> None:
        self._config = config
        self._recorder = recorder
        self._backends = self.backends = Backends(config)
        self._relay = self.relay = Relay(config.pace)
        self._passing = Passing(self._backends, self._relay)
        self._readiness = Readiness(self._backends, self._relay)
        #: The responses that clients may come back to.
        self.answers = Answers(config.limits.remembered)
        #: Where what takes long is thought about.
        self.beside = Beside()

    async def close(self) -> None:
        """Close every connection to a backend, and let the threads go."""
        self.beside.close()
        await self._backends.close()
        await self._relay.close()

    async def ready(self, request: Request) -> Response:
        """Whether a backend can be reached; which ones is nobody's business but the log's."""
        if await self._readiness.is_ready():
            return AsciiJson({"status": "ready"})
        log_line(event="not ready", down=await self._readiness.down())
        return AsciiJson({"status": "no upstream can be reached"}, 503)

    async def answer(
        self, api: Api, request: Request, given: Mapping[str, Any] | None = None
    ) -> Response:
        """The response to *request*, which speaks *api*; a client that leaves gets none.

        *given* is what the path says, to be read as a part of the body.
        """
        try:
            body = await read_body(request, self._config.limits.body)
            values = {**read_object(body), **(given or {})}
            model = read_model(values)
        except BadRequest as error:
            self._recorder.begin("", api).end("refused", fault=error.fault)
            return refused(api, error.fault)
        except ClientDisconnect:
            return Response(status_code=_LEFT)
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
        self,
        api: Api,
        body: bytes,
        values: Mapping[str, Any],
        request: Request,
        record: RequestRecord,
    ) -> Response:
        key = client_key(request)
        try:
            only_loads = isinstance(api, OllamaApi) and api.only_loads(values)
            # What has a path of its own, a prompt of Ollama's, has no messages.
            if api.dialect is not None and api.backend_path is None and not only_loads:
                check_messages(values)
            check_limits(values, self._config.limits)
            arrived = ClientRequest(api, record.model, body, values, key, request.headers)
            if self._passing.fits(arrived):
                if not arrived.is_about_tools:
                    return await _handed_on(await self._passing.send(arrived), record)
                if (response := await self._natively(arrived, record)) is not None:
                    return response
            if isinstance(api, OllamaApi) and only_loads:
                record.end("answered")
                return AsciiJson(api.loaded(record.model, Stamp(record.id, int(time.time()))))
            asked = await self._read(api, values, key, len(body) > LARGE)
            return await self._answered(api, asked, key, record)
        except BadRequest as error:
            record.end("refused", fault=error.fault)
            return refused(api, error.fault)
        except EndpointError as error:
            failed = failure_of(error)
            record.end("failed", fault=failed)
            return refused(api, fault_of(failed), error.retry_after)
        except asyncio.CancelledError:
            record.end("left", status=None)
            raise
        except Exception:
            LOGGER.exception("a request failed because of an error in toolproto")
            fault = ApiFault(500, "an error inside the proxy", "internal")
            record.end("failed", fault=fault)
            return refused(api, fault)

    async def _read(
        self, api: Api, values: Mapping[str, Any], key: str | None, is_large: bool
    ) -> Asked:
        """The request in *values*, with what it leaves to our memory."""
        model = read_model(values)
        if api.name == "openai_responses":
            values = self.answers.recalled(values, key)
            check_limits(values, self._config.limits)
        sees = self._sees(model)
        read = await self.beside.run(api.read, values, sees) if is_large else api.read(values, sees)
        asked = self.answers.remembering(read, values, key)
        count, most = len(asked.offer.tools), self._config.limits.tools
        if count > most:
            raise BadRequest(f"tools: {count} is more than {most}", "tools")
        return asked

    def _sees(self, model: str) -> Sees:
        """What *model* can be shown beside text."""
        seeing = self._config.terms(model).vision
        return get_dialect(self._backends.find(model).dialect).takes if seeing else blind

    async def _natively(self, arrived: ClientRequest, record: RequestRecord) -> Response | None:
        """The backend's own answer to a request with tools; None if it is to be asked otherwise."""
        native = await self._backends.native(arrived.model, arrived.key)
        if native == "never":
            return None
        asked = await self._own_asked(arrived)
        if asked is None or not self._config.terms(arrived.model).rescue:
            return await self._unread(arrived, native, record)
        if asked.choices > 1:
            return None  # each in a request of its own
        if not asked.offer.tools:
            return await self._unread(arrived, native, record)  # no call that could be lost
        record.taught(asked, NativeTools.name)
        (exchange,) = await self._prepared(asked, native, own_shape=True)
        own = exchange.own_body(arrived.values)
        if own is not arrived.values:
            arrived = replace(arrived, values=own, body=json.dumps(own).encode())
        passed = await self._passing.send(arrived)
        rescuing = self._rescuing(arrived, asked, exchange, passed, record)
        if passed.status < 400:
            return await rescuing.answer()
        error = await self._error(arrived, passed)
        return await rescuing.instead(error) or _told(error, passed, record)

    async def _own_asked(self, arrived: ClientRequest) -> Asked | None:
        """What is asked, with tools as the client calls them; None if that is not for us to read.

        Some tools are no functions, and what a client sends may make sense to its own service only.
        """
        try:
            asked = await self._read(
                arrived.api, arrived.values, arrived.key, len(arrived.body) > LARGE
            )
        except BadRequest:
            return None
        known = [asked.tool(tool.name) for tool in asked.offer.tools]
        if any(tool.kind != "function" or tool.namespace for tool in known):
            return None
        if asked.tools:
            renamed = zip(asked.offer.tools, known, strict=True)
            tools = tuple(replace(tool, name=client.name) for tool, client in renamed)
            asked = replace(asked, offer=replace(asked.offer, tools=tools), tools={})
        return self._spoken(arrived.api, asked)

    async def _unread(
        self, arrived: ClientRequest, native: Native, record: RequestRecord
    ) -> Response:
        """The backend's answer as it is; or the model's, if it has no tools and can do without."""
        passed = await self._passing.send(arrived)
        if passed.status < 400:
            return await _handed_on(passed, record)
        error = await self._error(arrived, passed)
        if native == "only" or tools_refused(error) is None:
            return _told(error, passed, record)
        values, is_large = arrived.values, len(arrived.body) > LARGE
        asked = await self._read(arrived.api, values, arrived.key, is_large)
        return await self._answered(arrived.api, asked, arrived.key, record, "never")

    async def _error(self, arrived: ClientRequest, passed: Relayed) -> EndpointError:
        """The backend's error; that it has no tools is remembered."""
        told = await passed.told()
        error = EndpointError(told[:_SHOWN], status=passed.status, body=told)
        if (refused := tools_refused(error)) and refused.remembered:
            self._backends.refuse(arrived.model)
        return error

    def _rescuing(
        self,
        arrived: ClientRequest,
        asked: Asked,
        exchange: Exchange,
        passed: Relayed,
        record: RequestRecord,
    ) -> Rescuing:
        dialect = get_dialect(self._backends.find(asked.model).dialect)
        silence = self._config.keep_alive

        async def again() -> AsyncEndpoint:
            endpoint = await self._backends.endpoint(asked.model, arrived.key)
            return endpoint

        return Rescuing(
            arrived.api, asked, exchange, dialect, passed, record, silence, self.beside, again
        )

    def _spoken(self, api: Api, asked: Asked) -> Asked:
        """*asked* with those of its parameters that the backend knows."""
        dialect = self._backends.find(asked.model).dialect
        own = asked.own if dialect == api.dialect else {}
        known = get_dialect(dialect).spoken_params(asked.params)
        return replace(asked, params={**known, **own})

    async def _answered(
        self,
        api: Api,
        asked: Asked,
        key: str | None,
        record: RequestRecord,
        native: Native | None = None,
    ) -> Response:
        native = native or await self._backends.native(asked.model, key)
        endpoint = await self._backends.endpoint(asked.model, key)
        check_stops(asked, self._backends.find(asked.model).dialect)
        asked = self._spoken(api, asked)
        exchanges = await self._prepared(asked, native)
        record.taught(asked, exchanges[0].paradigm)
        silence = self._config.keep_alive
        feed = Feed(exchanges, endpoint, silence, self.beside, has_wide_schemas(asked))
        running = Responding(api, asked, exchanges, feed, record, silence)
        return await (running.streamed() if asked.stream else running.whole())

    async def _prepared(
        self, asked: Asked, native: Native, own_shape: bool = False
    ) -> list[Exchange]:
        """The exchanges for what is *asked*; what takes long is done beside."""
        if has_wide_schemas(asked):
            return await self.beside.run(self._exchanges, asked, native, own_shape)
        return self._exchanges(asked, native, own_shape)

    def _exchanges(self, asked: Asked, native: Native, own_shape: bool) -> list[Exchange]:
        """One for each of the answers that are wanted."""
        terms, work = self._config.terms(asked.model), work_of_request()
        paradigm = taught(asked.model, terms)
        if native != "never":
            paradigm = natively(paradigm)
        return [
            Exchange(
                asked,
                paradigm,
                reasks=terms.reasks,
                examples=terms.examples,
                constrain=terms.constrain,
                guard=guard_from(terms.guard),
                most=self._config.limits.reply,
                work=work,
                only=native == "only",
                own_shape=own_shape,
            )
            for _ in range(asked.choices)
        ]


async def _left(request: Request) -> None:
    """Wait until the client of *request* has gone."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _told(error: EndpointError, passed: Relayed, record: RequestRecord) -> Response:
    """The response that is the backend's own error."""
    record.end("passed", status=passed.status)
    return Response(error.body, passed.status, kept_headers(passed.headers))


async def _handed_on(passed: Relayed, record: RequestRecord) -> Response:
    """The response that is what a backend answered."""
    headers = kept_headers(passed.headers)
    if passed.status >= 400:
        told = await passed.told()
        record.end("passed", status=passed.status)
        return Response(told, passed.status, headers)

    async def close() -> None:
        await passed.close()
        if passed.failure is not None:
            record.end("failed", fault=failure_of(passed.failure))
        record.end("passed", status=passed.status)

    return ClosingStream(passed.pieces(), close, passed.status, headers)
