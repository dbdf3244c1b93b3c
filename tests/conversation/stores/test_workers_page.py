"""The example of ``docs/workers.md``, and the worker of ``deploy/``, which need PostgreSQL."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from tests.ports import free_port
from toolproto import ChatSession
from toolproto.conversation.session.workers import SessionWorkers
from toolproto.conversation.stores import SqlStore
from toolproto.endpoints import ScriptedEndpoint

ROOT = Path(__file__).parents[3]
BLOCK = re.compile(r"^```python postgres\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_what_the_page_shows_runs_and_prints_what_it_says(postgres_url, capsys):
    (code,) = BLOCK.findall((ROOT / "docs" / "workers.md").read_text(encoding="utf-8"))
    names: dict[str, object] = {"__name__": "page"}
    exec(code.replace("postgresql://user:password@host/database", postgres_url), names)
    names["workers"].close(), names["store"].close()
    said = re.findall(r"^print\(.*\)  # (.+)$", code, re.MULTILINE)
    assert len(said) == 2
    assert capsys.readouterr().out.splitlines() == said


@pytest.fixture
def worker(postgres_url, tmp_path):
    """A worker of ``deploy/`` whose model takes its time; its process and its port."""
    port, program = free_port(), (ROOT / "deploy" / "worker.py").read_text(encoding="utf-8")
    slow = 'ScriptedEndpoint(lambda request: __import__("time").sleep(1) or "Hello.")'
    assert program.count('ScriptedEndpoint("Hello.")') == 1
    (tmp_path / "worker.py").write_text(program.replace('ScriptedEndpoint("Hello.")', slow))
    process = subprocess.Popen(
        [sys.executable, tmp_path / "worker.py"],
        env={**os.environ, "DATABASE_URL": postgres_url, "PORT": str(port), "TURNS": "1"},
    )
    yield process, port
    process.kill()
    process.wait()


def page(port: int, path: str) -> tuple[int, str]:
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    except OSError:
        return 0, ""
    finally:
        connection.close()


def until(holds):
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_the_worker_that_is_shipped_is_ready_tells_figures_and_ends_its_turn(worker, postgres_url):
    process, port = worker
    until(lambda: page(port, "/readyz") == (200, "ready\n"))
    assert page(port, "/elsewhere")[0] == 404
    queue = SessionWorkers(postgres_url)
    queue.send("a", "hello")
    queue.send("a", "and?")
    until(lambda: "toolproto_turns_running 1\n" in page(port, "/metrics")[1])
    status, told = page(port, "/metrics")
    assert status == 200 and "toolproto_turns_waiting 1\n" in told
    (age,) = re.findall(r"^toolproto_oldest_turn_seconds (.+)$", told, re.MULTILINE)
    assert float(age) > 0
    process.terminate()
    until(lambda: page(port, "/readyz") == (503, "draining\n"))
    assert process.wait(PATIENCE) == 0
    queue.close()
    store = SqlStore(postgres_url)
    session = ChatSession(ScriptedEndpoint(), store=store, id="a")
    assert [turn.status for turn in session.turns] == ["completed"]
    store.close()
