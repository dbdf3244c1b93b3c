"""Which part of a reply is thinking, in every dialect, and where it ends.

Reasoning models write their thoughts between tags, in the same text as the answer. Some chat
templates put the opening tag into the prompt, so that the reply *starts* inside a thought: that
cannot be seen from the reply while it streams, and has to be said.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .markers import MORE, NO, MarkerSet

__all__ = ["Reasoning", "Thought"]

_WORDS = (
    "think", "thinking", "thought", "thoughts", "reasoning", "analysis", "reflection", "rationale",
    "deliberation", "cot", "scratch_pad", "scratchpad", "inner_monologue", "internal_monologue",
    "inner_thoughts", "internal_thoughts", "thought_process", "thinking_process",
    "reasoning_process", "chain_of_thought", "antthinking", "longcat_think",
)  # fmt: skip
_TOKENS = ("think", "thinking", "thought", "reasoning")


def _dialects() -> tuple[tuple[str, str], ...]:
    """The tags of all models we know of; a new one is a word above, or a line here."""
    return (
        *((f"<{word}>", f"</{word}>") for word in _WORDS),
        ("<seed:think>", "</seed:think>"),
        ("<|inner_prefix|>", "<|inner_suffix|>"),
        ("<mm:think>", "</mm:think>"),
        *((f"[{word.upper()}]", f"[/{word.upper()}]") for word in _TOKENS),
        *((f"[{word}]", f"[/{word}]") for word in _TOKENS),
        *((f"◁{word}▷", f"◁/{word}▷") for word in _TOKENS),
        *((f"<|{word}|>", f"<|/{word}|>") for word in _TOKENS),
        *((f"<|begin_of_{word}|>", f"<|end_of_{word}|>") for word in _TOKENS),
        *((f"<|{word}_start|>", f"<|{word}_end|>") for word in _TOKENS),
        *((f"<|START_{word.upper()}|>", f"<|END_{word.upper()}|>") for word in _TOKENS),
        ("<|channel|>analysis<|message|>", "<|end|>"),
        ("<|start|>assistant to=self<|message|>", "<|eom|>"),
        (" to=self<|message|>", "<|eom|>"),
        ("<|channel>thought", "<channel|>"),
        ("<|channel>", "<channel|>"),
        ("<|content_thinking|>", "<|end_message|>"),
        ("<unused94>thought", "<unused95>"),
    )


_USUAL = _dialects()


@dataclass(frozen=True, slots=True)
class Reasoning:
    """The tags around thoughts, and whether a reply begins inside a thought.

    A tag that begins with a space counts only at the beginning of the reply.
    """

    tags: tuple[tuple[str, str], ...] = _USUAL
    starts_inside: bool = False
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # What is made for these tags is looked up for every reply.
        object.__setattr__(self, "_hash", hash((self.tags, self.starts_inside)))

    def __hash__(self) -> int:
        return self._hash


class Thought:
    """An open thought. *ends* are the markers that end one; ``number`` is the one that did.

    Those from *opener* on begin another one in it, at the beginning of a line; ``inner`` counts
    them. A thought that began in the *prompt* is often begun once more.
    """

    def __init__(self, ends: MarkerSet, opener: int, *, in_prompt: bool = False) -> None:
        self._ends = ends
        self._opener = opener
        self._last = ""
        self.number = NO
        self.inner = -1 if in_prompt else 0

    def feed(self, text: str, at: int, final: bool) -> int:
        """How far the text from *at* is certainly thought, or, at its end, that marker."""
        start = at
        while found := self._ends.begins.search(text, at):
            stop = found.start()
            number, end = self._ends.at(text, stop, final)
            before = text[stop - 1] if stop > start else self._last
            named = number >= 0 and before == "`"  # `</think>` ends nothing
            if number >= self._opener:
                self.inner += before in ("", "\n")
                at = end
                continue
            waits = number == MORE or (named and end == len(text) and not final)
            if waits or (number >= 0 and not (named and text[end : end + 1] == "`")):
                if stop > start:
                    return self._think(text, stop)
                self.number = NO if waits else number
                return start if waits else end
            at = max(end, stop + 1)
        return self._think(text, len(text))

    def _think(self, text: str, stop: int) -> int:
        self._last = text[stop - 1]
        return stop
