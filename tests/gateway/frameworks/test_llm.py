"""The plugin for ``llm`` gets an agent's work done on a text-only model, or shows why not.

``make frameworks`` installs ``llm`` and runs ``programs/with_llm.py``; the usual run leaves it out.
The program lists a folder, reads a file, writes another and says so, with a model that behaves and
with ones that err; it tells how each went.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache

import pytest

from tests.gateway.proxy.agents.model import WAYS

from .environments import HERE, ROOT, needs_frameworks, run


@cache
def told() -> list[dict[str, str]]:
    done = run("llm", HERE / "programs" / "with_llm.py")
    assert done.returncode == 0, done.stderr[-3000:]
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"scenario"')]


@needs_frameworks
@pytest.mark.parametrize("way", ["behaves", *WAYS])
def test_an_agent_gets_its_work_done_or_shows_why_not(way: str):
    played = [row for row in told() if row["way"] == way]
    assert played
    for row in played:
        assert row["problem"] is None, f"{row['scenario']}: {row['problem']}"


def test_no_library_is_imported_unless_it_is_used():
    program = (
        "import sys, toolproto, toolproto.gateway, toolproto.gateway.transport\n"
        "print([each for each in ('llm', 'openai', 'anthropic', 'ollama', 'starlette', 'httpx2')"
        " if each in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == "[]", done.stdout + done.stderr
