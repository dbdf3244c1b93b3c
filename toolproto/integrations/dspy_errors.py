"""Errors of a service as those that DSPy knows, some of which it tries again after."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from dspy import lm15

from ..errors import EndpointError, EndpointTimeout

__all__ = ["in_their_words"]

#: What DSPy calls a refusal, by its status, or by the first digit of that.
_ERRORS = {
    **{401: lm15.AuthError, 402: lm15.BillingError, 403: lm15.AuthError},
    **{408: lm15.TimeoutError, 429: lm15.RateLimitError, 504: lm15.TimeoutError},
}
_KINDS = {4: lm15.InvalidRequestError, 5: lm15.ServerError}


@contextmanager
def in_their_words() -> Iterator[None]:
    """An error of the service as the one that DSPy knows, and may try again after."""
    try:
        yield
    except EndpointTimeout as error:
        raise lm15.TimeoutError(str(error)) from error
    except EndpointError as error:
        if error.status is None:
            raise lm15.TransportError(str(error)) from error
        kind = _ERRORS.get(error.status) or _KINDS.get(error.status // 100, lm15.ProviderError)
        raise kind(str(error), status=error.status, retry_after=error.retry_after) from error
