"""The structured answer in a reply, however the model gave it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ...protocol.decoding.values.json_alone import json_alone
from ...protocol.decoding.values.strict import Reading
from ...protocol.messages import CallProblem, Message, ToolCall
from ...protocol.schemas.work import Work, purse, takes_long
from ...protocol.tools.answer import AnswerForm, GivenAnswer
from .commands import Compute, Flow, perform
from .reply import Reply

__all__ = ["Answered", "answer_given"]

#: A word or a number that is all of an answer.
_LONGEST_WORD = 10_000


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer and the message that stands for it in the conversation."""

    value: Any
    message: Message


def answer_given(
    form: AnswerForm, others: Mapping[str, Any], reply: Reply
) -> Flow[Answered | None]:
    """The answer that *reply* gives in *form*; None if it gives none that can be used.

    What is wrong with one becomes a problem of the reply. Beside calls of *others* an answer is
    not heard: their results may change it.
    """
    own = [call for call in reply.calls if form.is_meant(call, others)]
    if len(own) < len(reply.calls):
        reply.calls = [call for call in reply.calls if call not in own]
        return None
    if not own and reply.problems:
        return None
    reply.calls, found = [], None
    alone = (_as_call(form, reading) for reading in json_alone(reply.text))
    for call in own[-1:] or alone:
        given = yield from _checked(form, call)
        if isinstance(given, GivenAnswer):
            return Answered(given.value, _message(given, reply))
        found = found or given
    if found is not None:
        reply.problems.append(found)
        return None
    for value in _as_a_whole(reply.text) if form.wrapped else ():
        given = yield from _checked(form, ToolCall(form.spec.name, {"value": value}))
        # A lone value may stand for a list of one; a sentence may not.
        if isinstance(given, GivenAnswer) and not isinstance(given.plain, list | dict):
            return Answered(given.value, _message(given, reply))
    return None


def _checked(form: AnswerForm, call: ToolCall) -> Flow[GivenAnswer | CallProblem]:
    """*call* checked, and not on an event loop if that may take long."""
    work = Work(purse([call.arguments]))
    if not takes_long(work.visits):
        return form.given(call, work)
    return (yield from perform(Compute(partial(form.given, call, work))))


def _message(given: GivenAnswer, reply: Reply) -> Message:
    """The answer as the conversation keeps it: as JSON, without the call that brought it."""
    plain = given.plain
    said = plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)
    return replace(reply.message(), content=said, calls=(), segments=())


def _as_a_whole(text: str) -> Iterator[Any]:
    """What all of *text* may be: a number, or one of several words."""
    word = text.strip()
    if not word or len(word) > _LONGEST_WORD:
        return
    with suppress(ValueError):
        yield json.loads(word)
    yield word


def _as_call(form: AnswerForm, reading: Reading) -> ToolCall:
    value = reading.value
    arguments = value if isinstance(value, dict) and not form.wrapped else {"value": value}
    if form.wrapped and isinstance(value, dict) and value.keys() == {"value"}:
        arguments = value
    return ToolCall(form.spec.name, arguments, repairs=reading.repairs)
