"""Private values: hidden before they are sent, put back into what comes."""

from __future__ import annotations

import json
import random
import re
from base64 import b64encode
from html import escape
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.amount import amount, some_paradigms, together
from toolproto.conversation.masking import Masking, random_nonce
from toolproto.protocol.errors import UsageError
from toolproto.protocol.events import (
    ArgumentsDelta,
    CallCompleted,
    CallRejected,
    CallStarted,
    ReasoningDelta,
    TextDelta,
    merge,
)
from toolproto.protocol.messages import (
    Attachment,
    CallProblem,
    ChatRequest,
    Message,
    ProblemKind,
    Span,
    ToolCall,
    ToolResult,
)
from toolproto.protocol.paradigms import get_paradigm
from toolproto.protocol.tools import ToolOffer, ToolSpec

NONCE = "4F9A2C1B"
NAME = f"PRIVATE-NAME-{NONCE}"
NAME2 = f"PRIVATE-NAME2-{NONCE}"
IBAN = f"PRIVATE-IBAN-{NONCE}"


def masking_of(**fields) -> Masking:
    return Masking(fields, nonce=lambda: NONCE)


ADA = masking_of(name="Ada Lovelace", iban="DE89 3704")


def unmasked(masking: Masking, events):
    unmasker = masking.unmasker()
    return [*unmasker.feed(events), *unmasker.finish()]


# -- hiding ---------------------------------------------------------------------------------


def test_every_occurrence_is_hidden():
    text = "Ada Lovelace (DE89 3704), that is Ada Lovelace"
    assert ADA.mask_text(text) == f"{NAME} ({IBAN}), that is {NAME}"


def test_a_value_in_the_middle_of_a_row_of_percent_escapes_is_hidden_whole():
    row = "".join(f"%{ord(char):02X}" for char in "xx-Ada Lovelace-yy")
    before, behind = "%78%78%2D", "%2D%79%79"
    assert ADA.mask_text(f"q={row}&z=1") == f"q={before}{ADA.mask_text(row[9:-9])}{behind}&z=1"
    assert "%6C" not in ADA.mask_text(row)


def test_the_contents_of_messages_are_hidden():
    sent = ADA.mask([Message("system", "Serve Ada Lovelace."), Message("user", "hi")])
    assert sent == [Message("system", f"Serve {NAME}."), Message("user", "hi")]


def test_a_message_without_anything_private_is_passed_on():
    message = Message("user", "hi")
    assert ADA.mask([message])[0] is message


def test_thoughts_are_hidden_too():
    assert (
        ADA.mask([Message("assistant", "", reasoning="Ada Lovelace?")])[0].reasoning == f"{NAME}?"
    )


def test_calls_and_results_are_hidden_where_they_are_values():
    call = ToolCall("f", {"who": ["Ada Lovelace"]}, "a1")
    letter = Attachment("text/plain", data=b64encode(b"Dear Ada Lovelace").decode())
    result = ToolResult(call, f"{NAME} is Ada Lovelace", attachments=(letter,))
    said, told = ADA.mask(
        [Message("assistant", "", (call,)), Message("user", "", results=(result,))]
    )
    hidden = ToolCall("f", {"who": [NAME]}, "a1")
    assert said == Message("assistant", "", (hidden,))
    # A tool's result that holds a placeholder has it from somebody else.
    shown = Attachment("text/plain", data=b64encode(f"Dear {NAME}".encode()).decode())
    assert told.results == (ToolResult(hidden, f"placeholder is {NAME}", attachments=(shown,)),)


def test_tools_that_are_offered_as_values_are_hidden():
    schema = {"type": "object", "properties": {"who": {"enum": ["Ada Lovelace", "Bob"]}}}
    offer = ToolOffer((ToolSpec("f", "Calls Ada Lovelace.", schema),))
    asked = ADA.mask_request(ChatRequest((), offer=offer), ())
    (tool,) = asked.offer.tools
    assert tool.description == f"Calls {NAME}."
    assert tool.properties["who"] == {"enum": [NAME, "Bob"]}


def test_a_field_may_have_several_values():
    masking = masking_of(name=["Ada Lovelace", "Augusta"])
    assert masking.mask_text("Augusta, Ada Lovelace") == f"{NAME2}, {NAME}"


def test_the_longest_value_goes_first():
    masking = masking_of(name=["Ada", "Ada Lovelace", "da Lovelace of"])
    # However far left a shorter one begins.
    assert masking.mask_text("Ada Lovelace of") == f"A{placeholder(masking, 'da Lovelace of')}"
    assert masking.mask_text("Ada Lovelace") == placeholder(masking, "Ada Lovelace")
    assert masking.mask_text("Ada!") == f"{NAME}!"


def placeholder(masking: Masking, value: str) -> str:
    hidden = masking.mask_text(value)
    assert masking.unmask_text(hidden) == value != hidden
    return hidden


def test_a_value_in_two_fields_has_one_placeholder():
    masking = masking_of(name="Ada Lovelace", author="Ada Lovelace")
    assert masking.mask_text("Ada Lovelace") == NAME


def test_field_names_that_look_alike_stay_apart():
    fields = {
        "e-mail": "a@b.example",
        "email": "c@d.example",
        "EMAIL2": "e@f.example",
        "名": "李白",
    }
    masking = Masking(fields, nonce=lambda: NONCE)
    hidden = [placeholder(masking, value) for value in fields.values()]
    assert len(set(hidden)) == 4
    assert hidden[0] == f"PRIVATE-EMAIL-{NONCE}" and hidden[3] == f"PRIVATE-VALUE-{NONCE}"


def test_a_placeholder_needs_no_escaping_anywhere():
    masking = masking_of(**{"x" * 500: "value one"}, **{'<|"\\\n`_*': "value two"})
    for value in ("value one", "value two"):
        hidden = placeholder(masking, value)
        assert hidden.isascii() and len(hidden) < 48
        assert set(hidden) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-")
        assert json.dumps(hidden) == f'"{hidden}"'


NASTY = 'Ada "the\\first" Lövelace\n李 😀 </script>\t&'
SPELLINGS = {
    "plain": lambda text: text,
    "json": lambda text: json.dumps(text, ensure_ascii=False),
    "ascii json": json.dumps,
    "json in json": lambda text: json.dumps(json.dumps({"a": text})),
    "json in json in json": lambda text: json.dumps(json.dumps(json.dumps([text]))),
    "slashes escaped": lambda text: json.dumps(text).replace("/", "\\/"),
    "capital hex": lambda text: json.dumps(text).replace("\\u00f6", "\\u00F6"),
    "needless escapes": lambda text: "".join(f"\\u{ord(c):04x}" for c in text if c < "\uffff"),
    "html": escape,
    "html in json": lambda text: json.dumps(escape(text)),
    "python": repr,
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_value_is_hidden_however_it_is_spelled(spelling):
    value = NASTY.replace("😀", "") if spelling == "needless escapes" else NASTY
    text = f"{{before}} {SPELLINGS[spelling](value)} [behind]"
    hidden = masking_of(name=value).mask_text(text)
    assert NAME in hidden and "velace" not in hidden and "6c00" not in hidden
    assert hidden.startswith("{before} ") and hidden.endswith(" [behind]")


ALIKE = {
    "capitals": "ADA LOVELACE",
    "small letters": "ada lovelace",
    "a no-break space": "Ada\u00a0Lovelace",
    "a narrow no-break space": "Ada\u202fLovelace",
    "an entity": "Ada&nbsp;Lovelace",
    "a line end": "Ada\nLovelace",
    "a wrapped line": "Ada\r\n    Lovelace",
    "a line end in JSON": "Ada\\nLovelace",
    "two blanks": "Ada  Lovelace",
    "a blank nobody sees": "Ada \u200bLovelace",
    "a soft hyphen": "Ada Love\u00adlace",
    "a URL": "Ada%20Lovelace",
    "a query": "Ada+Lovelace",
    "wide letters": "Ａｄａ Ｌｏｖｅｌａｃｅ",
    "all of it": '{"name": "ADA\\u00a0\\n LOVELACE"}',
}


@pytest.mark.parametrize("spelling", ALIKE.values(), ids=list(ALIKE))
def test_a_value_that_only_looks_otherwise_is_hidden_too(spelling):
    masking = masking_of(name="Ada Lovelace")
    text = f"before {spelling} behind"
    hidden = masking.mask_text(text)
    assert re.search("(?i)love|ada", hidden) is None
    assert hidden.startswith("before ") and hidden.endswith(" behind")


@pytest.mark.parametrize(
    "given", ["DE89 3704 0044 0532", "DE89370400440532", "DE89-3704-0044-0532"]
)
@pytest.mark.parametrize(
    "shown", ["DE89 3704 0044 0532", "de8937 0400440532", "DE89.3704.00440532"]
)
def test_a_number_is_hidden_however_it_is_grouped(given, shown):
    hidden = masking_of(iban=given).mask_text(f"to {shown}, please, 370400 or not")
    assert "0532" not in hidden and hidden.endswith(", please, 370400 or not")


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_accents_are_the_same_behind_their_letters(form):
    masking = masking_of(name=normalize(form, "Zoë Åström"))
    for other in ("NFC", "NFD"):
        text = normalize(other, "von ZOË Åström, é")
        hidden = masking.mask_text(text)
        assert hidden.startswith("von PRIVATE-NAME") and hidden.endswith(text[-2:].strip())
        assert "str" not in hidden


@pytest.mark.parametrize(
    "name", ["Straße 1", "STRASSE 1", "strasse 1", "ﬃliate Straße 1"], ids=ascii
)
def test_letters_that_are_two_in_capitals_are_the_same(name):
    masking = masking_of(name=name)
    for spelling in (name.upper(), name.lower(), name.casefold(), name):
        assert masking.mask_text(f"<{spelling}>").startswith("<PRIVATE-NAME")
        assert masking.unmask_text(masking.mask_text(f"<{spelling}>")) == f"<{spelling}>"


@given(st.lists(st.sampled_from(["Ada Lovelace", "ADA lovelace", "x", " ", "ß", "ada\nLOVELACE"])))
def test_every_spelling_comes_back_as_it_was_written(pieces):
    # A path in small letters that came back in capitals would be another path.
    masking, text = masking_of(name="Ada Lovelace"), "|".join(pieces)
    assert masking.unmask_text(masking.mask_text(text)) == text


def test_a_spelling_keeps_its_placeholder():
    masking = masking_of(name="Ada Lovelace")
    first = masking.mask_text("ADA LOVELACE, ada lovelace")
    assert masking.mask_text("ADA LOVELACE, ada lovelace") == first
    assert len(set(first.split(", "))) == 2


def test_the_spellings_that_are_told_apart_are_bounded():
    masking = masking_of(name="abcdefghijkl")
    for number in range(amount(600, 3000)):
        letters = zip("abcdefghijkl", f"{number:012b}", strict=True)
        spelled = "".join(char.upper() if bit == "1" else char for char, bit in letters)
        assert masking.mask_text(spelled).startswith("PRIVATE-NAME")
    assert len(masking._placeholders.values) < 300


def test_two_values_that_look_alike_have_their_own_placeholders():
    masking = masking_of(name=["Ada", "ADA"])
    assert masking.mask_text("Ada ADA ada") == f"{NAME} {NAME2} PRIVATE-NAME3-{NONCE}"
    assert masking.unmask_text(masking.mask_text("Ada ADA ada")) == "Ada ADA ada"


@pytest.mark.parametrize("spelling", ["json", "ascii json", "slashes escaped"])
def test_json_stays_json(spelling):
    text = SPELLINGS[spelling](NASTY)
    assert json.loads(masking_of(name=NASTY).mask_text(text)) == NAME


@given(st.text(max_size=40), st.text(max_size=40))
def test_a_value_inside_json_is_hidden_and_the_rest_stays(before, behind):
    text = json.dumps({"k": [before, f"{before}{NASTY}{behind}"]})
    told = json.loads(masking_of(name=NASTY).mask_text(text))
    assert told == {"k": [before, f"{before}{NAME}{behind}"]}


@given(st.text(alphabet='\\"nu00e9é&lt;#x a', max_size=60))
def test_any_text_without_the_value_stays_as_it_is(text):
    assert masking_of(name="Quetzalcoatl").mask_text(text) == text


@given(st.lists(st.sampled_from(["Ada Lovelace", "DE89 3704", "Ada", " ", "x", "\\", "P"])))
def test_what_was_hidden_comes_back(pieces):
    text = "|".join(pieces)
    assert ADA.unmask_text(ADA.mask_text(text)) == text


@pytest.mark.parametrize("name", some_paradigms(1))
def test_rendered_history_hides_calls_and_results(name):
    paradigm = get_paradigm(name)
    call = ToolCall("greet", {"who": NASTY, NASTY: [1]}, id="call_1")
    history = [
        Message("user", f"greet {NASTY}"),
        Message("assistant", "", (call,)),
        Message("user", "", results=(ToolResult(call, json.dumps({"greeted": NASTY})),)),
    ]
    masking = masking_of(name=NASTY)
    for message in masking.mask(paradigm.encode_history(history)):
        assert "velace" not in message.content and NAME in message.content
    written = masking.mask(paradigm.encode_history(history))[1].content
    offer = ToolOffer((ToolSpec("greet", "", {"type": "object"}),))
    [read] = paradigm.parse_response(written, offer).calls
    assert read.arguments == {"who": NAME, NAME: [1]}


# -- placeholders that are not ours ----------------------------------------------------------


@pytest.mark.parametrize("spelling", ["plain", "ascii json", "json in json", "needless escapes"])
def test_a_placeholder_from_elsewhere_ceases_to_be_one(spelling):
    hidden = ADA.mask_text(f"send it to evil.example/?{SPELLINGS[spelling](NAME)}")
    assert ADA.unmask_text(hidden) == hidden
    assert NAME not in hidden and "placeholder" in hidden


@pytest.mark.parametrize(
    "trick",
    [
        f"{NAME}-{NONCE}",
        f"PRIVATE-{NAME}NAME-{NONCE}",
        f"PRIVATE-NAME-4F9A{NAME}2C1B",
        f"{NAME[:-1]}{IBAN}{NAME[-1]}",
        "PRIVATE-NAAda LovelaceME-" + NONCE,
        f"PRIVATE-Ada Lovelace-{NONCE}",
        f"{NAME}{NAME}",
    ],
)
def test_no_placeholder_forms_out_of_two(trick):
    hidden = ADA.mask_text(trick)
    ours = trick.count("Ada Lovelace")
    assert hidden.count(NAME) == ours and IBAN not in hidden


def test_a_placeholder_of_another_session_is_just_text():
    other = Masking({"name": "Ada Lovelace"})
    assert other.unmask_text(f"{NAME} [[NAME]]") == f"{NAME} [[NAME]]"


def test_a_refused_call_still_shows_the_model_its_own_placeholder():
    [sent] = ADA.mask([Message("assistant", f"<tool_code>{{{NAME}, Ada Lovelace")])
    assert sent.content == f"<tool_code>{{{NAME}, {NAME}"


def test_a_value_that_looks_like_part_of_a_placeholder_does_no_harm():
    masking = masking_of(name="PRIVATE", iban=NONCE, mail="NAME")
    hidden = masking.mask_text(f"PRIVATE {NONCE} NAME")
    assert masking.unmask_text(hidden) == f"PRIVATE {NONCE} NAME"
    [sent] = masking.mask([Message("assistant", hidden)])
    assert sent.content == hidden


def test_a_value_that_is_a_placeholder_is_not_filled_in_twice():
    masking = masking_of(name=f"x{IBAN}", iban="DE89 3704")
    assert masking.unmask_text(NAME) == f"x{IBAN}"
    split = [TextDelta(f"x{NAME[:9]}"), TextDelta(NAME[9:])]
    assert merge(unmasked(masking, split)) == [TextDelta(f"xx{IBAN}")]


def test_a_value_that_begins_a_placeholder_does_not_join_what_follows():
    masking = masking_of(name="x PRIVATE-NA", iban="DE89 3704")
    events = [TextDelta(NAME), TextDelta(f"ME-{NONCE}")]
    assert merge(unmasked(masking, events)) == [TextDelta(f"x PRIVATE-NAME-{NONCE}")]


def test_a_nonce_may_end_in_the_letter_placeholders_begin_with():
    masking = Masking({"name": "Ada Lovelace"}, nonce=lambda: "ABCDEP")
    [said] = unmasked(masking, [TextDelta("PRIVATE-NAME-ABCDEP")])
    assert said == TextDelta("Ada Lovelace")


# -- secrecy -----------------------------------------------------------------------------------


def test_nothing_shows_the_values():
    assert repr(ADA) == "Masking(name, iban)"
    assert "Ada" not in f"{ADA!r} {ADA} {ADA.unmasker()!r} {ADA.rule}"


@pytest.mark.parametrize(
    "value", ["", " ", "x", "\n x\t", "\u200b\u200b", "\u200bx\u00ad", ["Ada Lovelace", "y"]]
)
def test_a_value_too_short_to_find_is_refused_without_being_told(value):
    with pytest.raises(UsageError, match="'pin'") as refused:
        masking_of(pin=value)
    assert "Lovelace" not in str(refused.value) and "'y'" not in str(refused.value)


@pytest.mark.parametrize("nonce", ["", "abc123", "A B C D", "ÄÖÜÄÖÜ", "A-B-C-D", "X" * 33])
def test_a_nonce_that_would_not_survive_is_refused(nonce):
    with pytest.raises(UsageError, match="nonce"):
        Masking({"name": "Ada Lovelace"}, nonce=lambda: nonce)


def test_each_session_has_a_nonce_of_its_own():
    assert Masking({}).nonce != Masking({}).nonce
    assert len({random_nonce() for _ in range(100)}) == 100


def test_the_rule_is_the_same_for_everybody():
    assert Masking({"name": "Ada Lovelace"}).rule == Masking({"iban": "DE89 3704"}).rule != ""
    assert ADA.mask_text(ADA.rule) == ADA.unmask_text(ADA.rule) == ADA.rule


def test_without_fields_nothing_happens():
    masking = Masking({})
    assert masking.rule == ""
    assert masking.mask_text(NAME) == masking.unmask_text(NAME) == NAME
    assert unmasked(masking, [TextDelta("PRIV"), TextDelta("ATE-")]) == [
        TextDelta("PRIV"),
        TextDelta("ATE-"),
    ]


# -- putting back ------------------------------------------------------------------------------


def test_text_is_held_back_only_while_it_may_be_a_placeholder():
    unmasker = ADA.unmasker()
    assert unmasker.feed([TextDelta("Dear P")]) == [TextDelta("Dear ")]
    assert unmasker.feed([TextDelta("RIVATE-N")]) == []
    assert unmasker.feed([TextDelta("umber")]) == [TextDelta("PRIVATE-Number")]
    assert unmasker.feed([TextDelta(f" {NAME[:-1]}")]) == [TextDelta(" ")]
    assert unmasker.feed([TextDelta(f"{NAME[-1]}P")]) == [TextDelta("Ada Lovelace")]
    assert unmasker.finish() == [TextDelta("P")]
    assert unmasker.finish() == []


def test_another_kind_of_event_ends_a_text():
    half = NAME[:12]
    started = CallStarted(0, "f")
    events = [TextDelta(half), ReasoningDelta(NAME[12:]), ReasoningDelta("P"), started]
    expected = [TextDelta(half), ReasoningDelta(NAME[12:]), ReasoningDelta("P"), started]
    assert unmasked(ADA, events) == expected


def test_arguments_are_filled_in_call_by_call():
    first, second = json.dumps({"a": NAME}), json.dumps({"b": IBAN})
    events = [ArgumentsDelta(0, first[:15]), ArgumentsDelta(1, second[:9])]
    events += [ArgumentsDelta(0, first[15:]), ArgumentsDelta(1, second[9:])]
    told = unmasked(ADA, events)
    assert arguments(told, 0) == {"a": "Ada Lovelace"}
    assert arguments(told, 1) == {"b": "DE89 3704"}


def arguments(events, index):
    return json.loads(
        "".join(e.text for e in events if isinstance(e, ArgumentsDelta) if e.index == index)
    )


def test_a_rejected_call_ends_its_arguments_and_keeps_its_problem():
    problem = CallProblem(ProblemKind.TRUNCATED, "cut off", raw=NAME)
    events = [ArgumentsDelta(0, '{"a": "PRIV'), CallRejected(0, problem)]
    told = unmasked(ADA, events)
    assert merge(told) == events and told[-1].problem.raw == NAME


@pytest.mark.parametrize("rest", ["P", "\\", "\\u", "\\u00", "PRIVATE\\u002", "\\\\\\"])
def test_what_was_held_back_is_told_in_the_end(rest):
    assert merge(unmasked(ADA, [ArgumentsDelta(0, f'{{"a": "{rest}')]))[0].text == f'{{"a": "{rest}'


ESCAPED = [
    r'{"a": "PRIVATE\u002dNAME-4F9A2C1B"}',
    r'{"a": "\u0050RIVATE-N\u0041ME-4\u0046\u0039A2C1B"}',
    r'{"a": "\\u0050RIVATE-NAME-4F9A2C1B"}',
    r'{"a": "\\\u0050RIVATE-NAME-4F9A2C1B"}',
    r'{"a": "\\PRIVATE-NAME-4F9A2C1B\n"}',
    r'{"PRIVATE-NAME-4F9A2C1B": [["PRIVATE-IBAN-4F9A2C1B\"\u00e9\ud83d\ude00"]]}',
    r'{"a": "\nPRIVATE-NAME-4F9A2C1B\u0022\u005c\u0000"}',
]


@pytest.mark.parametrize("text", ESCAPED)
@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
def test_escapes_in_arguments_do_not_matter(text, size):
    masking = masking_of(name=NASTY, iban="DE89 3704")
    call = ToolCall("f", json.loads(text))
    deltas = [ArgumentsDelta(0, text[at : at + size]) for at in range(0, len(text), size)]
    told = unmasked(masking, [*deltas, CallCompleted(0, call)])
    assert arguments(told, 0) == told[-1].call.arguments
    assert masking.unmask_text(json.dumps(call.arguments)).count(NASTY) == str(
        told[-1].call.arguments
    ).count(repr(NASTY)[1:-1].replace("\\'", "'"))


PIECES = st.sampled_from(
    [NAME, NAME2, IBAN, NAME[:9], "PRIVATE-", "P", NONCE, '"', "\\", "é", "\n", "Ada", "-", "x"]
)
TEXTS = st.lists(PIECES, max_size=12).map("".join)
VALUES = st.recursive(
    TEXTS | st.none() | st.booleans() | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


def cut(text: str, seed: int) -> list[str]:
    """*text* in pieces of up to seven characters."""
    dice, pieces = random.Random(seed), []
    while text:
        size = dice.randint(1, 7)
        pieces.append(text[:size])
        text = text[size:]
    return pieces


@given(TEXTS, TEXTS, st.integers(), st.sampled_from([TextDelta, ReasoningDelta]))
def test_any_split_of_a_text_comes_to_the_same(text, other, seed, kind):
    masking = masking_of(name=[NASTY, "Augusta P"], iban="PRIVATE-")
    whole = merge(unmasked(masking, [kind(text), CallStarted(0, "f"), kind(other)]))
    split = [*map(kind, cut(text, seed)), CallStarted(0, "f"), *map(kind, cut(other, seed))]
    assert merge(unmasked(masking, split)) == merge(e for e in whole if e != kind(""))
    said = "".join(e.text for e in unmasked(masking, map(kind, cut(text, seed))))
    assert said == masking.unmask_text(text)


@given(st.dictionaries(TEXTS, VALUES, max_size=4), st.integers(), st.booleans())
def test_any_split_of_arguments_parses_to_the_unmasked_arguments(value, seed, ascii_only):
    masking = masking_of(name=[NASTY, "Augusta P"], iban="PRIVATE-")
    text = json.dumps(value, ensure_ascii=ascii_only)
    deltas = [ArgumentsDelta(0, piece) for piece in cut(text, seed)]
    told = unmasked(masking, [*deltas, CallCompleted(0, ToolCall("f", value))])
    assert arguments(told, 0) == told[-1].call.arguments


def test_a_completed_call_keeps_all_but_its_arguments():
    call = ToolCall(
        "f", {"a": (NAME, 1, None, {NAME: 2.5})}, id="call_1", raw=NAME, span=Span(3, 9)
    )
    [told] = unmasked(ADA, [CallCompleted(4, call)])
    assert told == CallCompleted(
        4, ToolCall("f", {"a": ["Ada Lovelace", 1, None, {"Ada Lovelace": 2.5}]})
    )
    assert (told.call.id, told.call.raw, told.call.span) == ("call_1", NAME, Span(3, 9))
    assert call.arguments == {"a": (NAME, 1, None, {NAME: 2.5})}


def test_arguments_may_nest_deeper_than_python_recurses():
    value = NAME
    for _ in range(20_000):
        value = [value]
    [told] = unmasked(ADA, [CallCompleted(0, ToolCall("f", {"a": value}))])
    inner = told.call.arguments["a"]
    while isinstance(inner, list):
        [inner] = inner
    assert inner == "Ada Lovelace"


@pytest.mark.parametrize("name", some_paradigms(1))
@together(size=[1, 5, 1000])
def test_a_decoder_s_events_come_back_with_the_values(name, size):
    paradigm = get_paradigm(name)
    masking = masking_of(name=NASTY)
    offer = ToolOffer((ToolSpec("greet", "", {"type": "object"}),))
    reply = f"Dear {NAME}, I greet.\n\n" + paradigm.encode_call(ToolCall("greet", {"who": NAME}))
    decoder, unmasker = paradigm.decoder(offer), masking.unmasker()
    told = []
    for at in range(0, len(reply), size):
        told += unmasker.feed(decoder.feed(reply[at : at + size]))
    told += [*unmasker.feed(decoder.finish()), *unmasker.finish()]
    said = "".join(e.text for e in told if isinstance(e, TextDelta))
    assert said.startswith(f"Dear {NASTY}, I greet.")
    [call] = [e.call for e in told if isinstance(e, CallCompleted)]
    assert call.arguments == {"who": NASTY} == arguments(told, 0)


# -- what hostile text costs: a test that hangs has failed ----------------------------------------

LONG = amount(30_000, 100_000)


@pytest.mark.parametrize(
    "text",
    [
        "\\" * LONG,
        "\\u00" * (LONG // 4),
        '\\"' * (LONG // 2),
        "&#" * (LONG // 2),
        "&amp;" * (LONG // 5),
        "a" * LONG,
        "ab" * (LONG // 2),
        f"{NAME[:-1]}" * (LONG // 20),
        f"{NAME}" * (LONG // 20),
        "PRIVATE-" * (LONG // 8),
        " " * LONG,
        "\u200b\n" * (LONG // 2),
        "ß" * LONG,
        "%41" * (LONG // 3),
        "A" * LONG,
    ],
    ids=lambda text: text[:12],
)
def test_long_hostile_texts_are_masked_and_unmasked(text):
    masking = masking_of(name=["a" * 3000, "aa", "ab" * 500 + "c", "\\" * 50, '"\\"\\"\\x'])
    masking.mask_text(text)
    told = unmasked(masking, [ArgumentsDelta(0, text), TextDelta(text)])
    split = unmasked(
        masking, [ArgumentsDelta(0, text[at : at + 3]) for at in range(0, len(text), 3)]
    )
    assert "".join(e.text for e in split) == "".join(
        e.text for e in told if isinstance(e, ArgumentsDelta)
    )
