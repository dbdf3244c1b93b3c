"""Other people's words, made fit to stand in a prompt.

Names, descriptions and enumerated values come with the tools, and tools come from strangers. None
of them may end the place it stands in, look like another part of the prompt, or bring the tokens
of a chat template into the conversation.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import chain, islice, takewhile
from typing import Any

from ..foreign_text import CONTROLS, HALVES, LINE_SEPARATORS

__all__ = [
    "as_json",
    "first_sentence",
    "harmless",
    "is_harmless",
    "is_small",
    "literal",
    "one_line",
    "sentences",
    "shared_beginning",
    "shortened",
]

# What chat templates are made of: <|…|>, <s>, <eos>, <start_of_turn>, [INST], [TOOL_CALLS].
_TEMPLATE_TOKEN = re.compile(
    r"<(?=[|\uff5c]|/?s>|[be]os>|(?:start|end)_of_turn>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_(?:CALLS|RESULTS|CONTENT))\])",
    re.IGNORECASE,
)
# Controls and line ends, halves of characters, what XML cannot hold, the mark that forms are
# made with.
_UNFIT = re.compile(f"[{CONTROLS}{LINE_SEPARATORS}{HALVES}\ue000\ufffe\uffff]")
# A stop ends a sentence if a space and a new beginning follow: "e.g. this" and "3.5" go on.
_SENTENCE = re.compile(r"[.!?](?= [^a-z\s])")
_LONGEST_SENTENCE = 200
_LARGEST = 500  # characters of a value that a model may be asked to copy


def harmless(text: object) -> str:
    """*text* as lines that bring no control characters and no tokens of a chat template."""
    lines = (" ".join(_UNFIT.sub(" ", line).split()) for line in str(text).splitlines())
    return _TEMPLATE_TOKEN.sub(_spelled, "\n".join(line for line in lines if line))


def one_line(text: object) -> str:
    """*text*, harmless and on one line."""
    return harmless(text).replace("\n", " ")


def shared_beginning(one: str, other: str) -> str:
    """What both begin with."""
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return "".join(char for char, _ in pairs)


def first_sentence(text: object) -> str:
    """How *text* begins: the first sentence of its first paragraph, or what of it fits."""
    return next(sentences(text), "")


def sentences(text: object) -> Iterator[str]:
    """The sentences of the first paragraph of *text*, or what of each fits."""
    line = one_line("\n".join(takewhile(str.strip, str(text).strip().splitlines())))
    begin = 0
    while begin < len(line):
        stop = _SENTENCE.search(line, begin)
        end = stop.end() if stop else len(line)
        if sentence := line[begin:end].strip():
            yield shortened(sentence, _LONGEST_SENTENCE)
        begin = end


def shortened(text: str, most: int) -> str:
    """*text* cut behind a word to at most *most* characters, and a mark where it was cut."""
    if len(text) <= most:
        return text
    return f"{text[: most - 1].rpartition(' ')[0] or text[: most - 1]}…"


def literal(value: Any) -> str:
    """*value* as JSON, or "…" if it is too large for anybody to copy."""
    return as_json(value) if is_small(value) else '"…"'


def as_json(value: Any, separators: tuple[str, str] = (", ", ": ")) -> str:
    """*value* as JSON in which a string cannot be anything but a string."""
    text = json.dumps(value, ensure_ascii=False, separators=separators, default=str)
    # Between quotes a character may as well be written as its escape.
    return _UNFIT.sub(_escaped, _TEMPLATE_TOKEN.sub(_escaped, text))


def is_harmless(value: Any) -> bool:
    """Whether *value* can be written as it is, without tokens or control characters in it."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return not _TEMPLATE_TOKEN.search(text) and not _UNFIT.search(text)


def is_small(value: Any, most: int = _LARGEST) -> bool:
    """Whether *value* is worth writing out, told without looking at all of a large one."""
    pending, left = [value], most
    while pending and left > 0:
        part = pending.pop()
        left -= 1
        if isinstance(part, str):
            left -= len(part)
        elif isinstance(part, int):
            left -= part.bit_length() // 3
        elif isinstance(part, Mapping):
            pending.extend(islice(chain.from_iterable(part.items()), left + 1))
        elif isinstance(part, list | tuple):
            pending.extend(part[: left + 1])
    return left > 0


def _spelled(found: re.Match[str]) -> str:
    return "&lt;" if found.group() == "<" else f"&#{ord(found.group())};"


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found.group()):04x}"
