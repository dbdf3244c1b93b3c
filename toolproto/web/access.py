"""Who may talk to the server, and as whom.

The gate of the proxy comes first: the ``Host`` must be one of ours, and what a page of another
origin sends is refused. Then every path of the API wants to know who asks: by a cookie, which the
token in the address that the server printed becomes, or by a bearer token, for programs. Cookies
know no ports, so whatever another port's page has the browser fetch is told by ``Sec-Fetch-Site``,
and refused.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl

from starlette.datastructures import Headers
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from ..gateway.http_server import foreign, served_hosts
from ..protocol.errors import UsageError
from .asking import PageRequest, problem
from .config import LOCAL, WebConfig
from .people import People

__all__ = ["Access"]

_API = "/api/"
_OPEN = ("/api/signin", "/api/health", "/api/openapi.json")
_LONGEST_QUERY = 4096
_YEAR = 365 * 24 * 3600
#: Seconds that a wrong key takes, so that guessing many does.
_WRONG = 0.3


class Access:
    """Lets requests through to *app* that may be answered, with the person who sends them."""

    def __init__(self, app: ASGIApp, config: WebConfig, people: People) -> None:
        self._app = app
        self._config = config
        self._people = people
        self._hosts = served_hosts(config.host, *config.hosts)
        self._cookie = f"toolproto_{config.port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        headers, path = Headers(scope=scope), scope["path"]
        answer: Response | None = None
        if refusal := foreign(headers, self._hosts):
            answer = problem(*refusal)
        elif path == "/" and (token := _token(scope)):
            answer = await self._let_in(token)
        elif path.startswith(_API) and path not in _OPEN:
            if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
                answer = problem(403, "only pages of this server get an answer")
            elif (person := self._person(headers)) is None:
                answer = problem(401, "open the address that the server printed, or give your key")
            else:
                scope.setdefault("state", {})["person"] = self._people.person(person)
        else:
            scope.setdefault("state", {})["person"] = None
        await (answer or self._app)(scope, receive, send)

    # -- coming in -----------------------------------------------------------------------

    async def sign_in(self, ask: PageRequest) -> Response:
        """Let somebody in who gives a key, or the token."""
        return await self._let_in(str(ask.body["key"]), redirect=False)

    async def sign_out(self, ask: PageRequest) -> Response:
        """Forget the cookie."""
        answer = Response(status_code=204)
        answer.delete_cookie(self._cookie)
        return answer

    async def _let_in(self, key: str, redirect: bool = True) -> Response:
        person = self._who(key)
        if person is None:
            await asyncio.sleep(_WRONG)
            if redirect:
                return RedirectResponse("/", 303)  # the page says what is missing
            raise UsageError("the key is wrong")
        # Without the token, so that it is neither in the history nor on the screen.
        answer = RedirectResponse("/", 303) if redirect else Response(status_code=204)
        signed = f"{person}.{self._signature(person)}"
        answer.set_cookie(
            self._cookie, signed, max_age=_YEAR, httponly=True, samesite="strict", path="/"
        )
        return answer

    def _who(self, key: str) -> str | None:
        """The person whose key, or token, it is."""
        known = {LOCAL: self._config.token} if self._config.is_local else self._config.keys()
        found = [name for name, each in known.items() if _same(each, key)]
        return found[0] if found else None

    def _person(self, headers: Headers) -> str | None:
        kind, _, token = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer":
            return self._who(token.strip())
        name, dot, signature = self._sent_cookie(headers).rpartition(".")
        known = (LOCAL,) if self._config.is_local else tuple(self._config.keys())
        if not dot or name not in known:
            return None
        return name if _same(self._signature(name), signature) else None

    def _sent_cookie(self, headers: Headers) -> str:
        try:
            found = SimpleCookie(headers.get("cookie", "")[:_LONGEST_QUERY]).get(self._cookie)
        except CookieError:
            return ""
        return found.value if found else ""

    def _signature(self, person: str) -> str:
        # Another key for the same name makes the cookies of the old one worthless.
        key = "" if self._config.is_local else self._config.keys().get(person, "")
        told = f"{person}\n{key}\n{self._config.port}".encode()
        return hmac.new(self._config.secret, told, hashlib.sha256).hexdigest()


def _same(known: str, given: str) -> bool:
    return hmac.compare_digest(known.encode(), given.encode("utf-8", "replace"))


def _token(scope: Scope) -> str:
    query = scope.get("query_string", b"").decode("latin-1")[:_LONGEST_QUERY]
    return next((value for name, value in parse_qsl(query) if name == "token"), "")
