"""Language models in this process: running them, and keeping their files."""

from __future__ import annotations

from .endpoint import LocalEndpoint
from .pulling import pull
from .store import InstalledModel, find_model, installed_models, remove_model

__all__ = [
    "InstalledModel",
    "LocalEndpoint",
    "find_model",
    "installed_models",
    "pull",
    "remove_model",
]
