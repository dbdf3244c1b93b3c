"""The proxy as an ASGI application."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from .config import ProxyConfig, config_from
from .guard import Guard
from .lifecycle import telling
from .log import log_to_stderr
from .metrics import Metrics
from .record import Recorder
from .responding import refused
from .serving import Serving
from .translate import APIS, api_at
from .translate.base import Api, Fault

__all__ = ["CONFIG_VARIABLE", "app_from_environment", "make_app"]

#: Holds a config as JSON, for worker processes.
CONFIG_VARIABLE = "TOOLPROTO_PROXY_CONFIG"
_Answer = Callable[[Request], Awaitable[Response]]


def make_app(config: ProxyConfig) -> Starlette:
    """The application that serves as *config* says."""
    metrics = Metrics()
    recorder = Recorder(metrics, config.log_content)
    serving = Serving(config, recorder)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        with telling(lambda: recorder.open):
            yield
            await serving.close()

    async def health(request: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def counts(request: Request) -> Response:
        return Response(metrics.text(), media_type=metrics.media_type)

    return Starlette(
        routes=[
            *(
                Route(path, _answering(serving, api), methods=["POST"])
                for path, api in APIS.items()
            ),
            Route("/v1/models", serving.models),
            Route("/api/tags", serving.tags),
            Route("/healthz", health),
            Route("/readyz", serving.ready),
            Route("/metrics", counts),
        ],
        middleware=[Middleware(Guard, config=config)],
        lifespan=lifespan,
        exception_handlers={HTTPException: _unserved},
    )


def app_from_environment() -> Starlette:
    """The application of a worker process."""
    log_to_stderr()
    return make_app(config_from(json.loads(os.environ[CONFIG_VARIABLE])))


async def _unserved(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    told = f"{request.method} {request.url.path[:80]} is not served here"
    return refused(api_at(request.url.path), Fault(status, told, "not_found"))


def _answering(serving: Serving, api: Api) -> _Answer:
    async def answer(request: Request) -> Response:
        return await serving.answer(api, request)

    return answer
