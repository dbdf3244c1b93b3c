"""How keys, tokens and passwords look, where nobody said what they are.

Each look begins with a literal, which is found at once or not at all, and goes over each character
once: most text has none of them, and hostile text takes no longer than any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

__all__ = ["secret_spans"]


class _Look(NamedTuple):
    """Where *beginning* stands, a pattern says whether it is a secret, and which part of it."""

    beginning: str
    source: str


def _looks(beginnings: tuple[str, ...], pattern: str) -> Iterator[_Look]:
    for beginning in beginnings:
        yield _Look(beginning, pattern.replace("BEGINNING", re.escape(beginning)))


_WORD = r"(?<![A-Za-z0-9_])BEGINNING"
# Between a name and its value, in JSON, TOML, YAML, a shell and Python, escaped or not.
_IS = r"\\?[\"']?\s{0,4}[:=]{1,2}>?\s{0,4}\\?[\"']?"
_LINE_END = r"(?:\s|\\+[rnt])*+"

_LOOKS = (
    *_looks(("Bearer", "Basic"), _WORD + r"\s{1,4}[A-Za-z0-9._~+/=-]{8,}"),
    # OpenAI, Anthropic, OpenRouter, DeepSeek
    *_looks(("sk-",), _WORD + r"[A-Za-z0-9_-]{16,}"),
    # Groq, Hugging Face, xAI, Perplexity, NVIDIA, Replicate
    *_looks(("gsk", "hf", "xai", "pplx", "nvapi", "r8"), _WORD + r"[_-][A-Za-z0-9_-]{16,}"),
    # GitHub, GitLab, npm, PyPI
    *_looks(("ghp", "gho", "ghs", "ghu", "ghr"), _WORD + r"[_-][A-Za-z0-9_-]{16,}"),
    *_looks(("github_pat_",), _WORD + r"[A-Za-z0-9_]{16,}"),
    *_looks(("gl",), _WORD + r"(?:pat|dt|rt|cbt|ptt|ft|imt|oas|soat|agent|ffct)-[\w.-]{16,}"),
    *_looks(("npm_",), _WORD + r"[A-Za-z0-9]{30,}"),
    *_looks(("pypi-",), _WORD + r"[A-Za-z0-9_-]{40,}"),
    # AWS: the id of a key, and the key itself where its name stands before it
    *_looks(("AKIA", "ASIA"), _WORD + r"[A-Z0-9]{16}(?![A-Za-z0-9])"),
    *_looks(
        ("secret_access_key", "SECRET_ACCESS_KEY", "SecretAccessKey", "secretAccessKey",
         "secret_key", "SECRET_KEY", "SecretKey", "secretKey"),
        rf"BEGINNING{_IS}(?P<secret>[A-Za-z0-9/+]{{40}})(?![A-Za-z0-9/+])",
    ),
    *_looks(
        ("security-token", "Security-Token", "session_token", "SESSION_TOKEN", "SessionToken"),
        rf"BEGINNING{_IS}(?P<secret>[A-Za-z0-9/+=]{{40,}})",
    ),
    # Google, Slack, Stripe
    *_looks(("AIza",), _WORD + r"[A-Za-z0-9_-]{30,}"),
    *_looks(("ya29.",), _WORD + r"[A-Za-z0-9_-]{20,}"),
    *_looks(("xox",), _WORD + r"[abeprs]-[A-Za-z0-9-]{10,}"),
    *_looks(("xapp-",), _WORD + r"[A-Za-z0-9-]{16,}"),
    *_looks(("sk_", "rk_", "pk_"), _WORD + r"(?:live|test)_[A-Za-z0-9]{10,}"),
    *_looks(("whsec_",), _WORD + r"[A-Za-z0-9+/=]{16,}"),
    # SendGrid, DigitalOcean, Linear, Vault, Shopify, Databricks, Twilio, age, Slack's webhooks
    *_looks(("SG.",), _WORD + r"[\w-]{16,}\.[\w-]{16,}"),
    *_looks(("dop_v1_", "lin_api_", "hvs.", "shpat_"), _WORD + r"[\w-]{24,}"),
    *_looks(("dapi", "SK"), _WORD + r"[0-9a-f]{32}(?![A-Za-z0-9])"),
    *_looks(("AGE-SECRET-KEY-1",), _WORD + r"[A-Z0-9]{40,}"),
    *_looks(("hooks.slack.com/services/",), r"BEGINNING(?P<secret>[A-Za-z0-9/]{20,})"),
    # JSON Web Tokens, signed or not
    *_looks(("eyJ",), _WORD + r"[\w-]{8,}+\.[\w-]{8,}+(?:\.[\w-]*+){1,3}"),
    # Private keys in PEM, cut off or not, with their lines or with line ends escaped
    *_looks(
        ("-----BEGIN ",),
        rf"BEGINNING[A-Z0-9 ]{{0,30}}PRIVATE KEY(?: BLOCK)?-----{_LINE_END}"
        rf"(?:[A-Za-z-]{{1,20}}: [^\r\n\\]{{0,80}}{_LINE_END}){{0,4}}"
        # Not words: those of a sentence about keys are shorter.
        rf"(?:[A-Za-z0-9+/=]{{24,}}+{_LINE_END})++"
        rf"(?:[A-Za-z0-9+/=]*+{_LINE_END}-----END [A-Z0-9 ]{{0,30}}PRIVATE KEY(?: BLOCK)?-----)?",
    ),
    # Whatever stands behind such a name and has a digit in it, as no word has
    *_looks(
        ("password", "Password", "PASSWORD", "passwd", "api_key", "API_KEY", "apiKey", "api-key",
         "client_secret", "CLIENT_SECRET", "clientSecret", "access_token", "ACCESS_TOKEN",
         "accessToken", "refresh_token", "auth_token", "AUTH_TOKEN", "authToken", "AccountKey"),
        rf"BEGINNING{_IS}(?P<secret>(?=[^\s\"'\\]{{0,200}}\d)[\w.+/!@#*^~-][^\s\"'\\,;&<>(){{}}]{{7,}}+)",
    ),
    *_looks(("Cookie: ", "cookie: "), r"BEGINNING(?P<secret>[^\s=;]{1,64}=[^\r\n\"'\\]{6,})"),
    # Passwords and keys in URLs
    *_looks(
        ("://",), r"BEGINNING(?P<secret>[^\s/:@\"'<>\\]{0,200}+:[^\s/@\"'<>\\]{1,1000}+)(?=@)"
    ),
    *_looks(
        tuple(
            f"{before}{name}="
            for before in "?&"
            for name in ("key", "api_key", "apikey", "token", "access_token", "password", "secret",
                         "sig", "signature", "X-Amz-Signature", "X-Amz-Security-Token")
        ),
        r"BEGINNING(?P<secret>[^&\s\"'<>#\\]{6,})",
    ),
)  # fmt: skip


def secret_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where something in *text* looks like a secret; spans may overlap."""
    for beginning, source in _LOOKS:
        at = text.find(beginning)
        while at >= 0:
            pattern = _compiled(source)
            found = pattern.match(text, at)
            if found:
                yield found.span("secret" if "secret" in pattern.groupindex else 0)
            at = text.find(beginning, found.end() if found else at + 1)


@cache  # few are ever asked for, and compiling all of them takes 15 ms of every start
def _compiled(source: str) -> re.Pattern[str]:
    return re.compile(source)
