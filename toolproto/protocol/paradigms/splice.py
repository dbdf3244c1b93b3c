"""Where the tool instructions stand in a system prompt, and how they are replaced.

The block stands between two comment lines. Splicing again finds them and puts the new block in
the same place, so a prompt can be spliced for every request without growing.
"""

from __future__ import annotations

__all__ = ["neutral", "spliced", "unmarked"]

_OPEN = "<!-- tools -->"
_CLOSE = "<!-- /tools -->"


def spliced(prompt: str, block: str) -> str:
    """*prompt* with *block* in it, in the place of an earlier one; without any if it is empty."""
    head, tail = _around_block(prompt)
    if not block:
        return f"{head}\n\n{tail}" if head and tail else head or tail
    marked = f"{_OPEN}\n{neutral(block)}\n{_CLOSE}"
    return "\n\n".join(part for part in (head, marked, tail) if part)


def neutral(text: str) -> str:
    """*text* in which nothing can end the block it will stand in."""
    return text.replace("<!--", "<! --").replace("-->", "-- >") if _OPEN[:4] in text else text


def unmarked(text: str) -> str:
    """*text* in which nothing is taken for the marks of a block."""
    for mark in (_OPEN, _CLOSE):
        text = text.replace(mark, mark.replace("<!--", "<! --"))
    return text


def _around_block(prompt: str) -> tuple[str, str]:
    end = prompt.find(_CLOSE, max(prompt.find(_OPEN), 0))
    start = prompt.rfind(_OPEN, 0, end)  # an opener without its closer may stand before it
    if start < 0 or end < 0:
        return prompt.rstrip("\n"), ""
    return prompt[:start].rstrip("\n"), prompt[end + len(_CLOSE) :].lstrip("\n")
