"""What is the part of a reply that is neither said, nor thought, nor called?"""

from __future__ import annotations

import re

from ..decoding.leaks import LEAKS
from ..decoding.reasoning import Reasoning

__all__ = ["markup_note"]

_FENCE = re.compile(r"```|~~~")


def markup_note(text: str, reasoning: Reasoning, *, last: bool) -> str:
    """What kind of markup *text* is; the *last* part of a reply may have been cut off."""
    lowered = text.lower()
    if not text.strip():
        return "space between calls"
    if any(marker.text in text for marker in LEAKS):
        words = "tokens of a chat template"
        return f"{words}, and what was cut off behind them" if last and _is_long(text) else words
    if any(tag.strip().lower() in lowered for pair in reasoning.tags for tag in pair):
        return "tags around thinking"
    if _FENCE.search(text):
        return "a code fence around calls, with their markers"
    return "markers of calls"


def _is_long(text: str) -> bool:
    """Is there more in it than tokens?"""
    for marker in LEAKS:
        text = text.replace(marker.text, "")
    return bool(text.strip())
