"""What tests fetch is fetched before, and nobody depends on that."""

from __future__ import annotations

import re
from pathlib import Path

from .fetching import ASKED, HERE, fetch


def test_what_cannot_be_had_keeps_nothing_else_from_being_fetched():
    fetched = []

    def fail() -> None:
        raise OSError("no network")

    fetch((fail, lambda: fetched.append("the next")))
    assert fetched == ["the next"]


def test_every_environment_of_the_usual_tests_is_fetched():
    """Those of `make frameworks` and its like are made where they are wanted."""
    for path in (HERE / "typing", HERE / "web", HERE / "test_deploy.py"):
        files = path.glob("*.py") if path.is_dir() else [path]
        named = {name for file in files for name in asked_for(file)}
        assert named and named <= {each.name for each in ASKED}
    assert [each for each in ASKED if not each.exists()] == []


def asked_for(file: Path) -> list[str]:
    """The names of the files that *file* has installed."""
    text = file.read_text("utf-8")
    return re.findall(r'"(\w+\.json)"\)\)', text) if "installed(" in text else []


def test_every_environment_of_the_clients_is_fetched():
    from .gateway.proxy.clients.test_clients import CLIENTS

    assert {each.requirements for each in CLIENTS.values()} <= {each.name for each in ASKED}
