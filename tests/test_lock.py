"""The versions that ``make`` installs are written down, all of them."""

from __future__ import annotations

import re
import runpy
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
#: Extras that `make test` does not install: each has a target, or an environment, of its own.
APART = {
    *("docs", "soak", "ray", "llm"),
}
REMEDY = "run `make lock`, or `python requirements/lock.py` in the environment of the tests"


@pytest.fixture(scope="module")
def lock() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "requirements" / "lock.py"))


def test_what_is_installed_is_what_is_locked(lock: dict[str, Any]) -> None:
    locked = lock["locked"]()
    other = {
        name: (version, locked.get(name))
        for name, version in lock["installed"]().items()
        if locked.get(name) != version
    }
    assert not other, f"installed, and locked: {other}; {REMEDY}"


def test_what_is_locked_is_what_the_project_asks_for(lock: dict[str, Any]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"]
    asked = [
        *project["build-system"]["requires"],
        *project["project"]["dependencies"],
        *(each for name in extras if name not in APART for each in extras[name]),
    ]
    locked = lock["locked"]()
    for wanted in map(Requirement, asked):
        name = canonicalize_name(wanted.name)
        if name != "toolproto":
            assert name in locked, f"{name} is not locked; {REMEDY}"
            assert wanted.specifier.contains(locked[name], prereleases=True), wanted


def test_the_lock_holds_on_every_platform() -> None:
    lines = (ROOT / "requirements" / "ci.txt").read_text(encoding="utf-8").splitlines()
    written = [line for line in lines if not line.startswith("#")]
    names = [line.partition("==")[0] for line in written]
    assert names == sorted(set(names)) and len(names) > 50
    # No hash, no address, no marker, no extra.
    assert [line for line in written if not re.fullmatch(r"[a-z0-9-]+==[A-Za-z0-9.!]+", line)] == []


def test_make_installs_what_is_locked() -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "LOCK := requirements/ci.txt" in text
    assert "export PIP_CONSTRAINT := $(abspath $(LOCK))" in text
    assert re.search(r"^\$\(READY\): pyproject.toml \$\(LOCK\)$", text, re.MULTILINE)
