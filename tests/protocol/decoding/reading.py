"""Reads replies in the tests of families, whole and by single characters."""

from __future__ import annotations

from typing import Any

from toolproto.protocol.decoding.contract import Limits
from toolproto.protocol.events import Event, merge
from toolproto.protocol.messages import ProblemKind, ToolCall
from toolproto.protocol.paradigms import ParsedResponse, get_paradigm
from toolproto.protocol.tools.spec import ToolOffer


def read_reply(name: str, reply: str, offer: ToolOffer, **options: Any) -> ParsedResponse:
    """*reply*, read by the paradigm *name* in one piece; by single characters it is the same."""
    events: list[list[Event]] = []
    for pieces in ([reply], list(reply)):
        decoder = get_paradigm(name, **options).decoder(offer)
        told = [event for piece in pieces for event in decoder.feed(piece)]
        events.append(merge([*told, *decoder.finish()]))
    assert events[0] == events[1]
    return ParsedResponse(reply, tuple(events[0]))


def only(parsed: ParsedResponse) -> ToolCall:
    """The only call, beside which there is no problem."""
    assert not parsed.problems
    [call] = parsed.calls
    return call


def repairs(parsed: ParsedResponse) -> list[str]:
    """What was mended in the only call."""
    return [repair.name for repair in only(parsed).repairs]


def check_returns_text(name: str, call: ToolCall, offer: ToolOffer) -> None:
    """What the paradigm writes for *call* is read as that call, and nothing is mended."""
    parsed = read_reply(name, get_paradigm(name).encode_call(call), offer)
    assert parsed.calls == [call]
    assert not parsed.calls[0].repairs


def check_refused(parsed: ParsedResponse, kind: ProblemKind) -> None:
    """The only call is a problem of *kind*, and nothing of it is text."""
    assert [problem.kind for problem in parsed.problems] == [kind]
    assert (parsed.calls, parsed.text) == ([], "")


def check_limit(name: str, reply: str, offer: ToolOffer) -> None:
    """A call that is too long is refused at its limit, wherever the reply was cut."""
    [problem] = read_reply(name, reply, offer, limits=Limits(characters=100)).problems
    assert problem.kind is ProblemKind.TOO_LARGE
    assert len(problem.raw) == 100


def check_cuts(name: str, whole: str, begun: int, offer: ToolOffer) -> None:
    """Cut by a limit anywhere behind its first *begun* characters, the call is truncated."""
    for end in range(begun, len(whole)):
        decoder = get_paradigm(name).decoder(offer)
        events = [*decoder.feed(whole[:end]), *decoder.finish("length")]
        problems = ParsedResponse(whole[:end], tuple(merge(events))).problems
        assert [problem.kind for problem in problems] == [ProblemKind.TRUNCATED], whole[:end]
