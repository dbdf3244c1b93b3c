"""What a client is told when no answer can be given, and whether asking again may help."""

from __future__ import annotations

import json
from math import ceil

from ...endpoints.apis.asked import ApiFault
from ...endpoints.apis.pieces import Failed
from ...protocol.errors import EndpointError, EndpointTimeout, WireError

__all__ = ["failure_of", "fault_headers", "fault_of"]

_LONGEST_DETAIL = 300
#: Statuses after which the same request may be answered: a timeout, a conflict, a limit.
_WORTH_TRYING = (408, 409, 425, 429)


def fault_of(failed: Failed) -> ApiFault:
    """What a client is told of a failure."""
    return ApiFault(failed.status, failed.message, failed.code)


def fault_headers(fault: ApiFault, retry_after: float | None = None) -> dict[str, str]:
    """What goes with *fault*: when to ask again, or that it is of no use."""
    headers = {} if retry_after is None else {"retry-after": str(ceil(retry_after))}
    if 400 <= fault.status < 500 and fault.status not in _WORTH_TRYING:
        headers["x-should-retry"] = "false"
    return headers


def _told(body: str) -> tuple[str, str]:
    """The message in the body of an error, and what it calls itself for programs to go by."""
    code = "upstream_error"
    try:
        told = json.loads(body)
    except (ValueError, RecursionError):
        return body, code
    match told:
        case {"error": {"code": str(given)}} if given:
            code = given
    match told:
        case {"error": {"message": str(message)}} | {"error": str(message)}:
            return message, code
        case {"message": str(message)} | {"detail": str(message)}:
            return message, code
    return body, code


def failure_of(error: EndpointError) -> Failed:
    """What a client is told about a backend that failed: its own status and words.

    Where it stands is nobody's business: the message does not say.
    """
    message, code = _told(error.body)
    words = f": {message}" if message else ""
    if error.status is not None:
        status = error.status if error.status >= 400 else 502
        said = f"the upstream answered {error.status}{words}"
        return Failed(said, code, status, error.retry_after)
    # What a connection came to holds no word of what was said.
    detail = str(error)[:_LONGEST_DETAIL]
    if isinstance(error, EndpointTimeout):
        return Failed("the upstream took too long", "upstream_timeout", 504, detail=detail)
    if isinstance(error, WireError):
        told = "the upstream did not send a whole reply"
        return Failed(told, "upstream_broken_off", detail=None if words else detail)
    if words:
        return Failed(f"the upstream failed{words}", code)
    return Failed("the upstream cannot be reached", "upstream_unreachable", detail=detail)
