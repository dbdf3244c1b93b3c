"""What a proxy is set up with: where requests go, on what terms, and who may send them.

A :class:`ProxyConfig` holds no secret: keys are named by the variables of the environment that hold
them, so that it can be written to a file, a log or another process.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Literal, get_args

from ..endpoints.dialects import get_dialect
from ..errors import UsageError

__all__ = ["Limits", "ModelTerms", "Native", "ProxyConfig", "Upstream", "config_from"]

Native = Literal["never", "auto"]
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


@dataclass(frozen=True, slots=True)
class Upstream:
    """A backend: its *url*, how it is spoken to, and the models that go there.

    Those are the ones whose name begins with *prefix*; a prefix that ends with a slash is taken
    away. The key is held in *api_key_env*; without one, the client's own is passed on. With
    *native* ``auto`` the backend's own tools are tried once for each model.
    """

    url: str
    dialect: str = "openai_chat"
    prefix: str = ""
    api_key_env: str | None = None
    native: Native = "never"

    def __post_init__(self) -> None:
        get_dialect(self.dialect)
        if self.native not in get_args(Native):
            raise UsageError(f"native is {self.native!r}; use one of {get_args(Native)}")

    def name_of(self, model: str) -> str:
        """What the backend calls *model*."""
        return model.removeprefix(self.prefix) if self.prefix.endswith("/") else model


@dataclass(frozen=True, slots=True)
class ModelTerms:
    """How a model is taught its tools, and how often its mistakes are put to it."""

    paradigm: str = "auto"
    describe: str | None = None
    examples: bool = False
    reasks: int = 2

    def __post_init__(self) -> None:
        if not isinstance(self.reasks, int) or not 0 <= self.reasks <= 10:
            raise UsageError(f"reasks is {self.reasks!r}; give a number from 0 to 10")


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request may cost."""

    body: int = 16 * 1024 * 1024
    tools: int = 512
    choices: int = 8
    messages: int = 10_000


@dataclass(frozen=True, slots=True)
class ProxyConfig:
    """Everything a proxy is told when it starts.

    *models* maps names or patterns to terms, the first that matches wins; *default* is for all
    others. *key_env* holds the key that clients must send; without one only this machine is
    served. *hosts* are further names under which clients may address the proxy.
    """

    upstreams: tuple[Upstream, ...]
    default: ModelTerms = field(default_factory=ModelTerms)
    models: Mapping[str, ModelTerms] = field(default_factory=dict)
    host: str = "127.0.0.1"
    port: int = 8100
    key_env: str | None = None
    hosts: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    log_content: bool = False
    keep_alive: float = 15.0

    def __post_init__(self) -> None:
        if not self.upstreams:
            raise UsageError(
                "no upstream: give --upstream URL, or [upstreams.NAME] in the settings"
            )
        if self.host not in _LOOPBACK and self.key_env is None:
            raise UsageError(
                f"{self.host!r} can be reached from other machines: set a key that clients must "
                "send, and name its variable with --key-env; or bind to 127.0.0.1"
            )

    def upstream(self, model: str) -> Upstream | None:
        """Where requests for *model* go."""
        return next((each for each in self.upstreams if model.startswith(each.prefix)), None)

    def terms(self, model: str) -> ModelTerms:
        """How *model* is treated."""
        named = (terms for name, terms in self.models.items() if fnmatchcase(model, name))
        return next(named, self.default)

    def as_json(self) -> dict[str, Any]:
        """What :func:`config_from` makes the same config of."""
        return asdict(self)


def config_from(values: Mapping[str, Any]) -> ProxyConfig:
    """The config in plain *values*, as JSON or TOML hold them; a wrong one is a UsageError."""
    try:
        return ProxyConfig(
            **{
                **values,
                "upstreams": tuple(Upstream(**each) for each in values.get("upstreams", ())),
                "default": ModelTerms(**values.get("default", {})),
                "models": {k: ModelTerms(**v) for k, v in values.get("models", {}).items()},
                "hosts": tuple(values.get("hosts", ())),
                "limits": Limits(**values.get("limits", {})),
            }
        )
    except TypeError as error:
        raise UsageError(f"the settings of the proxy cannot be used: {error}") from None
