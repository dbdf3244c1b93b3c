"""An offer as a service takes it: names that it allows, given back, and tools that it blames."""

from __future__ import annotations

from dataclasses import replace

import pytest

from toolproto import ToolCall, ToolOffer, ToolSpec
from toolproto.protocol.messages import Message, ToolResult
from toolproto.protocol.native.offers import Projecting, blamed, projected, renamed
from toolproto.protocol.schemas.compiling import COMPILERS
from toolproto.testing import STANDARD_OFFER

LONG = "mcp__" + "a_very_long_server_name__" * 3 + "list_things"
EMAIL = {"type": "object", "properties": {"to": {"type": "string", "format": "email"}}}
OFFER = ToolOffer(
    (
        ToolSpec(LONG, "Lists.", {"type": "object"}),
        ToolSpec("files.read", "Reads.", {"type": "object"}),
        ToolSpec("send", "Sends.", EMAIL),
    ),
    choice="files.read",
)


def test_names_are_shortened_with_a_hash_and_given_back():
    sent = projected(OFFER, COMPILERS["openai"])
    names = [tool.name for tool in sent.offer.tools]
    assert all(len(name) <= 64 and COMPILERS["openai"].names.fullmatch(name) for name in names)
    assert [sent.meant(name) for name in names] == [tool.name for tool in OFFER.tools]
    assert names[0].startswith("mcp__a_very_long") and names[1].startswith("files_read_")
    assert sent.offer.choice == names[1]
    assert len(set(names)) == 3 and sent.meant("unknown") == "unknown"
    assert sent.notes == (f"{LONG}: its name", "files.read: its name")


def test_names_that_look_the_same_when_shortened_stay_apart():
    twins = [ToolSpec(name, "", {"type": "object"}) for name in ("a.b", "a_b", "a:b", "a/b")]
    sent = projected(ToolOffer(tuple(twins)), COMPILERS["openai"]).offer
    assert len(sent.names) == 4 and "a_b" in sent.names


def test_a_name_is_the_same_in_every_request():
    assert projected(OFFER, COMPILERS["openai"]) == projected(OFFER, COMPILERS["openai"])


def test_an_offer_in_which_nothing_is_wrong_is_the_same():
    for service in ("llama.cpp", "xgrammar", "openai", "anthropic"):
        assert projected(STANDARD_OFFER, COMPILERS[service]).offer is STANDARD_OFFER


def test_calls_and_results_of_the_past_have_the_names_of_the_service():
    call = ToolCall("files.read", {"path": "a"}, "1")
    said = [Message("user", "Read."), Message("assistant", "", calls=(call,)),
            Message("user", "", results=(ToolResult(call, "text"),))]  # fmt: skip
    told = renamed(said, COMPILERS["openai"])
    name = projected(OFFER, COMPILERS["openai"]).offer.choice
    assert told[0] is said[0]
    assert told[1].calls[0].name == told[2].results[0].call.name == name
    assert [id(each) for each in renamed(said, COMPILERS["llama.cpp"])] == [
        id(each) for each in said
    ]


def test_a_tool_that_was_refused_all_the_same_keeps_types_choices_and_words():
    unit = {"enum": ["c", "f"], "description": "Which.", "x-order": 1, "minLength": 1}
    deep = {"type": ["object", "null"], "properties": {"b": {"anyOf": [{"type": "string"}]}}}
    schema = {"type": "object", "properties": {"unit": unit, "deep": deep}, "required": ["unit"]}
    offer = ToolOffer((ToolSpec("weather", "Tells.", schema), *OFFER.tools[2:]))
    sent = projected(offer, COMPILERS["llama.cpp"], further={"weather"})
    assert sent.offer.tools[0].parameters == {
        "type": "object",
        "properties": {
            "unit": {"enum": ["c", "f"], "description": "Which."},
            "deep": {"type": "object", "properties": {"b": {}}},
        },
        "required": ["unit"],
    }
    assert sent.notes[0] == "weather: only types, choices and words"


ERRORS = [
    ("Invalid schema for function 'files.read': In context=(), 'allOf' is not permitted.",
     {"files.read"}),
    ("Invalid JSON payload received. Unknown name \"x\" at "
     "'tools[0].function_declarations[2].parameters': Cannot find field.", {"send"}),
    ("tools.1.custom.input_schema: JSON schema is invalid", {"files.read"}),
    ("Invalid 'tools[2].function.name': string does not match pattern.", {"send"}),
    ("Failed to initialize samplers: failed to parse grammar", set()),
]  # fmt: skip


@pytest.mark.parametrize(("error", "names"), ERRORS)
def test_the_tool_that_an_error_is_about_is_found(error, names):
    assert blamed(error, OFFER) == names


def test_refused_tools_are_projected_further_those_that_are_named_first():
    books = ToolSpec("book", "Books.", EMAIL)
    offer = replace(OFFER, tools=(*OFFER.tools, books))
    projecting = Projecting(COMPILERS["openai"])
    sent = projecting.sent(offer)
    assert projecting.sent(offer) is sent and sent == projected(offer, COMPILERS["openai"])
    assert projecting.refused("Invalid schema for function 'book'", offer) == {"book"}
    assert "book: only types" in " ".join(projecting.sent(offer).notes)
    # Of the others there is one with more than the least of a schema.
    assert projecting.refused("failed to parse grammar", offer) == {"send"}
    assert projecting.refused("failed to parse grammar", offer) == frozenset()
