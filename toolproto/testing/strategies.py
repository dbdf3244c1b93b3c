"""Hypothesis strategies for the laws: calls full of markers, replies full of traps."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from random import Random
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from ..protocol.messages import ToolCall, ToolResult
from ..protocol.paradigms.base import ToolContextDef
from ..protocol.paradigms.registry import catalogued
from ..protocol.paradigms.wire import WireParadigm
from ..protocol.tools.spec import ToolOffer
from .marks import MARKS, marks_of
from .places.documents import BEGINNINGS, DEVIATIONS, ENDS, LINES, placing_of

__all__ = ["Cases", "cases_for", "cuts", "placings", "prose"]

#: Where to cut a reply: any numbers, taken modulo its length.
cuts = st.lists(st.integers(0, 10_000), max_size=12)
#: Words without anything in which any paradigm could see a marker.
prose = st.text(st.sampled_from("abcXYZ \n\t,.!?-é😀019'\"()#*%$&@;=+/\r\u2028"), max_size=80)
#: Texts around a call, of any lines and of those that a numbered deviation turns on.
placings = st.builds(
    placing_of,
    st.lists(st.sampled_from(LINES), max_size=5),
    st.sampled_from(BEGINNINGS),
    st.sampled_from(ENDS),
) | st.builds(
    lambda draw, seed: draw(Random(seed)),
    st.sampled_from(list(DEVIATIONS.values())),
    st.integers(0, 1_000),
)
_names = st.from_regex(r"[a-z_][a-z0-9_.\-]{0,12}", fullmatch=True)


@dataclass(frozen=True, slots=True)
class Cases:
    """What to try on one paradigm: *texts* and *values* for arguments, *calls*, *replies*…"""

    texts: SearchStrategy[str]
    values: SearchStrategy[Any]
    calls: SearchStrategy[ToolCall]
    results: SearchStrategy[list[ToolResult]]
    replies: SearchStrategy[str]


def cases_for(paradigm: ToolContextDef, offer: ToolOffer) -> Cases:
    """Strategies that know the markers of *paradigm* and the tools of *offer*."""
    own = marks_of(paradigm, offer)
    marks = st.sampled_from([*MARKS, *own, *own, *own, *_words(offer)])
    texts = st.lists(marks | st.text(max_size=4), max_size=6).map("".join)
    values = _json_values(texts)
    calls = _calls(texts, values, offer)
    return Cases(
        texts=texts,
        values=values,
        calls=calls,
        results=_results(texts),
        replies=_replies(paradigm, marks, calls),
    )


def _replies(
    paradigm: ToolContextDef, marks: SearchStrategy[str], calls: SearchStrategy[ToolCall]
) -> SearchStrategy[str]:
    """Pieces of anything, oftenest of markers, and calls in this form and in others."""
    own, foreign = calls.map(paradigm.encode_call), calls.map(_in_some_form)
    pieces = _weighted((marks, 6), (st.text(max_size=6), 2), (own, 1), (foreign, 1))
    anything = st.lists(pieces, max_size=12).map("".join)
    two_calls = calls.map(lambda call: f"Well.\n{paradigm.encode_calls([call, call])}\nSo.")
    return _weighted((anything, 3), (two_calls, 1))


def _weighted(*choices: tuple[SearchStrategy[str], int]) -> SearchStrategy[str]:
    """One of several strategies, some of them oftener than others."""
    each = [strategy for strategy, weight in choices for _ in range(weight)]
    return st.sampled_from(each).flatmap(lambda strategy: strategy)


def _words(offer: ToolOffer) -> list[str]:
    return [word for tool in offer.tools for word in (tool.name, *tool.properties)]


def _json_values(texts: SearchStrategy[str]) -> SearchStrategy[Any]:
    return st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(10**20), 10**20)
        | st.floats(allow_nan=False, allow_infinity=False)
        | texts,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
        max_leaves=8,
    )


def _calls(
    texts: SearchStrategy[str], values: SearchStrategy[Any], offer: ToolOffer
) -> SearchStrategy[ToolCall]:
    anything = st.builds(ToolCall, _names, st.dictionaries(texts, values, max_size=4))
    if not offer.tools:
        return anything
    names = st.sampled_from(sorted(offer.names))
    keys = st.sampled_from(
        sorted({key for tool in offer.tools for key in tool.properties}) or ["a"]
    )
    return anything | st.builds(ToolCall, names, st.dictionaries(keys, texts, max_size=4))


def _results(texts: SearchStrategy[str]) -> SearchStrategy[list[ToolResult]]:
    call = st.builds(ToolCall, _names, st.just({}), st.just("call_1"))
    return st.lists(st.builds(ToolResult, call, texts, st.booleans()), max_size=3)


def _in_some_form(call: ToolCall) -> str:
    """*call* as one of the paradigms that come with us writes it."""
    forms = _forms()
    return forms[len(call.name) % len(forms)].encode_call(call)


@functools.cache
def _forms() -> list[WireParadigm]:
    return [paradigm() for paradigm in catalogued()]
