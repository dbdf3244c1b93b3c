"""The laws of a reply that comes in pieces: how it is cut does not matter, nor who else reads."""

from __future__ import annotations

from collections.abc import Sequence

from ...protocol.events import ArgumentsDelta, CallCompleted, Event, TextDelta, merge
from ...protocol.messages import ToolCall
from ...protocol.paradigms.base import ToolContextDef
from ...protocol.tools.spec import ToolOffer
from .asking import asked, read_in_pieces
from .broken import LawBroken, shown
from .comparison import same_events, side_by_side

__all__ = ["chunking", "freshness", "promptness"]

__tracebackhide__ = True  # a reader wants to see the test, not how the law looks at it

#: More prose than this may not be held back, whatever the paradigm's markers.
LONGEST_HOLD = 256
_TURN = 5
_PIECE = 4


def chunking(paradigm: ToolContextDef, reply: str, cuts: Sequence[int], offer: ToolOffer) -> None:
    """Law 2: any split of a reply merges to the same events, and so does ``parse_response``."""
    whole = read_in_pieces(paradigm, [reply], offer)
    parsed = list(asked("chunking", paradigm, "parse_response", reply, offer).events)
    if not same_events(whole, parsed):
        raise LawBroken(
            "chunking",
            f"{shown(reply)} is read differently by the two readers:\n"
            + side_by_side(("fed to decoder in one piece", "parse_response"), whole, parsed),
            "let parse_response feed the decoder: two readers will always differ somewhere",
        )
    pieces = _pieces(reply, cuts)
    split = read_in_pieces(paradigm, pieces, offer)
    if not same_events(whole, split):
        raise LawBroken(
            "chunking",
            f"{shown(reply)}, cut into {_told(pieces)}, is read differently:\n"
            + side_by_side(("in one piece", f"in {len(pieces)} pieces"), whole, split),
            "decide by position in the text: hold back what more text could change",
        )


def _pieces(reply: str, cuts: Sequence[int]) -> list[str]:
    """*reply* cut at *cuts*, taken modulo its length so that any number is a place."""
    places = sorted({cut % (len(reply) + 1) for cut in cuts})
    return [
        reply[start:end] for start, end in zip([0, *places], [*places, len(reply)], strict=True)
    ]


def _told(pieces: Sequence[str]) -> str:
    if all(len(piece) <= 1 for piece in pieces):
        return "single characters"
    return " · ".join(map(repr, pieces))


def promptness(paradigm: ToolContextDef, said: str | ToolCall, offer: ToolOffer) -> None:
    """Law 6: what is certain is handed out with the very piece that it came with.

    Of prose, less than the longest marker is held back. Of a call, whose arguments are to be words,
    nothing is: each piece of words gives its own delta, and its last character completes it. Only a
    code fence, which may still get longer, is over with its line.
    """
    if isinstance(said, str):
        _prompt_prose(paradigm, said, offer)
    else:
        _prompt_call(paradigm, said, offer)


def _prompt_prose(paradigm: ToolContextDef, prose: str, offer: ToolOffer) -> None:
    decoder = paradigm.decoder(offer)
    said = 0
    for read, char in enumerate(prose, 1):
        said += sum(len(e.text) for e in decoder.feed(char) if isinstance(e, TextDelta))
        if read - said > LONGEST_HOLD:
            raise LawBroken(
                "promptness",
                f"{read - said} characters are held back after {shown(prose[:read][-80:])}",
                f"hold back only what may still become a marker, and at most {LONGEST_HOLD}"
                " characters of it",
            )


def _prompt_call(paradigm: ToolContextDef, call: ToolCall, offer: ToolOffer) -> None:
    reply = asked("promptness", paradigm, "encode_call", call)
    words = max((v for v in call.arguments.values() if isinstance(v, str)), key=len, default="")
    start = reply.find(words) if paradigm.streams_arguments else -1
    decoder = paradigm.decoder(offer)
    events: list[Event] = []
    told = ""
    for at in range(0, len(reply), _PIECE):
        came = at + len(reply[at : at + _PIECE])
        new = decoder.feed(reply[at:came])
        events += new
        told += "".join(event.text for event in new if isinstance(event, ArgumentsDelta))
        if 0 <= start < came <= start + len(words) and not told.endswith(
            words[: came - start][-_PIECE:]
        ):
            raise LawBroken(
                "promptness",
                f"the arguments sent so far end with {shown(told[-40:])} when"
                f" {shown(reply[:came][-40:])} has come",
                "send what is certain with the feed that brought it; if a paradigm cannot,"
                " set streams_arguments = False",
            )
    for behind in ("", "\n") if reply.endswith("```") else ("",):
        events += decoder.feed(behind)
        if any(isinstance(event, CallCompleted) for event in events):
            return
    raise LawBroken(
        "promptness",
        f"{shown(reply[-80:])} is not completed when all of it has come",
        "complete a call with its last character, unless what follows may belong to it",
    )


def freshness(paradigm: ToolContextDef, reply: str, other: str, offer: ToolOffer) -> None:
    """Law 12: two replies read in turns, each by its own decoder, read as they do alone."""
    texts = (reply, other)
    for text, together in zip(texts, _in_turns(paradigm, texts, offer), strict=True):
        alone = read_in_pieces(paradigm, [text], offer)
        if not same_events(alone, together):
            raise LawBroken(
                "freshness",
                f"{shown(text)} is read differently while another decoder reads"
                f" {shown(other if text is reply else reply)}:\n"
                + side_by_side(("alone", "in turns with the other"), alone, together),
                "make a new decoder for each reply, and keep everything that changes inside it",
            )


def _in_turns(
    paradigm: ToolContextDef, texts: tuple[str, str], offer: ToolOffer
) -> list[list[Event]]:
    """The events of *texts*, which come in small pieces, one of each in turn."""
    decoders = [paradigm.decoder(offer) for _ in texts]
    events: list[list[Event]] = [[] for _ in texts]
    for at in range(0, max(map(len, texts)), _TURN):
        for decoder, text, told in zip(decoders, texts, events, strict=True):
            told += decoder.feed(text[at : at + _TURN])
    for decoder, told in zip(decoders, events, strict=True):
        told += decoder.finish()
    return [merge(told) for told in events]
