"""Does a paradigm work with the markers that were chosen?

A few of the laws are tried before anything is written: markers that the reader takes for something
else are better refused now than found by a test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from ...protocol.errors import UsageError
from ...protocol.messages import ToolCall, ToolResult
from ...protocol.paradigms.base import ToolContextDef
from ...testing import laws
from ...testing.growing import PROSE
from ...testing.laws import LawBroken
from .rendering import CALL, OFFER
from .wanted import NewParadigm

__all__ = ["try_out"]

#: What is sure to work, for those whose own markers do not.
_SURE = "--open '<call>' --close '</call>'"
_RESULT = ToolResult(ToolCall("get_weather", {"city": "Oslo"}, "call_1"), "4 °C")


def try_out(paradigm: ToolContextDef, wanted: NewParadigm) -> None:
    """Raise UsageError if *paradigm* cannot keep the laws."""
    if paradigm.encode_results([_RESULT]).startswith(wanted.opener.rstrip("> ")):
        raise UsageError(
            f"{wanted.opener!r} begins a result, which a model must not write; choose other"
            f" markers, as in {_SURE}"
        )
    try:
        for law in _laws(paradigm, wanted):
            law()
    except LawBroken as broken:
        form = "lines" if wanted.custom else f"{wanted.payload} and {wanted.closer!r}"
        raise UsageError(
            f"{wanted.opener!r} with {form} would break the law of {broken.law!r}; choose other"
            f" markers, as in {_SURE}"
        ) from broken


def _laws(paradigm: ToolContextDef, wanted: NewParadigm) -> Iterator[Callable[[], None]]:
    opener, closer = wanted.opener, wanted.closer
    tricky = f'a "b" {opener}c{closer} </x>\n{{"d": [1]}} '
    calls = [CALL, ToolCall("now", {}), ToolCall("write_file", {"path": "a", "content": tricky})]
    reply = f"Let me see.\n{paradigm.encode_calls(calls)}\nThat is all."
    result = ToolResult(ToolCall("get_weather", {"city": "Oslo"}, "call_1"), tricky)
    for call in calls:
        yield partial(laws.round_trip, paradigm, call, OFFER)
    yield partial(laws.sequence, paradigm, calls, OFFER)
    yield partial(laws.chunking, paradigm, reply, range(len(reply)), OFFER)
    yield partial(laws.lossless, paradigm, reply, OFFER)
    yield partial(laws.truncation, paradigm, calls[2], len(opener) + 20, OFFER)
    yield partial(laws.stopping, paradigm, calls, OFFER)
    yield partial(laws.inertness, paradigm, OFFER, [result])
    yield partial(laws.verbatim, paradigm, PROSE[0], OFFER)
    for prose in (*PROSE, opener.strip()[:-1] * 100):
        yield partial(laws.promptness, paradigm, prose, OFFER)
