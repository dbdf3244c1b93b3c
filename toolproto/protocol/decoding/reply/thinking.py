"""Which part of a reply is thinking, in every dialect, and where it ends.

Reasoning models write their thoughts between tags, in the same text as the answer. Some chat
templates put the opening tag into the prompt, so that the reply *starts* inside a thought: that
cannot be seen from the reply while it streams, and has to be said.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..markers import MORE, NO
from ..source import Pull
from .landmarks import Found, Landmark, Table
from .place import REASONS

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
_ENDS = (Landmark.END_OF_THOUGHT, Landmark.DROPPED)
# What a tag stands behind that is only named: a quotation mark or a bracket that begins a word.
_NAMING = re.compile(r"`\Z|(?:(?<=\s)|(?<=\s\*))['\"“‘«「(*]\Z")
_TURNED = str.maketrans("“‘«「(", "”’»」)")
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


def names_tag(before: str, then: str) -> bool:
    """Is a closing tag only named that stands behind *before*, with *then* right behind it?"""
    naming = _NAMING.search(before)
    return naming is not None and then == naming[0].translate(_TURNED)


def read_thought(
    reader: Attempts, opened: Found | None = None, *, again: bool = False
) -> Pull[None]:
    """In a thought that *opened*, to its end.

    By the model's template some calls end a thought. They count, unless the thought is closed
    behind them. One that began in the prompt, by whatever marker, is often begun once more; *again*
    says that this was read.
    """
    source, out, landmarks = reader.source, reader.out, reader.landmarks
    tag = opened.tag.lstrip() if opened else ""
    markers = landmarks.in_thought if tag in landmarks.named else landmarks.in_thought_message
    # Thoughts in this one: where a line begins, or right before words.
    inner = 0 if opened or again else -1
    before = ""  # the last characters before
    behind = -1  # where in the reply the last call ended
    reader.inside = "thinking"
    while source.at < len(source.text) or (yield from source.peek()):
        text, at = source.text, source.at
        stop, found = _next_marker(markers, text, at, source.final)
        before = (before + text[max(at, stop - 4) : stop])[-4:]
        if isinstance(found, Found):
            begins = found.kind not in _ENDS and found.call is None
            then = text[found.end : found.end + 1]
            if (begins or _NAMING.search(before)) and not then and not source.final:
                found = MORE
            elif begins or names_tag(before, then):
                # '</think>' ends nothing. A sentence that names the tag goes on behind it, with a
                # space perhaps.
                inner += begins and (before[-1:] in ("", "\n") or then == "\n" or then.isalnum())
                stop, found = found.end, NO
                before = text[stop - 1]
        source.at = stop
        if behind < 0:
            out.reasoning(text[at:stop], source.base + at)
        elif source.offset - behind > _LONGEST_WAIT:
            _count_calls(reader, behind)
            inner, before, behind = 0, "", -1
        if found == MORE:
            yield
        elif isinstance(found, Found):
            if found.kind is Landmark.DROPPED:
                if behind < 0:  # a call may follow
                    out.withhold(source)
                is_behind = behind in (-1, source.offset)
                source.at = found.end
                behind = source.offset if is_behind else behind
                continue
            if found.call is None:
                # What another tag closes may go on: ``<think>a</thinking>b</think>``.
                is_other = opened is not None and (tag, found.tag) not in landmarks.tags
                _end(reader, in_thought=inner > 0 or is_other, called=behind >= 0)
                source.at = found.end
                return
            if behind < 0:
                out.withhold(source)
            yield from reader.read_body(reader.marked(found.call, found.end))
            inner, before, behind = 0, "", source.offset
    if behind >= 0:
        _count_calls(reader, behind)


def _next_marker(markers: Table, text: str, at: int, final: bool) -> tuple[int, Found | int]:
    """Where the next of *markers* stands, or may stand, and what it is."""
    while begun := markers.begins.search(text, at):
        found = markers.at(text, begun.start(), final)
        if found != NO:
            return begun.start(), found
        at = begun.end()
    return len(text), NO


def _end(reader: Attempts, *, in_thought: bool, called: bool) -> None:
    if called:
        if reader.out.withholds_call:
            reader.pass_over(reader.out.withheld_span, "thinking")
        reader.out.let_go_as_text(thinks=True)
    reader.inside = ""
    reader.place.end_thought(in_thought=in_thought)
    reader.line_begins = True


def _count_calls(reader: Attempts, behind: int) -> None:
    """The thought was not closed, so the calls in it, up to *behind*, ended it."""
    reader.out.doubt_withheld(REASONS["unclosed_thought"].doubt)
    after = reader.out.withheld_text(behind)
    reader.out.let_go()
    reader.out.reasoning(after, behind)
