"""A project of its own for each test of the plugin."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
import syrupy

from toolproto.protocol.paradigms import registry

CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'
BRACKET = """
from toolproto import JsonCall, WireFormat, WireParadigm, register_paradigm

@register_paradigm
class Bracket(WireParadigm):
    name = "bracket"
    wire = WireFormat(call=("[[call ", "]]"), payload=JsonCall(name="tool", arguments="with"))
"""


@dataclass(frozen=True)
class Project:
    """A folder in which somebody runs pytest."""

    pytester: pytest.Pytester

    def reply(self, text: str = CALL, told: str = "", case: str = "hermes/one") -> Path:
        """Record a reply; return its file."""
        path = self.pytester.path / "fixtures" / f"{case}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        if told:
            path.with_suffix(".toml").write_text(told, encoding="utf-8")
        return path

    def run(self, *arguments: str) -> pytest.RunResult:
        """Run pytest there, with the usual plugins."""
        return self.pytester.runpytest("-p", "no:cacheprovider", *arguments)


@pytest.fixture
def project(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Project:
    # A run inside this one shares its modules: the session that syrupy keeps, our registry.
    monkeypatch.setattr(syrupy, "_syrupy", syrupy._syrupy)
    monkeypatch.setattr(registry, "_registered", dict(registry._registered))
    return Project(request.getfixturevalue("pytester"))


@pytest.fixture
def recorded(project: Project) -> Callable[..., pytest.RunResult]:
    """Runs pytest on the project's recorded replies."""

    def run(*arguments: str) -> pytest.RunResult:
        return project.run("--toolproto-fixtures", "fixtures", *arguments)

    return run


@pytest.fixture(autouse=True)
def _no_worker_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run inside this one is no worker of it: syrupy would keep its report to itself."""
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    monkeypatch.delenv("PYTEST_XDIST_WORKER_COUNT", raising=False)
