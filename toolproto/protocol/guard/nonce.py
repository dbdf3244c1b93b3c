"""Markers that carry a random part, so that nobody who was not told can write a call.

``<tool_call>`` becomes ``<tool_call_qhzkwt>``, and ``"tool_calls": […]`` becomes
``"tool_calls_qhzkwt": […]``. The part is made for a session and stays the same in it, so that a
service goes on caching the prompt. Only calls that carry it are read: whatever stands without it in
a web page, in a file or in a reply is text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Protocol, TypeVar

from ..errors import UsageError

__all__ = ["carrying", "checked_nonce", "new_nonce", "with_nonce"]

#: Letters that spell no word. Digits would not do in the name of a member.
_LETTERS = "bcdfghjkmnpqrstvwxz"
#: With six of them, one guess in 47 million is right, and nobody learns of a wrong one.
_LENGTH = 6
_NONCE = re.compile(r"[a-z]{4,32}")
_WORD = re.compile(r"(?<!\{)[A-Za-z][\w▁:]*(?<!:)")


P_co = TypeVar("P_co", covariant=True)


class TakesNonce(Protocol[P_co]):
    """A paradigm, as far as this module needs one: its markers can carry a random part."""

    def nonced(self, nonce: str) -> P_co:
        """Return the same paradigm with *nonce* in its markers."""
        ...


def new_nonce(below: Callable[[int], int]) -> str:
    """A random part; ``below(n)`` gives a number from 0 to n-1, as ``secrets.randbelow`` does."""
    return "".join(_LETTERS[below(len(_LETTERS))] for _ in range(_LENGTH))


def with_nonce(paradigm: TakesNonce[P_co], nonce: str) -> P_co:
    """*paradigm*, taught and read with *nonce* in its markers. It reads no other form.

    A UsageError for one that declares no markers.
    """
    return paradigm.nonced(checked_nonce(nonce))


def checked_nonce(nonce: str) -> str:
    """*nonce*, if it can stand in any marker."""
    if not _NONCE.fullmatch(nonce):
        raise UsageError(
            f"a nonce is 4 to 32 small letters, not {nonce!r}; make one with new_nonce"
        )
    return nonce


def carrying(marker: str, nonce: str, *, closes: bool = False) -> str:
    """*marker* with *nonce* behind its first word; behind its last if it *closes*.

    One without any word, such as ``>>>``, gets the nonce and a colon behind it.
    """
    words = list(_WORD.finditer(marker))
    if not words:
        return marker if closes else f"{marker}{nonce}:"
    word = words[-1 if closes else 0]
    part = nonce.upper() if word.group().isupper() else nonce
    return f"{marker[: word.end()]}_{part}{marker[word.end() :]}"
