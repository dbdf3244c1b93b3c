"""Which models a service has, asked by waiting for it."""

from __future__ import annotations

from threading import Event, Timer

from ...protocol.errors import EndpointError, EndpointTimeout
from ..apis.listing import models_in
from .exchange import Service
from .http import Line
from .reply_reader import refusal

__all__ = ["MOST_BYTES", "fetch_model_names", "models_path"]

#: OpenRouter's list, the longest there is, has half a megabyte.
MOST_BYTES = 4 * 1024 * 1024
_PATHS = {"ollama": "/api/tags"}


def models_path(dialect: str) -> str:
    """Where services of that *dialect* list their models."""
    return _PATHS.get(dialect, "/models")


def fetch_model_names(service: Service, url: str, line: Line, seconds: float) -> list[str]:
    """The names that *service* lists at *url*; an EndpointError says which service it was."""
    late = Event()

    def ring() -> None:
        late.set()
        line.cut()

    alarm = Timer(seconds, ring)
    alarm.daemon = True
    alarm.start()
    status: int | None = None
    try:
        status, headers = line.send(url, service.headers, b"", seconds, "GET")
        body = _body(line)
        if status != 200:
            raise refusal(status, headers, body[:2000], 0.0)
        return [model.name for model in models_in(body)]
    except EndpointError as error:
        failure = error
        failure.status = failure.status or status  # it answered, whatever that was
        if late.is_set():
            failure = EndpointTimeout(f"no list of models within {seconds:g} s")
    finally:
        alarm.cancel()
        line.close()
    failure.args = (service.redact(f"{service.shown}: {failure}{service.key_hint(failure)}"),)
    raise failure


def _body(line: Line) -> bytes:
    pieces: list[bytes] = []
    size = 0
    while piece := line.read():
        size += len(piece)
        if size > MOST_BYTES:
            raise EndpointError(f"the list of models is longer than {MOST_BYTES:,} bytes")
        pieces.append(piece)
    return b"".join(pieces)
