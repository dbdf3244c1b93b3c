"""The proxy: ``tools`` for any client, on any backend that completes text.

::

    client ──→ gate ───→ app ──→ serving ──→ passing ──→ relay ──→ backend      (no word of tools)
                                    │
                                    ├──→ apis/*/server ─→  exchange  ←──→  feed  ←──→  backend
                                    │     (sans-IO)        (sans-IO)        │
    client ←────────────────────────┴── apis/*/answer ←─ responding  ←─────┘

Beside that, ``directory.py`` tells of models, ``counting.py`` counts, ``answers.py`` remembers
responses, and ``others.py`` hands paths on that have nothing to do with tools.

``endpoints/apis`` reads a request of each API into an
:class:`~toolproto.endpoints.apis.asked.Asked` and writes pieces back; ``exchange.py`` decides what
the model is asked and what of its replies goes out. The rest waits on the world.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...package import install_command
from ...protocol.errors import UsageError
from .config import ModelTerms, ProxyConfig, ProxyLimits, Upstream

if TYPE_CHECKING:
    from starlette.applications import Starlette

__all__ = ["ModelTerms", "ProxyConfig", "ProxyLimits", "Upstream", "make_app"]


def make_app(config: ProxyConfig) -> Starlette:
    """The proxy as an ASGI application, to be served or mounted."""
    try:
        from .app import make_app as make
    except ModuleNotFoundError as error:
        if error.name not in ("starlette", "prometheus_client"):
            raise
        raise UsageError(f"the proxy needs an extra; run: {install_command('server')}") from None
    return make(config)
