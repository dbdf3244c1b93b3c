"""Who may talk to the proxy at all.

A proxy on this machine could be reached by any web page its user has open: a page may send
requests to 127.0.0.1, or to a name of its own that it points there. So the ``Host`` must be one of
ours, and a request with a foreign ``Origin`` is refused, whatever else it carries; a page of this
machine that comes from another port is foreign, too. Where a key is set, every path asks
for it but those that say whether the proxy is well.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Collection, Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from ..bridge.admission import sent_keys
from ..bridge.asked import Fault
from ..bridge.paths import usual
from ..bridge.translate import api_at
from .config import ProxyConfig, key_in
from .log import log_line

__all__ = ["Gate", "foreign", "served_hosts"]

_LOCAL = ("127.0.0.1", "localhost", "[::1]")
#: What is asked by those who watch over the proxy, and needs no key. Neither says anything that
#: would be worth one.
_OPEN = ("/healthz", "/readyz")
_LONGEST_PATH = 200
_PORTS = {"http": 80, "https": 443}
#: Headers that a client and a server might read differently; one of each is enough.
_SINGLE = (
    *(b"host", b"content-length", b"transfer-encoding"),
    *(b"authorization", b"x-api-key", b"x-goog-api-key"),
)


class Gate:
    """Lets requests through to *app* that may be answered."""

    def __init__(self, app: ASGIApp, config: ProxyConfig) -> None:
        self._app = app
        self._hosts = served_hosts(config.host, *config.hosts)
        self._key_env = config.key_env

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        path = usual(scope["path"])
        query = scope.get("query_string", b"").decode("latin-1")
        refusal = self._refusal(Headers(scope=scope), path, query)
        if refusal is None:
            await self._app(scope, receive, send)
        else:
            await _refuse(send, path, *refusal)

    def _refusal(self, headers: Headers, path: str, query: str) -> tuple[int, str] | None:
        """Status and words, or None for a request that may be answered."""
        if refused := foreign(headers, self._hosts):
            return refused
        if self._key_env is None or path in _OPEN:
            return None
        if not self._is_key(sent_keys(headers, path, query)):
            return 401, "the key is missing or wrong"
        return None

    def _is_key(self, sent: Iterable[str]) -> bool:
        key = key_in(self._key_env or "")
        # An unset variable is no key that anybody could send.
        return key is not None and any(
            hmac.compare_digest(key.encode(), each.encode()) for each in sent
        )


def served_hosts(*names: str) -> frozenset[str]:
    """The ``Host`` headers under which a server at *names* may be addressed."""
    return frozenset(_written(host) for host in (*_LOCAL, *names))


def foreign(headers: Headers, hosts: Collection[str]) -> tuple[int, str] | None:
    """Status and words for a request that is not meant for a server of these *hosts*."""
    if any(sum(name == each for name, _ in headers.raw) > 1 for each in _SINGLE):
        return 400, "a header was sent twice"
    if "content-length" in headers and "transfer-encoding" in headers:
        return 400, "a request must give one length for its body"
    if _name(headers.get("host", "")) not in hosts:
        return 421, "this server does not answer to that host name; add it with --allow-host"
    origin = headers.get("origin")
    if origin is not None and _place(origin) != _at_port(headers["host"], origin):
        return 403, "web pages of other origins are not served"
    return None


def _name(host: str) -> str:
    """*host* without its port."""
    name, colon, port = host.lower().rpartition(":")
    return name if colon and port.isdigit() else host.lower()


def _written(host: str) -> str:
    """*host* as a ``Host`` header has it: in small letters, IPv6 in brackets."""
    bare = host.lower()
    return f"[{bare}]" if bare.count(":") > 1 and not bare.startswith("[") else _name(bare)


def _place(origin: str) -> str | None:
    """Host and port of *origin*; None if it names none."""
    try:
        place = urlsplit(origin)
    except ValueError:
        return None
    bare = f"{place.scheme}://{place.netloc}"
    if place.scheme not in _PORTS or not place.netloc or bare.lower() != origin.lower():
        return None
    return _at_port(place.netloc, origin)


def _at_port(host: str, origin: str) -> str:
    """*host* with its port, the usual one of *origin*'s scheme if it has none."""
    name = _name(host)
    scheme = origin.partition(":")[0].lower()
    return host.lower() if name != host.lower() else f"{name}:{_PORTS.get(scheme, 0)}"


async def _refuse(send: Send, path: str, status: int, message: str) -> None:
    code = "invalid_api_key" if status == 401 else "refused"
    shown = path[:_LONGEST_PATH]
    log_line(path=shown, outcome="refused", status=status, reason=code, detail=message)
    body = json.dumps(api_at(path).error(Fault(status, message, code))).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
