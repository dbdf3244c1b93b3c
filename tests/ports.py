"""Ports for programs that are started, or started again, a moment after a test has chosen them."""

from __future__ import annotations

import socket
from random import SystemRandom

#: Below those that systems give to whoever connects: such a port is taken again within seconds by
#: any of the connections that other tests make.
_RANGE = range(20_000, 32_000)


def free_port() -> int:
    """A port of this machine on which nobody listens, and which nobody else is likely to choose."""
    for port in SystemRandom().sample(_RANGE, 100):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError("a hundred ports were all taken")
