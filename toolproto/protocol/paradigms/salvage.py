"""Reading whatever a model wrote, in the form that was asked for or in any other.

Models drift: asked for JSON they write Python calls, asked for one tag they write the one they were
trained on. The markers of every form in the catalogue, and the ways in which a call may stand
without any, are looked for in the same single pass; what a marker opens is decided by what follows
it. A call in a form that nobody asked for counts only if its tool is on offer, and says so in its
repairs. Text that one reader refused goes out as text: no other reader tries it again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from functools import cache, lru_cache

from ..decoding.contract import Limits
from ..decoding.markers import marker_of
from ..decoding.reply.decoder import ReplyDecoder
from ..decoding.reply.thinking_tokens import Reasoning
from ..decoding.reply_form import Family, MarkedForm, ReplyForm
from ..events import CallCompleted, CallRejected, Event, merge
from ..messages import CallProblem, Grade, IdFactory, ProblemKind, Repair, random_id
from ..tools.offers import Offerable, offer_and_tools
from ..tools.spec import ToolOffer
from .parsed import ParsedResponse

__all__ = ["Listing", "any_decoder", "any_form", "list_forms_by", "parse_any", "salvaging"]

#: Lists forms with the names of their paradigms.
Listing = Callable[[], Iterable[tuple[str, ReplyForm]]]
#: The paradigms are made with what is here, so those who know them all say so themselves.
_listed_by: list[Listing] = []

_BARE = frozenset({Family.JSON, Family.PYTHON, Family.NAMED_JSON})
_USUAL_REASONING, _USUAL_LIMITS = Reasoning(), Limits()
_UNMARKED = Repair("missing_marker", Grade.GUESSED)


def list_forms_by(listing: Listing) -> None:
    """Have every form of *listing* be read; it is asked when the first reply is."""
    _listed_by.append(listing)


def parse_any(
    text: str,
    offer: Offerable,
    *,
    ids: IdFactory = random_id,
    reasoning: Reasoning | None = None,
    limits: Limits | None = None,
) -> ParsedResponse:
    """Read a whole reply whose form is not known; only calls of tools in *offer* count.

    If the tools themselves are given, a call without a marker is a problem if its tool executes
    code.
    """
    offered, tools = offer_and_tools(offer)
    decoder = any_decoder(offered, ids=ids, reasoning=reasoning, limits=limits)
    events = merge([*decoder.feed(text), *decoder.finish()])
    guarded = {name for name, tool in tools.items() if tool.risk == "exec"}
    return ParsedResponse(text, tuple(_guarded(event, guarded) for event in events))


def any_decoder(
    offer: ToolOffer,
    *,
    ids: IdFactory = random_id,
    reasoning: Reasoning | None = None,
    limits: Limits | None = None,
) -> ReplyDecoder:
    """What :func:`parse_any` reads a reply with."""
    return ReplyDecoder(
        any_form(),
        offer,
        ids=ids,
        reasoning=reasoning or _USUAL_REASONING,
        limits=limits or _USUAL_LIMITS,
    )


def _guarded(event: Event, names: Collection[str]) -> Event:
    """*event*, unless it completes a call of one of *names* that nothing marks as meant."""
    if not isinstance(event, CallCompleted) or event.call.name not in names:
        return event
    call = event.call
    if not call.is_unmarked:
        return event
    message = "code is run only for a call in one of the marked forms"
    problem = CallProblem(ProblemKind.NOT_ALLOWED, message, call.raw, call.span, call.name)
    return CallRejected(event.index, problem)


@lru_cache(maxsize=128)
def salvaging(form: ReplyForm) -> ReplyForm:
    """*form*, and every other one beside it, as far as nothing of *form* is read otherwise."""
    own = (*(call.opener for call in form.calls), *form.dropped, *form.results)
    own = tuple(marker_of(each).same for each in own)
    others = tuple(
        replace(call, ends_thought=False)  # by *form*'s own template a thought ends, or does not
        for call in _foreign()
        if not marker_of(call.opener).same.startswith(own)
    )
    repairs = form.repairs or (_UNMARKED,)
    around = tuple(each for each in _around() if not marker_of(each).same.startswith(own))
    return replace(form, calls=(*form.calls, *others), around=around, bare=_BARE, repairs=repairs)


@cache
def any_form() -> ReplyForm:
    """Return what :func:`any_decoder` looks for: the markers of all forms, and bare calls."""
    form = ReplyForm(bare=_BARE, tool_tags=True, repairs=(_UNMARKED,), only_offered=True)
    # Nobody asked for a form, so none is foreign. Many a text has a prompt sign: it is no marker.
    calls = tuple(
        replace(call, repairs=(_UNMARKED,) if call.opener.startswith(">>>") else call.repairs[1:])
        for call in _foreign()
    )
    asides = tuple(words for _, each in _catalogued() for words in each.asides)
    return replace(form, calls=calls, dropped=_dropped(), asides=asides, results=_results())


@cache
def _foreign() -> tuple[MarkedForm, ...]:
    """The markers of all forms in the catalogue, each once."""
    found: dict[str, MarkedForm] = {}
    for name, form in _catalogued():
        foreign = Repair("foreign_format", Grade.GUESSED, name)
        for call in form.calls:
            key, repairs = call.opener.lower(), (foreign, *filter(_is_guessed, call.repairs))
            if key not in found or (call.closer and not found[key].closer):
                found[key] = replace(call, repairs=repairs, only_offered=True)
    return tuple(found.values())


def _is_guessed(repair: Repair) -> bool:
    return repair.grade is Grade.GUESSED


def _dropped() -> tuple[str, ...]:
    openers = {call.opener for call in _foreign()}
    marks = dict.fromkeys(mark for _, form in _catalogued() for mark in form.dropped)
    return tuple(mark for mark in marks if mark not in openers)


def _around() -> tuple[str, ...]:
    """The special tokens that forms have around their calls: they name what is in them."""
    return tuple(
        mark for mark in _dropped() if mark[0] == "<" and ("call" in mark or "tool" in mark)
    )


def _results() -> tuple[str, ...]:
    return tuple(dict.fromkeys(tag for _, form in _catalogued() for tag in form.results))


@cache
def _catalogued() -> tuple[tuple[str, ReplyForm], ...]:
    return tuple(form for listed in _listed_by for form in listed())
