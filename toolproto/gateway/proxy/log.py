"""The log: one JSON object a line, on stderr, from every process that serves.

A line about a request has a ``request``, one about the proxy itself an ``event``, and anything else
a ``message``. All of them have the time.
"""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any

__all__ = ["LOGGER", "log_line", "log_to_stderr"]

#: What is said of requests, and what the proxy says of itself.
LOGGER = logging.getLogger("toolproto.proxy")
_EVENTS = logging.getLogger("toolproto.proxy.events")
#: Those who speak in the processes that serve.
_SPEAKERS = ("toolproto.proxy", "uvicorn.error")


def log_line(**values: Any) -> None:
    """A line that says *values*."""
    # Written here and not by the handler, so that those who embed the proxy get them too.
    logger = _EVENTS if "event" in values else LOGGER
    logger.info(json.dumps({"time": _now(), **values}))


def log_to_stderr() -> None:
    """Write all lines to stderr; for a process that does nothing but serve."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Lines())
    for name in _SPEAKERS:
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.propagate = False
    LOGGER.setLevel(logging.INFO)
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)


class _Lines(logging.Formatter):
    """Makes a line of what is none yet, a traceback included."""

    def format(self, record: logging.LogRecord) -> str:
        message = record.getMessage()
        if record.name.startswith(LOGGER.name) and message.startswith("{"):
            return message
        line = {"time": _now(), "level": record.levelname.lower(), "message": message}
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return json.dumps(line)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
