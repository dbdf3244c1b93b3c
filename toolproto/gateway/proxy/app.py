"""The proxy as an ASGI application: which path is answered by whom."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from ...endpoints.apis.asked import BadRequest
from ...endpoints.apis.served import APIS, GOOGLE, api_at
from ...endpoints.apis.serving.api import ApiFault
from .config import ProxyConfig
from .counting import Counting
from .directory import Directory
from .gate import Gate
from .incoming import client_key
from .lifecycle import telling
from .metrics import Metrics
from .others import Others
from .paths import Paths
from .record import Recorder
from .responding import turned_away
from .serving import Serving
from .streamed import AsciiJson

__all__ = ["make_app"]

_Answer = Callable[[Request], Awaitable[Response]]


def make_app(config: ProxyConfig) -> Starlette:
    """The application that serves as *config* says."""
    metrics = Metrics()
    recorder = Recorder(metrics, config.log_content)
    serving = Serving(config, recorder)
    others = Others(config, serving.backends, serving.relay, recorder)
    counting = Counting(config, serving.backends, serving.relay, serving.beside)

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
            *_answered(serving),
            *_google(serving, counting),
            *_counted(counting),
            *_remembered(serving),
            *_looked_up(Directory(config, serving.backends, serving.relay, others)),
            Route("/healthz", health),
            Route("/readyz", serving.ready),
            Route("/metrics", counts),
            Route("/{path:path}", others.answer, methods=_METHODS),
        ],
        middleware=[Middleware(Gate, config=config), Middleware(Paths)],
        lifespan=lifespan,
        exception_handlers={HTTPException: _unserved},
    )


_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]
_LISTS = ("/v1/models", "/v1beta/models", "/api/v0/models", "/api/v1/models")


def _answered(serving: Serving) -> list[BaseRoute]:
    """What models answer."""

    def answering(path: str) -> Route:
        async def answer(request: Request) -> Response:
            return await serving.answer(APIS[path], request)

        return Route(path, answer, methods=["POST"])

    return [*map(answering, APIS)]


def _google(serving: Serving, counting: Counting) -> list[BaseRoute]:
    """Google's methods, each behind the name of a model: ``…/models/NAME:generateContent``."""

    async def answer(request: Request) -> Response:
        model, _, method = request.path_params["model"].rpartition(":")
        given = {"model": model, "stream": method == "streamGenerateContent"}
        if method in ("generateContent", "streamGenerateContent"):
            api = GOOGLE[request.query_params.get("alt") == "sse" or not given["stream"]]
            return await serving.answer(api, request, given)
        if method == "countTokens":
            return await counting.answer(GOOGLE[True], _total_tokens, request, given)
        told = f"{request.method} {request.url.path[:80]} is not served here"
        return turned_away(GOOGLE[True], request.url.path, ApiFault(404, told, "not_found"))

    versions = ("/v1beta", "/v1")
    return [Route(f"{each}/models/{{model:path}}", answer, methods=["POST"]) for each in versions]


def _total_tokens(count: int) -> dict[str, Any]:
    return {"totalTokens": count}


def _counted(counting: Counting) -> list[BaseRoute]:
    """What is told of a request before it is made."""

    async def anthropic(request: Request) -> Response:
        return await counting.answer(APIS["/v1/messages"], _input_tokens, request)

    async def responses(request: Request) -> Response:
        told = partial(_input_tokens, object="response.input_tokens")
        return await counting.answer(APIS["/v1/responses"], told, request)

    return [
        Route("/v1/messages/count_tokens", anthropic, methods=["POST"]),
        Route("/v1/responses/input_tokens", responses, methods=["POST"]),
    ]


def _input_tokens(count: int, **more: Any) -> dict[str, Any]:
    return {**more, "input_tokens": count}


def _looked_up(directory: Directory) -> list[BaseRoute]:
    """Lists of models, and what is said of one."""
    return [
        Route("/", directory.alive),
        *(Route(path, directory.listed) for path in _LISTS),
        *(Route(f"{path}/{{model:path}}", directory.listed) for path in _LISTS),
        Route("/api/tags", directory.listed),
        Route("/api/ps", directory.running),
        Route("/api/version", directory.version),
        Route("/api/show", directory.show, methods=["POST"]),
    ]


def _remembered(serving: Serving) -> list[BaseRoute]:
    """Responses that were given, by their ids."""
    answers, path = serving.answers, "/v1/responses/{id}"

    def told(make: Callable[[str, str | None, Request], Any]) -> _Answer:
        async def answer(request: Request) -> Response:
            try:
                return AsciiJson(make(request.path_params["id"], client_key(request), request))
            except BadRequest as error:
                return turned_away(APIS["/v1/responses"], request.url.path, error.fault)

        return answer

    def forgotten(id: str, key: str | None, request: Request) -> Any:
        answers.forget(id, key)
        return {"id": id, "object": "response.deleted", "deleted": True}

    def items(id: str, key: str | None, request: Request) -> Any:
        said = list(answers.said_before(id, key))
        said = said if request.query_params.get("order") == "asc" else said[::-1]
        ends = {"first_id": said[0]["id"], "last_id": said[-1]["id"]} if said else {}
        return {"object": "list", "data": said, "has_more": False, **ends}

    return [
        Route(path, told(lambda id, key, request: answers.response(id, key)), methods=["GET"]),
        Route(path, told(forgotten), methods=["DELETE"]),
        Route(f"{path}/input_items", told(items), methods=["GET"]),
    ]


async def _unserved(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    told = f"{request.method} {request.url.path[:80]} is not served here"
    path = request.url.path
    return turned_away(api_at(path), path, ApiFault(status, told, "not_found"))
