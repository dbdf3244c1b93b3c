"""What a server of the page is started with."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..conversation.workspaces import Workspace
from ..gateway.http_server import key_in
from ..protocol.errors import UsageError
from ..protocol.tools.sources import ToolSource
from .choices import Choices
from .tooling import ToolGroup

__all__ = ["LOCAL", "WebConfig"]

#: Whose the sessions are where no keys are set: those of the person at this machine.
LOCAL = "local"
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


@dataclass(frozen=True, slots=True)
class WebConfig:
    """Everything a server is told when it starts.

    *store* keeps the sessions. *groups* and *sources* bring tools beside the page's own. *given* is
    the endpoint of the command line, made when it is first needed, and *given_name* how it is
    shown. *workspaces* bring a prompt and tools to the sessions that are made in them. *key_envs*
    are variables that hold keys: each key is a person, who sees the sessions of that key. Without
    any there is one person, let in by *token*. *secret* signs cookies; with the same one, they
    outlast a restart. *fixtures* is where replies are saved. *models* is a folder of GGUF files
    that people with a key may choose beside the installed models. *pace* is how long tokens are
    gathered, in seconds, before they go out together.
    """

    host: str = "127.0.0.1"
    port: int = 8200
    hosts: tuple[str, ...] = ()
    key_envs: tuple[str, ...] = ()
    store: str = "memory:"
    groups: tuple[ToolGroup, ...] = ()
    sources: tuple[ToolSource, ...] = ()
    workspaces: tuple[Workspace, ...] = ()
    given: Callable[[], Any] | None = None
    given_name: str = ""
    choices: Choices = field(default_factory=Choices)
    prices: Mapping[str, Any] = field(default_factory=dict)
    fixtures: Path | None = None
    models: Path | None = None
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    pace: float = 0.04
    connections: int = 400

    def __post_init__(self) -> None:
        if self.host not in _LOOPBACK and not self.key_envs:
            raise UsageError(
                f"{self.host!r} can be reached from other machines: give each person a key, and "
                "name the variables that hold them with --key-env; or stay on 127.0.0.1"
            )
        for variable in self.key_envs:
            key = key_in(variable)
            if key is None:
                raise UsageError(f"the variable {variable} is not set; it must contain a key")
            if len(key) < 8:
                raise UsageError(
                    f"the key in the variable {variable} is short; use 8 characters or more"
                )

    def workspace(self, name: str) -> Workspace:
        """The workspace *name*; UsageError if there is none."""
        found = next((each for each in self.workspaces if each.name == name), None)
        if found is None:
            names = [each.name for each in self.workspaces]
            raise UsageError(f"there is no workspace {name!r}; there are {names}")
        return found

    @property
    def is_local(self) -> bool:
        """Whether there is one person, who is at this machine."""
        return not self.key_envs

    def keys(self) -> dict[str, str]:
        """The key of each person, by name."""
        found = {variable: key_in(variable) for variable in self.key_envs}
        return {variable.lower(): key for variable, key in found.items() if key}
