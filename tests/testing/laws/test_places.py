"""Law 16: what counts as too plain, and of which forms a text says nothing."""

from __future__ import annotations

import pytest

from toolproto import JsonCall, ToolCall, WireFormat, WireParadigm
from toolproto.testing import STANDARD_OFFER, LawBroken, PlaceTemplate, laws
from toolproto.testing.laws.places import placed

OSLO = ToolCall("get_weather", {"city": "Oslo"})


class Bracket(WireParadigm):
    name = "bracket"
    wire = WireFormat(call=("[[call ", "]]"), payload=JsonCall(name="tool", arguments="with"))


class Special(Bracket):
    name = "special"
    wire = WireFormat(call=("<|call|>", "<|end|>"), payload=JsonCall())


class Fenced(Bracket):
    name = "fenced"
    wire = WireFormat(call=("```call\n", "\n```"), payload=JsonCall())


class Unquoted(Bracket):
    """Reads quoted calls as if nothing quoted them."""

    def decoder(self, offer=STANDARD_OFFER):
        decoder = super().decoder(offer)

        class Blind:
            finish = decoder.finish

            def feed(self, chunk):
                return decoder.feed(chunk.replace("“", " ").replace("> ", "  "))

        return Blind()


def template(text: str, *expected: str) -> PlaceTemplate:
    return PlaceTemplate(text, expected, "a test")


def test_what_is_read_at_each_call_is_told() -> None:
    text = template("{call}\n\n> {call}\n\nOk, {call}", "plain", "shown quote", "doubted sentence")
    for size in (None, 1, 7):
        told = placed(Bracket(), text, OSLO, STANDARD_OFFER, size=size)
        assert told == ["plain", "shown", "doubted sentence"]
        laws.place(Bracket(), text, OSLO, STANDARD_OFFER, size=size)


@pytest.mark.parametrize(
    "text, expected", [("“{call}”", "shown quotation"), ("> {call}", "shown quote")]
)
def test_a_plain_call_that_is_shown_breaks_the_law(text: str, expected: str) -> None:
    with pytest.raises(LawBroken, match=f"where it is {expected} \\(a test\\)"):
        laws.place(Unquoted(), template(text, expected), OSLO, STANDARD_OFFER)


def test_to_be_more_careful_breaks_no_law() -> None:
    laws.place(Bracket(), template("Ok, {call}", "plain"), OSLO, STANDARD_OFFER)


def test_words_around_a_special_token_prove_nothing() -> None:
    laws.place(Special(), template("Ok, {call}", "doubted sentence"), OSLO, STANDARD_OFFER)


@pytest.mark.parametrize(
    "form, text",
    [
        (Fenced(), "`x\n{call}"),  # a fence amid other code
        (Bracket(), "[{call}"),  # `[` and `[[call` are three of one sign
        (Bracket(), "``{call}``"),  # the whole reply, and nothing but code: read as a guess
    ],
)
def test_of_some_forms_a_text_says_nothing(form: WireParadigm, text: str) -> None:
    laws.place(form, template(text, "shown nowhere"), OSLO, STANDARD_OFFER)
