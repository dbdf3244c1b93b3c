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
from .markers import MORE, NO

if TYPE_CHECKING:
    from .attempts import Attempts

_WORDS = (
    "think", "thinking", "thought", "thoughts", "reasoning", "analysis", "reflection", "rationale",
    "deliberation", "cot", "scratch_pad", "scratchpad", "monologue", "inner_monologue",
    "internal_monologue", "inner_thought", "inner_thoughts", "internal_thought",
    "internal_thoughts", "thought_process", "thinking_process", "reasoning_process",
    "reasoning_content", "self_reflection", "chain_of_thought", "contemplation", "antthinking",
    "ant_thinking", "longcat_think", "deep_think",
)  # fmt: skip
_TOKENS = ("think", "thinking", "thought", "reasoning", "scratchpad", "analysis", "cot")


def _dialects() -> tuple[tuple[str, str], ...]:
    """The tags of all models we know of; a new one is a word above, or a line here."""
    return (
        *((f"<{word}>", f"</{word}>") for word in _WORDS),
        ("<seed:think>", "</seed:think>"),
        ("<|inner_prefix|>", "<|inner_suffix|>"),
        ("<mm:think>", "</mm:think>"),
        *((f"<ifm|think{pace}>", f"</ifm|think{pace}>") for pace in ("", "_fast", "_faster")),
        *((f"[{word}]", f"[/{word}]") for word in (*map(str.upper, _TOKENS), *_TOKENS)),
        *((f"◁{word}▷", f"◁/{word}▷") for word in _TOKENS),
        *((f"<|{word}|>", f"<|/{word}|>") for word in _TOKENS),
        *((f"<|{on}_of_{of}|>", f"<|end_of_{of}|>") for of in _TOKENS for on in ("begin", "start")),
        *((f"<|begin_{word}|>", f"<|end_{word}|>") for word in _TOKENS),
        *((f"<|{word}{at}start|>", f"<|{word}{at}end|>") for at in "_:" for word in _TOKENS),
        *((f"<|START_{word.upper()}|>", f"<|END_{word.upper()}|>") for word in _TOKENS),
        *((f"<|channel|>{word}<|message|>", "<|end|>") for word in ("analysis", "thought")),
        ("<|think|>", "<|end|>"),
        # A message that the model forgets to end is over where its next one begins.
        ("<|channel|>analysis<|message|>", "<|start|>assistant"),
        ("<|start|>assistant to=self<|message|>", "<|eom|>"),
        (" to=self<|message|>", "<|eom|>"),
        ("<|open|>think<|sep|>", "<|close|>think<|sep|>"),
        ("<|channel>thought", "<channel|>"),
        ("<|channel>", "<channel|>"),
        ("<|content_thinking|>", "<|end_message|>"),
        ("<|im_start|>think", "<|im_start|>answer"),
        ("<unused94>thought", "<unused95>"),
        ("[unused16]", "[unused17]"),
        (" Here are my reasoning steps:\n", "[BEGIN FINAL RESPONSE]"),
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


def read_thought(
    reader: Attempts, opened: Found | None = None, *, again: bool = False
) -> Pull[None]:
    """In a thought that *opened*, to its end.

    By the model's template some calls end a thought. One that began in the prompt, by whatever
    marker, is often begun once more; *again* says that this was read.
    """
    source, landmarks = reader.source, reader.landmarks
    tag = opened.tag.lstrip() if opened else ""
    markers = landmarks.in_thought if tag in landmarks.named else landmarks.in_thought_message
    reader.inside = "thinking"
    reader.place.begin_thought()
    while source.at < len(source.text) or (yield from source.peek()):
        stop, found = _next_marker(markers, source.text, source.at, source.final)
        if isinstance(found, Found) and found.kind is Landmark.THOUGHT:
            stop, found = found.end, NO  # one more in it is a part of it
        reader.out.reasoning(source.text[source.at : stop], source.offset)
        source.at = stop
        if found == MORE:
            yield
        elif isinstance(found, Found):
            by_call = found.call is not None or found.kind is Landmark.DROPPED
            if not by_call:
                source.at = found.end
            reader.inside = ""
            reader.doubt(reader.place.end_thought(by_call=by_call))
            reader.line_begins = True
            return


def _next_marker(markers: Table, text: str, at: int, final: bool) -> tuple[int, Found | int]:
    """Where the next of *markers* stands, or may stand, and what it is."""
    while begun := markers.begins.search(text, at):
        found = markers.at(text, begun.start(), final)
        if found != NO:
            return begun.start(), found
        at = begun.end()
    return len(text), NO
