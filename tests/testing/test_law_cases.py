"""What the laws are tried with knows the paradigm's own markers and the tools on offer."""

from __future__ import annotations

import pytest
from hypothesis import Phase, find, settings

from toolproto import (
    JsonCall,
    ToolContextDef,
    ToolOffer,
    WireFormat,
    WireParadigm,
    get_paradigm,
    list_paradigms,
)
from toolproto.testing import LAWS, STANDARD_OFFER, LawBroken, ParadigmLaws, broken_laws, laws
from toolproto.testing.growing import growing
from toolproto.testing.laws.broken import NUMBERS
from toolproto.testing.marks import marks_of
from toolproto.testing.strategies import cases_for
from toolproto.testing.traps import ODD, traps

#: Any example will do, the smallest need not be looked for.
ANY = settings(max_examples=2_000, database=None, phases=[Phase.generate])


class Bracket(WireParadigm):
    name = "bracket"
    wire = WireFormat(call=("[[call ", "]]"), payload=JsonCall(name="tool", arguments="with"))


class Undeclared(ToolContextDef):
    """Says nothing about its markers."""

    name = "undeclared"

    def instructions(self, offer):
        return "Write ☎name(arguments)☏."

    def encode_call(self, call):
        return f"☎{call.name}({dict(call.arguments)})☏"

    def encode_results(self, results):
        return "".join(f"☎☎{result.content}" for result in results)

    def decoder(self, offer=STANDARD_OFFER):
        return get_paradigm("hermes").decoder(offer)


def test_the_marks_of_a_paradigm_are_those_it_declares_and_writes():
    marks = marks_of(Bracket(), STANDARD_OFFER)
    assert {"[[call ", "]]", '[[call {"tool": "', '", "with": {"'} <= set(marks)
    assert {"☎", "({'", "'})☏\n☎", "☎☎"} <= set(marks_of(Undeclared(), STANDARD_OFFER))


@pytest.mark.parametrize("paradigm, opener", [(Bracket(), "[[call "), (Undeclared(), "☎")])
def test_calls_and_replies_hold_the_markers(paradigm, opener):
    cases = cases_for(paradigm, STANDARD_OFFER)
    find(cases.replies, lambda reply: opener in reply, settings=ANY)
    find(cases.calls, lambda call: opener in str(call.arguments), settings=ANY)
    find(cases.calls, lambda call: call.name in STANDARD_OFFER.names, settings=ANY)


def test_an_offer_without_tools_has_cases_too():
    cases = cases_for(Bracket(), ToolOffer())
    find(cases.calls, lambda call: call.arguments != {}, settings=ANY)
    assert traps(Bracket(), ToolOffer())


@pytest.mark.parametrize("name", list_paradigms())
def test_texts_that_grow_are_about_as_long_as_asked(name):
    for kind, grow in growing(get_paradigm(name), STANDARD_OFFER).items():
        lengths = [len(grow(size)) for size in (4_000, 8_000)]
        assert 1.7 < lengths[1] / lengths[0] < 2.3, kind


def test_odd_text_is_among_the_traps():
    assert ODD in traps(Bracket(), STANDARD_OFFER)


def test_every_law_has_a_number_and_a_test():
    assert set(NUMBERS) == set(LAWS)
    assert sorted(NUMBERS.values()) == list(range(1, 18))
    assert all(hasattr(ParadigmLaws, f"test_{law.replace(' ', '_')}") for law in LAWS)


def test_broken_laws_are_returned_each_with_its_name(monkeypatch):
    class Silent(Bracket):
        def stop(self, offer):
            return ("[[call",)

    # What grows takes most of the time, and has tests of its own.
    monkeypatch.setattr(ParadigmLaws, "growing", staticmethod(dict))
    broken = broken_laws(Silent(), examples=1)
    assert [error.law for error in broken] == ["stopping"]


@pytest.mark.parametrize("subject", ["hermez", 3, object, ToolContextDef, ToolOffer()])
def test_what_cannot_be_made_breaks_no_law_but_says_why(subject):
    with pytest.raises(LawBroken) as caught:
        laws.made(subject)
    assert caught.value.law == "exercise"
    assert "\n→ " in str(caught.value)


def test_a_paradigm_may_be_given_by_name_by_class_or_itself():
    assert laws.made("XML_Tag").name == "xml_tag"
    assert isinstance(laws.made(Bracket), Bracket)
    made = Bracket()
    assert laws.made(made) is made
