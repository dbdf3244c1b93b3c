"""Which part of a reply is thinking, in every dialect, and where it ends.

Reasoning models write their thoughts between tags, in the same text as the answer. Some chat
templates put the opening tag into the prompt, so that the reply *starts* inside a thought: that
cannot be seen from the reply while it streams, and has to be said.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..source import Pull
from .landmarks import Found, Landmark, Table
from .markers import NO
from .place import REASONS

if TYPE_CHECKING:
    from .attempts import Attempts

__all__ = ["Reasoning", "read_thought"]

_WORDS = (
    "think", "thinking", "thought", "thoughts", "reasoning", "analysis", "reflection", "rationale",
    "deliberation", "cot", "scratch_pad", "scratchpad", "monologue", "inner_monologue",
    "internal_monologue", "inner_thought", "inner_thoughts", "internal_thought",
    "internal_thoughts", "thought_process", "thinking_process", "reasoning_process",
    "reasoning_content", "self_reflection", "chain_of_thought", "contemplation", "antthinking",
    "ant_thinking", "longcat_think", "deep_think",
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
        *((f"<|begin_{word}|>", f"<|end_{word}|>") for word in _TOKENS),
        *((f"<|{word}_start|>", f"<|{word}_end|>") for word in _TOKENS),
        *((f"<|{word}:start|>", f"<|{word}:end|>") for word in _TOKENS),
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
#: Text that may follow a call in a thought before it is decided whether the thought is closed.
_LONGEST_WAIT = 65_536


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


class _Thought:
    """An open thought. *markers* are those that count in one; ``end`` is the one that ended it.

    Another thought in it begins at the beginning of a line; ``inner`` counts those. A thought that
    began in the *prompt* is often begun once more.
    """

    def __init__(self, markers: Table, *, in_prompt: bool = False) -> None:
        self._markers = markers
        self._last = ""
        self.end: Found | None = None
        self.inner = -1 if in_prompt else 0

    def feed(self, text: str, at: int, final: bool) -> int:
        """How far the text from *at* is certainly thought, or, at its end, that marker."""
        start = at
        while begun := self._markers.begins.search(text, at):
            stop = begun.start()
            found = self._markers.at(text, stop, final)
            before = text[stop - 1] if stop > start else self._last
            if found == NO:
                at = stop + 1
                continue
            end = None if isinstance(found, int) else found
            if end and end.kind is Landmark.THOUGHT:
                self.inner += before in ("", "\n")
                at = end.end
                continue
            if end and before == "`":  # `</think>` ends nothing
                if text[end.end : end.end + 1] == "`":
                    at = end.end
                    continue
                if end.end == len(text) and not final:
                    end = None
            if stop > start:
                return self._think(text, stop)
            self.end = end
            return end.end if end else start
        return self._think(text, len(text))

    def _think(self, text: str, stop: int) -> int:
        self._last = text[stop - 1]
        return stop


def read_thought(reader: Attempts, *, in_prompt: bool = False) -> Pull[None]:
    """In a thought, to its end.

    By the model's template some calls end a thought. They count, unless the thought is closed
    behind them.
    """
    source, outbox = reader.source, reader.outbox
    thought = _Thought(reader.landmarks.in_thought, in_prompt=in_prompt)
    behind = -1  # where in the reply the last call ended
    reader.inside = "thinking"
    while (yield from source.peek()):
        at = source.at
        source.at = thought.feed(source.text, at, source.final)
        if thought.end is None:
            if behind < 0:
                outbox.reasoning(source.text[at : source.at], source.base + at)
            elif source.offset - behind > _LONGEST_WAIT:
                _count_calls(reader, behind)
                behind, thought = -1, _Thought(reader.landmarks.in_thought)
            if source.at == at:
                yield
        elif thought.end.call is None:
            end, source.at = source.at, at
            _end(reader, thought, called=behind >= 0)
            source.at = end
            return
        else:
            end, source.at = source.at, at
            if behind < 0:
                outbox.withhold(source)
            yield from reader.read_body(reader.marked(thought.end.call, end))
            behind, thought = source.offset, _Thought(reader.landmarks.in_thought)
    if behind >= 0:
        _count_calls(reader, behind)


def _end(reader: Attempts, thought: _Thought, *, called: bool) -> None:
    if called:
        reader.pass_over(reader.outbox.let_go_as_reasoning(), "thinking")
    reader.inside = ""
    reader.place.end_thought(in_thought=thought.inner > 0)
    reader.line_begins = True


def _count_calls(reader: Attempts, behind: int) -> None:
    """The thought was not closed, so the calls in it, up to *behind*, ended it."""
    reader.outbox.doubt_withheld(REASONS["unclosed_thought"].doubt)
    after = reader.outbox.withheld_text(behind)
    reader.outbox.let_go()
    reader.outbox.reasoning(after, behind)
