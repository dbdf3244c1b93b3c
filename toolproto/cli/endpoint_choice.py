"""The endpoint that a person asked for on the command line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..endpoints import Endpoint
from ..protocol.errors import EndpointError, UsageError
from ..protocol.native_mode import Native

if TYPE_CHECKING:
    from ..endpoints import HttpEndpoint

__all__ = ["EndpointChoice"]

_WHICH = (
    "which model? give --endpoint URL (and --model NAME), or --local for the embedded model; "
    "TOOLPROTO_ENDPOINT or toolproto.toml will do as well"
)


@dataclass(frozen=True, slots=True)
class EndpointChoice:
    """An address, a model in this process, or a recording.

    The key is read from the environment (*api_key_env* names the variable), because what stands
    on a command line is seen by everybody on the machine. *native* is for an address: a recording
    has the tools of what it recorded, and a model in this process has none of its own.
    """

    url: str | None = None
    model: str | None = None
    dialect: str = "openai_chat"
    api_key_env: str = "TOOLPROTO_API_KEY"
    headers: tuple[str, ...] = field(default=(), repr=False)
    local: str | None = None
    recording: Path | None = None
    record: Path | None = None
    service: str | None = None
    native: Native = "never"

    @property
    def model_name(self) -> str:
        """What the model is called in settings and reports."""
        if self.model:
            return self.model
        return Path(self.local).stem if self.local else "default"

    @property
    def place(self) -> str:
        """Where the model is, for people: an address without its secrets, or this process."""
        if self.recording is not None:
            return f"recorded in {self.recording}"
        if self.local is not None:
            return "in this process"
        from ..endpoints.http.address import Address

        return f"at {Address(self.url or '').shown}"

    def models(self) -> list[str]:
        """The models there are: those the service lists, or those in the folder of models."""
        if self.local is not None:
            from ..endpoints.local.models import installed_models

            return [model.name for model in installed_models()]
        if self.url is None:
            raise UsageError("a recording always answers with the model it was made with")
        with self._over_http() as endpoint:
            return endpoint.models()

    def with_model(self, choose: Callable[[Sequence[str]], str]) -> EndpointChoice:
        """The same with a model, if none was named: the only one that the service lists, or what
        *choose* takes from several. A service that lists none gets the name ``default``.
        """
        if self.model or self.url is None or self.local is not None or self.recording is not None:
            return self
        try:
            names = self.models()
        except EndpointError as error:
            if error.status is None or error.status in (401, 403):
                raise  # no request would fare better
            return self
        if not names:
            return self
        return replace(self, model=names[0] if len(names) == 1 else choose(names))

    def using(self, model: str) -> EndpointChoice:
        """The same place with another *model*."""
        if self.recording is not None:
            raise UsageError("a recording always answers with the model it was made with")
        if self.local is not None:
            return replace(self, local=model)
        return replace(self, model=model)

    def open(self) -> Endpoint:
        """The endpoint; nothing is sent yet. It is recorded if that was asked for."""
        endpoint = self._opened()
        if self.record is None:
            return endpoint
        from ..endpoints import RecordingEndpoint

        return RecordingEndpoint(endpoint, self.record)

    def _opened(self) -> Endpoint:
        if self.local is not None and self.url is not None:
            raise UsageError("--endpoint and --local exclude each other; give one of them")
        if self.recording is not None:  # instead of whatever else was named
            from ..endpoints import ReplayEndpoint

            return ReplayEndpoint(self.recording)
        if self.local is None and self.url is None:
            raise UsageError(_WHICH)
        if self.local is not None and self.native == "only":
            raise UsageError("--native only needs --endpoint: a model in this process has no tools")
        return self._in_process() if self.local is not None else self._over_http()

    def _in_process(self) -> Endpoint:
        from ..endpoints import LocalEndpoint

        endpoint: Endpoint = LocalEndpoint(self.local)
        return endpoint

    def _over_http(self) -> HttpEndpoint:
        from ..endpoints import HttpEndpoint

        assert self.url is not None
        return HttpEndpoint(
            self.url,
            model=self.model_name,
            dialect=self.dialect,
            api_key_env=self.api_key_env,
            headers=dict(map(_header, self.headers)),
            service=self.service,
            native=self.native,
        )


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon or not name.strip():
        raise UsageError("a --header must be like 'X-Team: weather'")
    return name.strip(), value.strip()
