"""How an MCP server is started or reached, as programs and people write it down.

The ``mcpServers`` JSON of other programs is read as it is: ``command``, ``args``, ``env``,
``cwd``, ``url``, ``headers``, ``type`` and ``disabled`` mean what they mean there, and what we do
not know is passed over. ``${NAME}`` and ``${NAME:-otherwise}`` stand for variables of the
environment.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path, PurePath
from typing import Any, Literal, get_args
from urllib.parse import urlsplit

from ...protocol.errors import UsageError
from ...protocol.tools.define import Risk

__all__ = ["LONGEST_MESSAGE", "McpConfig", "config_of", "parse_source", "read_servers"]

#: Bytes of one message of a server; a photograph in base64 fits.
LONGEST_MESSAGE = 16 * 1024 * 1024

Type = Literal["stdio", "http", "sse"]
#: What programs write for the kinds of connection.
_TYPES: dict[str, Type] = {
    "stdio": "stdio",
    "http": "http",
    "streamable-http": "http",
    "streamable_http": "http",
    "streamablehttp": "http",
    "sse": "sse",
}
#: Programs that only run another one, which the server is named after.
_LAUNCHERS = {"npx", "bunx", "pnpx", "uvx", "pipx", "uv", "docker", "node", "python", "python3"}
_SUBCOMMANDS = {"run", "exec", "dlx", "tool", "x"}
_VARIABLE = re.compile(r"\$\{(?:env:)?([A-Za-z_]\w*)(?::-([^}]*))?\}")
_JSON_KEYS = frozenset({"command", "args", "env", "cwd", "url", "headers", "type", "roots"})


@dataclass(frozen=True, slots=True)
class McpConfig:
    """One server: a *command* with *args* to start, or a *url* to reach.

    *timeout* is how many seconds a call may take, *start_timeout* how many until the server has
    said what tools it has. It is started again at most *restarts* times a minute. *risk* is the
    least of every tool, whatever the server claims; *risks* are those of tools by name or pattern,
    and final. *prefix* puts the server's name before every tool's. *roots* are folders the server
    is told about. *trusted*: what its tools give back is the user's own text, not a stranger's.
    """

    name: str
    command: str | None = None
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: str | None = None
    url: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    type: Type = "stdio"
    timeout: float | None = None
    start_timeout: float = 60.0
    restarts: int = 3
    risk: Risk | None = None
    risks: Mapping[str, Risk] = field(default_factory=dict)
    prefix: bool = False
    roots: tuple[str, ...] = ()
    trusted: bool = False

    def __post_init__(self) -> None:
        if bool(self.command) == bool(self.url):
            raise UsageError(
                f"the MCP server {self.name!r} needs a command to start, or a url to reach; "
                f"it has {'both' if self.command else 'neither'}"
            )
        if self.url and urlsplit(self.url).scheme not in ("http", "https"):
            raise UsageError(f"the MCP server {self.name!r} has the url {self.url!r}; use http(s)")
        for each in (*self.risks.values(), self.risk or "read"):
            if each not in get_args(Risk):
                raise UsageError(f"{each!r} is not a risk; use one of {get_args(Risk)}")
        for name in ("timeout", "start_timeout"):
            if (seconds := getattr(self, name)) is not None and not seconds > 0:
                raise UsageError(f"{name} is {seconds!r}; use seconds above 0")
        if not self.restarts >= 0:
            raise UsageError(f"restarts is {self.restarts!r}; use 0 or more")

    def __str__(self) -> str:
        return self.url or shlex.join([self.command or "", *self.args])


def config_of(name: str, told: Any, *, strict: bool = False) -> McpConfig:
    """The server that *told* describes; *strict*: a key that nobody knows is a UsageError."""
    if not isinstance(told, Mapping):
        raise UsageError(f"the MCP server {name!r} must be an object, got {told!r:.60}")
    known = {each.name for each in fields(McpConfig)} - {"name"}
    if strict and (unknown := sorted(told.keys() - known - {"disabled"})):
        raise UsageError(
            f"the MCP server {name!r} has no setting {unknown[0]!r}; "
            f"there are {', '.join(sorted(known))}"
        )
    terms: dict[str, Any] = {
        key: told[key] for key in (known if strict else _JSON_KEYS) & told.keys()
    }
    for key in ("args", "roots"):
        if key in terms:
            terms[key] = tuple(_texts(name, key, terms[key]))
    for key in ("env", "headers"):
        if key in terms:
            terms[key] = _table(name, key, terms[key])
    for key in ("command", "url", "cwd"):
        if terms.get(key) is not None:
            terms[key] = _filled(name, _text(name, key, terms[key]))
    terms["type"] = _type(name, terms.get("type"), terms.get("url"))
    return McpConfig(name, **terms)


def read_servers(source: str | Path | Mapping[str, Any]) -> list[McpConfig]:
    """The servers of a JSON file with ``mcpServers``, or of its content; not the disabled ones."""
    told = source if isinstance(source, Mapping) else _json(Path(source))
    servers = next((told[key] for key in ("mcpServers", "servers") if key in told), None)
    if not isinstance(servers, Mapping):
        raise UsageError("expected an object with 'mcpServers': {name: {command or url, …}}")
    return [
        config_of(name, each)
        for name, each in servers.items()
        if not (isinstance(each, Mapping) and each.get("disabled") is True)
    ]


def parse_source(source: str) -> list[McpConfig]:
    """The servers that a person names in one word: a URL, a JSON file, or a command line."""
    if source.startswith(("http://", "https://")):
        return [McpConfig(name_of(source), url=source, type=_type("", None, source))]
    if source.endswith(".json"):
        return read_servers(source)
    try:
        words = shlex.split(source)
    except ValueError as error:
        raise UsageError(f"{source!r} is not a command line: {error}") from None
    if not words:
        raise UsageError("an MCP server is a URL, a JSON file or a command line; got nothing")
    return [McpConfig(name_of(*words), words[0], tuple(words[1:]))]


def name_of(*words: str) -> str:
    """What to call a server that nobody named: ``git`` for ``uvx mcp-server-git``."""
    if words[0].startswith(("http://", "https://")):
        found = urlsplit(words[0]).hostname or "server"
    else:
        found = _program(words)
    found = re.sub(r"@[\w.^~-]*$", "", found.rstrip("/\\").replace("\\", "/").split("/")[-1])
    found = re.sub(r"\.(?:py|js|mjs|ts|exe|cmd|sh)$", "", found)
    short = re.sub(r"^(?:mcp[-_])?server[-_]|[-_]mcp(?:[-_]server)?$|^mcp[-_]", "", found)
    return re.sub(r"\W+", "_", short or found)[:40].strip("_") or "server"


def _program(words: Sequence[str]) -> str:
    """The word that says what is run."""
    first = PurePath(words[0]).stem
    if first not in _LAUNCHERS and not first.startswith("python"):
        return words[0]
    rest = [each for each in words[1:] if not each.startswith("-") and each not in _SUBCOMMANDS]
    return rest[0] if rest else words[0]


def _type(name: str, told: Any, url: str | None) -> Type:
    if told is None:
        if url is None:
            return "stdio"
        return "sse" if urlsplit(url).path.rstrip("/").endswith("/sse") else "http"
    found = _TYPES.get(str(told).lower())
    if found is None:
        raise UsageError(f"the MCP server {name!r} is of the type {told!r}; use stdio, http or sse")
    return found


def _json(path: Path) -> Mapping[str, Any]:
    try:
        told = json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from None
    if not isinstance(told, Mapping):
        raise UsageError(f"{path} must contain an object with 'mcpServers'")
    return told


def _texts(name: str, key: str, told: Any) -> Iterable[str]:
    if not isinstance(told, list | tuple):
        raise UsageError(f"{key!r} of the MCP server {name!r} must be a list, got {told!r:.60}")
    return [_filled(name, _text(name, key, each)) for each in told]


def _table(name: str, key: str, told: Any) -> dict[str, str]:
    if not isinstance(told, Mapping):
        raise UsageError(f"{key!r} of the MCP server {name!r} must be an object, got {told!r:.60}")
    return {str(word): _filled(name, _text(name, key, each)) for word, each in told.items()}


def _text(name: str, key: str, told: Any) -> str:
    if isinstance(told, bool) or not isinstance(told, str | int | float):
        raise UsageError(f"{key!r} of the MCP server {name!r} must be text, got {told!r:.60}")
    return str(told)


def _filled(name: str, text: str) -> str:
    """*text* with the variables of the environment that it names."""

    def value(found: re.Match[str]) -> str:
        told = os.environ.get(found[1], found[2])
        if told is None:
            raise UsageError(f"the MCP server {name!r} needs {found[1]} in the environment")
        return told

    return _VARIABLE.sub(value, text)
