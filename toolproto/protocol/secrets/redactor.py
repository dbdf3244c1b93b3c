"""Taking secrets out of text before anybody sees it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import quote, unquote

from .looks import secret_spans
from .walk import rewritten

__all__ = ["REDACTED", "Redactor", "names_a_secret"]

REDACTED = "[redacted]"

_SECRET_NAME = re.compile(r"auth|key|token|secret|passw|cookie|credential|signature", re.I)
#: Removing a "secret" of a letter or two from an error would only garble the error.
_SHORTEST = 4


def names_a_secret(name: str) -> bool:
    """Whether a header or field called *name* is likely to hold a secret; counts are none."""
    return bool(_SECRET_NAME.search(name)) and not name.lower().endswith("tokens")


class Redactor:
    """Removes known secrets, and what looks like one, from text."""

    __slots__ = ("_known", "_pattern")

    def __init__(self, secrets: Iterable[str] = (), patterns: Sequence[str] = ()) -> None:
        self._known = {spelling for secret in secrets for spelling in _spellings(secret)}
        # Longest first: of two secrets that begin alike, the whole of the longer one goes.
        known = [re.escape(each) for each in sorted(self._known, key=len, reverse=True)]
        if patterns:
            self._known.add("")  # what somebody's own pattern finds may begin with anything
        alternatives = [*known, *(f"(?:{pattern})" for pattern in patterns)]
        self._pattern = re.compile("|".join(alternatives) or r"(?!)")

    def __repr__(self) -> str:
        return "Redactor()"

    def __call__(self, text: str) -> str:
        """*text* without its secrets."""
        spans = self._spans(text)
        return _without(text, 0, spans, 0) if spans else text

    def pieces(self, pieces: Sequence[str]) -> list[str]:
        """The pieces of one text without the secrets of the whole, which may span pieces."""
        spans = self._spans("".join(pieces))
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

    def _spans(self, text: str) -> list[tuple[int, int]]:
        """Where secrets stand in *text*, in order and apart."""
        spans = list(secret_spans(text))
        if any(spelling in text for spelling in self._known):
            spans += (match.span() for match in self._pattern.finditer(text) if match.group())
        apart: list[tuple[int, int]] = []
        for start, end in sorted(spans):
            if apart and start < apart[-1][1]:
                apart[-1] = (apart[-1][0], max(end, apart[-1][1]))
            else:
                apart.append((start, end))
        return apart

    def value(self, value: Any, name: str = "") -> Any:
        """Return a JSON value without its secrets: not in texts, not under names that hold them."""
        return rewritten(value, self._named, key=lambda key: self(str(key)), name=name)

    def _named(self, text: str, name: str) -> str:
        return REDACTED if names_a_secret(name) else self(text)


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
