"""Taking secrets out of text before anybody sees it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import quote, unquote

__all__ = ["REDACTED", "Redactor", "names_a_secret"]

REDACTED = "[redacted]"

#: Keys that are recognised by their look. Each alternative begins with a literal and goes over a
#: character once, so the work is linear.
_LOOKS = (
    r"\b(?:Bearer|Basic)\s{1,4}[A-Za-z0-9._~+/=-]{8,}",
    r"\bsk-[A-Za-z0-9_-]{16,}",  # OpenAI, Anthropic, OpenRouter, DeepSeek
    r"\b(?:gsk|hf|ghp|gho|ghs|xai|pplx|nvapi|r8)[_-][A-Za-z0-9_-]{16,}",
    r"\bgithub_pat_[A-Za-z0-9_]{16,}",
    r"\bAKIA[A-Z0-9]{16}",
    r"\bAIza[A-Za-z0-9_-]{30,}",
    r"\bxox[abprs]-[A-Za-z0-9-]{10,}",
)
#: With one of these all of that begins. Most text has none of them, which is known at once, where
#: going over it character by character takes as long as all else that is done to keep it.
_BEGINNINGS = (
    *("Bearer", "Basic", "sk-", "gsk", "hf", "ghp", "gho", "ghs", "xai", "pplx", "nvapi", "r8"),
    *("github_pat_", "AKIA", "AIza", "xox"),
)
_SECRET_NAME = re.compile(r"auth|key|token|secret|passw|cookie|credential|signature", re.I)
#: Removing a "secret" of a letter or two from an error would only garble the error.
_SHORTEST = 4


def names_a_secret(name: str) -> bool:
    """Whether a header or field called *name* is likely to hold a secret; counts are none."""
    return bool(_SECRET_NAME.search(name)) and not name.lower().endswith("tokens")


class Redactor:
    """Removes known secrets, and what looks like one, from text."""

    __slots__ = ("_beginnings", "_pattern")

    def __init__(self, secrets: Iterable[str] = (), patterns: Sequence[str] = ()) -> None:
        spellings = {spelling for secret in secrets for spelling in _spellings(secret)}
        # Longest first: of two secrets that begin alike, the whole of the longer one goes.
        known = [re.escape(each) for each in sorted(spellings, key=len, reverse=True)]
        # What somebody's own pattern finds may begin with anything.
        self._beginnings = ("",) if patterns else (*spellings, *_BEGINNINGS)
        self._pattern = re.compile("|".join([*known, *(f"(?:{p})" for p in patterns), *_LOOKS]))

    def __repr__(self) -> str:
        return "Redactor()"

    def __call__(self, text: str) -> str:
        """*text* without its secrets."""
        for beginning in self._beginnings:
            if beginning in text:
                return self._pattern.sub(REDACTED, text)
        return text

    def pieces(self, pieces: Sequence[str]) -> list[str]:
        """The pieces of one text without the secrets of the whole, which may span pieces."""
        spans = [match.span() for match in self._pattern.finditer("".join(pieces))]
        if not spans:
            return list(pieces)
        cleaned: list[str] = []
        offset = first = 0
        for piece in pieces:
            # Spans that ended before this piece can touch no later one, either.
            while first < len(spans) and spans[first][1] <= offset:
                first += 1
            cleaned.append(_without(piece, offset, spans, first))
            offset += len(piece)
        return cleaned

    def value(self, value: Any, name: str = "") -> Any:
        """A JSON value without its secrets: neither in texts nor under names that hold them."""
        match value:
            case str():
                return REDACTED if names_a_secret(name) else self(value)
            case Mapping():
                return {self(str(key)): self.value(each, str(key)) for key, each in value.items()}
            case list() | tuple():
                return [self.value(each, name) for each in value]
            case _:
                return value


def _without(piece: str, offset: int, spans: list[tuple[int, int]], first: int) -> str:
    kept: list[str] = []
    at = offset
    end = offset + len(piece)
    while first < len(spans) and spans[first][0] < end:
        start, stop = spans[first]
        kept.append(piece[max(at - offset, 0) : max(start - offset, 0)])
        if start >= offset:
            kept.append(REDACTED)
        at = stop
        first += 1
    return "".join((*kept, piece[max(at - offset, 0) :]))


def _spellings(secret: str) -> set[str]:
    """How a server may echo *secret*: as it is, inside JSON, inside a URL."""
    spellings = {secret, json.dumps(secret)[1:-1], quote(secret, safe=""), quote(secret)}
    return {each for each in (*spellings, unquote(secret)) if len(each) >= _SHORTEST}
