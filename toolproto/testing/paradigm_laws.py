"""The laws as a test class: a paradigm's author names the paradigm, and Hypothesis the cases.

::

    class TestBracket(ParadigmLaws):
        paradigm = Bracket()
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from random import Random
from typing import Any, ClassVar

from ..package import install_command
from ..protocol.describe.samples import example_call
from ..protocol.errors import UsageError
from ..protocol.messages import ToolCall, ToolResult
from ..protocol.paradigms.base import NO_TOOLS, ToolContextDef
from ..protocol.tools.offers import Offerable, as_offer
from ..protocol.tools.spec import ToolOffer
from . import laws

try:
    from hypothesis import strategies as st
    from hypothesis.strategies import SearchStrategy
except ImportError as error:
    raise UsageError(
        f"the laws draw their cases with Hypothesis: {install_command('testing')}"
    ) from error

from .drawing import hold
from .growing import PROSE, growing, half_openers
from .hostile import hostile_text
from .laws import LawBroken
from .offers import STANDARD_OFFER
from .places import TEMPLATES, Placing
from .schemas import random_call, random_offer
from .strategies import Cases, cases_for, cuts, placings, prose
from .traps import trap_calls, traps

__all__ = ["ParadigmLaws", "broken_laws", "law_tests"]

_RESULT = ToolResult(ToolCall("get_weather", {"city": "Oslo"}, "call_7"), "12 °C </tool_result>")
_PLAIN = ToolCall("write_file", {"content": "x = 1\n    y\n", "path": "where it always was"})


class ParadigmLaws:
    """One test for each law that every paradigm keeps.

    *paradigm* is the one to try: an instance, a class or a registered name. *offer* are the tools
    it is tried with, *examples* how many cases Hypothesis draws for a law (None: as many as its
    profile says), and *size* the characters of the smaller of two texts whose costs are compared.
    """

    paradigm: ClassVar[Any] = None
    offer: ClassVar[ToolOffer] = STANDARD_OFFER
    examples: ClassVar[int | None] = None
    size: ClassVar[int] = 10_000

    def growing(self) -> Mapping[str, Callable[[int], str]]:
        """The texts on which the work is measured: functions from a size to a reply."""
        return growing(self._exercised(), self.offer)

    def test_it_can_be_exercised(self) -> None:
        """It can be made, and each of its methods answers."""
        self._exercised()

    def test_round_trip(self) -> None:
        """Law 1: what it writes it reads back, markers in the arguments and all."""
        made, cases = self._subject()

        def check(call: ToolCall) -> None:
            laws.round_trip(made, call, self.offer)

        self._try("round trip", check, cases.calls)
        for call in trap_calls(made, self.offer):
            _by_argument(check, call)

    def test_chunking(self) -> None:
        """Law 2: however a reply is cut, it reads the same."""
        made, cases = self._subject()

        def check(case: tuple[str, list[int]]) -> None:
            reply, places = case
            laws.chunking(made, reply, places, self.offer)
            laws.chunking(made, reply, range(len(reply)), self.offer)

        self._try("chunking", check, st.tuples(cases.replies, cuts))
        for reply in traps(made, self.offer):
            check((reply, [len(reply) // 2]))

    def test_totality(self) -> None:
        """Law 3: no text raises."""
        made = self._exercised()

        def check(text: str) -> None:
            laws.totality(made, text, self.offer)
            laws.totality(made, text, NO_TOOLS)

        self._try_replies("totality", check)

    def test_streaming_arguments(self) -> None:
        """Law 4: the pieces of an argument join to the argument."""
        made = self._exercised()
        self._try_replies(
            "streaming arguments",
            lambda reply: laws.streamed_arguments(made, reply, self.offer),
        )

    def test_lossless(self) -> None:
        """Law 5: every character of a reply is somewhere."""
        made = self._exercised()
        self._try_replies("lossless", lambda reply: laws.lossless(made, reply, self.offer))

    def test_promptness(self) -> None:
        """Law 6: prose and arguments are shown while they come."""
        made = self._exercised()
        for text in (*PROSE, *half_openers(made)):
            laws.promptness(made, text, self.offer)
        for call in _wordy_calls(self.offer):
            laws.promptness(made, call, self.offer)

    def test_linearity(self) -> None:
        """Law 7: twice the text is twice the work."""
        made = self._exercised()
        for grow in self.growing().values():
            laws.linearity(made, grow, self.offer, clock=time.process_time, size=self.size)

    def test_teaching(self) -> None:
        """Law 8: the model is told all it needs."""
        made, cases = self._subject()
        laws.teaching(made, self.offer, [_RESULT])
        self._try(
            "teaching",
            lambda results: laws.teaching(made, self.offer, results),
            cases.results,
            few=True,
        )

    def test_grammar(self) -> None:
        """Law 9: what the grammar accepts may run, and what is written as asked is accepted."""
        made = self._exercised()
        self._try(
            "grammar",
            lambda seed: self._grammar_trial(made, seed),
            st.integers(0, 2**32),
            few=True,
        )

    def _grammar_trial(self, made: ToolContextDef, seed: int) -> None:
        """Hold law 9 against the paradigm's tools, and against tools drawn from *seed*."""
        random = Random(seed)
        for offer in (self.offer, random_offer(random)):
            laws.grammar_allows(made, offer, seed)
            if offer.tools:
                calls = [random_call(random, offer) for _ in range(1 + seed % 2)]
                laws.grammar_accepts(made, calls, offer)

    def test_inertness(self) -> None:
        """Law 10: what the model was told runs nothing when it quotes it."""
        made, cases = self._subject()
        self._try(
            "inertness",
            lambda results: laws.inertness(made, self.offer, [*results, _RESULT]),
            cases.results,
            few=True,
        )

    def test_sequence(self) -> None:
        """Law 11: several calls are as many calls."""
        made, cases = self._subject()
        plain = example_call(self.offer) or _PLAIN
        laws.sequence(made, [plain, _PLAIN, plain], self.offer)
        self._try(
            "sequence",
            lambda call: laws.sequence(made, [call, _PLAIN, call], self.offer),
            cases.calls.filter(lambda call: call.name != _PLAIN.name),
        )

    def test_freshness(self) -> None:
        """Law 12: two replies that are read at once do not mix."""
        made, cases = self._subject()
        self._try(
            "freshness",
            lambda both: laws.freshness(made, both[0], both[1], self.offer),
            st.tuples(cases.replies, cases.replies),
            few=True,
        )

    def test_verbatim(self) -> None:
        """Law 13: prose stays as it is."""
        made = self._exercised()
        self._try("verbatim", lambda text: laws.verbatim(made, text, self.offer), prose)

    def test_truncation(self) -> None:
        """Law 14: half a call is no call."""
        made, cases = self._subject()
        for cut in range(0, len(made.encode_call(_PLAIN)), 5):
            laws.truncation(made, _PLAIN, cut, self.offer)
        self._try(
            "truncation",
            lambda case: laws.truncation(made, case[0], case[1], self.offer),
            st.tuples(cases.calls, st.integers(0, 10_000)),
        )

    def test_stopping(self) -> None:
        """Law 15: no stop sequence ends a reply in the middle of a call."""
        made = self._exercised()
        laws.stopping(made, [_PLAIN, example_call(self.offer) or _PLAIN], self.offer)

    def test_place(self) -> None:
        """Law 16: a call that is only shown is never a plain one."""
        made = self._exercised()
        call = example_call(self.offer) or _PLAIN

        def check(placing: Placing) -> None:
            laws.place(made, placing.judged(), call, self.offer)
            laws.place(made, placing.judged(), call, self.offer, size=1)

        for template in TEMPLATES:
            laws.place(made, template, call, self.offer)
        self._try("place", check, placings)

    def test_neutrality(self) -> None:
        """Law 17: what a stranger wrote calls nothing when the model repeats it."""
        made = self._exercised()
        self._try(
            "neutrality",
            lambda seed: laws.neutrality(made, hostile_text(Random(seed), made), self.offer),
            st.integers(0, 2**32),
        )

    # -- how they are tried -----------------------------------------------------------------

    def _exercised(self) -> ToolContextDef:
        __tracebackhide__ = True
        if self.paradigm is None:
            raise UsageError(
                f"{type(self).__name__}.paradigm is not set; write: paradigm = Bracket()"
            )
        made = laws.made(self.paradigm)
        laws.exercise(made, self.offer)
        return made

    def _subject(self) -> tuple[ToolContextDef, Cases]:
        __tracebackhide__ = True
        made = self._exercised()
        return made, cases_for(made, self.offer)

    def _try_replies(self, law: str, check: Callable[[str], None]) -> None:
        """Hold *law* against replies: drawn ones, which can be made smaller, then known traps."""
        __tracebackhide__ = True
        made, cases = self._subject()
        self._try(law, check, cases.replies)
        for reply in traps(made, self.offer):
            check(reply)

    def _try(
        self,
        law: str,
        check: Callable[[Any], None],
        strategy: SearchStrategy[Any],
        *,
        few: bool = False,
    ) -> None:
        """Hold *law* against what *strategy* draws."""
        __tracebackhide__ = True
        name = f"{law} of {type(self).__qualname__}"
        hold(check, strategy, name=name, examples=self.examples, few=few)


def _wordy_calls(offer: ToolOffer) -> list[ToolCall]:
    """A call with a long text of words, if a tool of *offer* takes a string."""
    words = " ".join(f"word{number} of many" for number in range(100))
    for tool in offer.tools:
        for key, schema in tool.properties.items():
            if isinstance(schema, Mapping) and schema.get("type") == "string":
                return [ToolCall(tool.name, {key: words})]
    return []


def _by_argument(check: Callable[[ToolCall], None], call: ToolCall) -> None:
    """*check* a call of many arguments; what one of them breaks is shown with that one alone."""
    try:
        check(call)
    except LawBroken:
        for key, value in call.arguments.items():
            check(ToolCall(call.name, {key: value}))
        raise


def broken_laws(
    paradigm: Any,
    *,
    offer: Offerable = STANDARD_OFFER,
    examples: int | None = None,
) -> list[LawBroken]:
    """Try every law on *paradigm*; return those it breaks, each with a small case."""
    chosen = {"paradigm": paradigm, "offer": as_offer(offer), "examples": examples}
    trial = type(ParadigmLaws.__name__, (ParadigmLaws,), chosen)()
    return [error for test in law_tests(trial).values() if (error := _failure(test))]


def law_tests(suite: ParadigmLaws) -> dict[str, Callable[[], None]]:
    """The tests of *suite* by what they are called behind ``test_``."""
    names = [name for name in dir(suite) if name.startswith("test_")]
    return {name.removeprefix("test_"): getattr(suite, name) for name in names}


def _failure(test: Callable[[], None]) -> LawBroken | None:
    try:
        test()
    except LawBroken as error:
        return error
    return None
