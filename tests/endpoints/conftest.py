"""Settings shared by the tests of endpoints."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch):
    """The machine's proxy settings must not lead a request for this machine elsewhere."""
    monkeypatch.setenv("NO_PROXY", "*")
