"""One request to the API: what it may hold, who handles it, and how it is answered.

The table of operations is also where ``openapi.py`` takes the description of the API from.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from ..endpoints.apis.asked import BadRequest
from ..gateway.bridge.admission import read_object
from ..gateway.http_server import read_body
from ..protocol.errors import (
    EndpointError,
    SessionConflict,
    StoreError,
    ToolFailed,
    ToolProtoError,
    UsageError,
)
from .people import Person
from .talks import Hidden

__all__ = ["Field", "Operation", "PageRequest", "answer_to", "problem"]

_MOST_BODY = 16 * 1024 * 1024
#: What a body field may be, and what that is called in JSON Schema.
_KINDS: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
}
_STATUS: tuple[tuple[type[Exception], int], ...] = (
    (Hidden, 404),
    (SessionConflict, 409),
    (StoreError, 503),
    (EndpointError, 502),
    (ToolFailed, 400),
    (UsageError, 400),
    (ToolProtoError, 500),
)


class Field(NamedTuple):
    """A member of a request's body, or of its query."""

    kind: str
    words: str
    required: bool = False


@dataclass(frozen=True, slots=True)
class PageRequest:
    """What somebody asks for; *body* is checked, *query* is as it came."""

    request: Request
    person: Person
    body: Mapping[str, Any]

    @property
    def id(self) -> str:
        """The session that is meant."""
        return str(self.request.path_params["id"])

    def query(self, name: str, usual: str = "") -> str:
        """A word of the URL behind the question mark."""
        return self.request.query_params.get(name, usual)

    def number(self, name: str, usual: int, most: int) -> int:
        """A number of the query, from 0 to *most*."""
        written = self.query(name)
        if not written:
            return usual
        if not written.isdecimal() or len(written) > 9 or int(written) > most:
            raise UsageError(f"{name} must be a number from 0 to {most}")
        return int(written)


Handler = Callable[[PageRequest], Awaitable[Response | Mapping[str, Any] | list[Any]]]


@dataclass(frozen=True, slots=True)
class Operation:
    """What can be asked for: *fields* of its body (None: it is read by the handler), *query*."""

    method: str
    path: str
    handler: Handler
    summary: str
    fields: Mapping[str, Field] | None = field(default_factory=dict)
    query: Mapping[str, Field] = field(default_factory=dict)


def answer_to(operation: Operation) -> Callable[[Request], Awaitable[Response]]:
    """The function that answers requests for *operation*."""

    async def answer(request: Request) -> Response:
        try:
            body: Mapping[str, Any] = {}
            if operation.fields is not None and operation.method in ("POST", "PATCH"):
                body = _checked(operation.fields, await _body(request))
            told = await operation.handler(PageRequest(request, request.state.person, body))
        except ClientDisconnect:
            return Response(status_code=499)
        except BadRequest as error:
            return problem(error.status, error.message)
        except ToolProtoError as error:
            return problem(
                next(code for kind, code in _STATUS if isinstance(error, kind)), str(error)
            )
        return told if isinstance(told, Response) else AsciiAnswer(told)

    return answer


class AsciiAnswer(JSONResponse):
    """JSON in ASCII: half a surrogate pair cannot be sent otherwise."""

    def render(self, content: Any) -> bytes:
        """The bytes of *content*."""
        import json

        return json.dumps(content, separators=(",", ":"), default=str).encode("ascii")


def problem(status: int, message: str) -> Response:
    """What went wrong, in words."""
    return AsciiAnswer({"error": message}, status)


async def _body(request: Request) -> dict[str, Any]:
    content = await read_body(request, _MOST_BODY)
    if not content:
        return {}
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise BadRequest("send application/json", None, "invalid_value", 415)
    return read_object(content)


def _checked(fields: Mapping[str, Field], values: Mapping[str, Any]) -> dict[str, Any]:
    if unknown := sorted(values.keys() - fields.keys()):
        raise BadRequest(f"there is no field {unknown[0][:60]!r}; there are {sorted(fields)}")
    for name, each in fields.items():
        value = values.get(name)
        if value is None:
            if each.required:
                raise BadRequest(f"{name} is missing: {each.words}")
        elif not isinstance(value, _KINDS[each.kind]) or (
            isinstance(value, bool) and each.kind != "boolean"
        ):
            raise BadRequest(f"{name} must be of type {each.kind}: {each.words}")
    return {name: value for name, value in values.items() if value is not None}
