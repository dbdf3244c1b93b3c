"""Where a service is: its URL taken apart, and what of it may be seen."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit, urlunsplit

from ...protocol.errors import UsageError
from ...protocol.secrets import names_a_secret

__all__ = ["Address"]


@dataclass(frozen=True, slots=True)
class Address:
    """The *url* of a service, with or without *own_path*, that of its dialect, at its end."""

    url: str = field(repr=False)
    own_path: str = ""
    _parts: SplitResult = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_parts", _split(self.url))

    def target(self, path: str) -> str:
        """Where requests for *path* go, which may have a query of its own."""
        path, _, asked = path.partition("?")
        whole = self._parts.path.rstrip("/").removesuffix(self.own_path) + path
        query = "&".join(filter(None, (self._parts.query, asked)))
        return urlunsplit((self._parts.scheme, self._host, whole, query, ""))

    @property
    def shown(self) -> str:
        """The URL without a password or a query, which may hold a key."""
        return urlunsplit((self._parts.scheme, self._host, self._parts.path, "", ""))

    @property
    def headers(self) -> dict[str, str]:
        """What identifies the caller by a name and a password in the URL."""
        if self._parts.username is None:
            return {}
        login = f"{unquote(self._parts.username)}:{unquote(self._parts.password or '')}"
        return {"authorization": "Basic " + base64.b64encode(login.encode()).decode()}

    def secrets(self) -> Iterator[str]:
        """Every text in the URL that must not be seen."""
        if self._parts.password:
            yield unquote(self._parts.password)
        for name, value in parse_qsl(self._parts.query):
            if names_a_secret(name):
                yield value

    @property
    def _host(self) -> str:
        return self._parts.netloc.rpartition("@")[2]


def _split(url: str) -> SplitResult:
    """The parts of *url*; a UsageError does not repeat it, for it may hold a password."""
    try:
        parts = urlsplit(url.strip())
        fine = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        fine = False
    if not fine or not url.isascii():
        raise UsageError(
            "the endpoint's url must be like 'http://localhost:8080/v1': "
            "http or https, and a host in ASCII"
        )
    return parts
