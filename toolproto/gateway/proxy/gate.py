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
from collections.abc import Iterable

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from ...endpoints.apis.asked import ApiFault
from ...endpoints.apis.served import api_at
from ..bridge.admission import sent_keys
from ..bridge.paths import usual
from ..http_server import foreign, key_in, served_hosts
from .config import ProxyConfig
from .log import log_line

__all__ = ["Gate"]

#: What is asked by those who watch over the proxy, and needs no key. Neither says anything that
#: would be worth one.
_OPEN = ("/healthz", "/readyz")
_LONGEST_PATH = 200


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


async def _refuse(send: Send, path: str, status: int, message: str) -> None:
    code = "invalid_api_key" if status == 401 else "refused"
    shown = path[:_LONGEST_PATH]
    log_line(path=shown, outcome="refused", status=status, reason=code, detail=message)
    body = json.dumps(api_at(path).error(ApiFault(status, message, code))).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
