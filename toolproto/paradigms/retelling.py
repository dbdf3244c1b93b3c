"""How a conversation is told to the model again: what stands behind results, and what is left out.

A small model does what it did before. Where it sees a call that failed, it writes that call; where
it sees two alike, a third. So, if the teaching has *corrections*, a round of which nothing could be
used is not shown, nor one that brought the same as a round before it. What was wrong with it, and
how the call should be written, stands behind the message that it answered.

And it forgets what it set out to do: where a call failed because another had to come first, it
makes that other call and answers. So the call that failed is shown once more.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..messages import Message, ToolCall, ToolResult
from ..tools.outcome import says_that_it_failed
from .teaching import Teaching

__all__ = [
    "AFTER_FAILURE",
    "IN_CIRCLES",
    "MADE_AGAIN",
    "NEXT_STEP",
    "PLAIN_NAME",
    "STILL_FAILED",
    "UNUSABLE",
    "Told",
    "behind_results",
    "retold",
    "unusable",
]

#: What stands behind results. Without it, Qwen2.5-Coder-1.5B made the same calls again or wrote
#: results of its own until the turn was stopped: in 26 % of the turns of BFCL's ``multi_turn_base``
#: with tagged results and in 48 % with results in JSON; with it, in 0.3 to 0.5 % (tagged). It is
#: not for every model: one of 135 million parameters answered the line instead of the question.
NEXT_STEP = (
    "These are the results of your calls. If something that was asked for is still to be done, make"
    " the next call. Otherwise answer in plain words."
)
#: What stands there instead behind the first results of a turn in which a call failed: the model
#: often answered "there is no such file" where another call would have found it. In all four kinds
#: of BFCL's conversations it came further in 21 tasks of 800 and less far in 6. Said behind every
#: failure, it makes the model write the same failing call until the turn is stopped.
AFTER_FAILURE = (
    "A call failed; its result says why. Do not answer yet: correct it and call again, or make"
    " another call first that finds out what you need."
)
#: What stands there instead behind results that are good, as long as a call of the turn that
#: failed has not been made good: its tool, the call, and this. In BFCL's conversations the 1.5 B
#: model came further in 17 of 240 tasks and less far in 1; with the name alone in 13 and 0, but
#: half as much further.
STILL_FAILED = (
    "If you know now what it needs, make it again, with the right values. If something else is"
    " missing, make the call for that. Only when all is done answer in plain words."
)
#: What can be nothing but a name: other names do not go back to the model.
PLAIN_NAME = re.compile(r"[\w.:/-]{1,128}")
#: What stands in the place of a round that brought nothing new.
MADE_AGAIN = (
    "You made this call before; nothing is to be gained by making it again. Make another call, or"
    " answer in plain words."
)

#: In the metadata of a result: the call was not run, because it cannot be used. The value is the
#: call as it should be written, if that is known.
UNUSABLE = "toolproto:unusable"
_CIRCLES = "toolproto:in_circles"
#: The metadata of results of calls that were not run because the same were made over and over.
IN_CIRCLES: Mapping[str, Any] = {_CIRCLES: True}


def unusable(instead: ToolCall | None) -> Mapping[str, Any]:
    """The metadata of the result of a call that cannot be used; *instead* was meant."""
    meant = instead and {"name": instead.name, "arguments": dict(instead.arguments)}
    return {UNUSABLE: meant}


#: The name and arguments of each call of a round, and what came of it.
_Round = tuple[tuple[str, str, str], ...]


@dataclass
class Told:
    """A message that is shown, and what stands behind it."""

    message: Message
    notes: list[str] = field(default_factory=list)

    def add(self, notes: Sequence[str]) -> None:
        """Put *notes* behind the message, each once."""
        self.notes += [note for note in dict.fromkeys(notes) if note not in self.notes]


def retold(messages: Sequence[Message], write: Callable[[ToolCall], str]) -> list[Told]:
    """*messages* without the rounds that led to nothing; *write* writes a call."""
    told: list[Told] = []
    before: set[_Round] = set()  # the rounds of this turn
    rest = iter(zip(messages, [*messages[1:], None], strict=True))
    for message, answer in rest:
        if message.role == "user" and not message.results:
            before.clear()
        if told and message.calls and answer and answer.results:
            round = _round(answer.results)
            notes = _all_unusable(answer.results, write)
            if round in before or any(_says(result, _CIRCLES) for result in answer.results):
                notes = [MADE_AGAIN]
            if notes:
                told[-1].add(notes)
                next(rest)
                continue
            before.add(round)
        told.append(Told(message))
    return told


def behind_results(
    messages: Sequence[Message], teaching: Teaching, write: Callable[[ToolCall], str]
) -> Iterator[str]:
    """What stands behind the results in each of *messages*; empty where nothing does.

    It follows from what came before, so that prompts stay prefixes of each other.
    """
    insisted = False
    failed: dict[str, ToolCall] = {}  # calls of this turn that have not worked yet, by their tools
    next_roles = [*(message.role for message in messages[1:]), "assistant"]
    for message, role in zip(messages, next_roles, strict=True):
        if message.role == "user" and not message.results:
            insisted = False
            failed.clear()
        _take_in(message.results, failed)
        is_bad = any(map(says_that_it_failed, message.results))
        if not message.results or role != "assistant":
            yield ""
        elif teaching.corrections and (lines := _corrections(message.results, write)):
            yield "\n".join(lines)
        elif not teaching.next_step:
            yield ""
        elif is_bad and not insisted:
            insisted = True
            yield AFTER_FAILURE
        elif failed and teaching.corrections and not is_bad:
            yield _still_failed(failed, write)
        else:
            yield NEXT_STEP


def _take_in(results: Sequence[ToolResult], failed: dict[str, ToolCall]) -> None:
    """Add to *failed* the calls that ran and failed, take away the tools that worked."""
    for result in results:
        # What was refused, or could not be used, is not to be made again because others worked.
        ran = "exception" in result.metadata or not result.is_error
        if ran and says_that_it_failed(result):
            failed[result.call.name] = result.call
        elif ran:
            failed.pop(result.call.name, None)


def _still_failed(failed: Mapping[str, ToolCall], write: Callable[[ToolCall], str]) -> str:
    last = list(failed.values())[-_MOST_SHOWN:]
    names = ", ".join(map(_named, last))
    shown = (text for text in map(write, last) if len(text) <= _LONGEST_SHOWN)
    said = f"Your call of {names} failed before and has not worked yet."
    return "\n".join([said, *shown, STILL_FAILED])


# Of calls that failed, so many are shown again, and those that are no longer than this.
_MOST_SHOWN, _LONGEST_SHOWN = 3, 2_000


def _corrections(results: Sequence[ToolResult], write: Callable[[ToolCall], str]) -> list[str]:
    """How those of the calls should be written that cannot be used."""
    lines = (_correction(result, write) for result in results)
    return list(dict.fromkeys(line for line in lines if line))


def _correction(result: ToolResult, write: Callable[[ToolCall], str]) -> str:
    meant = result.metadata.get(UNUSABLE) if _says(result, UNUSABLE) else None
    if not meant:
        return ""
    call = ToolCall(meant["name"], meant["arguments"], result.call.id)
    why = f"Correct your call of {call.name}"
    if call.name != result.call.name:
        why = f"There is no tool {_named(result.call)}. The nearest is {call.name}"
    return f"{why}; write it like this:\n{write(call)}"


def _named(call: ToolCall) -> str:
    """The name of *call* if it can be nothing but a name."""
    return call.name if PLAIN_NAME.fullmatch(call.name) else "of that name"


def _all_unusable(results: Sequence[ToolResult], write: Callable[[ToolCall], str]) -> list[str]:
    """What is to be said of a round none of whose calls can be used; nothing if one can."""
    if not all(_says(result, UNUSABLE) for result in results):
        return []
    return [_correction(result, write) or result.content for result in results]


def _says(result: ToolResult, key: str) -> bool:
    """Whether the loop put *key* there: a tool's own result may hold anything."""
    return key in result.metadata and result.is_error and bool(result.trusted)


def _round(results: Sequence[ToolResult]) -> _Round:
    """What was called, and what came of it."""
    return tuple((each.call.name, _written(each.call), each.content) for each in results)


def _written(call: ToolCall) -> str:
    return json.dumps(dict(call.arguments), sort_keys=True, default=str)
