"""The model that the tests of this folder run: found on this machine, or pulled once."""

from __future__ import annotations

import pytest

from toolproto.endpoints.local import LocalEndpoint, pull

from .shortened import shortened


@pytest.fixture(scope="session")
def model_path():
    """smollm2. Without it, and without a network to get it from, the tests fail and say so."""
    return pull("smollm2")


@pytest.fixture(scope="session")
def quick_path(model_path, tmp_path_factory):
    """A model that answers at once, and nonsense: one layer would say nothing at all."""
    return shortened(model_path, 2, tmp_path_factory.mktemp("models") / "quick.gguf")


@pytest.fixture(scope="session")
def endpoint(quick_path):
    return LocalEndpoint(quick_path, context=1024, params={"temperature": 0, "seed": 1})


@pytest.fixture
def models(tmp_path, monkeypatch):
    """An empty folder of models."""
    folder = tmp_path / "models"
    monkeypatch.setenv("TOOLPROTO_MODELS", str(folder))
    return folder


@pytest.fixture
def gguf(tmp_path):
    """A file that looks like a model from outside."""
    path = tmp_path / "Tiny Model.gguf"
    path.write_bytes(b"GGUF\x03\0\0\0" + b"\0" * 100)
    return path
