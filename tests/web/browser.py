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
_UNPACK = "require('@sparticuz/chromium').executablePath().then((path) => console.log(path))"
REMEDY = (
    "no Chromium: install Debian's 'chromium' (apt-get install chromium), or Node.js with npm, or "
    "name one in TOOLPROTO_CHROMIUM"
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
    if not shutil.which("npm") or not shutil.which("node"):
        return None
    _FOLDER.mkdir(parents=True, exist_ok=True)
    packages = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(_FOLDER)]
    if not _run([*packages, "@sparticuz/chromium"], dict(os.environ)):
        return None
    told = subprocess.run(
        ["node", "-e", _UNPACK], cwd=_FOLDER, capture_output=True, text=True, timeout=300
    )
    path = told.stdout.strip()
    return path if told.returncode == 0 and Path(path).exists() else None


def _run(command: list[str], environment: dict[str, str]) -> bool:
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=900, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        print(f"{command[0]}: {error}", file=sys.stderr)
        return False
    if done.returncode:
        print(f"{' '.join(command)}: {done.stderr[-500:]}", file=sys.stderr)
    return done.returncode == 0
