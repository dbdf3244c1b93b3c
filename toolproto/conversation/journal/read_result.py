"""What came of a turn that is written down: the result that whoever ran it was given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...protocol.messages import Message, ToolResult, Usage
from ..deciding.answers import Verdict
from ..deciding.approvals import Allow, Decision, Defer, Deny
from ..stores.base import Record
from ..turn.commands import Outcome
from ..turn.result import CallRecord, TurnResult, TurnStats, answer_in
from .decisions import read_decision, read_pending
from .errors import read_ending
from .messages import read_message, read_outcome

__all__ = ["recounted"]


def recounted(
    message: Message | None,
    verdicts: Mapping[str, Verdict],
    told: Sequence[Record],
    earlier: frozenset[str] = frozenset(),
) -> TurnResult | None:
    """The result of a turn that *message* began, or *verdicts*; None if it broke off.

    The calls *earlier* were made in the turn before, though their results are told in this one.
    Calls that could not even be read are not kept. An error that is not one of ours is told by a
    ToolProtoError.
    """
    ended = next((each for each in told if each.kind == "ended"), None)
    if ended is None:
        return None
    said = [read_message(each.data) for each in told if each.kind == "message"]
    transcript = (*([message] if message else ()), *said)
    ending = read_ending(ended.data)
    pending = read_pending(ended.data["pending"]) if ended.data.get("pending") else None
    # Where others of the same reply wait, results are not in a message yet.
    results = [each for message in transcript for each in message.results]
    results += pending.results.values() if pending else ()
    found = _calls(verdicts, told, results)
    calls = tuple(each for each in found if each.call.id not in earlier)
    answer = answer_in(transcript)
    failed = sum(record.result.is_error for record in calls)
    return TurnResult(
        ended.data["status"],
        "\n\n".join(message.content for message in transcript[answer]),
        transcript,
        answer,
        calls,
        pending=tuple(pending.waiting.values()) if pending else (),
        usage=sum((step.usage for step in ending.steps), Usage()),
        stats=TurnStats(len(ending.steps), len(calls), failed, ending.reasks, ending.seconds),
        finish_reason=ending.steps[-1].finish_reason if ending.steps else None,
        error=ending.error,
        resumed=message is None,
        steps=ending.steps,
    )


def _calls(
    verdicts: Mapping[str, Verdict], told: Sequence[Record], results: Sequence[ToolResult]
) -> Iterator[CallRecord]:
    """The calls that were answered in the turn, in their order."""
    decisions: dict[str, Decision] = {
        id: verdict for id, verdict in verdicts.items() if isinstance(verdict, Allow | Deny | Defer)
    }
    outcomes: dict[str, Outcome] = {}
    for record in told:
        if record.kind == "decision":
            decisions[record.data["id"]] = read_decision(record.data)
        elif record.kind == "outcome":
            outcome = read_outcome(record.data)
            outcomes[outcome.result.call.id] = outcome
    for result in results:
        id = result.call.id
        done = outcomes.get(id, Outcome(result))
        yield CallRecord(result.call, result, decisions.get(id), done.seconds, done.started)
