"""What a model is told about tools, word for word, and where it stands in the prompt."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from syrupy.assertion import SnapshotAssertion

from toolproto import ToolOffer, ToolSpec, UsageError, get_paradigm
from toolproto.protocol.tools import check_call

MEETING = ToolSpec(
    "book_meeting",
    "Book a meeting room.",
    {
        "type": "object",
        "properties": {
            "title": {"type": "string", "description": "What the\n  meeting is about."},
            "room": {"enum": ["attic", "cellar"]},
            "people": {"type": "array", "items": {"$ref": "#/$defs/person"}},
            "repeat": {
                "type": "object",
                "properties": {
                    "every": {"enum": ["day", "week"]},
                    "times": {"type": "integer", "minimum": 1},
                },
                "required": ["every"],
            },
            "budget": {"anyOf": [{"type": "number"}, {"type": "null"}], "default": 0},
            "date": {"type": "string", "format": "date"},
        },
        "required": ["title", "room", "people", "date"],
        "$defs": {
            "person": {
                "type": "object",
                "properties": {"email": {"type": "string"}, "nick": {"type": "string"}},
                "required": ["email"],
            }
        },
    },
)
NOW = ToolSpec("now", "", {"type": "object", "properties": {}})
OFFER = ToolOffer((MEETING, NOW))
OFFERS = {
    "auto": OFFER,
    "required": replace(OFFER, choice="required"),
    "none": replace(OFFER, choice="none"),
    "named": replace(OFFER, choice="now"),
    "one at a time": replace(OFFER, parallel=False),
}
PARADIGMS = ["json_strict", "xml_tag"]
both = pytest.mark.parametrize("paradigm", [get_paradigm(name) for name in PARADIGMS], ids=str)
as_forms = pytest.mark.parametrize(
    "paradigm", [get_paradigm(name, describe="forms") for name in PARADIGMS], ids=str
)


@both
@pytest.mark.parametrize("terms", OFFERS)
def test_the_instructions_are_as_in_the_snapshot(
    paradigm, terms, snapshot: SnapshotAssertion
) -> None:
    assert paradigm.instructions(OFFERS[terms]) == snapshot


#: What only these terms say.
SAID = {
    "auto": "If no tool is needed, answer in plain words",
    "required": "you must call at least one tool",
    "none": "Do not call any tool",
    "named": "you must call now.",
    "one at a time": "at most one call",
}


@both
@pytest.mark.parametrize("terms", SAID)
def test_the_terms_of_an_offer_are_said(paradigm, terms):
    assert SAID[terms] in paradigm.instructions(OFFERS[terms])


@both
@pytest.mark.parametrize("terms", ["required", "none", "named"])
def test_other_terms_are_not_said(paradigm, terms):
    others = [said for key, said in SAID.items() if key not in (terms, "one at a time")]
    assert [said for said in others if said in paradigm.instructions(OFFERS[terms])] == []


@both
def test_where_no_tool_may_be_called_no_call_is_shown_as_example(paradigm):
    assert "Example." not in paradigm.instructions(OFFERS["none"])


@both
def test_the_example_is_of_the_tool_that_must_be_called(paradigm):
    example = paradigm.instructions(OFFERS["named"]).split("Example.")[1]
    assert '"now"' in example
    assert '"book_meeting"' not in example


@both
def test_where_one_call_is_allowed_several_are_not_mentioned(paradigm):
    assert "several" not in paradigm.instructions(OFFERS["one at a time"])


def test_the_two_paradigms_differ_in_the_calls_only():
    json_form, xml_form = (get_paradigm(n).instructions(OFFER).split("\n") for n in PARADIGMS)
    differing = [line for line in json_form if line not in xml_form]
    told_apart = ("tool_calls", "If the request asks for several things")
    assert all(any(words in line for words in told_apart) for line in differing)


# -- in the system prompt -----------------------------------------------------------------

PROMPTS = ["", "Be kind.", "Be kind.\n\nBe brief.\n", "\n\nBe kind.", "  Be kind.  ", "é\r\n😀"]


@both
@pytest.mark.parametrize("prompt", PROMPTS, ids=ascii)
def test_splicing_again_changes_nothing(paradigm, prompt):
    once = paradigm.splice_system_prompt(prompt, OFFER)
    assert paradigm.splice_system_prompt(once, OFFER) == once


@both
@pytest.mark.parametrize("prompt", PROMPTS, ids=ascii)
def test_splicing_replaces_what_was_spliced_before(paradigm, prompt):
    small = ToolOffer((NOW,))
    before = paradigm.splice_system_prompt(prompt, OFFER)
    assert paradigm.splice_system_prompt(before, small) == paradigm.splice_system_prompt(
        prompt, small
    )


def test_splicing_replaces_the_instructions_of_another_paradigm():
    first, second = map(get_paradigm, PARADIGMS)
    prompt = second.splice_system_prompt(first.splice_system_prompt("Be kind.", OFFER), OFFER)
    assert prompt == second.splice_system_prompt("Be kind.", OFFER)


@both
@pytest.mark.parametrize("prompt", ["Be kind.", "Be kind.\n\nBe brief.", "  Be kind.  ", ""])
def test_an_empty_offer_takes_the_block_out(paradigm, prompt):
    spliced = paradigm.splice_system_prompt(prompt, OFFER)
    assert paradigm.splice_system_prompt(spliced, ToolOffer()) == prompt


@both
@pytest.mark.parametrize("prompt", ["Be kind.", "", "Be kind.\n\nBe brief."])
def test_a_prompt_without_a_block_and_an_empty_offer_stays_as_it_is(paradigm, prompt):
    assert paradigm.splice_system_prompt(prompt, ToolOffer()) == prompt


@both
def test_the_text_around_the_block_stays_where_it_is(paradigm):
    head = paradigm.splice_system_prompt("Be kind.", ToolOffer((NOW,)))
    prompt = f"{head}\n\nToday is Friday."
    spliced = paradigm.splice_system_prompt(prompt, OFFER)
    assert spliced.startswith("Be kind.\n\n")
    assert spliced.endswith("\n\nToday is Friday.")
    assert paradigm.splice_system_prompt(spliced, ToolOffer()) == "Be kind.\n\nToday is Friday."


@both
def test_the_instructions_stand_in_the_prompt_word_for_word(paradigm):
    assert paradigm.instructions(OFFER) in paradigm.splice_system_prompt("Be kind.", OFFER)


@both
def test_a_prompt_is_the_same_to_the_byte_each_time(paradigm):
    """A provider caches prompts by their prefix; one byte that moves costs the whole prompt."""
    spliced = [
        get_paradigm(paradigm.name).splice_system_prompt("Be kind.", offer).encode()
        for offer in (OFFER, ToolOffer((MEETING, NOW)), replace(OFFER, choice="auto"))
    ]
    assert len(set(spliced)) == 1


# -- examples -----------------------------------------------------------------------------


@both
def test_the_examples_are_a_request_and_the_call_it_asks_for(paradigm):
    request, reply = paradigm.examples(OFFER)[:2]
    assert (request.role, reply.role) == ("user", "assistant")
    (call,) = paradigm.parse_response(reply.content, OFFER).calls
    assert check_call(call, OFFER) == call
    assert str(call.arguments["date"]) in request.content


@both
def test_the_examples_are_of_the_tool_that_must_be_called(paradigm):
    *_, reply = paradigm.examples(OFFERS["named"])
    assert [c.name for c in paradigm.parse_response(reply.content, OFFER).calls] == ["now"]


@both
def test_there_are_no_examples_without_tools(paradigm):
    assert paradigm.examples(ToolOffer()) == []


def test_an_example_reply_is_nothing_but_the_call():
    _, reply = get_paradigm("json_strict").examples(ToolOffer((NOW,)))
    assert reply.content == '{"tool_calls": [{"name": "now", "arguments": {}}]}'


# -- placeholders -------------------------------------------------------------------------

STRING = {"type": "string"}
#: A parameter's schema, and what stands in the tool's literal call for it.
PLACEHOLDERS = {
    "string": (STRING, '"<it>"'),
    "integer": ({"type": "integer"}, "<integer>"),
    "number": ({"type": "number"}, "<number>"),
    "boolean": ({"type": "boolean"}, "<boolean>"),
    "null": ({"type": "null"}, "<null>"),
    "enum": ({"enum": ["c", "f"]}, '<"c" or "f">'),
    "enum of strings": ({"type": "string", "enum": ["c", "f"]}, '<"c" or "f">'),
    "enum of numbers": ({"enum": [1, 2]}, "<1 or 2>"),
    "const": ({"const": "x"}, '<"x">'),
    "either": ({"anyOf": [{"type": "integer"}, STRING]}, "<integer or string>"),
    "types": ({"type": ["string", "null"]}, "<string or null>"),
    "any value": ({}, "<any value>"),
    "list": ({"type": "array", "items": STRING}, '["<it>"]'),
    "list of numbers": ({"type": "array", "items": {"type": "number"}}, "[<number>]"),
    "list of anything": ({"type": "array"}, "[<any value>]"),
    "list of lists": (
        {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
        "[[<integer>]]",
    ),
    "object": ({"type": "object"}, "<object>"),
    "object with members": (
        {"type": "object", "properties": {"a": STRING, "b": STRING}, "required": ["a"]},
        '{"a": "<a>"}',
    ),
    "reference": ({"$ref": "#/$defs/town"}, '{"name": "<name>"}'),
}


def tool_with(schema: object) -> ToolSpec:
    town = {"type": "object", "properties": {"name": STRING}, "required": ["name"]}
    return ToolSpec(
        "f",
        "",
        {
            "type": "object",
            "properties": {"it": schema},
            "required": ["it"],
            "$defs": {"town": town},
        },
    )


@both
@pytest.mark.parametrize("kind", PLACEHOLDERS)
def test_a_placeholder_says_what_belongs_there(paradigm, kind):
    schema, placeholder = PLACEHOLDERS[kind]
    form = '{"name": "f", "arguments": {"it": ' + placeholder + "}}"
    assert form in paradigm.instructions(ToolOffer((tool_with(schema),)))


@both
def test_a_placeholder_has_no_mark_of_how_it_was_made(paradigm):
    for schema, _ in PLACEHOLDERS.values():
        assert "\ue000" not in paradigm.instructions(ToolOffer((tool_with(schema),)))


@both
def test_a_reference_that_leads_nowhere_is_the_mistake_of_the_program(paradigm):
    with pytest.raises(UsageError, match="nowhere"):
        paradigm.instructions(ToolOffer((tool_with({"$ref": "#/$defs/nowhere"}),)))


BARE = [kind for kind, (_, placeholder) in PLACEHOLDERS.items() if '"<' not in placeholder]


@both
@pytest.mark.parametrize("kind", BARE)
def test_a_bare_placeholder_that_is_copied_is_no_plain_call(paradigm, kind):
    """A model that repeats the form as it stands has not said what it wants."""
    offer = ToolOffer((tool_with(PLACEHOLDERS[kind][0]),))
    form = paradigm.instructions(offer).partition("looks like this:\n")[2]
    assert form
    assert [c for c in paradigm.parse_response(form, offer).calls if c.grade is None] == []


@as_forms
def test_optional_arguments_are_described_but_not_in_the_call(paradigm):
    instructions = paradigm.instructions(OFFER)
    form = next(line for line in instructions.split("\n") if '"<title>"' in line)
    assert "budget" not in form
    assert "- budget (number or null, optional, default 0)" in instructions


@both
def test_what_an_optional_object_must_hold_is_named(paradigm):
    """A model that is told of ``repeat (object, optional)`` only cannot write one."""
    assert "every" in paradigm.instructions(OFFER)


@as_forms
def test_a_description_of_many_lines_stays_on_one(paradigm):
    assert "- title (string): What the meeting is about." in paradigm.instructions(OFFER)


@both
def test_names_and_words_outside_ascii_are_shown_as_they_are(paradigm):
    tool = ToolSpec("суп", "Kocht für 東京.", {"type": "object", "properties": {"größe": STRING}})
    instructions = paradigm.instructions(ToolOffer((tool,)))
    assert [word for word in ("суп", "東京", "größe") if word not in instructions] == []


@both
def test_a_schema_that_refers_to_itself_ends(paradigm):
    node = {
        "type": "object",
        "properties": {"next": {"$ref": "#/$defs/node"}},
        "required": ["next"],
    }
    tool = ToolSpec(
        "f",
        "",
        {
            "type": "object",
            "properties": {"it": {"$ref": "#/$defs/node"}},
            "required": ["it"],
            "$defs": {"node": node},
        },
    )
    assert len(paradigm.instructions(ToolOffer((tool,)))) < 2000


def test_a_tool_without_words_is_named_without_a_colon():
    instructions = get_paradigm("json_strict", describe="forms").instructions(ToolOffer((NOW,)))
    assert (
        "\nnow\n" + json.dumps({"tool_calls": [{"name": "now", "arguments": {}}]}) in instructions
    )
