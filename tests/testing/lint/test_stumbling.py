"""What small models stumble over: names and values that hardly differ, and what is not said."""

from __future__ import annotations

import pytest

from toolproto import ToolSpec
from toolproto.testing.lint.stumbling import stumbles


def tool(name: str = "find_train", does: str = "Find a train.", **arguments: object) -> ToolSpec:
    schema = {"type": "object", "properties": arguments, "required": list(arguments)}
    return ToolSpec(name, does, schema)


def said(*tools: ToolSpec) -> list[str]:
    return [what for _, _, what in stumbles(tools)]


DESCRIBED = {"type": "string", "description": "Where."}


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("send_mail", "send_mails"),
        ("getUser", "get_user"),
        ("read_file", "read_fire"),
        ("load_page", "loads_page"),
    ],
)
def test_names_that_hardly_differ(one, two):
    assert said(tool(one), tool(two)) == [f"its name hardly differs from `{one}`"]


@pytest.mark.parametrize(
    ("one", "two"), [("step_1", "step_2"), ("get_a", "set_a"), ("read", "write"), ("x", "y")]
)
def test_names_that_differ_enough(one, two):
    assert [what for what in said(tool(one), tool(two)) if "differs" in what] == (
        [] if (one, two) != ("get_a", "set_a") else ["its name hardly differs from `get_a`"]
    )


@pytest.mark.parametrize(
    ("does", "what"),
    [
        ("", "it has no description"),
        ("Trains!", "its description is too short to tell it from others"),
        ("The weather of a city today", "its description has no verb: what does it do?"),
        ("Finds trains between two cities.", None),
        ("This tool is used for booking a train.", None),
        ("Copies one file to another place.", None),
    ],
)
def test_descriptions(does, what):
    assert said(tool(does=does)) == ([what] if what else [])


def test_arguments_that_are_not_described_and_too_many_that_may_be_left_out():
    assert said(tool(city={"type": "string"})) == ["it has no description"]
    arguments = {f"option{chr(97 + at)}": DESCRIBED for at in range(12)}
    many = ToolSpec("find", "Find a train.", {"type": "object", "properties": arguments})
    assert "12 optional arguments" in said(many)


def test_values_of_a_choice_that_mean_the_same():
    unit = {"enum": ["celsius", "C", "kelvin", "day", "days", "x1", "x2"]}
    assert said(tool(unit=unit)) == [
        "`celsius` and `C` look as if they meant the same",
        "`day` and `days` look as if they meant the same",
    ]


def test_what_is_required_and_not_there():
    lost = ToolSpec("find", "Find a train.", {"type": "object", "required": ["to"]})
    assert said(lost) == ["`to` is required and not described"]


def test_objects_in_objects_in_objects():
    deep: dict[str, object] = {"type": "object", "properties": {"a": DESCRIBED}}
    for _ in range(4):
        deep = {"type": "object", "description": "d", "properties": {"a": deep}}
    assert "objects nested more than 4 deep" in said(tool(a=deep))


def test_many_tools():
    names = [f"{chr(97 + at % 26)}{chr(110 - at % 13)}{at}_do" for at in range(41)]
    assert "41 tools in one request" in said(*map(tool, names))
