"""llama.cpp's own HTTP server, as a service that somebody else runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def serving(
    path: Path, *, context: int = 512, template: str = "", jinja: bool = True
) -> Iterator[str]:
    """Where the server of the model in *path* listens; *template* takes the place of its own."""
    library = pytest.importorskip("xllamacpp")
    params = library.CommonParams()
    params.model.path, params.n_ctx, params.n_parallel = str(path), context, 1
    params.hostnames, params.port, params.warmup = ["127.0.0.1"], 0, False
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.verbosity, params.use_jinja, params.chat_template = -1, jinja, template
    server = library.Server(params)
    yield server.listening_address
    del server
