"""What is said when a paradigm breaks a law."""

from __future__ import annotations

import copyreg
from typing import Any

__all__ = ["LawBroken", "shown"]

#: The laws' numbers in ``docs/laws.md``.
NUMBERS = {
    "round trip": 1,
    "chunking": 2,
    "totality": 3,
    "streaming arguments": 4,
    "lossless": 5,
    "promptness": 6,
    "linearity": 7,
    "teaching": 8,
    "grammar": 9,
    "inertness": 10,
    "sequence": 11,
    "freshness": 12,
    "verbatim": 13,
    "truncation": 14,
    "stopping": 15,
    "place": 16,
    "neutrality": 17,
}
_LONGEST = 600


class LawBroken(AssertionError):
    """A paradigm breaks a law; the message says which, how, and what to change.

    *law* is its name, or ``"exercise"`` for a paradigm on which no law can be tried.
    """

    __module__ = "toolproto.testing"  # where its users find it; reports print this

    def __init__(self, law: str, what: str, remedy: str) -> None:
        number = f" (law {NUMBERS[law]})" if law in NUMBERS else ""
        super().__init__(f"{law}{number}: {what}\n→ {remedy}")
        self.law = law

    def __reduce__(self) -> Any:
        # By default it would be made again from its message alone.
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]


def shown(value: object) -> str:
    """*value* as a literal, without the middle of a long one."""
    text = repr(value)
    if len(text) <= _LONGEST:
        return text
    half = _LONGEST // 2
    return f"{text[:half]} … {len(text) - 2 * half} more … {text[-half:]}"
