"""Runs a library's own server with a tiny model, for tests of an HttpEndpoint before it."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.ports import free_port

#: The slowest imports gigabytes, on one busy core.
_SECONDS = 600


@contextmanager
def serving(program: str, *options: str, folder: Path) -> Iterator[str]:
    """Run *program* of this environment, and give its URL once it answers."""
    port = free_port()
    command = [str(Path(sys.executable).parent / program), *options, "--port", str(port)]
    log = folder / "server.log"
    with log.open("wb") as said:
        process = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT, cwd=folder)
    try:
        _wait(f"http://127.0.0.1:{port}", process, log)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait(60)


def _wait(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    ends = time.monotonic() + _SECONDS
    while time.monotonic() < ends:
        try:
            if httpx.get(f"{url}/health", timeout=5).status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.5)
        assert process.poll() is None, log.read_text(errors="replace")[-3000:]
    raise AssertionError(f"no answer after {_SECONDS} s: {log.read_text(errors='replace')[-3000:]}")
