"""Who reads a call that stands alone: the asked form, then any other, then tools nobody offered."""

from __future__ import annotations

import re
from copy import copy
from dataclasses import replace
from itertools import takewhile

from ..decoding.base import Decoder
from ..decoding.forms import ReplyForm
from ..decoding.reply import ReplyDecoder
from ..messages import ToolCall, counted_ids
from ..paradigms.base import ToolContextDef
from ..paradigms.salvage import salvaging
from ..paradigms.wire import WireParadigm
from ..tools.spec import ToolOffer, ToolSpec
from .alone import LoneReader
from .guarding import paradigms_code

__all__ = ["ANY_FORM", "ANY_TOOL", "ASKED", "lone_readers"]

#: The numbers of the readers.
ASKED, ANY_FORM, ANY_TOOL = range(3)
_NAME = re.compile(r"[A-Za-z_][\w.-]{0,63}")
#: How many names near the beginning of a call are tried as that of its tool.
_NAMES = 4
#: What it costs to look for the markers of every form, in characters read.
_COST_OF_FORMS = 300
#: Where a tool's name may be a tag, other tools mean other markers, which have to be made ready.
_COST_OF_TAGS = 5_000
_FIRST_WORD = re.compile(r"\s{0,8}(\S{1,16})")
_ANYTHING: dict[str, object] = {"type": "object"}


def lone_readers(paradigm: ToolContextDef, offer: ToolOffer) -> list[LoneReader]:
    """The readers of calls that stand alone, in the order in which they are tried."""
    own = copy(paradigm)
    own.ids = counted_ids()
    own.reasoning = replace(own.reasoning, starts_inside=False)
    salvager = _salvager(own)

    def any_tool(text: str) -> Decoder | None:
        names = [name for name in _NAME.findall(text)[:_NAMES] if name not in offer.names]
        if not offer.tools or not names:
            return None
        unknown = (ToolSpec(name, "", _ANYTHING) for name in dict.fromkeys(names))
        return salvager.decoder(ToolOffer((*offer.tools, *unknown)))

    starts = _starts(paradigm, offer)
    # A word with parentheses behind it may be anything, unless it begins a line.
    lines = re.compile(rf"^[ \t]{{0,8}}(?:{starts}|{_NAME.pattern}\()", re.MULTILINE)
    return [
        LoneReader(lambda text: own.decoder(offer), re.compile(starts)),
        LoneReader(lambda text: salvager.decoder(offer), re.compile(starts), _COST_OF_FORMS),
        LoneReader(any_tool, lines, _COST_OF_TAGS if _by_tag(paradigm) else _COST_OF_FORMS),
    ]


def _starts(paradigm: ToolContextDef, offer: ToolOffer) -> str:
    """Matches where a call may begin: at a bracket, a marker's first word, the name of a tool."""
    with paradigms_code("encode_call"):
        written = [paradigm.encode_call(ToolCall(name, {}, "call_1")) for name in ("a", "b")]
    openers = [_begin_alike(*written), *(call.opener for call in _any_form().calls)]
    words = {first.group(1) for opener in openers if (first := _FIRST_WORD.match(opener))}
    literal = [re.escape(word) for word in sorted(words)]
    names = sorted({tool.name for tool in offer.tools})
    named = [rf"(?<!\w){re.escape(name)}(?!\w)" for name in names]
    # Of a row of brackets only the last can begin anything, unless a marker says otherwise.
    return "|".join([*literal, *named, r"<(?!<)|\{(?!\{)|\[(?!\[)"])


def _begin_alike(one: str, two: str) -> str:
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(one, two, strict=False))
    return "".join(char for char, _ in pairs)


def _by_tag(paradigm: ToolContextDef) -> bool:
    return isinstance(paradigm, WireParadigm) and paradigm.wire.form.tool_tags


class _Salvager:
    """Reads every form that is known, for a paradigm that only reads its own."""

    def __init__(self, paradigm: ToolContextDef) -> None:
        self._paradigm = paradigm

    def decoder(self, offer: ToolOffer) -> Decoder:
        own = self._paradigm
        return ReplyDecoder(
            _any_form(), offer, ids=own.ids, reasoning=own.reasoning, limits=own.limits
        )


def _salvager(paradigm: ToolContextDef) -> ToolContextDef | _Salvager:
    """What reads the form of *paradigm* and every other."""
    if not isinstance(paradigm, WireParadigm):
        return _Salvager(paradigm)
    salvager = copy(paradigm)
    salvager.salvage = True
    return salvager


def _any_form() -> ReplyForm:
    return salvaging(ReplyForm())
