"""Programs in the environments of other people's libraries, which are not installed here."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.gateway.proxy.clients.environments import NotInstalled, installed

__all__ = ["HERE", "ROOT", "needs_frameworks", "requirements_of", "run"]

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
_SECONDS = 300
#: Libraries that the clients of the proxy's tests have, too: their environments serve for both.
_SHARED = {
    "openai2.txt": ("anthropic", "langchain", "litellm", "ollama"),
    "openai3.txt": ("openai", "pydantic_ai"),
}

needs_frameworks = pytest.mark.skipif(
    "TOOLPROTO_FRAMEWORKS" not in os.environ, reason="takes minutes: make frameworks"
)


def requirements_of(library: str) -> Path:
    """Return the file that says what *library* is installed with."""
    for shared, libraries in _SHARED.items():
        if library in libraries:
            return ROOT / "tests" / "gateway" / "proxy" / "clients" / shared
    return HERE / f"{library}.txt"


def run(library: str, program: Path) -> subprocess.CompletedProcess[str]:
    """Run *program* with *library*; the result has what it printed."""
    try:
        folder = installed(str(requirements_of(library)))
    except NotInstalled as reason:
        pytest.fail(str(reason))
    ours = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST")}
    environment = {
        **ours,
        "PYTHONPATH": str(ROOT),
        # Nothing is fetched, told to anybody, or kept for the next run.
        "OPENAI_AGENTS_DISABLE_TRACING": "1",
        "DSPY_CACHEDIR": str(program.parent / "dspy"),
        "HAYSTACK_TELEMETRY_ENABLED": "False",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    }
    return subprocess.run(
        [str(folder / "bin" / "python"), str(program)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=_SECONDS,
    )
