"""Signing requests for AWS: version 4 of its signatures, without its SDK.

The steps are those of "Create a signed AWS API request" in the IAM user guide.
"""

from __future__ import annotations

import hmac
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Protocol
from urllib.parse import parse_qsl, quote, urlsplit

__all__ = ["AwsCredentials", "AwsIdentity", "current", "signed"]

_ALGORITHM = "AWS4-HMAC-SHA256"
#: Headers that are signed, beside the host and those of AWS itself.
_SIGNED = ("content-type",)


class AwsIdentity(Protocol):
    """Who asks: an :class:`AwsCredentials`, or the credentials of a session of botocore's."""

    @property
    def access_key(self) -> str:
        """Which key it is."""

    @property
    def secret_key(self) -> str:
        """The key, which is never sent."""

    @property
    def token(self) -> str | None:
        """The token of a session, for keys that are lent for some hours."""


@dataclass(frozen=True, slots=True)
class AwsCredentials:
    """An access key of AWS, and the token that belongs to it if it is temporary."""

    access_key: str
    secret_key: str = field(repr=False)
    token: str | None = field(default=None, repr=False)

    @classmethod
    def from_environment(cls) -> AwsCredentials | None:
        """Those of AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN."""
        known = os.environ.get("AWS_ACCESS_KEY_ID"), os.environ.get("AWS_SECRET_ACCESS_KEY")
        if not known[0] or not known[1]:
            return None
        return cls(known[0], known[1], os.environ.get("AWS_SESSION_TOKEN") or None)


def current(credentials: AwsIdentity) -> AwsCredentials:
    """*credentials* at this moment; those of botocore may be renewed behind our back."""
    freeze: Any = getattr(credentials, "get_frozen_credentials", None)
    now: AwsIdentity = credentials if freeze is None else freeze()
    return AwsCredentials(now.access_key, now.secret_key, now.token)


def signed(
    url: str,
    headers: Mapping[str, str],
    content: bytes,
    *,
    credentials: AwsCredentials,
    region: str,
    service: str,
    now: float,
) -> dict[str, str]:
    """*headers* of a POST of *content* to *url*, with the signature; *now* is the time of day."""
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now))
    parts = urlsplit(url)
    token = {"x-amz-security-token": credentials.token} if credentials.token else {}
    sent = {**headers, "x-amz-date": stamp, **token}
    named = {"host": parts.netloc} | {
        name: value for name, value in sent.items() if name in _SIGNED or name.startswith("x-amz-")
    }
    names = ";".join(sorted(named))
    asked = "\n".join(
        (
            "POST",
            quote(parts.path or "/", safe="/~"),  # what is escaped already is escaped once more
            _query(parts.query),
            *(f"{name}:{' '.join(named[name].split())}" for name in sorted(named)),
            "",
            names,
            sha256(content).hexdigest(),
        )
    )
    scope = f"{stamp[:8]}/{region}/{service}/aws4_request"
    to_sign = "\n".join((_ALGORITHM, stamp, scope, sha256(asked.encode()).hexdigest()))
    key = f"AWS4{credentials.secret_key}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    signature = hmac.digest(key, to_sign.encode(), "sha256").hex()
    told = f"Credential={credentials.access_key}/{scope}, SignedHeaders={names}"
    return {**sent, "authorization": f"{_ALGORITHM} {told}, Signature={signature}"}


def _query(query: str) -> str:
    pairs = sorted(
        (quote(name, safe="-_.~"), quote(value, safe="-_.~"))
        for name, value in parse_qsl(query, keep_blank_values=True)
    )
    return "&".join(f"{name}={value}" for name, value in pairs)
