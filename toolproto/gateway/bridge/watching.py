"""Whose words a call repeats, as far as the messages of a client tell.

What a client's tools gave back may be a stranger's; what its user and its program said is not. The
proxy runs nothing and can ask nobody but the model: a call that stands word for word in a result is
put to the model again and never leaves as it is; which arguments come from a result is logged; a
strict guard denies values that nobody named, whatever the tool does, since only its client knows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...protocol.deciding.decisions import Facts, Question, Refusal, decide
from ...protocol.deciding.policy import Policy
from ...protocol.foreign_text import decoded
from ...protocol.guard.arguments import without_said
from ...protocol.guard.concerns import Concern
from ...protocol.guard.echo import doubted_echo, echo_of
from ...protocol.guard.levels import STANDARD, Guard
from ...protocol.guard.passages import Found
from ...protocol.guard.taint import Sources
from ...protocol.messages import CallProblem, Message, ProblemKind, ToolCall
from ...protocol.paradigms.base import NO_TOOLS
from ...protocol.paradigms.salvage import parse_any
from ...protocol.tools.check import call_problem, doubted_call
from ...protocol.tools.define import Tool
from ...protocol.tools.names import fold
from ...protocol.tools.spec import ToolOffer, ToolSpec

__all__ = ["Watch"]

#: Every tool may change something, and its client has let it run. A form that had to be guessed at
#: is mended; more is not known of it than its client would see.
_PASSING_ON = Policy(risks={"exec": "allow"}, guessed="allow")
#: A call may be doubted before it is known which tool is meant.
_ANY = Tool(ToolSpec("any", "", {}), risk="exec")
#: White space in JSON, and in its strings.
_BLANK = re.compile(r"\s|\\[nrt]")
_WORD = re.compile(r"[^\W_]+")
#: What stands beside a name where it is called, in one form or another.
_SIGNS = "\"'`<>=([{:.|\\n"


class Watch:
    """Follows the words of *messages* into the calls that answer them."""

    def __init__(
        self,
        messages: Sequence[Message] = (),
        offer: ToolOffer = NO_TOOLS,
        guard: Guard = STANDARD,
    ) -> None:
        self._guard = guard
        self._offer = offer
        self._sources = Sources()
        #: What is known of the calls that left, in words that repeat nothing of what was said.
        self.concerns: list[str] = []
        for message in messages if guard.follows else ():
            if message.role == "system":
                self._sources.hear_own(message.content)
            else:
                self._sources.hear_history(message)
        self._results = [each for message in messages for each in message.results]
        self._meant: list[str] | None = None
        #: What the calls in a result say, by its number; read only where it seems to call the tool.
        self._told: dict[int, frozenset[str]] = {}

    def may_leave_early(self, name: str) -> bool:
        """Whether a call of *name* may go out while it is written.

        Not if it can still turn out to be a stranger's: where a result seems to call the tool.
        """
        if not self._guard.follows or not self._sources.strangers:
            return True
        if self._guard.taint == "deny":
            return False
        return not self._guard.echo or next(self._calling(name), None) is None

    def _calling(self, name: str) -> Iterator[int]:
        """Yield the numbers of the results that seem to call the tool *name*."""
        # In whatever spelling the reader takes for that name, which may be an escape, too.
        spelled = r"[\W_]{0,2}".join(re.escape(word) for word in _WORD.findall(name.lower()))
        called = re.compile(rf"[{_SIGNS}]\s?{spelled}|{spelled}\s?[{_SIGNS}]")
        first = _WORD.search(name.lower())
        if self._meant is None:
            self._meant = [decoded(each.content).lower() for each in self._results]
        for at, text in enumerate(self._meant):
            if first is None or (first.group() in text and called.search(text)):
                yield at

    def followed(self, call: ToolCall) -> ToolCall:
        """*call*, with a doubt if it stands in a result.

        Long values do not count here: agents quote what they read in order to change it.
        """
        if not self._guard.echo:
            return call
        found = echo_of(replace(call, arguments={}), self._sources.strangers)
        return doubted_echo(call, found or self._rewritten(call))

    def _rewritten(self, call: ToolCall) -> Found | None:
        """Where *call* stands in another form, in another order or with other blanks."""
        sense = _sense(call)
        for at in self._calling(call.name):
            if at not in self._told:
                told = parse_any(self._results[at].content, self._offer).calls
                self._told[at] = frozenset(map(_sense, told))
            if sense in self._told[at]:
                return Found(self._results[at].call.name, call.name)
        return None

    def doubted(self, call: ToolCall) -> CallProblem | None:
        """Return what the model is asked about *call*, which may not be meant; None if nothing."""
        echo = (Concern("echo"),) if call.is_echoed else ()
        return _problem(call, _ANY, echo)

    def refused(self, call: ToolCall) -> CallProblem | None:
        """Return what a strict guard has against *call*; what any guard knows of it is noted."""
        spec = self._offer.get(call.name)
        if spec is None or not self._guard.follows:
            return None
        tool = Tool(spec, risk="exec")
        concerns = self._sources.concerns(call, tool, self._guard, thorough=False)
        # That a call follows a result is nothing special: an agent's do nothing else.
        telling = (
            replace(each, argument=without_said(each.argument, spec))
            for each in concerns
            if each.kind != "context"
        )
        self.concerns += [f"{call.name}: {each.brief}" for each in telling]
        # Its client decides about the others, and may ask a person.
        return _problem(call, tool, tuple(each for each in concerns if each.barred))


def _sense(call: ToolCall) -> str:
    """Return what *call* says, however it is written and spaced."""
    arguments = json.dumps(dict(call.arguments), sort_keys=True, default=str)
    return f"{fold(call.name)} {_BLANK.sub('', arguments)}"


def _problem(call: ToolCall, tool: Tool, concerns: tuple[Concern, ...]) -> CallProblem | None:
    """Return why *call* does not go out, or not yet; nobody can be asked about it here."""
    match decide(Facts(call, tool, _PASSING_ON, concerns, attended=False)):
        case Question():
            return doubted_call(call)
        case Refusal(advice=advice):
            return call_problem(call, ProblemKind.NOT_ALLOWED, advice)
    return None
