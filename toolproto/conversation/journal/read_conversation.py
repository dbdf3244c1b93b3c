"""The conversation along one way through a session's journal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ...protocol.messages import ToolCall, ToolResult
from ...protocol.tools.outcome import result_of
from ..deciding.answers import Verdict
from ..deciding.approvals import Allow, Defer, Deny
from ..deciding.circles import DoomLoop
from ..turn.call_results import UNKNOWN_OUTCOME, after_review
from ..turn.setup import Conversation
from .damage import told_if_damaged
from .decisions import read_grants, read_loop, read_pending, read_review
from .logged import LoggedTurn
from .messages import read_message, read_result
from .packing import in_pairs

__all__ = ["conversation_of", "unanswered"]

_NOT_RUN = "not run: the program ended before it was"
_UNSEEN = "it ran to its end, but its result is not shown: nobody has reviewed it"


@told_if_damaged()
def conversation_of(way: Iterable[LoggedTurn], repeats: int | None = 3) -> Conversation:
    """What was said and decided along *way*."""
    conversation = Conversation(doom_loop=DoomLoop(repeats))
    loop: Mapping[str, Any] | None = None
    for turn in way:
        if turn.message is not None:
            conversation.messages.append(turn.message)
            conversation.sources.hear(turn.message)
            conversation.sources.hear_own(turn.message.content, is_imported=turn.imported)
        conversation.pending = None
        for kind, data in turn.records:
            if "before" in data:
                for kind_before, data_before in in_pairs(data["before"]):
                    if kind_before in _RETRACE:
                        _RETRACE[kind_before](conversation, data_before)
            if kind in _RETRACE:
                _RETRACE[kind](conversation, data)
            loop = data.get("loop", loop)
    if loop is not None:
        conversation.doom_loop.restore(read_loop(loop))
    conversation.seen |= conversation.started
    return conversation


def unanswered(way: list[LoggedTurn], reviewed: bool = False) -> Iterator[ToolResult]:
    """What is known of the calls that the last turn of *way* left without a result.

    With *reviewed*, a result that nobody has reviewed yet is not shown.
    """
    *earlier, turn = way
    pending = conversation_of(earlier).pending
    known = dict(pending.results) if pending else {}
    for call in pending.calls if pending else ():
        verdict = turn.verdicts.get(call.id)
        if pending and (waited := pending.unreviewed.get(call.id)):
            known[call.id] = waited if isinstance(verdict, Allow) else _unseen(call)
        if told := _told(call, verdict):
            known[call.id] = told
    last: ToolResult | None = None
    for record in turn.told():
        if record.kind == "outcome":
            last = read_result(record.data)
            known[last.call.id] = _unseen(last.call) if reviewed else last
        elif record.kind == "review" and last is not None:  # it follows what it is about
            review = read_review(record.data)
            if not isinstance(review, Defer):
                known[last.call.id] = after_review(last, review)
    conversation = conversation_of(way)
    answered = {each.call.id for said in conversation.messages for each in said.results}
    for call in (call for said in conversation.messages for call in said.calls):
        if call.id not in answered:
            yield known.get(call.id) or _unknown(call, call.id in conversation.started)


def _retrace_message(conversation: Conversation, data: Mapping[str, Any]) -> None:
    message, position = read_message(data), data["position"]
    messages = conversation.messages
    messages.insert(position if position >= 0 else len(messages), message)
    conversation.joined(message)


def _retrace_compacted(conversation: Conversation, data: Mapping[str, Any]) -> None:
    conversation.messages[:] = map(read_message, data["after"])


def _retrace_started(conversation: Conversation, data: Mapping[str, Any]) -> None:
    conversation.started.update(data["ids"])


def _retrace_ended(conversation: Conversation, data: Mapping[str, Any]) -> None:
    if pending := data.get("pending"):
        conversation.pending = read_pending(pending)
    if "granted" in data:
        conversation.granted = read_grants(data["granted"])


#: What else a journal says is for going on with a turn that broke off.
_RETRACE: dict[str, Callable[[Conversation, Mapping[str, Any]], None]] = {
    "message": _retrace_message,
    "compacted": _retrace_compacted,
    "started": _retrace_started,
    "ended": _retrace_ended,
}


def _told(call: ToolCall, verdict: Verdict | None) -> ToolResult | None:
    """What somebody has said *call* comes to."""
    match verdict:
        case str() | ToolResult():
            return result_of(call, verdict)
        case Deny(reason):
            return ToolResult(call, f"not run: {reason}", is_error=True, trusted=True)
    return None


def _unseen(call: ToolCall) -> ToolResult:
    """What is said of a call that ran, and whose result waits for a review for ever."""
    return ToolResult(call, _UNSEEN, is_error=True)


def _unknown(call: ToolCall, started: bool) -> ToolResult:
    told = UNKNOWN_OUTCOME if started else _NOT_RUN
    return ToolResult(call, told, is_error=True, trusted=True)
