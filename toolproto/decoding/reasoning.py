"""Which part of a reply is thinking?

Reasoning models write their thoughts between tags, in the same text as the answer. Some chat
templates put the opening tag into the prompt, so that the reply *starts* inside a thought: that
cannot be seen from the reply while it streams, and has to be said.
"""

from __future__ import annotations

from dataclasses import dataclass

from .scanner import Marker

__all__ = ["Reasoning"]


@dataclass(frozen=True, slots=True)
class Reasoning:
    """The tags that thoughts stand between, and whether a reply begins with one open."""

    tags: tuple[tuple[str, str], ...] = (
        ("<think>", "</think>"),
        ("<thinking>", "</thinking>"),
        ("<reasoning>", "</reasoning>"),
    )
    starts_inside: bool = False

    def openers(self) -> list[Marker]:
        """What begins a thought."""
        return [Marker(opener) for opener, _ in self.tags]

    def closers(self) -> list[Marker]:
        """What ends a thought, in the order of the openers."""
        return [Marker(closer) for _, closer in self.tags]
