"""What in a reply is not the model's to say: tokens of a chat template, another's turn, results.

Tokens that leak into a reply as text are nothing a person should read. Where one opens another
speaker's turn, the model has begun to write the conversation on by itself, and the reply is over.
"""

from __future__ import annotations

from io import StringIO
from typing import NamedTuple

from ...messages import ProblemKind
from .markers import MORE, NO, Marker

__all__ = [
    "ENDS_REPLY",
    "FABRICATED",
    "LABELS",
    "LEAKS",
    "OPENS_TURN",
    "TOO_MANY",
    "VOCABULARY",
    "CutTail",
    "invented_turn",
]

_TURN = ("im_start", "start_header_id")
_OTHER = (
    "im_end", "end_header_id", "eot_id", "eom_id", "endoftext", "end_of_text", "begin_of_text",
    "end_of_sentence", "end", "assistant", "eot",
)  # fmt: skip
_SPEAKERS = ("user", "system", "tool", "ipython")

#: One marker for each known token.
LEAKS = (
    *(Marker(f"<|{name}|>") for name in (*_TURN, *_OTHER)),
    *map(Marker, ("<start_of_turn>", "<end_of_turn>", "[INST]", "[/INST]")),
)
#: Labels that open a user's turn where they begin a line below an empty one; nobody writes them
#: there for any other reason. "User:" is not one of them.
LABELS = ("Human:", "### Instruction:")
#: Tokens that mean nothing in a reply, but a good deal in a prompt: a server that turns text into
#: tokens may take them for its own wherever they stand.
VOCABULARY = tuple(
    Marker(token)
    for token in (
        *("<s>", "<bos>", "<eos>", "<pad>", "<unk>"),
        *("<<SYS>>", "<</SYS>>", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]"),
        *("[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_RESULTS]", "[/TOOL_RESULTS]"),
    )
)
#: Tokens at the head of a turn, with the speaker's name behind them.
OPENS_TURN = {f"<|{name}|>" for name in _TURN} | {"<start_of_turn>"}
#: What only a user's turn can begin with.
ENDS_REPLY = "[INST]"


def invented_turn(text: str, at: int, final: bool) -> tuple[int, bool]:
    """Where the speaker's name at *at* ends, and whether the speaker is not the model.

    The first is MORE where it cannot be said yet, NO where no speaker is named.
    """
    for speaker in (*_SPEAKERS, "assistant", "model"):
        name = text[at : at + len(speaker)]
        if name == speaker:
            return at + len(speaker), speaker in _SPEAKERS
        if not final and at + len(name) == len(text) and speaker.startswith(name):
            return MORE, False
    return NO, False


#: Why the rest of a reply is not read, where the model is told.
FABRICATED = (
    ProblemKind.FABRICATED_RESULT,
    "you wrote a tool result yourself; only the tool's real result counts",
)
TOO_MANY = (
    ProblemKind.TOO_LARGE,
    "so many calls before it are not as they should be that the rest was not read;"
    " write fewer at a time",
)


class CutTail(NamedTuple):
    """All text from *start* on, and *why* it is not read; None for what somebody else says."""

    start: int
    why: tuple[ProblemKind, str] | None
    raw: StringIO
