"""What a proxy is set up with: where requests go, on what terms, and who may send them.

A :class:`ProxyConfig` holds no secret but what stands in a URL: keys are named by the variables of
the environment that hold them, so that it can be written to a file or another process.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from ...endpoints.apis.dialects import get_dialect
from ...endpoints.http.address import Address
from ...endpoints.http.holding import Holding
from ...protocol.errors import UsageError
from ...protocol.native_mode import Native, checked_native
from ..bridge.exchange import LONGEST_REPLY
from ..bridge.terms import ModelTerms

__all__ = [
    "ModelTerms",
    "Native",
    "ProxyConfig",
    "ProxyLimits",
    "Upstream",
    "config_from",
]

#: Settings that nobody knows are a mistake, and pydantic is to say so.
_KNOWN_ONLY = {"extra": "forbid"}
#: Seconds: slower than this, people see that words come in heaps.
_SLOWEST = 0.2
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


@dataclass(frozen=True, slots=True)
class Upstream:
    """A backend: its *url*, how it is spoken to, and the models that go there.

    Those are the ones whose name begins with *prefix*; a prefix that ends with a slash is taken
    away. The key is held in *api_key_env*; without one, the client's own is passed on. With
    *native* ``auto`` the backend's own tools are used, unless it refuses them; with ``only``, its
    refusal is the answer. *service* says which server it is, so that it can be sent a grammar. With
    *normalize* the roles of requests without tools take turns, too, for chat templates that insist
    on it.
    """

    __pydantic_config__ = _KNOWN_ONLY

    url: str
    dialect: str = "openai_chat"
    prefix: str = ""
    api_key_env: str | None = None
    native: Native = "never"
    service: str | None = None
    normalize: bool = False

    def __post_init__(self) -> None:
        Address(self.url)
        get_dialect(self.dialect)
        Holding(self.service)
        checked_native(self.native)

    def name_of(self, model: str) -> str:
        """What the backend calls *model*."""
        return model.removeprefix(self.prefix) if self.prefix.endswith("/") else model


@dataclass(frozen=True, slots=True)
class ProxyLimits:
    """What one request may cost: bytes of its body, characters of a reply, and how many of each.

    *connections* is how many a process has open to clients at a time. Each may need one to a
    backend, and many systems let a process open 1024 files. *remembered* is how many bytes of
    responses it keeps for clients that come back to them by their ids; none, with 0.
    """

    __pydantic_config__ = _KNOWN_ONLY

    body: int = 16 * 1024 * 1024
    reply: int = LONGEST_REPLY
    tools: int = 512
    choices: int = 8
    messages: int = 10_000
    connections: int = 400
    remembered: int = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class ProxyConfig:
    """Everything a proxy is told when it starts.

    *models* maps names or patterns to terms, the first that matches wins; *default* is for all
    others. *key_env* holds the key that clients must send; without one only this machine is
    served. *hosts* are further names under which clients may address the proxy. With
    *pass_others*, paths that have nothing to do with tools go to a backend of the same API. Tokens
    that come faster than every *pace* seconds go out together; 0 sends each as it comes.
    """

    __pydantic_config__ = _KNOWN_ONLY

    upstreams: tuple[Upstream, ...]
    default: ModelTerms = field(default_factory=ModelTerms)
    models: Mapping[str, ModelTerms] = field(default_factory=dict)
    host: str = "127.0.0.1"
    port: int = 8100
    key_env: str | None = None
    hosts: tuple[str, ...] = ()
    limits: ProxyLimits = field(default_factory=ProxyLimits)
    log_content: bool = False
    keep_alive: float = 15.0
    pass_others: bool = True
    pace: float = 0.05

    def __post_init__(self) -> None:
        if not self.upstreams:
            raise UsageError(
                "no upstream: give --upstream URL, or [upstreams.NAME] in the settings"
            )
        if not 0 <= self.pace <= _SLOWEST:
            raise UsageError(f"pace is {self.pace!r}; give seconds, from 0 to {_SLOWEST}")
        for prefix, count in Counter(each.prefix for each in self.upstreams).items():
            if count > 1:
                raise UsageError(
                    f"{count} upstreams serve the models that begin with {prefix!r}: give each a "
                    "prefix of its own"
                )
        if self.host not in _LOOPBACK and self.key_env is None:
            raise UsageError(
                f"{self.host!r} can be reached from other machines: set a key that clients must "
                "send, and name its variable with --key-env; or bind to 127.0.0.1"
            )

    def upstream(self, model: str) -> Upstream | None:
        """Where requests for *model* go: to whose prefix fits, the longest of several."""
        fitting = (each for each in self.upstreams if model.startswith(each.prefix))
        return max(fitting, key=lambda each: len(each.prefix), default=None)

    def terms(self, model: str) -> ModelTerms:
        """How *model* is treated."""
        named = (terms for name, terms in self.models.items() if fnmatchcase(model, name))
        return next(named, self.default)

    def as_json(self) -> dict[str, Any]:
        """What :func:`config_from` makes the same config of."""
        return asdict(self)


def config_from(values: Mapping[str, Any]) -> ProxyConfig:
    """The config in plain *values*, as JSON or TOML hold them; a wrong one is a UsageError."""
    from pydantic import TypeAdapter, ValidationError

    try:
        return TypeAdapter(ProxyConfig).validate_python(dict(values))
    except ValidationError as error:
        told = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
        raise UsageError(f"the settings of the proxy cannot be used: {told}") from None
