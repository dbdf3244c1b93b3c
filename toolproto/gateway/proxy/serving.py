"""One request of a client, from its bytes to the bytes of the answer."""

from __future__ import annotations

import asyncio
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
from ...protocol.errors import EndpointError
from ...protocol.guard.levels import guard_from
from ...protocol.paradigms.base import ToolContextDef
from ..bridge.admission import check_messages, read_model, read_object
from ..bridge.answers import Answers
from ..bridge.calls import work_of_request
from ..bridge.exchange import Exchange
from ..bridge.failures import failure_of, fault_of
from ..bridge.taught import taught
from ..http_server import read_body
from .beside import LARGE, Beside, has_wide_schemas
from .config import ProxyConfig
from .feed import Feed
from .incoming import check_limits, client_key
from .log import LOGGER, log_line
from .passing import Passing, kept_headers
from .readiness import Readiness
from .record import Recorder, RequestRecord
from .relay import Relay, Relayed
from .responding import Responding, refused
from .streamed import AsciiJson, ClosingStream
from .upstreams import Backends

__all__ = ["Serving"]

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
            passed = await self._passing.attempt(
                api, record.model, body, values, key, request.headers
            )
            if passed is None and isinstance(api, OllamaApi) and only_loads:
                record.end("answered")
                return AsciiJson(api.loaded(record.model, Stamp(record.id, int(time.time()))))
            if passed is None:
                asked = await self._read(api, values, key, len(body) > LARGE)
                return await self._answered(api, asked, key, record)
            return await _handed_on(passed, record)
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

    async def _answered(
        self, api: Api, asked: Asked, key: str | None, record: RequestRecord
    ) -> Response:
        terms = self._config.terms(asked.model)
        paradigm = taught(asked.model, terms)
        record.taught(asked, paradigm.name)
        endpoint = await self._backends.endpoint(asked.model, key)
        dialect = self._backends.find(asked.model).dialect
        check_stops(asked, dialect)
        own = asked.own if dialect == api.dialect else {}
        known = get_dialect(dialect).spoken_params(asked.params)
        asked = replace(asked, params={**known, **own})
        is_wide = has_wide_schemas(asked)
        exchanges = (
            await self.beside.run(self._exchanges, asked, paradigm)
            if is_wide
            else self._exchanges(asked, paradigm)
        )
        feed = Feed(exchanges, endpoint, self._config.keep_alive, self.beside, is_wide)
        running = Responding(api, asked, exchanges, feed, record, self._config.keep_alive)
        return await (running.streamed() if asked.stream else running.whole())

    def _exchanges(self, asked: Asked, paradigm: ToolContextDef) -> list[Exchange]:
        """One for each of the answers that are wanted."""
        terms, work = self._config.terms(asked.model), work_of_request()
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
            )
            for _ in range(asked.choices)
        ]


async def _left(request: Request) -> None:
    """Wait until the client of *request* has gone."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


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
