"""What services refuse in a tool is said once, with all who say it."""

from __future__ import annotations

from toolproto import ToolOffer, ToolSpec
from toolproto.protocol.schemas.compiling import COMPILERS
from toolproto.testing import STANDARD_OFFER
from toolproto.testing.lint import LintRemark, lint_offer, mended_offer

TO = {"type": "string", "format": "email", "description": "Whom it goes to."}
SCHEMA = {"type": "object", "properties": {"to": TO}, "required": ["to"]}
MAIL = ToolSpec("send.mail", "Send a mail.", SCHEMA)


def test_those_who_refuse_the_same_thing_are_named_together():
    found = lint_offer(ToolOffer((MAIL,)), [*filter("openai_strict".__ne__, COMPILERS)])
    unknown, named = found
    assert (named.kind, named.what) == ("refused", "a name that it does not allow")
    assert named.services == ("openai", "anthropic")
    assert (unknown.place, unknown.services[:1]) == ("properties/to", ("llama.cpp",))
    assert {"llama.cpp", "gemini"} <= {*unknown.services} and "openai" not in unknown.services
    assert all(remark.source for remark in found)


def test_only_those_who_are_asked_are_heard():
    assert [each.services for each in lint_offer(ToolOffer((MAIL,)), ["openai"])] == [("openai",)]


def test_so_many_tools_that_a_compiler_gives_up_are_told():
    properties = {f"a{at}": {"type": "string", "description": "x" * 900} for at in range(110)}
    tool = ToolSpec("many", "Read all.", {"type": "object", "properties": properties,
                                           "required": list(properties)})  # fmt: skip
    remark = lint_offer(ToolOffer((tool,)), ["llama.cpp"])[0]
    assert remark.tool == "" and "characters of schemas" in remark.what


def test_what_is_refused_comes_before_what_is_misread_and_what_models_stumble_over():
    tool = ToolSpec("f", "", {"type": "object", "properties": {"a": {"type": "array"}},
                              "anyOf": [{"required": ["a"]}]})  # fmt: skip
    kinds = [remark.kind for remark in lint_offer(ToolOffer((tool,)))]
    assert kinds == sorted(kinds, key=["refused", "misread", "stumbles"].index)
    assert {*kinds} == {"refused", "misread", "stumbles"}


def test_mended_tools_are_refused_by_none_of_those_they_were_mended_for():
    services = [name for name in COMPILERS if name != "openai_strict"]
    mended = mended_offer(ToolOffer((MAIL,)), services)
    left = [each for each in lint_offer(mended, services) if each.kind != "stumbles"]
    assert [remark.what for remark in left] == ["a name that it does not allow"]
    assert mended.tools[0].parameters["properties"] == {
        "to": {"type": "string", "description": "Whom it goes to."}
    }


def test_tools_that_everybody_takes_are_not_spoken_of():
    services = ["llama.cpp", "xgrammar", "openai", "anthropic"]
    found = [each for each in lint_offer(STANDARD_OFFER, services) if each.kind != "stumbles"]
    assert found == []
    assert LintRemark("refused", "f", "", "x") == LintRemark("refused", "f", "", "x")
