"""Language models in this process: getting, choosing and running them."""

from __future__ import annotations

from .endpoint import LocalEndpoint
from .models import InstalledModel, find_model, installed_models, models_in, named_model
from .pulling import pull

__all__ = [
    "InstalledModel",
    "LocalEndpoint",
    "find_model",
    "installed_models",
    "models_in",
    "named_model",
    "pull",
]
