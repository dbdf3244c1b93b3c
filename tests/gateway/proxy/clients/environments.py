"""Environments that hold the real clients, made by whoever needs them first.

Each is a folder under ``.clients`` whose name follows from what is asked for: a changed requirement
makes another one, an unchanged one is made once. One that cannot be made raises
:class:`NotInstalled`, with the last words of the installer.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

__all__ = ["NotInstalled", "command_of", "installed", "locked", "new_pip"]

_HERE = Path(__file__).parent
_HOME = _HERE.parents[3] / ".clients"
_PIP = "pip.txt"
_NEW = 25
_SECONDS = 900
#: The end of what an installer says: the reason stands there.
_LAST_WORDS = 3_000


class NotInstalled(Exception):
    """An environment cannot be made on this machine, for the reason given."""


def command_of(requirements: str, program: str) -> list[str]:
    """The command that runs *program* where *requirements*, a file beside this one, are met."""
    folder, lies = installed(requirements), _HERE / "programs" / program
    if lies.suffix == ".py":
        return [str(folder / "bin" / "python"), str(lies)]
    # Node looks for packages from where a program lies.
    return [_tool("node"), str(shutil.copy(lies, folder))]


def installed(requirements: str) -> Path:
    """The folder in which *requirements* are installed, now or some time ago."""
    asked = _HERE / requirements
    if asked.suffix == ".json":
        return _made(asked, _tool("node"), _install_node)
    return _made(asked, sys.version, _install_python)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """*path* for one process at a time; the others wait."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _made(asked: Path, version: str, install: Callable[[Path, Path], None]) -> Path:
    """The folder that *install* fills; its name changes with *asked* and *version*."""
    key = hashlib.sha256(asked.read_bytes() + version.encode()).hexdigest()[:16]
    folder = _HOME / f"{asked.stem}-{key}"
    ready = folder / ".ready"
    with locked(_HOME / f"{folder.name}.lock"):
        if not ready.exists():
            (_HOME / ".gitignore").write_text("*\n")
            # What an attempt left that broke off is of no use.
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            install(asked, folder)
            ready.touch()
    return folder


def _install_python(asked: Path, folder: Path) -> None:
    python = str(folder / "bin" / "python")
    if asked.name == _PIP:
        _run([sys.executable, "-m", "venv", "--upgrade-deps", str(folder)])
        return
    pip = [*new_pip(), "--python", python]
    _run([sys.executable, "-m", "venv", "--without-pip", str(folder)])
    _run([*pip, "install", "--no-compile", "-r", str(asked)])


def new_pip() -> list[str]:
    """The command of a pip that is not old: ours, or that of an environment made for it.

    The one that Python brings along may be years old, and takes three times as long; to have a new
    one in each environment would take as long as what is to be installed.
    """
    if find_spec("pip") and int(version("pip").partition(".")[0]) >= _NEW:
        return [sys.executable, "-m", "pip"]
    return [str(installed(_PIP) / "bin" / "python"), "-m", "pip"]


def _install_node(asked: Path, folder: Path) -> None:
    shutil.copy(asked, folder / "package.json")
    _run([_tool("npm"), "install", "--no-audit", "--no-fund", "--prefix", str(folder)])


def _tool(name: str) -> str:
    """The program *name* of this machine, or the one that a package from PyPI carries."""
    return shutil.which(name) or str(installed("node.txt") / "bin" / name)


def _run(command: Sequence[str]) -> None:
    # Clients have versions of their own: what CI is held to is for our own packages.
    ours = {name: value for name, value in os.environ.items() if name != "PIP_CONSTRAINT"}
    environment = {**ours, "PYTHONPATH": "", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=_SECONDS
        )
    except subprocess.TimeoutExpired:
        raise NotInstalled(f"{' '.join(command)}: not done after {_SECONDS} seconds") from None
    if done.returncode:
        said = f"{done.stdout}\n{done.stderr}"[-_LAST_WORDS:]
        raise NotInstalled(f"{' '.join(command)}: exit {done.returncode}\n{said}")
