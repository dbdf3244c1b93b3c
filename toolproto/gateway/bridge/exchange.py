"""One answer to a client: what the model is asked, and what of its replies goes out.

Does no I/O: send :attr:`Exchange.request`, feed what comes, and call :meth:`Exchange.finish` at the
end of the reply. If the exchange is not done then, its request is another one: the model made a
mistake, and is told so. Only a call that has begun to go out stands in the way of that. A mistake
that the model does not mend is an error to its client, never an end like any other: agents take
that for success.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...endpoints.apis.asked import Asked
from ...endpoints.apis.pieces import Ended, Failed, Piece, Reason
from ...protocol.decoding.contract import heard, is_over
from ...protocol.events import (
    ArgumentsDelta,
    CallCompleted,
    CallDoubted,
    CallRejected,
    CallStarted,
    Event,
    ReasoningDelta,
    TextDelta,
)
from ...protocol.finish_reasons import STOP_SEQUENCE, FinishKind, cut_reason, ending_of, is_cut
from ...protocol.guard.levels import STANDARD, Guard
from ...protocol.guard.neutralise import BREAK, neutraliser
from ...protocol.guard.restoring import Restoring
from ...protocol.judge import REASKS, Fault, Heard, judged
from ...protocol.messages import CallProblem, ChatRequest, Chunk, Message, ProblemKind, Usage
from ...protocol.native import NativeTools
from ...protocol.paradigms.base import ToolContextDef
from ...protocol.schemas.work import Work
from .calls import IN_SENTENCE, OutgoingCalls, work_of_request
from .neutral_body import neutral_body
from .prompting import first_request, told_again
from .reply_end import unread_call
from .said_again import SaidAgain
from .verdict import MISTAKE, failed, in_shape, instead_of_call, misshapen
from .watching import Watch

__all__ = ["LONGEST_REPLY", "AskAgain", "Exchange"]

#: Characters that a reply may have, unless somebody says otherwise.
LONGEST_REPLY = 16 * 1024 * 1024

#: Problems that are put to a model at once; it makes the same mistake in all of its calls.
_MOST_TOLD = 8


@dataclass(frozen=True, slots=True)
class AskAgain:
    """The reply cannot be used: the model is to get *messages* next, which end with *advice*."""

    messages: tuple[Message, ...]
    advice: str


@dataclass(slots=True)
class _Reply:
    """What was heard of one reply of the model."""

    calls: OutgoingCalls
    heard: list[str] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    #: White space before the first word or behind a call: layout, unless words follow it.
    blank: str = ""
    has_thought: bool = False
    size: int = 0
    reason: str | None = None

    @property
    def was_cut(self) -> bool:
        return is_cut(self.reason)


class _Verbatim:
    """Reads a reply in which nothing is a call, because nobody offered a tool."""

    def feed(self, chunk: str) -> list[Event]:
        return [TextDelta(chunk)]

    def finish(self, reason: str | None = None) -> list[Event]:
        return []


class Exchange:
    """One answer to what *asked* asks, by a model that is taught *paradigm*.

    With :class:`NativeTools` the service is asked with tools of its own, and what it says is read,
    checked and mended like any other reply. If it refuses them (:meth:`refused`), or says nothing
    that can be used, the model is asked again as the paradigm behind them teaches it; *only* with
    its own tools, if that is said. With *own_shape* the service was told itself what shape its
    answer is to have.

    Give the same *work* to several answers to one request: they share what checking may cost.

    *guard* is how careful to be with what the client's tools gave back. *reasks* is how often a
    mistake may be put to the model, *most* how many characters a reply may have. Pieces are held
    back while one may
    still be due: all of them if the client does not stream or wants its answer in a shape, texts
    if a call is demanded.
    """

    def __init__(
        self,
        asked: Asked,
        paradigm: ToolContextDef,
        *,
        reasks: int = REASKS,
        examples: bool = False,
        constrain: str = "off",
        guard: Guard = STANDARD,
        most: int = LONGEST_REPLY,
        work: Work | None = None,
        only: bool = False,
        own_shape: bool = False,
    ) -> None:
        #: What is answered.
        self.asked = asked
        # Without a tool on offer there is none to be called in the service's own way.
        self._paradigm = paradigm if asked.offer.tools else _text_of(paradigm)
        self._was_native = self.is_native
        self._examples, self._constrain = examples, constrain
        self._is_neutral = guard.neutralise
        self._only, self._own_shape = only, own_shape
        self._holds_all = self._holds_text = False
        self._shape = asked.shape
        self._left = reasks
        self._most = most
        self._work = work or work_of_request()
        self._watch = Watch(asked.messages, asked.offer, guard)
        self._held: list[Piece] = []
        self._said_again = SaidAgain()
        self.usage = Usage()
        #: What became of the last reply: the end, a failure, or that the model is asked again.
        self.verdict: Ended | Failed | AskAgain | None = None
        self._unmended: Failed | None = None  # what the model was told of last
        #: What was wrong with the model's calls, and what was mended, for the log.
        self.problems: list[CallProblem] = []
        self.repairs: list[str] = []
        #: The tools whose calls went out, and every reply as it was written.
        self.called: list[str] = []
        self.heard: list[str] = []
        self.reasked = 0
        #: What the model is asked now.
        self.request: ChatRequest
        self._begin()

    def feed(self, chunk: Chunk) -> list[Piece]:
        """What goes out now that *chunk* came; :attr:`done` if nothing more is wanted."""
        self._reply.size += len(chunk.text) + len(chunk.reasoning)
        if chunk.text:
            self._reply.heard.append(chunk.text)
        if self.is_native:
            self._reply.size += sum(len(str(piece.arguments)) for piece in chunk.calls)
            pieces = self._taken(heard(self._decoder, chunk))
        else:
            pieces = self._read(chunk)
        if chunk.usage:
            self.usage += chunk.usage
        self._reply.reason = chunk.finish_reason or self._reply.reason
        return self._passed(self._let_out(pieces))

    def _read(self, chunk: Chunk) -> list[Piece]:
        """What *chunk* brings of a reply that is text."""
        pieces: list[Piece] = []
        if chunk.reasoning:
            self._reply.has_thought = True
            pieces.append(ReasoningDelta(chunk.reasoning))
        if chunk.text:
            pieces += self._taken(self._decoder.feed(chunk.text))
        return pieces

    def refused(self) -> bool:
        """The service takes no tools: whether the model is asked again, without them."""
        if not self.is_native or self._only or self._reply.calls.has_begun:
            return False
        self._fall_back()
        return True

    def own_body(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """*values*, the client's own request, as they may be sent to a service with tools."""
        if self._restoring is None or not self._is_neutral:
            return values
        return neutral_body(values, neutraliser(self._paradigm, self.asked.offer.names))

    @property
    def is_native(self) -> bool:
        """Whether the request is one to a service with tools of its own."""
        return isinstance(self._paradigm, NativeTools)

    @property
    def paradigm(self) -> str:
        """The name of the paradigm that the model is asked in now."""
        return self._paradigm.name

    @property
    def size(self) -> int:
        """How many characters of the reply were heard."""
        return self._reply.size

    @property
    def concerns(self) -> list[str]:
        """Which arguments of calls came from a result, for the log."""
        return self._watch.concerns

    @property
    def rescued(self) -> list[str]:
        """How the answer of a service with tools was rescued: what its calls needed, for the log.

        Nothing if they were left as they came, or if no service was asked that has tools.
        """
        again = ["asked_again"] if self.reasked and self._was_native else []
        return [*dict.fromkeys(self.repairs), *again] if self._was_native else []

    @property
    def constrained(self) -> str:
        """What the backend was told of a grammar; nothing if it was not told one."""
        constraint = self.request.constraint
        return "" if constraint is None else constraint.rendering

    @property
    def is_over(self) -> bool:
        """Whether the rest of the reply does not matter.

        All calls that are wanted are whole, a part of one went out that cannot be completed, what
        follows is not the model's to say, or it is too long.
        """
        return self._has_all or self._reply.size > self._most

    @property
    def _has_all(self) -> bool:
        calls = self._reply.calls
        # A service with tools counts its tokens behind the last call, and ends there by itself.
        return calls.is_broken if self.is_native else calls.is_over or is_over(self._decoder)

    def finish(self) -> list[Piece]:
        """The reply is over: what is left of it, and the end; or there is another request."""
        return self._passed(self._finished())

    @property
    def done(self) -> bool:
        """Whether the answer is over."""
        return isinstance(self.verdict, Ended | Failed)

    def _passed(self, pieces: list[Piece]) -> list[Piece]:
        """*pieces* as the client would have written them."""
        return pieces if self._restoring is None else self._restoring.feed(pieces)

    def _finished(self) -> list[Piece]:
        reply = self._reply
        if reply.size > self._most:
            told = f"the model's reply is longer than {self._most} characters"
            return self._failed(Failed(told, "reply_too_long", MISTAKE))
        if self._has_all:
            reply.reason = "stop"
        if reply.reason is None:
            return self._failed(Failed("the upstream broke off its reply", "upstream_broken_off"))
        ending = self._taken(self._decoder.finish(cut_reason(reply.reason)))
        out = self._let_out([*ending, *reply.calls.settle()])
        if not (reply.calls.seen or reply.calls.problems or reply.was_cut):
            reply.calls.problems += self._unread()
        self._note(reply)
        if reply.was_cut:
            return out + self._ended()
        if reply.calls.half_out is not None:
            return out + self._failed(Failed(reply.calls.half_out, "broken_tool_call", MISTAKE))
        return self._judged(out)

    def _unread(self) -> list[CallProblem]:
        """What is wrong with a call in another form, if the reply ends with one."""
        if self.is_native or not self.asked.offer.tools:
            return []
        forms = self._paradigm.reading.others
        problem = unread_call("".join(self._reply.heard), forms, self.asked.offer)
        return [] if problem is None else [problem]

    def _note(self, reply: _Reply) -> None:
        self.problems += reply.calls.problems
        self.repairs += reply.calls.repairs
        self.called += reply.calls.names
        self.heard.append("".join(reply.heard))

    def _judged(self, out: list[Piece]) -> list[Piece]:
        calls = self._reply.calls
        text = self._text()
        heard = Heard(
            text,
            calls.count,
            calls.problems,
            self.asked.offer,
            "" if calls.count or self._shape is None else misshapen(text, self.asked, self._work),
            may_be_empty=not self.asked.needs_tools,
            ends_in_call=self._ends_in_a_call(),
            announced=self.is_native and ending_of(self._reply.reason) is FinishKind.CALLS,
        )
        if (fault := judged(heard)) is None:
            return out + self._ended()
        failure = failed(fault)
        if fault.kind == "empty_reply" and self._unmended is not None:
            failure = self._unmended  # it was told of a mistake, and said nothing to that
        if self._left:
            self._unmended = failure
            self._ask_again(fault)
            return out
        if failure is None:
            shown = [TextDelta(p.raw) for p in fault.problems if p.kind is ProblemKind.DOUBTED]
            return out + shown + self._ended()
        if instead := instead_of_call(fault, self.asked):
            return out + self._ended("stop", [TextDelta(instead)])
        return out + self._failed(failure)

    def _ends_in_a_call(self) -> bool:
        """Whether the reply ends with a call in the middle of a sentence, in its form or not."""
        # Where more words follow, a call is told of. As the end of a reply it was meant for one,
        # and an agent would take it for the answer.
        calls, offer = self._reply.calls, self.asked.offer
        if calls.count or not offer.tools or offer.choice != "auto" or self.is_native:
            return False  # to whom a service's own tools were offered, such a call is words
        # What is doubtful in its form as well was taken for words.
        passed_over = getattr(self._decoder, "passed_over", ())
        if not passed_over or passed_over[-1].reason != IN_SENTENCE:
            return calls.ends_sentence
        return not "".join(self._reply.heard)[passed_over[-1].span.end :].strip()

    def _taken(self, events: Sequence[Event]) -> list[Piece]:
        calls = self._reply.calls
        # What stands in a doubtful place is told of all at once; it must not begin to go out.
        doubted = {
            event.index for event in events if isinstance(event, CallCompleted) and event.call.doubt
        }
        pieces: list[Piece] = []
        for event in events:
            if calls.is_over:
                break
            if self.is_native and isinstance(event, TextDelta | ReasoningDelta | CallStarted):
                pieces += calls.close()
            match event:
                # The commonest by far comes first.
                case ArgumentsDelta():
                    pieces += calls.add(event)
                case TextDelta(text):
                    pieces += self._said(text)
                case ReasoningDelta():
                    self._reply.has_thought = True
                    pieces.append(event)
                case CallStarted(index, name, id, unsettled) if index not in doubted:
                    self._reply.blank = ""
                    pieces += calls.start(index, name, id, unsettled=unsettled)
                case CallCompleted(index, call):
                    pieces += calls.complete(index, call)
                case CallDoubted(index, place):
                    calls.doubt(index, place)
                case CallRejected(index, problem):
                    calls.reject(index, problem)
        return pieces

    def _said(self, text: str) -> list[Piece]:
        reply = self._reply
        text, reply.blank = reply.blank + text, ""
        if reply.calls.count or not reply.text:
            words = text.rstrip()
            if not words or reply.calls.count:
                # Whether it goes out must not depend on where the text was cut into chunks.
                text, reply.blank = words, text[len(words) :]
            if not words:
                return []
        if reply.calls.ends_sentence and text.strip():
            reply.calls.ends_sentence = False
        if not reply.text and reply.has_thought:
            text = _without_line_ends(text)
        reply.text.append(text)
        new = self._said_again.new(text)
        return [TextDelta(new)] if new else []

    def _let_out(self, pieces: list[Piece]) -> list[Piece]:
        if self._holds_text:
            self._held += pieces
            begins = any(isinstance(piece, CallStarted) for piece in pieces)
            if self._holds_all or not begins:
                return []
            # The first call lets everything out: it is what was demanded.
            self._holds_text = False
            pieces, self._held = self._held, []
        self._said_again.out += (piece.text for piece in pieces if isinstance(piece, TextDelta))
        return pieces

    def _ask_again(self, fault: Fault) -> None:
        self._left -= 1
        self.reasked += 1
        self._held.clear()
        self._said_again.begin(self._text())
        if self.is_native and not self._only:
            # What it is told of a mistake is how calls are written; and it has not been taught.
            self._fall_back()
            self.verdict = AskAgain(self.request.messages, "")
            return
        told = fault.problems[:_MOST_TOLD]
        advice = "\n".join(map(self._paradigm.format_problem, told)) or fault.advice
        self.request = told_again(self.request, "".join(self._reply.heard), advice)
        self.verdict = AskAgain(self.request.messages, advice)
        self._listen()

    def _fall_back(self) -> None:
        """Ask again from the beginning, with tools in words."""
        self._paradigm = _text_of(self._paradigm)
        self._begin()

    def _begin(self) -> None:
        """Make the first request in the present paradigm, and listen for its answer."""
        asked = self.asked
        self._shape = None if self.is_native and self._own_shape else asked.shape
        self._holds_all = not asked.stream or self._shape is not None
        self._holds_text = self._holds_all or asked.offer.choice not in ("auto", "none")
        self.request = first_request(
            asked, self._paradigm, self._examples, self._constrain, neutral=self._is_neutral
        )
        # The model may write breaks of the guard's again, if it was sent any.
        has_breaks = bool(asked.offer.tools) and any(map(_has_breaks, self.request.messages))
        self._restoring = Restoring() if has_breaks else None
        self._listen()

    def _listen(self) -> None:
        live = not self._holds_all
        calls = OutgoingCalls(self.asked, live, self._watch, work=self._work)
        calls.keeps_ids = self.is_native
        self._reply = _Reply(calls)
        tools = self.asked.needs_tools
        self._decoder = self._paradigm.decoder(self.asked.offer) if tools else _Verbatim()

    def _ended(self, reason: Reason | None = None, more: Sequence[Piece] = ()) -> list[Piece]:
        reason = reason or self._reason()
        stopped = reason == "stop" and self._reply.reason == STOP_SEQUENCE
        self.verdict = ended = Ended(reason, self.usage, stopped)
        return [*self._shaped(), *more, ended]

    def _shaped(self) -> list[Piece]:
        """What was held back; an answer in a shape is nothing but its JSON."""
        held, self._held = self._held, []
        found = in_shape(self._text(), self._shape, self._work) if self._shape else None
        if self._reply.calls.count or not isinstance(found, str):
            return held
        return [*(piece for piece in held if isinstance(piece, ReasoningDelta)), TextDelta(found)]

    def _text(self) -> str:
        return "".join(self._reply.text)

    def _reason(self) -> Reason:
        reply = self._reply
        if reply.was_cut and not (reply.calls.count and reply.calls.is_last_whole):
            return (
                "content_filter"
                if ending_of(reply.reason or "") is FinishKind.FILTERED
                else "length"
            )
        return "tool_calls" if reply.calls.count else "stop"

    def _failed(self, failure: Failed) -> list[Piece]:
        self.verdict = failure
        self._held.clear()
        return [failure]


def _text_of(paradigm: ToolContextDef) -> ToolContextDef:
    """The paradigm of text that *paradigm* is, or falls back on."""
    return paradigm.fallback if isinstance(paradigm, NativeTools) else paradigm


def _has_breaks(message: Message) -> bool:
    return BREAK in message.content or any(BREAK in each.content for each in message.results)


def _without_line_ends(text: str) -> str:
    """*text* without the empty lines that stand between a thought and the answer."""
    words = text.lstrip()
    blank = text[: len(text) - len(words)]
    return blank[blank.rfind("\n") + 1 :] + words
