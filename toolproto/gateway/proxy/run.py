"""Running the proxy: what it says when it starts, and how it stops."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from contextlib import ExitStack
from inspect import signature
from typing import Any

import uvicorn
from uvicorn.supervisors import multiprocess

from ...endpoints.http.address import Address
from ...package import __version__
from ...protocol.errors import UsageError
from ..http_server import SERVER_OPTIONS, check_port, key_in
from .config import ProxyConfig
from .log import LOGGER, log_to_stderr
from .process import CONFIG_VARIABLE, app_of_process, load_readers
from .readiness import unreachable
from .relay import Relay
from .watched import Watched

__all__ = ["banner", "check", "serve"]

#: Seconds in which a worker has to answer the process that watches over it. A busy machine takes
#: longer to start one than the five that are usual, and would kill each before it serves.
_WORKER_SECONDS = 60


def banner(config: ProxyConfig) -> str:
    """What a person needs to point a client here."""
    host = f"[{config.host}]" if ":" in config.host else config.host
    url = f"http://{host}:{config.port}/v1"
    key = f"${config.key_env}" if config.key_env else "unused"
    where = ", ".join(
        (f"{each.prefix}* → " if each.prefix else "") + Address(each.url).shown
        for each in config.upstreams
    )
    request = '{"model": "…", "messages": [{"role": "user", "content": "Hi"}]}'
    return "\n".join(
        [
            f"toolproto {__version__} · {url} · upstream {where} · {config.default.paradigm}",
            f'  OpenAI(base_url="{url}", api_key="{key}")',
            f"  export OPENAI_BASE_URL={url}",
            f"  curl {url}/chat/completions -H 'content-type: application/json'"
            f" -H \"authorization: Bearer {key}\" -d '{request}'",
        ]
    )


def serve(config: ProxyConfig, workers: int = 1) -> None:
    """Serve until a signal comes; open answers then get a while to end."""
    log_to_stderr()
    _warn(config)
    with ExitStack() as cleaning:
        if workers > 1:
            folder = cleaning.enter_context(
                tempfile.TemporaryDirectory(prefix="toolproto-metrics-")
            )
            os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", folder)
            os.environ[CONFIG_VARIABLE] = json.dumps(config.as_json())
            # uvicorn has no other place to say which class watches over its workers.
            multiprocess.Process = Watched  # type: ignore[misc]
        uvicorn.run(
            app_of_process(config)
            if workers == 1
            else "toolproto.gateway.proxy.process:app_from_environment",
            factory=workers > 1,
            workers=workers,
            host=config.host,
            port=config.port,
            limit_concurrency=config.limits.connections,
            **SERVER_OPTIONS,
            **_patience(),
        )


def _patience() -> dict[str, Any]:
    """The option for it, in versions of uvicorn that have one."""
    name = "timeout_worker_healthcheck"
    return {name: _WORKER_SECONDS} if name in signature(uvicorn.Config).parameters else {}


def check(config: ProxyConfig) -> None:
    """Raise UsageError for what would otherwise fail with the first request."""
    load_readers(config)
    for variable in (config.key_env, *(each.api_key_env for each in config.upstreams)):
        key = key_in(variable) if variable is not None else "-"
        if key is None:
            raise UsageError(f"the variable {variable} is not set; it must contain a key")
        if not (key.isascii() and key.isprintable()):
            raise UsageError(f"the key in the variable {variable} is not plain ASCII text")
    check_port(config.host, config.port)


def _warn(config: ProxyConfig) -> None:
    """Say which backends cannot be reached now; they may well come later."""

    async def down() -> dict[str, str]:
        relay = Relay()
        keys = [key_in(each.api_key_env) if each.api_key_env else None for each in config.upstreams]
        try:
            return await unreachable(config.upstreams, keys, relay)
        finally:
            await relay.close()

    for place, why in asyncio.run(down()).items():
        LOGGER.warning("the upstream %s cannot be reached now: %s", place, why)
