"""``toolproto serve --workers 2`` as a person runs it: one port, one sum, and a clean end."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
import uvicorn

from tests import plain
from tests.gateway.proxy.backend import Backend, Messages, served
from tests.gateway.proxy.wire import CHAT, asked
from tests.patience import PATIENCE
from tests.ports import free_port
from toolproto.gateway.proxy.watched import Watched

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for workers in /proc")


def until(is_so: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline, "it never came to that"
        time.sleep(0.05)


def speak(messages: Messages) -> str:
    return "word " * 300 if "slow" in str(messages) else "hi"


@contextmanager
def serving(upstream: str, log: Path) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    port = free_port()
    words = ["serve", "--upstream", upstream, "-p", "xml_tag", "--port", str(port)]
    with log.open("wb") as stderr:
        process = subprocess.Popen(
            [sys.executable, "-m", "toolproto", *words, "--workers", "2"],
            stdout=subprocess.DEVNULL,
            stderr=stderr,
        )
    try:
        yield process, f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


def workers(process: subprocess.Popen[bytes]) -> list[int]:
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return [pid for pid in map(int, children) if b"spawn_main" in command_of(pid)]


def command_of(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()


def fetched(url: str) -> str:
    try:
        return plain.get(url, timeout=PATIENCE / 2).text
    except httpx.HTTPError:
        return ""


def count(url: str, name: str) -> float | None:
    """The sum of a metric, or None while nobody answers."""
    lines = fetched(f"{url}/metrics").splitlines()
    found = [float(line.rpartition(" ")[2]) for line in lines if line.startswith(name)]
    return sum(found) if found else None


def test_workers_share_a_port_and_their_counts_and_end_when_told(tmp_path):
    log = tmp_path / "log"
    with (
        served(Backend(speak, pause=0.01).app()) as upstream,
        serving(f"{upstream}/v1", log) as (process, url),
    ):
        until(lambda: len(workers(process)) == 2 and fetched(f"{url}/healthz"))
        for _ in range(8):
            assert plain.post(url + CHAT, json=asked("x"), timeout=PATIENCE).status_code == 200
        # Whichever of them is asked.
        assert {count(url, "toolproto_requests_total") for _ in range(4)} == {8.0}

        broken = _slow_request(url)
        until(lambda: count(url, "toolproto_requests_open") == 1)
        for pid in workers(process):
            os.kill(pid, signal.SIGKILL)
        broken.join(PATIENCE)
        until(lambda: count(url, "toolproto_requests_open") == 0)
        # Those in their places begin one after the other, and one that has not does not drain.
        until(lambda: log.read_text().count('"serving"') == 4)

        with plain.stream("POST", url + CHAT, json=asked("slow", stream=True), timeout=60) as last:
            lines = last.iter_lines()
            next(lines)
            process.terminate()
            assert [line for line in lines if line][-1] == "data: [DONE]"
        assert process.wait(PATIENCE) == 0
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    outcomes = [line["outcome"] for line in lines if "outcome" in line]
    assert outcomes == ["answered"] * 9  # and none of those whose worker was killed
    told = [line["event"] for line in lines if "event" in line]
    assert [told.count(event) for event in ("serving", "draining", "stopped")] == [4, 2, 2]
    assert [line["open"] for line in lines if line.get("event") == "draining"].count(1) == 1


def test_workers_end_when_whoever_watches_over_them_is_killed(tmp_path):
    with (
        served(Backend(speak).app()) as upstream,
        serving(f"{upstream}/v1", tmp_path / "log") as (process, url),
    ):
        until(lambda: len(workers(process)) == 2 and fetched(f"{url}/healthz"))
        left = workers(process)
        process.kill()
        until(lambda: not any(map(_runs, left)))


def _runs(pid: int) -> bool:
    try:
        return b"spawn_main" in command_of(pid)
    except OSError:
        return False


def _slow_request(url: str) -> threading.Thread:
    def ask() -> None:
        with pytest.raises(httpx.HTTPError):
            plain.post(url + CHAT, json=asked("slow"), timeout=PATIENCE)

    thread = threading.Thread(target=ask)
    thread.start()
    return thread


def test_a_worker_that_dies_while_it_is_asked_is_known_to_be_dead():
    watched = Watched(uvicorn.Config("unused"), [])
    # It never answers.
    watched.process = multiprocessing.get_context("spawn").Process(
        target=time.sleep, args=(2 * PATIENCE,)
    )
    watched.process.start()
    dies = threading.Timer(0.1, watched.process.kill)
    dies.start()
    try:
        begun = time.monotonic()
        assert not watched.is_alive(timeout=2 * PATIENCE)
        assert time.monotonic() - begun < PATIENCE
    finally:
        dies.join()
        watched.process.join()
    assert not watched.is_alive()
