"""Several proxies behind a load balancer, as ``deploy/`` has it: nginx's, and HAProxy's."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest

from tests import plain
from tests.gateway.proxy.backend import Backend, Messages, served
from tests.gateway.proxy.wire import CHAT, asked
from tests.patience import PATIENCE
from tests.ports import free_port

DEPLOY = Path(__file__).parents[3] / "deploy"


def speak(messages: Messages) -> str:
    return "word " * 60 if "slow" in str(messages) else "hi"


@contextmanager
def running(*command: str, **options) -> Iterator[subprocess.Popen[bytes]]:
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, **quiet, **options)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def answers(url: str) -> bool:
    try:
        return plain.get(url, timeout=5).status_code == 200
    except httpx.HTTPError:
        return False


def until_answers(url: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not answers(url):
        assert time.monotonic() < deadline, f"nobody answers at {url}"
        time.sleep(0.05)


def proxy(upstream: str, port: int):
    words = ["serve", "--upstream", upstream, "-p", "xml_tag", "--port", str(port)]
    return running(sys.executable, "-m", "toolproto", *words)


def haproxy(folder: Path, port: int, one: int, two: int):
    ports = {"HAPROXY_PORT": str(port), "PROXY_ONE": str(one), "PROXY_TWO": str(two)}
    program = shutil.which("haproxy") or "/usr/sbin/haproxy"
    return running(program, "-f", str(DEPLOY / "haproxy.cfg"), env={**os.environ, **ports})


def nginx(folder: Path, port: int, one: int, two: int):
    text = (DEPLOY / "nginx.conf").read_text()
    for written, ours in (("8000", port), ("8101", one), ("8102", two)):
        text = text.replace(f"127.0.0.1:{written}", f"127.0.0.1:{ours}")
    (folder / "nginx.conf").write_text(text)
    program = shutil.which("nginx") or "/usr/sbin/nginx"
    return running(program, "-p", str(folder), "-c", "nginx.conf", "-e", "stderr")


BALANCERS = {"haproxy": haproxy, "nginx": nginx}


def is_missing(name: str) -> bool:
    return not shutil.which(name) and not Path(f"/usr/sbin/{name}").exists()


def said(url: str) -> str:
    answer = plain.post(url + CHAT, json=asked("x"), timeout=PATIENCE)
    return str(answer.json()["choices"][0]["message"]["content"])


def test_any_proxy_answers_and_one_that_dies_is_not_missed(tmp_path):
    there = [name for name in BALANCERS if not is_missing(name)]
    if not there:
        pytest.skip("neither nginx nor haproxy is installed; Debian has packages of these names")
    one, two = free_port(), free_port()
    with ExitStack() as stack:
        upstream = stack.enter_context(served(Backend(speak, pause=0.005).app())) + "/v1"
        first = stack.enter_context(proxy(upstream, one))
        stack.enter_context(proxy(upstream, two))
        urls = []
        for name in there:
            folder, port = tmp_path / name, free_port()
            folder.mkdir()
            stack.enter_context(BALANCERS[name](folder, port, one, two))
            urls.append(f"http://127.0.0.1:{port}")
        for port in (one, two):
            until_answers(f"http://127.0.0.1:{port}/readyz")
        for url in urls:
            until_answers(f"{url}/readyz")
            assert [said(url) for _ in range(4)] == ["hi"] * 4
            assert_streams(url)
        first.kill()
        first.wait()
        for url in urls:
            assert [said(url) for _ in range(6)] == ["hi"] * 6
            assert_streams(url)


def assert_streams(url: str) -> None:
    """Tokens come one after the other, and not all at the end."""
    asking = asked("slow", stream=True)
    times = []
    with plain.stream("POST", url + CHAT, json=asking, timeout=PATIENCE) as answer:
        for line in answer.iter_lines():
            if line:
                times.append(time.monotonic())
                last = line
    assert last == "data: [DONE]"
    assert len(times) > 3 and times[-1] - times[0] > 0.1
