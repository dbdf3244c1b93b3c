"""The application of a process that serves it and does nothing else."""

from __future__ import annotations

import gc
import json
import os

from starlette.applications import Starlette

from ...protocol.tools.spec import ToolOffer
from ..bridge.taught import taught
from .app import make_app
from .config import ProxyConfig, config_from
from .log import log_to_stderr

__all__ = ["CONFIG_VARIABLE", "app_from_environment", "app_of_process", "load_readers"]

#: Holds a config as JSON, for worker processes.
CONFIG_VARIABLE = "TOOLPROTO_PROXY_CONFIG"

#: Objects that may come and not go before young ones are looked through for garbage. With two
#: hundred streams a tick makes more than the 700 that are usual, and they go by themselves. In
#: 32,000 tokens, 236 ms of CPU went into looking; with this many 47, and the longest look took 25
#: instead of 52 ms.
_YOUNG = 10_000


def app_of_process(config: ProxyConfig) -> Starlette:
    """The application that serves as *config* says, with all loaded that its requests need."""
    load_readers(config)
    app = make_app(config)
    # Looking for garbage in all that was loaded takes 60 ms on a busy machine, for which every
    # stream of this process waits; it is there for good.
    gc.collect()
    gc.freeze()
    gc.set_threshold(_YOUNG)
    return app


def app_from_environment() -> Starlette:
    """The application of a worker process."""
    log_to_stderr()
    return app_of_process(config_from(json.loads(os.environ[CONFIG_VARIABLE])))


def load_readers(config: ProxyConfig) -> None:
    """Make a reader for each model; the first request would wait a third of a second for it."""
    for model, terms in {"": config.default, **config.models}.items():
        taught(model, terms).decoder(ToolOffer())
