"""The law of where a call stands: one that is only shown is never taken for a plain one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...protocol.decoding.markers import Marker
from ...protocol.events import calls_of
from ...protocol.messages import Span, ToolCall
from ...protocol.paradigms.base import ToolContextDef
from ...protocol.tools.spec import ToolOffer
from ..places import PlaceTemplate
from .asking import asked, read_in_pieces
from .broken import LawBroken, shown
from .comparison import call_line

__all__ = ["place", "placed"]

__tracebackhide__ = True  # a reader wants to see the test, not how the law looks at it

#: As much of a written call as may be its first special token.
_TOKEN = 40
#: A reply of nothing but calls and backticks is read, as a guess: `` `{call}` ``.
_CODE_ALONE = re.compile(r"[\s`,;]*(?:\{call\}[\s`,;]*)+")


def place(
    paradigm: ToolContextDef,
    template: PlaceTemplate,
    call: ToolCall,
    offer: ToolOffer,
    *,
    size: int | None = None,
) -> None:
    """Law 16: where the text of *template* shows *call*, or may, it is not read as a plain call.

    The reply is read in pieces of *size* characters, or whole. To be more careful than the template
    breaks no law; :func:`placed` tells it.
    """
    written = asked("place", paradigm, "encode_call", call)
    if not _applies(template.text, written):
        return
    told = placed(paradigm, template, call, offer, size=size)
    befores = template.text.split("{call}")
    for before, expected, found in zip(befores, template.expected, told, strict=False):
        if found == "plain" != expected and not _is_dispelled(before, expected, written):
            raise LawBroken(
                "place",
                f"{call_line(call)} is read without a doubt out of"
                f" {shown(template.text.replace('{call}', written))}, where it is {expected}"
                f" ({template.source})",
                "leave the place of a call to the reader: it looks at all that stands before it",
            )


def placed(
    paradigm: ToolContextDef,
    template: PlaceTemplate,
    call: ToolCall,
    offer: ToolOffer,
    *,
    size: int | None = None,
) -> list[str]:
    """What *paradigm* reads at each call of *template*: plain, ``doubted PLACE`` or shown."""
    written = asked("place", paradigm, "encode_call", call)
    reply = template.text.replace("{call}", written)
    step = size or max(1, len(reply))
    pieces = (reply[at : at + step] for at in range(0, len(reply), step))
    calls = calls_of(read_in_pieces(paradigm, pieces, offer))
    return [_verdict(calls, span) for span in _spans(template.text, written)]


def _spans(text: str, written: str) -> Iterator[Span]:
    """Where the calls of a template stand in its reply."""
    at = 0
    for part in text.split("{call}")[:-1]:
        yield Span(at := at + len(part), at + len(written))
        at += len(written)


def _verdict(calls: list[ToolCall], span: Span) -> str:
    read = [each for each in calls if each.span.start < span.end and span.start < each.span.end]
    if not read:
        return "shown"
    plain = [each for each in read if not each.place]
    return "plain" if plain else f"doubted {read[0].place}"


def _applies(text: str, written: str) -> bool:
    """Whether *text* says where a call stands that is *written* so.

    Of a form that is itself a code fence nothing can be said amid other code, nor of one that
    begins with the sign that stands before it: ``>`` and ``>>>name`` are four signs of either.
    """
    befores = text.split("{call}")[:-1]
    if _is_code_alone(text) or any(each.endswith(written[:1]) for each in befores):
        return False
    is_fenced = re.search(r"^\s*(?:```|~~~)", written, re.MULTILINE) is not None
    return not (is_fenced and ("`" in text or "~" in text))


def _is_code_alone(text: str) -> bool:
    return "`" in text and _CODE_ALONE.fullmatch(text) is not None


def _is_dispelled(before: str, expected: str, written: str) -> bool:
    """Whether the form of a call takes away what the text around it proves.

    Words around a special token prove nothing. A bracket before JSON may be that of a list of
    calls, and so a part of the call.
    """
    if expected.endswith(("sentence", "introduced")):
        return Marker(written.lstrip()[:_TOKEN]).is_special
    return before.endswith("[") and written[:1] in "{[" and not expected.endswith("json")
