"""ToolContextDef: one paradigm, both directions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any, ClassVar

from ..decoding.contract import Decoder, Limits
from ..decoding.place import PLAIN, PlaceTracker
from ..decoding.reply.decoder import ReplyDecoder
from ..decoding.reply.thinking_tokens import Reasoning
from ..decoding.reply_form import MarkedForm, ReplyForm
from ..describe.base import Style
from ..describe.description import Description, Presentation, presented
from ..describe.requests import example_turns
from ..describe.text import shared_beginning
from ..errors import UsageError
from ..events import merge
from ..grammar.answers import answer_grammar
from ..grammar.ir import Grammar
from ..grammar.reply_grammar import CallForm, made_once
from ..guard.neutralise import neutraliser
from ..guard.neutralise_openers import FormReading
from ..messages import (
    Attachment,
    CallProblem,
    IdFactory,
    Message,
    ProblemKind,
    ToolCall,
    ToolResult,
    random_id,
)
from ..tools.offers import Offerable, as_offer
from ..tools.spec import ToolOffer
from .parsed import ParsedResponse
from .results import worded_result
from .retelling import PLAIN_NAME, ShownMessage, behind_messages, retold
from .salvage import salvaging
from .splice import spliced
from .teaching import BALANCED, Teaching, WriteCalls, taught_before, teaching_of

__all__ = ["NO_TOOLS", "ToolContextDef"]

NO_TOOLS = ToolOffer()


class ToolContextDef(ABC):
    """How one paradigm describes tools to the model and reads its calls.

    Paradigms differ in four methods. A paradigm has no state: ``decoder`` is called once for each
    reply, and the decoder keeps the state. Whatever ``encode_call`` writes, ``decoder`` reads back
    as the same call.

    Where its methods take an offer, they take tools, specs, functions or a registry as well.

    *ids* makes the ids of calls to which the model gave none, *reasoning* says how the model writes
    its thoughts, and *limits* what one call may cost to read. With *salvage*, calls of offered
    tools in any other form are read too, with a repair that says so. *describe* is how the tools
    are shown: a style by name, or a :class:`~toolproto.protocol.describe.Presentation`; *teaching*
    is how the instructions are made: a preset by name, or a :class:`~.teaching.Teaching`.
    """

    name: ClassVar[str]
    #: Are the arguments of a call handed out while they are being written?
    streams_arguments: ClassVar[bool] = True
    #: What begins and ends a thought in its replies only, beside ``THINKING_TOKENS``.
    thinking: ClassVar[tuple[tuple[str, str], ...]] = ()

    def __init__(
        self,
        *,
        ids: IdFactory = random_id,
        reasoning: Reasoning | None = None,
        limits: Limits | None = None,
        salvage: bool = False,
        describe: str | Style | Presentation | None = None,
        teaching: str | Teaching | None = None,
    ) -> None:
        self.ids = ids
        self.reasoning = (reasoning or Reasoning()).beside(self.thinking)
        # How the model thinks, if anybody said that it does.
        self._thinking = self.reasoning if reasoning else None
        self.limits = limits or Limits()
        self.salvage = salvage
        self.teaching = teaching_of(self._usual_teaching() if teaching is None else teaching)
        self.presentation = presented(self.teaching.style if describe is None else describe)

    def __repr__(self) -> str:
        return f"<paradigm {self.name}>"

    @abstractmethod
    def instructions(self, offer: ToolOffer) -> str:
        """The text that teaches a model this paradigm and the tools of *offer*."""

    @abstractmethod
    def encode_call(self, call: ToolCall) -> str:
        """*call* as the model would have written it."""

    @abstractmethod
    def encode_results(self, results: Sequence[ToolResult]) -> str:
        """The results as the model is shown them: the body of a user message."""

    @abstractmethod
    def decoder(self, offer: ToolOffer = NO_TOOLS) -> Decoder:
        """A fresh reader for one reply; *offer* names the tools it may meet."""

    def _usual_teaching(self) -> Teaching:
        """How a model is taught this paradigm, unless ``teaching=`` says otherwise."""
        return BALANCED

    def _taught(self, offer: ToolOffer, how: str) -> str:
        """Instructions in the usual parts; *how* is one sentence on what a call looks like."""
        return taught_before(as_offer(offer), self._write, how, self.teaching, self.presentation)

    @property
    def _write(self) -> WriteCalls:
        """How the calls are written that its instructions show."""
        return self.encode_calls

    def _reply_decoder(self, form: ReplyForm, offer: ToolOffer) -> Decoder:
        """The reader of replies in *form*, with this paradigm's options."""
        form = salvaging(form) if self.salvage else form
        return ReplyDecoder(
            form,
            as_offer(offer),
            ids=self.ids,
            reasoning=self.reasoning,
            limits=self.limits,
            name=getattr(self, "name", type(self).__name__),
        )

    def _reply_form(self) -> ReplyForm:
        """How calls look in its replies, as far as that is known.

        A paradigm with a reader of its own is known by what its calls begin with.
        """
        first, second = (self.encode_call(ToolCall(name, {}, "call_1")) for name in ("a", "b"))
        opener = shared_beginning(first, second).strip("\n")
        return ReplyForm(calls=(MarkedForm(opener),) if opener.strip() else ())

    @cached_property
    def reading(self) -> FormReading:
        """What text from outside must not hold, lest it be read as a call."""
        return _reading(self._reply_form(), self.reasoning, self.salvage)

    def neutralise(self, text: str) -> str:
        """*text* from outside, changed so that nothing in it opens a call or a result."""
        return neutraliser(self).neutralise(text)

    def nonced(self, nonce: str) -> ToolContextDef:
        """The same paradigm with *nonce* in its markers: see
        :mod:`toolproto.protocol.guard.nonce`."""
        raise UsageError(
            f"{self.name} declares no markers, so none can carry a nonce; leave nonce off, or"
            f" implement {type(self).__name__}.nonced"
        )

    def _as(self, kind: type[ToolContextDef]) -> ToolContextDef:
        """One of *kind*, which differs from this in what it declares, with the same options.

        It reads no calls of other forms, whatever this does.
        """
        made = copy(self)
        made.__class__ = kind
        for derived in ("_form", "reading"):
            made.__dict__.pop(derived, None)
        made.salvage = False
        return made

    def described(self, offer: Offerable) -> Description:
        """The tools as the instructions show them, and what was left out to stay within budget."""
        return self.presentation.describe(offer, self.encode_call)

    def splice_system_prompt(self, prompt: str, offer: Offerable) -> str:
        """*prompt* with the instructions for *offer* in it; splicing again replaces them."""
        known = as_offer(offer)
        return spliced(prompt, self.instructions(known) if known.tools else "")

    def parse_response(self, text: str, offer: Offerable = NO_TOOLS) -> ParsedResponse:
        """Read a whole reply, as a stream of one piece."""
        decoder = self.decoder(as_offer(offer))
        return ParsedResponse(text, tuple(merge([*decoder.feed(text), *decoder.finish()])))

    def format_results(self, results: Sequence[ToolResult]) -> list[Message]:
        """The user messages that bring *results* to the model."""
        if not results:
            return []
        return [Message("user", self.encode_results(results), results=tuple(results))]

    def format_problem(self, problem: CallProblem) -> str:
        """What the model is told when one of its calls cannot be used."""
        # A name goes back to the model only if it can be nothing but a name.
        named = problem.name is not None and PLAIN_NAME.fullmatch(problem.name)
        which = f"Your call of {problem.name!r}" if named else "Your tool call"
        if problem.kind is ProblemKind.DOUBTED:
            return f"{which} was not run: {problem.message}."
        if problem.kind is ProblemKind.FABRICATED_RESULT:
            reply = f"Your reply could not be used: {problem.message}."
            return f"{reply} Results come from outside: write a call, or answer in plain words."
        advice = [f"{which} could not be used: {problem.message}."]
        if problem.suggestions and "did you mean" not in problem.message:
            advice.append(f"Did you mean {' or '.join(problem.suggestions)}?")
        # A tool that is not there is not to be called again, however it is written; and the calls
        # beside this one have run: told only to write it again, a model booked a flight four times.
        missing = problem.kind is ProblemKind.UNKNOWN_TOOL and not problem.suggestions
        again = "Write only this call again, all of it, in exactly the form you were shown."
        advice.append("Call one of these, or answer in plain words." if missing else again)
        return " ".join(advice)

    def encode_calls(self, calls: Sequence[ToolCall]) -> str:
        """Several calls as the model would have written them in one reply."""
        return "\n".join(self.encode_call(call) for call in calls)

    def encode_history(self, messages: Sequence[Message]) -> list[Message]:
        """*messages* with their calls and results rendered into the text, ready to be sent."""
        return [self._as_text(message) for message in messages]

    def encode_conversation(
        self, messages: Sequence[Message], offer: Offerable | None = None
    ) -> list[Message]:
        """Like :meth:`encode_history`, with what the teaching says behind requests and results.

        A line tells the model what to do next, and steps that led to nothing are left out. Tools
        of *offer* that a message brings are shown behind it. What was rendered is only added to
        when the conversation grows, so that prompts stay prefixes of each other.
        """
        teaching, write = self.teaching, self._write_one
        told = retold(messages, write) if teaching.corrections else [*map(ShownMessage, messages)]
        shown = [each.message for each in told]
        rendered = self.encode_history(shown)
        known = None if offer is None else as_offer(offer)
        behind = behind_messages(shown, teaching, write, known)
        return [
            self._with_notes(each, text, line)
            for each, text, line in zip(told, rendered, behind, strict=True)
        ]

    def _with_notes(self, told: ShownMessage, rendered: Message, line: str) -> Message:
        if not line and not told.notes:
            return rendered
        results, said = told.message.results, rendered.content
        if line and results and not self.teaching.worded_results:
            said = self._results_to_use(results)
        parts = (said, line, "\n".join(told.notes))
        return replace(rendered, content="\n\n".join(part for part in parts if part))

    def _write_one(self, call: ToolCall) -> str:
        return self._write([call])

    def _worded_results(self, results: Sequence[ToolResult]) -> str:
        """*results* behind words, for models that would write tags of results themselves."""
        written = (worded_result(each, self.neutralise, self._writes_ids) for each in results)
        return "\n".join(written)

    @property
    def _writes_ids(self) -> bool:
        """Whether a call has an id, by which its result is known."""
        return False

    def _results_to_use(self, results: Sequence[ToolResult]) -> str:
        """*results* as they are written where the model is told how to go on."""
        return self.encode_results(results)

    def _as_text(self, message: Message) -> Message:
        if message.role == "assistant" and message.calls:
            written, said = self.encode_calls(message.calls), message.content.strip()
            return Message("assistant", f"{said}{_gap(said)}{written}")
        if message.results:
            shown = tuple(
                each
                for result in message.results
                for each in result.attachments
                if isinstance(each, Attachment)
            )
            worded = self.teaching.worded_results
            write = self._worded_results if worded else self.encode_results
            written = write(message.results)
            return Message(message.role, written, attachments=(*shown, *message.attachments))
        return Message(message.role, message.content, attachments=message.attachments)

    def examples(self, offer: Offerable) -> list[Message]:
        """Requests and their calls as chat turns, for models too small for instructions."""
        return [
            message
            for request, call in example_turns(as_offer(offer))
            for message in (
                Message("user", request),
                Message("assistant", self.encode_call(call)),
            )
        ]

    def stop(self, offer: ToolOffer) -> tuple[str, ...]:
        """Where generation should stop; never a text that may occur inside an argument.

        Usually nothing: a model may write any text to a file, even the marker that opens a result.
        The decoder finds made-up results by itself: see
        :func:`~toolproto.protocol.decoding.contract.is_over`.
        """
        return ()

    def grammar(self, offer: ToolOffer) -> Grammar | None:
        """The replies that *offer* allows, for endpoints that can hold a model to them.

        None if there is no such grammar: the paradigm does not say how its calls are written, or a
        call is demanded that cannot be made. It is made once for each offer.
        """
        form = self._call_form()
        return made_once(type(self), form, as_offer(offer), self._thinking) if form else None

    def answer_grammar(self, schema: Mapping[str, Any]) -> Grammar | None:
        """The grammar of a reply that is one JSON object of *schema*: an answer, not a call."""
        return answer_grammar(schema, self._thinking)

    def _call_form(self) -> CallForm | None:
        """How calls are written, for the grammar; None if that is not known."""
        return None


@lru_cache(maxsize=256)
def _reading(form: ReplyForm, reasoning: Reasoning, salvage: bool) -> FormReading:
    """One for all paradigms that read alike: what makes text neutral to them hangs on it."""
    every = salvaging(form)
    return FormReading(every if salvage else form, reasoning, every.calls)


def _gap(said: str) -> str:
    """What to write between the words *said* and a call, so that it stands in the open."""
    if not said:
        return ""
    place = PlaceTracker()
    place.feed(f"{said}\n")
    return "\n" if place.before() == PLAIN else "\n\n"
