"""Forms whose inside is one's own, and declarations that cannot work."""

from __future__ import annotations

import json

import pytest

from toolproto import (
    CallRejected,
    CustomCall,
    JsonCall,
    NamedJson,
    ProblemKind,
    TaggedCall,
    TemplateCall,
    ToolCall,
    ToolOffer,
    ToolSpec,
    UsageError,
    WireFormat,
    WireParadigm,
)
from toolproto.protocol.guard.nonce import with_nonce
from toolproto.testing import laws

CITY = {"city": {"type": "string"}, "days": {"type": "integer"}}
OFFER = ToolOffer(
    (
        ToolSpec("get_weather", "Weather.", {"type": "object", "properties": CITY}),
        ToolSpec("now", "The time.", {"type": "object", "properties": {}}),
    )
)
OSLO = ToolCall("get_weather", {"city": "Oslo"})


class Command(WireParadigm):
    """``CALL get_weather WITH city="Oslo"; END``"""

    name = "command_in_a_test"
    wire = WireFormat(
        call=("CALL ", "END"),
        payload=TemplateCall("{name} WITH {arguments} ", argument="{key}={value};"),
    )


class Query(WireParadigm):
    """``?get_weather&"city"=…``, without a sign behind values."""

    name = "query_in_a_test"
    wire = WireFormat(
        call=("{{?", "}}"), payload=TemplateCall("{name}:{arguments}", "{key}: {value}", " & ")
    )


class Spelt(WireParadigm):
    """JSON in hexadecimal: whatever functions can write and read."""

    name = "spelt_in_a_test"
    wire = WireFormat(
        call=("<hex>", "</hex>"),
        payload=CustomCall(
            lambda call: json.dumps([call.name, dict(call.arguments)]).encode().hex(),
            lambda text: tuple(json.loads(bytes.fromhex(text))),
        ),
    )


FORMS = pytest.mark.parametrize("form", [Command(), Query(), Spelt()], ids=lambda form: form.name)
HARD = [
    ToolCall("now", {}),
    ToolCall("get_weather", {"city": 'CALL x END; "END" }} </hex> \n & : \\ é\u2028', "days": -3}),
    ToolCall("get_weather", {"END": 1.5, "two words": [{"a": [None, True, "]}"]}], "ENDING": {}}),
    ToolCall("get_weather", {"city": "END", "days": 0, "": ""}),
]


def test_a_phrase_is_written_as_declared():
    assert Command().encode_call(OSLO) == 'CALL get_weather WITH city="Oslo"; END'
    assert Query().encode_call(HARD[3]) == '{{?get_weather:city: "END" & days: 0 & "": ""}}'


@FORMS
@pytest.mark.parametrize("call", HARD, ids=str)
def test_what_is_written_is_read_in_any_pieces(form, call):
    laws.round_trip(form, call, OFFER)
    reply = f"I look.\n{form.encode_calls([call, OSLO])}\n"
    laws.chunking(form, reply, range(len(reply)), OFFER)
    laws.streamed_arguments(form, reply, OFFER)
    laws.lossless(form, reply, OFFER)
    assert form.parse_response(reply, OFFER).calls == [call, OSLO]


@FORMS
def test_every_beginning_is_read_without_an_error(form):
    reply = form.encode_call(HARD[1])
    for end in range(len(reply)):
        laws.totality(form, reply[:end], OFFER)


@pytest.mark.parametrize(
    "text, arguments, repairs",
    [
        ("CALL get_weather WITH city=Oslo; days=3 END", {"city": "Oslo", "days": 3}, "bare_string"),
        ('CALL get_weather WITH city="Oslo" days=3; END', None, "missing_separator"),
        ('CALL get_weather WITH {"city": "Oslo", "days": 3} END', None, ""),
        ('CALL get_weather   WITH\n city = "Oslo" ;\n days = 3 ;\nEND', None, ""),
        ('CALL get_weather WITH city="Os"lo"; END', {"city": 'Os"lo'}, "unescaped_quote"),
        ("CALL get_weather END", {}, ""),
        ('CALL get_weather WITH city="Oslo";', {"city": "Oslo"}, "missing_closer"),
    ],
)
def test_the_usual_drift_is_read(text, arguments, repairs):
    wanted = {"city": "Oslo", "days": 3} if arguments is None else arguments
    (call,) = Command().parse_response(text, OFFER).calls
    assert dict(call.arguments) == wanted
    assert ", ".join(repair.name for repair in call.repairs) == repairs


@pytest.mark.parametrize(
    "text", ["CALL get_weather WITH city=; END", "CALL get_weather WITH some words END"]
)
def test_what_cannot_be_read_says_how_to_write_it(text):
    (problem,) = Command().parse_response(text, OFFER).problems
    assert problem.kind is ProblemKind.MALFORMED and 'key="value";' in problem.message


def test_a_call_that_is_cut_is_truncated():
    parsed = Command().decoder(OFFER)
    parsed.feed('CALL get_weather WITH city="Os')
    (*_, last) = parsed.finish("length")
    assert last.problem.kind is ProblemKind.TRUNCATED


def test_a_text_that_only_a_function_can_read_is_truncated_wherever_it_is_cut():
    written = Spelt().encode_call(OSLO)
    for end in range(len("<hex>") + 1, written.index("</hex>") + 1):
        for pieces in ([written[:end]], written[:end]):
            events = laws.read_in_pieces(Spelt(), pieces, OFFER, "length")
            assert [type(each) for each in events] == [CallRejected]
            assert events[0].problem.kind is ProblemKind.TRUNCATED
            assert events[0].problem.raw == written[len("<hex>") : end]
    laws.truncation(Spelt(), ToolCall("now", {"a": "words and words"}), 0, OFFER)


def test_what_a_function_cannot_read_is_told_to_the_model():
    (problem,) = Spelt().parse_response("<hex>zz</hex>", OFFER).problems
    assert "non-hexadecimal" in problem.message


@pytest.mark.parametrize("form", [Command(), Query()], ids=lambda form: form.name)
def test_a_phrase_has_a_grammar(form):
    laws.grammar_accepts(form, [OSLO, HARD[0]], OFFER)
    for seed in range(5):
        laws.grammar_allows(form, OFFER, seed)


@FORMS
def test_a_nonce_goes_into_the_markers(form):
    secret = with_nonce(form, "qhzkwt")
    assert secret.parse_response(secret.encode_call(OSLO), OFFER).calls == [OSLO]
    assert secret.parse_response(form.encode_call(OSLO), OFFER).calls == []


def declared(**wire: object) -> type[WireParadigm]:
    return type("Made", (WireParadigm,), {"name": "made", "wire": WireFormat(**wire)})


MARKS = ("<c>", "</c>")
WRONG = [
    (lambda: declared(call="[["), "call='\\[\\['.*two markers"),
    (lambda: declared(call=("[[",)), "two markers"),
    (lambda: declared(section="<calls>"), "section=.*two markers"),
    (lambda: declared(also=("<a>", "</a>")), "also='<a>'.*two markers"),
    (lambda: declared(call=MARKS, payload=JsonCall), "JsonCall is a class; .*JsonCall\\(…\\)"),
    (lambda: declared(call=MARKS, payload="json"), "payload='json' has no 'family'"),
    (lambda: declared(call=("<{nme}>", "</c>")), "there is no {nme}; there are: {name}"),
    (lambda: declared(call=MARKS, result=""), "result=''"),
    (lambda: NamedJson("{nme}: {arguments}"), "there is no {nme}"),
    (lambda: NamedJson("{name}"), "form='{name}': expected {arguments}"),
    (lambda: TaggedCall(call=("<{nme}>", "</f>")), "there is no {nme}"),
    (lambda: TaggedCall(argument=("<{ky}>", "</f>")), "argument=.*there is no {ky}"),
    (lambda: TemplateCall("{nme} {arguments}"), "there is no {nme}"),
    (lambda: TemplateCall("{arguments} {name}"), "{name} and then {arguments}"),
    (lambda: TemplateCall(argument="{key}{value}"), "a sign must stand between"),
    (lambda: declared(call=("CALL ", ""), payload=TemplateCall()), "TemplateCall needs a marker"),
    (lambda: CustomCall("x", str), "write='x': expected a function"),
    (
        lambda: declared(call=MARKS, payload=CustomCall(lambda call: call.name, lambda text: None)),
        "Made cannot be read back: it writes '<c>look_up</c>'",
    ),
    (
        lambda: declared(call=MARKS, payload=NamedJson("do {name} on {arguments}")),
        "Made cannot be read back",
    ),
    (lambda: type("Made", (WireParadigm,), {"wire": "<c>"}), "Made.wire is '<c>'"),
]


@pytest.mark.parametrize("make, said", WRONG)
def test_a_declaration_that_cannot_work_is_refused_by_name(make, said):
    with pytest.raises(UsageError, match=said):
        make()
