"""What the exit code says, and which failure has which."""

from __future__ import annotations

from enum import IntEnum

from ..protocol.errors import EndpointError, ToolProtoError, UsageError

__all__ = ["Exit", "exit_of"]


class Exit(IntEnum):
    """How a command ended."""

    FINE = 0
    FAILED = 1  # it ran, and what was asked for did not come out
    USAGE = 2  # an option, a file or a setting cannot be used
    ENDPOINT = 3  # the service failed, or could not be reached
    INTERRUPTED = 130  # Ctrl-C


def exit_of(error: Exception) -> Exit:
    """The exit code for an *error* that ends a command."""
    if isinstance(error, EndpointError):
        return Exit.ENDPOINT
    if isinstance(error, UsageError | OSError):
        return Exit.USAGE
    assert isinstance(error, ToolProtoError)
    return Exit.FAILED
