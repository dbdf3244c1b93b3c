"""Write ``ci.txt``: the very versions that ``make test`` installs.

Run it in the environment that the tests pass in: ``make lock``. What is written is what the extras
``test`` and ``bench`` bring along, as it is installed, and what building the package needs, as the
index has it. It is a file of constraints, so it installs nothing by itself and holds on every
platform: neither hashes, which differ from one to the other, nor the address of an index.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

FOLDER = Path(__file__).parent
LOCK = FOLDER / "ci.txt"
PROJECT = FOLDER.parent / "pyproject.toml"
EXTRAS = ("test", "bench")
_HEAD = "# Made by `make lock`; what CI installs, version by version.\n"


def installed() -> dict[str, str]:
    """The versions of everything that the project's extras bring, here and now."""
    found: dict[str, str] = {}
    pending = [Requirement(f"toolproto[{','.join(EXTRAS)}]")]
    seen: set[tuple[str, frozenset[str]]] = set()
    while pending:
        wanted = pending.pop()
        name, extras = canonicalize_name(wanted.name), frozenset(wanted.extras)
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        if name != "toolproto":
            found[name] = metadata.version(name)
        pending += _wanted_by(name, extras)
    return found


def _wanted_by(name: str, extras: Iterable[str]) -> Iterator[Requirement]:
    for written in _requirements(name):
        wanted = Requirement(written)
        if wanted.marker is None or any(
            wanted.marker.evaluate({"extra": extra}) for extra in ("", *extras)
        ):
            yield wanted


def _requirements(name: str) -> Iterator[str]:
    if name != "toolproto":
        yield from metadata.requires(name) or ()
        return
    # Not its metadata: those are of the day on which it was installed.
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    yield from project["dependencies"]
    for extra, several in project["optional-dependencies"].items():
        for written in several:
            base, _, marker = written.partition(";")
            marker = f"({marker}) and " if marker else ""
            yield f"{base.strip()} ; {marker}extra == '{extra}'"


def building() -> dict[str, str]:
    """What the package is built with, as the index has it."""
    wanted = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["build-system"]["requires"]
    words = ["install", "--dry-run", "--ignore-installed", "--quiet", "--report", "-", *wanted]
    command = [sys.executable, "-m", "pip", *words, "editables"]  # for installs with -e
    report = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    chosen = (each["metadata"] for each in report["install"])
    return {canonicalize_name(each["name"]): each["version"] for each in chosen}


def locked() -> dict[str, str]:
    """The versions in the file."""
    lines = LOCK.read_text(encoding="utf-8").splitlines()
    pairs = (line.split("==") for line in lines if line and not line.startswith("#"))
    return {name: version for name, version in pairs}


def main() -> None:
    """Write the file."""
    versions = {**building(), **installed()}
    LOCK.write_text(
        _HEAD + "".join(f"{name}=={version}\n" for name, version in sorted(versions.items())),
        encoding="utf-8",
    )
    print(f"{LOCK.name}: {len(versions)} versions")


if __name__ == "__main__":
    main()
