"""What works here: Python, the extras, the paradigms, the settings, the model."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from time import monotonic
from typing import Literal

from ..package import __version__, install_command
from ..protocol.errors import ToolProtoError, UsageError
from ..protocol.messages import ChatRequest, Message
from ..protocol.paradigms import get_paradigm, list_paradigms
from .chat.folding import counted
from .endpoint_choice import EndpointChoice
from .mcp_servers import configured_servers, opened_servers
from .settings import Settings

__all__ = ["CheckupFinding", "checkup"]

#: What each extra brings: the module to look for, and what it is for.
EXTRAS = {
    "cli": ("rich", "this command line"),
    "local": ("xllamacpp", "models in this process"),
    "hub": ("huggingface_hub", "models from the hub"),
    "sql": ("sqlalchemy", "sessions that survive"),
    "postgres": ("psycopg", "sessions shared by machines"),
    "server": ("uvicorn", "the proxy"),
    "mcp": ("mcp", "tools of MCP servers"),
    "bulk": ("pyarrow", "many replies at once, Parquet files"),
    "testing": ("syrupy", "laws and snapshots for your own paradigms"),
}


#: What the README goes on to do, with the extras that each step needs.
STEPS = {
    "toolproto chat --local": ("cli", "local"),
    "toolproto chat --store": ("cli", "sql"),
    "toolproto serve": ("cli", "server"),
    "toolproto web": ("cli", "server", "sql"),
    "tests of a new paradigm": ("testing",),
}


@dataclass(frozen=True, slots=True)
class CheckupFinding:
    """One thing that was looked at: it is *fine*, *missing* (not installed) or *broken*.

    *remedy* is the command that mends it, where there is one.
    """

    what: str
    state: Literal["fine", "missing", "broken"]
    told: str
    remedy: str = ""


def checkup(
    endpoint: EndpointChoice, settings: Settings, mcp: Sequence[str] = ()
) -> Iterator[CheckupFinding]:
    """What was found, one thing after the other; whoever is named to be asked is asked last."""
    python = ".".join(map(str, sys.version_info[:3]))
    yield CheckupFinding("toolproto", "fine", f"{__version__}, Python {python}")
    yield _on_path()
    yield from map(_extra, EXTRAS)
    yield _model()
    yield from _steps()
    yield _tried("paradigms", _paradigms)
    yield _tried("settings", lambda: _settings(settings))
    yield from _servers(mcp, settings)
    if endpoint.url or endpoint.local or endpoint.recording:
        yield _tried("endpoint", lambda: _answer(endpoint.with_model(lambda names: names[0])))


def _servers(sources: Sequence[str], settings: Settings) -> Iterator[CheckupFinding]:
    """Whether each MCP server answers."""
    try:
        servers = configured_servers(sources, settings)
    except (ToolProtoError, OSError) as error:
        yield CheckupFinding("mcp", "broken", str(error))
        return
    try:
        for opened in opened_servers(servers):
            server, what = opened.server, f"mcp {opened.server.name}"
            if opened.fault:
                yield CheckupFinding(what, "broken", opened.fault)
            else:
                tools = counted(len(server.tools()), "tool")
                yield CheckupFinding(
                    what, "fine", f"{server.about}, {tools}, in {opened.seconds:.1f} s"
                )
    finally:
        for each in servers:
            each.close()


def _tried(what: str, look: Callable[[], str]) -> CheckupFinding:
    try:
        return CheckupFinding(what, "fine", look())
    except (ToolProtoError, OSError) as error:
        return CheckupFinding(what, "broken", str(error))


def _extra(name: str) -> CheckupFinding:
    module, purpose = EXTRAS[name]
    what = f"toolproto[{name}]"
    if find_spec(module) is None:
        return CheckupFinding(what, "missing", f"for {purpose}", install_command(name))
    return CheckupFinding(what, "fine", f"{module} {_version(module)}")


def _on_path() -> CheckupFinding:
    """Whether the program can be called by its name, and is this one."""
    found, ours = shutil.which("toolproto"), Path(sys.executable).with_name("toolproto")
    if found is None:
        remedy = f'export PATH="{ours.parent}:$PATH"' if ours.exists() else ""
        return CheckupFinding("command", "missing", "toolproto is not on the PATH", remedy)
    other = "" if Path(found).parent == ours.parent else f", which is not {ours}"
    return CheckupFinding("command", "fine", f"{found}{other}")


def _model() -> CheckupFinding:
    """Whether the embedded model is here."""
    from ..endpoints.local.models import DEFAULT_MODEL, find_model

    try:
        return CheckupFinding("model", "fine", str(find_model(DEFAULT_MODEL)))
    except UsageError:
        remedy = f"toolproto model pull {DEFAULT_MODEL}"
        return CheckupFinding(
            "model", "missing", f"{DEFAULT_MODEL}, the embedded model, 93 MB", remedy
        )


def _steps() -> Iterator[CheckupFinding]:
    """Whether each step of the README can be taken."""
    for step, extras in STEPS.items():
        lacking = [name for name in extras if find_spec(EXTRAS[name][0]) is None]
        if lacking:
            told = f"needs {', '.join(lacking)}"
            yield CheckupFinding(step, "missing", told, install_command(",".join(lacking)))
        elif "--local" in step and (model := _model()).state != "fine":
            yield CheckupFinding(step, "missing", "needs a model", model.remedy)
        else:
            yield CheckupFinding(step, "fine", "can be run")


def _version(module: str) -> str:
    try:
        return metadata.version(module.replace("_", "-"))
    except metadata.PackageNotFoundError:
        return ""


def _paradigms() -> str:
    """Every paradigm is made once, so that a plugin that does not load is found here."""
    return f"{len([get_paradigm(name) for name in list_paradigms()])} can be used"


def _settings(settings: Settings) -> str:
    return f"from {settings.path}" if settings.path else "no toolproto.toml here"


def _answer(endpoint: EndpointChoice) -> str:
    question = Message("user", "Answer with the word: ready")
    request = ChatRequest((question,), params={"max_tokens": 8})
    begun = monotonic()
    with endpoint.open().stream(request) as chunks:
        said = "".join(chunk.text for chunk in chunks)
    named = f"{endpoint.model_name} {endpoint.place}"
    return f"{named} answered {said.strip()[:60]!r} in {monotonic() - begun:.1f} s"
