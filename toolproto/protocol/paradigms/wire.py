"""Most paradigms differ only in their markers: declare those, and the rest follows.

A :class:`WireFormat` says what stands around a call, how its payload is written, and what stands
around a result. From that one declaration :class:`WireParadigm` derives the instructions, the
encoder, the streaming decoder and the grammar.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

from ..decoding.contract import Decoder
from ..decoding.reply_form import Family, Inside, MarkedForm, ReplyForm
from ..errors import UsageError
from ..grammar.draft import GrammarDraft
from ..grammar.ir import AsJson, Node, joined, text
from ..grammar.reply_grammar import CallForm
from ..guard.nonce import carrying
from ..messages import Grade, Repair, ToolCall, ToolResult
from ..tools.spec import ToolOffer, ToolSpec
from .base import NO_TOOLS, ToolContextDef
from .checks import check_pair, check_payload
from .declared_payloads import CustomCall, TemplateCall
from .payloads import (
    DeclaredPayload,
    JsonCall,
    NamedJson,
    Payload,
    PythonCall,
    SaidPayload,
    TaggedCall,
    XmlCall,
    filled,
)
from .results import labelled_result, tagged_result
from .teaching import BALANCED, CLASSIC, Teaching, WriteCalls
from .text_argument import TextArgument

__all__ = [
    "JsonCall",
    "NamedJson",
    "Payload",
    "PythonCall",
    "TaggedCall",
    "WireFormat",
    "WireParadigm",
]

# Tags in which models make results up, whatever they were shown.
_OTHER_RESULTS = ("tool_result", "tool_response", "tool_output", "function_results")
_MISSING = Repair("missing_marker")
_UNMARKED = (Repair("missing_marker", Grade.GUESSED),)
_MAY_BE_BARE = frozenset({Family.JSON, Family.NAMED_JSON, Family.PYTHON})
_USUAL = JsonCall()
#: Ours, and whatever else is like them. They are named because pyright lets no class variable be a
#: protocol's property.
AnyPayload = (
    JsonCall | NamedJson | TaggedCall | XmlCall | PythonCall | TemplateCall | CustomCall | Payload
)


@dataclass(frozen=True, slots=True)
class WireFormat:
    """What calls and results look like.

    *call* are the markers before and after a payload; both are empty if calls have no markers, and
    the second is empty if only the payload's own grammar shows where a call ends. *section* are the
    markers around all calls of a reply, and *between* separates the calls. *also* are further
    markers that are read but not written; behind those that have *leaked*, damaged, a call counts
    only if its tool is on offer. *dropped* are markers without a meaning of their own,
    *asides* are words in those that begin a message in which calls are only shown, and *results*
    are the markers before a result in the model's own template. *means_call* is whether the first
    marker alone shows that a call is meant. *ends_thought* says that in the model's template a call
    ends a thought that was not closed. *exact* says that only what is declared here is a call,
    whatever else looks like one. *result* is the name of the tag around a result; if it ends with a
    colon, it is a label before the result.
    """

    call: tuple[str, str] = ("", "")
    payload: AnyPayload = _USUAL
    result: str = "tool_result"
    section: tuple[str, str] = ("", "")
    between: str = "\n"
    also: tuple[tuple[str, str], ...] = ()
    leaked: tuple[tuple[str, str], ...] = ()
    dropped: tuple[str, ...] = ()
    asides: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    means_call: bool = True
    ends_thought: bool = False
    exact: bool = False

    def __post_init__(self) -> None:
        check_payload(self.payload)
        check_pair("call", self.call, ("name",), ())
        check_pair("section", self.section, (), ())
        for pair in self.also:
            check_pair("also", pair, ("name",), ())
        for pair in self.leaked:
            check_pair("leaked", pair, (), ())
        if not str(self.result).strip():
            raise UsageError(
                f"result={self.result!r}: expected a tag's name, or a label with a colon"
            )
        is_phrase = isinstance(self.payload, TemplateCall | CustomCall)
        if is_phrase and not (self.call[0].strip() and self.call[1].strip()):
            raise UsageError(
                f"call={self.call!r}: a {type(self.payload).__name__} needs a marker before it and "
                "one behind it"
            )

    @property
    def _inside(self) -> Inside | None:
        """How a payload that is like no other is read."""
        return self.payload.inside if isinstance(self.payload, DeclaredPayload) else None

    def encode(self, calls: Sequence[ToolCall]) -> str:
        """*calls* as a model writes them."""
        if not calls:
            return ""
        groups = [list(calls)] if self.payload.together else [[call] for call in calls]
        written = self.between.join(
            self._marked_up(group, before) for before, group in enumerate(groups)
        )
        return f"{self.section[0]}{written}{self.section[1]}"

    def _marked_up(self, calls: Sequence[ToolCall], before: int) -> str:
        opener, closer = self.call
        return f"{filled(opener, name=calls[0].name)}{self._payload(calls, before)}{closer}"

    @property
    def writes_ids(self) -> bool:
        """Whether calls are written with ids, so that results can say whose they are."""
        numbered = isinstance(self.payload, NamedJson) and "{index}" in self.payload.form
        return numbered or "call_1" in self.encode([ToolCall("a", {}, "call_1")])

    def _payload(self, calls: Sequence[ToolCall], before: int) -> str:
        if isinstance(self.payload, NamedJson | TaggedCall):  # their forms may number the calls
            return self.payload.encode(*calls, before=before)
        return self.payload.encode(*calls)

    @property
    def call_form(self) -> CallForm | None:
        """The parts from which the grammar of replies is made; None if the payload has none."""
        payload, (opener, closer) = self.payload, self.call
        if not isinstance(payload, SaidPayload):
            return None
        marker, means_call = f"{self.section[0]}{opener}".partition("{name}")[0], self.means_call
        if payload.together:
            before, between, behind = payload.enclosure
            opening = f"{self.section[0]}{opener}{before}"
            closing = f"{behind}{closer}{self.section[1]}"
            as_json = None if marker else self._as_json
            return CallForm(payload.grammar, opening, between, closing, marker, means_call, as_json)

        def call(tool: ToolSpec, draft: GrammarDraft) -> Node:
            before = text(filled(opener, name=tool.name))
            return joined(before, payload.grammar(tool, draft), text(closer))

        as_json = None if self.call[0] or self.section[0] else self._as_json
        return CallForm(
            call, self.section[0], self.between, self.section[1], marker, means_call, as_json
        )

    @property
    def _as_json(self) -> AsJson | None:
        """How the calls are one JSON value, if they are."""
        payload = self.payload
        return AsJson(payload.schema_of, payload.listed) if isinstance(payload, JsonCall) else None

    @property
    def form(self) -> ReplyForm:
        """What a reader of replies looks for."""
        results = dict.fromkeys((self.result, *_OTHER_RESULTS))
        marked = tuple(self._marked())
        family, inside = self.payload.family, self._inside
        bare_family = inside.bare_family if inside is not None else family
        bare = frozenset({Family.JSON, family, bare_family}) & _MAY_BE_BARE
        by_tool = isinstance(self.payload, TaggedCall) and self.payload.by_tool
        return ReplyForm(
            self.payload.shape,
            marked,
            bare=frozenset() if self.exact and self.call[0] else bare,
            tool_tags=by_tool and not self.exact,
            bare_asked=None if self._is_marked else family,
            repairs=_UNMARKED,
            dropped=(*(mark.strip() for mark in self.section if mark.strip()), *self.dropped),
            asides=self.asides,
            results=(
                *(name if name[-1] == ":" else f"<{name}>" for name in results),
                *self.results,
            ),
        )

    def nonced(self, nonce: str) -> WireFormat:
        """The same with *nonce* in its markers; a format without markers gets some."""
        (opener, closer), payload = self.call, self.payload
        if opener:
            call = (carrying(opener, nonce), carrying(closer, nonce, closes=True))
        elif isinstance(payload, JsonCall):
            call, payload = self.call, payload.nonced(nonce)
        else:
            call = (f"<call_{nonce}>\n", f"\n</call_{nonce}>")
        return replace(self, call=call, payload=payload, also=(), leaked=(), exact=True)

    @property
    def _is_marked(self) -> bool:
        """Does every call stand behind a marker?"""
        return bool(self.call[0]) or self.payload.family is Family.TAGS

    def _marked(self) -> Iterator[MarkedForm]:
        payload = self.payload
        shape, family, many = payload.shape, payload.family, payload.together
        inside = self._inside
        asked = (self.call, *self.also) if self.call[0] else self.also
        for opener, closer in asked:
            mark = (opener.strip("\n"), closer.strip("\n"))
            loose = isinstance(payload, NamedJson) and payload.loose
            yield MarkedForm(
                *mark,
                family,
                shape,
                many=many,
                means_call=self.means_call,
                loose=TextArgument if loose else None,
                ends_thought=self.ends_thought,
                inside=inside,
            )
        if (
            isinstance(payload, TaggedCall)
            and payload.is_element
            and not (payload.by_tool or self.exact)
        ):
            opener = payload.call[0].partition("{name}")[0]
            closer = payload.call[1].strip()
            repairs = (_MISSING,) if self.call[0] else ()
            yield MarkedForm(opener, closer, family, repairs=repairs)
        leaked = self.leaked
        if inside is not None and inside.word and not self.exact:
            # The word before the name tells such a call where its marker was left out.
            leaked = ((inside.word, ""), *leaked)
        for opener, closer in leaked:
            yield MarkedForm(
                opener,
                closer,
                family,
                means_call=False,
                only_offered=True,
                repairs=_UNMARKED,
                inside=inside,
                at_line=opener[0].isalpha(),
            )


class WireParadigm(ToolContextDef):
    """A paradigm made from a :class:`WireFormat`. Subclass, set ``name`` and ``wire``, register."""

    wire: ClassVar[WireFormat]
    _made_form: ClassVar[tuple[WireFormat | None, ReplyForm | None]] = (None, None)

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        # Our own are held to far more by the laws, and there are many of them.
        if "wire" in vars(cls) and not cls.__module__.startswith("toolproto."):
            check_wire(cls)

    def instructions(self, offer: ToolOffer) -> str:
        """The text that teaches a model this paradigm and the tools of *offer*."""
        return self._taught(offer, self._how())

    @property
    def _write(self) -> WriteCalls:
        # A declaration writes the same for every paradigm of its kind, so that they share what
        # they teach; what a class of somebody else's writes may differ from one to the next.
        declared = type(self).encode_calls is WireParadigm.encode_calls
        return self.wire.encode if declared else self.encode_calls

    def _usual_teaching(self) -> Teaching:
        # Where arguments are written neither as JSON nor as Python, one form does not show how
        # those of another tool are: with balanced teaching, qwen3_coder fell from 56 to 47 calls
        # right in a hundred (Qwen2.5-Coder 1.5B on BFCL), while the others gained or kept.
        shown_once = isinstance(self.wire.payload, JsonCall | NamedJson | PythonCall)
        return BALANCED if shown_once else CLASSIC

    def _how(self) -> str:
        opener, closer = (mark.strip() for mark in self.wire.call)
        many = self.teaching.exact
        how = f"To use {'them, write calls' if many else 'one, write its call'} exactly as shown"
        if not opener:
            return f"{how}."
        end = closer or "the end of the line"
        return f"{how}, {'each ' if many else ''}from {opener} to {end}."

    def encode_call(self, call: ToolCall) -> str:
        """*call* as the model would have written it."""
        return self.wire.encode([call])

    def encode_calls(self, calls: Sequence[ToolCall]) -> str:
        """Several calls as the model would have written them in one reply."""
        return self.wire.encode(calls)

    def encode_results(self, results: Sequence[ToolResult]) -> str:
        """One block for each result."""
        mark = self.wire.result
        write = labelled_result if mark[-1] == ":" else tagged_result
        defuse, with_id = self.neutralise, self._writes_ids
        return "\n".join(write(mark, result, defuse, with_id) for result in results)

    @property
    def _writes_ids(self) -> bool:
        return self.wire.writes_ids

    def decoder(self, offer: ToolOffer = NO_TOOLS) -> Decoder:
        """A fresh reader for one reply."""
        return self._reply_decoder(self._form, offer)

    def _reply_form(self) -> ReplyForm:
        return self._form

    def nonced(self, nonce: str) -> ToolContextDef:
        """The same paradigm with *nonce* in its markers."""
        kind = type(self)
        return self._as(type(kind.__name__, (kind,), {"wire": self.wire.nonced(nonce)}))

    def _call_form(self) -> CallForm | None:
        return self.wire.call_form

    @cached_property
    def _form(self) -> ReplyForm:
        # A paradigm is made for every session, and what its class declares stays the same.
        wire, form = type(self)._made_form
        if form is None or wire is not self.wire:
            form = self.wire.form
            type(self)._made_form = (self.wire, form)
        return form


#: Whoever has one of these of their own goes beyond what is declared.
_OWN = ("encode_call", "encode_calls", "decoder", "__init__")
#: What a form must be able to say to be of any use.
_PROBES = (
    ToolCall("look_up", {"city": "Oslo"}),
    ToolCall("look_up", {"city": 'two words, "quoted"', "days": 3, "deep": [1, {"x": None}]}),
    ToolCall("now", {}),
)
_PROPERTIES = {"city": {"type": "string"}, "days": {"type": "integer"}, "deep": {"type": "array"}}
_PROBED = ToolOffer(
    (
        ToolSpec("look_up", "", {"type": "object", "properties": _PROPERTIES}),
        ToolSpec("now", "", {"type": "object", "properties": {}}),
    )
)


def check_wire(kind: type[WireParadigm]) -> None:
    """UsageError unless *kind* reads back what it writes."""
    if not isinstance(kind.wire, WireFormat):
        raise UsageError(f"{kind.__name__}.wire is {kind.wire!r:.200}; expected a WireFormat(…)")
    if any(getattr(kind, each) is not getattr(WireParadigm, each) for each in _OWN):
        return  # its own code decides what is written and read, and the laws try that
    paradigm = kind()
    for call in _PROBES:
        written = paradigm.encode_call(call)
        read = paradigm.parse_response(written, _PROBED)
        if read.calls != [call] or read.calls[0].repairs:
            told = [*read.calls, *(problem.message for problem in read.problems)]
            raise UsageError(
                f"{kind.__name__} cannot be read back: it writes {written!r:.300} for "
                f"{call.name}({dict(call.arguments)!r}) and reads {told!r:.300}"
            )
