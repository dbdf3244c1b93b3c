"""Which part of a reply is thinking?

Reasoning models write their thoughts between tags, in the same text as the answer. Some chat
templates put the opening tag into the prompt, so that the reply *starts* inside a thought: that
cannot be seen from the reply while it streams, and has to be said.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Reasoning"]


@dataclass(frozen=True, slots=True)
class Reasoning:
    """The tags that thoughts stand between, and whether a reply begins with one open."""

    tags: tuple[tuple[str, str], ...] = (
        ("<think>", "</think>"),
        ("<thinking>", "</thinking>"),
        ("<reasoning>", "</reasoning>"),
        ("<scratch_pad>", "</scratch_pad>"),
        ("<seed:think>", "</seed:think>"),
        ("<mm:think>", "</mm:think>"),
        ("[THINK]", "[/THINK]"),
        ("<|START_THINKING|>", "<|END_THINKING|>"),
        ("<|channel|>analysis<|message|>", "<|end|>"),
        ("<|start|>assistant to=self<|message|>", "<|eom|>"),
        (" to=self<|message|>", "<|eom|>"),
        ("<|channel>thought", "<channel|>"),
    )
    starts_inside: bool = False
