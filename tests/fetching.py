"""What tests fetch from elsewhere, fetched before they need it.

``make test`` runs this on one core while it installs and checks on the other. Whoever needs a thing
that is not here yet still fetches it, or waits for this to be done; and what cannot be had is told
by the test that needs it, so nothing is said about it here.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from tests.gateway.proxy.clients.environments import installed
from tests.web.browser import chromium
from toolproto.endpoints.local import pull

HERE = Path(__file__).parent
#: Environments, the one that takes longest first.
ASKED = (
    HERE / "gateway" / "proxy" / "clients" / "openai2.txt",
    HERE / "gateway" / "proxy" / "clients" / "openai3.txt",
    HERE / "gateway" / "proxy" / "clients" / "package.json",
    HERE / "typing" / "pyright.json",
    HERE / "deploy_lint.json",
    HERE / "web" / "axe.json",
)
STEPS: tuple[Callable[[], object], ...] = (
    chromium,
    partial(pull, "smollm2"),
    *(partial(installed, str(path)) for path in ASKED),
)


def fetch(steps: tuple[Callable[[], object], ...] = STEPS) -> None:
    """Take each of *steps*, whatever became of the others."""
    for step in steps:
        with suppress(Exception):
            step()


if __name__ == "__main__":
    fetch()
