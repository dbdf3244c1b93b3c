"""Tools, specs, functions, a registry or an offer: where one is taken, the others are."""

from __future__ import annotations

import pytest

from tests.amount import together
from toolproto import (
    CallProblem,
    ChatSession,
    Message,
    ToolCall,
    ToolContextBuilder,
    ToolOffer,
    ToolRegistry,
    UsageError,
    check_call,
    get_paradigm,
    list_paradigms,
    parse_any,
    tool,
)
from toolproto.endpoints import ScriptedEndpoint
from toolproto.protocol import (
    Presentation,
    describe_tools,
    description_tool,
    example_call,
    example_request,
)
from toolproto.testing import explain_reply


def look(place: str) -> str:
    """Look somewhere."""
    return place


LOOK = tool(look)
REGISTRY = ToolRegistry([LOOK])
OFFER = REGISTRY.offer()
KINDS = {
    "tools": [LOOK],
    "one tool": LOOK,
    "specs": (LOOK.spec,),
    "one spec": LOOK.spec,
    "functions": [look],
    "registry": REGISTRY,
    "mapping": {"look": LOOK},
    "generator": lambda: (each for each in [LOOK]),
}
XML = get_paradigm("xml_tag", ids=lambda: "call_1")
CALL = ToolCall("look", {"place": "here"}, "call_1")
WRITTEN = XML.encode_call(CALL)
SAID = [Message("user", "Look here.", new_tools=("look",))]
#: Whatever takes an offer.
TAKERS = {
    "parse_response": lambda tools: XML.parse_response(WRITTEN, tools),
    "decoder": lambda tools: XML.decoder(tools).feed(WRITTEN),
    "instructions": lambda tools: XML.instructions(tools),
    "splice_system_prompt": lambda tools: XML.splice_system_prompt("Be kind.", tools),
    "described": lambda tools: XML.described(tools),
    "encode_conversation": lambda tools: XML.encode_conversation(SAID, tools),
    "examples": lambda tools: XML.examples(tools),
    "stop": lambda tools: XML.stop(tools),
    "grammar": lambda tools: XML.grammar(tools),
    "build": lambda tools: ToolContextBuilder("Be kind.").build(XML, tools),
    "parse_any": lambda tools: parse_any(WRITTEN, tools, ids=lambda: "call_1"),
    "check_call": lambda tools: check_call(CALL, tools),
    "check": lambda tools: REGISTRY.check(CALL, tools),
    "describe_tools": lambda tools: describe_tools(tools),
    "describe": lambda tools: Presentation().describe(tools),
    "description_tool": lambda tools: description_tool(tools)("look"),
    "example_call": lambda tools: example_call(tools),
    "example_request": lambda tools: example_request(CALL, tools),
    "explain_reply": lambda tools: explain_reply(WRITTEN, XML, tools).findings,
}


@together(kind=list(KINDS), taker=list(TAKERS))
def test_whatever_takes_an_offer_takes_what_it_is_made_of(kind, taker):
    given, take = KINDS[kind], TAKERS[taker]
    assert take(given() if kind == "generator" else given) == take(OFFER)


@together(name=list_paradigms())
def test_every_paradigm_reads_a_reply_with_tools(name):
    paradigm = get_paradigm(name)
    [call] = paradigm.parse_response(paradigm.encode_call(CALL), [LOOK]).calls
    assert (call.name, call.arguments) == ("look", {"place": "here"})


def test_code_is_not_run_for_a_call_without_a_marker_if_the_risk_is_known():
    run = tool(risk="exec")(look)
    for tools in ([run], ToolRegistry([run]), iter([run])):
        assert [type(each) for each in parse_any('look(place="here")', tools).problems] == [
            CallProblem
        ]
    assert parse_any('look(place="here")', [run.spec]).calls


def test_a_registry_is_made_of_specs_and_offers_too():
    assert ToolRegistry(OFFER).offer() == ToolRegistry([LOOK.spec]).offer() == OFFER
    assert dict(ToolRegistry(REGISTRY)) == dict(REGISTRY)
    session = ChatSession(ScriptedEndpoint(WRITTEN, "Seen."), "xml_tag", [LOOK.spec])
    [waiting] = session.send("Look.").pending
    assert session.resume({waiting.call.id: "a house"}).text == "Seen."


def test_what_is_no_tool_is_named():
    for wrong in ("look", [3], {"type": "function"}, 3):
        with pytest.raises(UsageError, match="is no tool; expected tools, their specs"):
            XML.parse_response("x", wrong)
    assert XML.parse_response("x", []) == XML.parse_response("x", ToolOffer())
