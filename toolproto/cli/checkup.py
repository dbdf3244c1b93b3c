"""What works here: Python, the extras, the paradigms, the settings, the model."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from time import monotonic
from typing import Literal

from .. import __version__
from ..errors import ToolProtoError
from ..messages import ChatRequest, Message
from ..paradigms import get_paradigm, paradigms
from .chat.folding import counted
from .endpoint_choice import EndpointChoice
from .mcp_servers import configured_servers, opened_servers
from .settings import Settings

__all__ = ["Finding", "checkup"]

#: What each extra brings: the module to look for, and what it is for.
EXTRAS = {
    "cli": ("rich", "this command line"),
    "local": ("xllamacpp", "models in this process"),
    "hub": ("huggingface_hub", "models from the hub"),
    "sql": ("sqlalchemy", "sessions that survive"),
    "postgres": ("psycopg", "sessions shared by machines"),
    "server": ("uvicorn", "the proxy"),
    "mcp": ("mcp", "tools of MCP servers"),
    "parquet": ("pyarrow", "Parquet files"),
    "probe": ("matplotlib", "plots"),
    "testing": ("syrupy", "laws and snapshots for your own paradigms"),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at: it is *fine*, *missing* (not installed) or *broken*."""

    what: str
    state: Literal["fine", "missing", "broken"]
    told: str


def checkup(
    endpoint: EndpointChoice, settings: Settings, mcp: Sequence[str] = ()
) -> Iterator[Finding]:
    """What was found, one thing after the other; whoever is named to be asked is asked last."""
    python = ".".join(map(str, sys.version_info[:3]))
    yield Finding("toolproto", "fine", f"{__version__}, Python {python}")
    yield from map(_extra, EXTRAS)
    yield _tried("paradigms", _paradigms)
    yield _tried("settings", lambda: _settings(settings))
    yield from _servers(mcp, settings)
    if endpoint.url or endpoint.local or endpoint.recording:
        yield _tried("endpoint", lambda: _answer(endpoint))


def _servers(sources: Sequence[str], settings: Settings) -> Iterator[Finding]:
    """Whether each MCP server answers."""
    try:
        servers = configured_servers(sources, settings)
    except (ToolProtoError, OSError) as error:
        yield Finding("mcp", "broken", str(error))
        return
    try:
        for opened in opened_servers(servers):
            server, what = opened.server, f"mcp {opened.server.name}"
            if opened.fault:
                yield Finding(what, "broken", opened.fault)
            else:
                tools = counted(len(server.tools()), "tool")
                yield Finding(what, "fine", f"{server.about}, {tools}, in {opened.seconds:.1f} s")
    finally:
        for each in servers:
            each.close()


def _tried(what: str, look: Callable[[], str]) -> Finding:
    try:
        return Finding(what, "fine", look())
    except (ToolProtoError, OSError) as error:
        return Finding(what, "broken", str(error))


def _extra(name: str) -> Finding:
    module, purpose = EXTRAS[name]
    what = f"toolproto[{name}]"
    if find_spec(module) is None:
        return Finding(what, "missing", f"for {purpose}: pip install '{what}'")
    return Finding(what, "fine", f"{module} {_version(module)}")


def _version(module: str) -> str:
    try:
        return metadata.version(module.replace("_", "-"))
    except metadata.PackageNotFoundError:
        return ""


def _paradigms() -> str:
    """Every paradigm is made once, so that a plugin that does not load is found here."""
    return f"{len([get_paradigm(name) for name in paradigms()])} can be used"


def _settings(settings: Settings) -> str:
    return f"from {settings.path}" if settings.path else "no toolproto.toml here"


def _answer(endpoint: EndpointChoice) -> str:
    question = Message("user", "Answer with the word: ready")
    request = ChatRequest((question,), params={"max_tokens": 8})
    begun = monotonic()
    with endpoint.open().stream(request) as chunks:
        said = "".join(chunk.text for chunk in chunks)
    return f"answered {said.strip()[:60]!r} in {monotonic() - begun:.1f} s"
