"""Every style shows every tool, and nothing gets out of its place."""

from __future__ import annotations

import ast
import json
import re

import pytest
from lxml import etree
from syrupy.assertion import SnapshotAssertion

from tests.amount import together
from toolproto import ToolOffer, ToolSpec, UsageError
from toolproto.protocol.describe import describe_tools, get_style, list_styles
from toolproto.protocol.describe.base import plain_call
from toolproto.protocol.describe.text import as_json

from .cases import ENDINGS, FIFTY, GREEDY, MEETING, NOW, STRING, tool

each_style = pytest.mark.parametrize("style", list_styles())
each_ending = together(words=ENDINGS)


def shown(style: str, *tools: ToolSpec) -> str:
    return get_style(style).show(tools, plain_call)


@each_style
def test_a_style_shows_tools_as_in_the_snapshot(style: str, snapshot: SnapshotAssertion) -> None:
    assert shown(style, MEETING, NOW) == snapshot


@each_style
def test_every_tool_and_every_required_argument_is_named(style):
    text = shown(style, *FIFTY)
    wanted = [name for tool in FIFTY for name in (tool.name, *tool.required)]
    assert [name for name in wanted if name not in text] == []


@pytest.mark.parametrize("style", [name for name in list_styles() if name != "names_only"])
def test_every_optional_argument_is_named_too(style):
    text = shown(style, *FIFTY)
    assert [name for tool in FIFTY for name in tool.properties if name not in text] == []


@each_style
def test_a_required_argument_without_a_schema_is_named(style):
    assert "ghost" in shown(style, tool({}, "ghost"))


@each_style
def test_the_same_tools_are_shown_the_same(style):
    assert shown(style, *FIFTY) == shown(style, *FIFTY)


@each_style
def test_a_tool_without_words_or_arguments_is_one_line_or_two(style):
    assert "now" in shown(style, NOW)
    assert len(shown(style, NOW).splitlines()) <= 3


@each_style
def test_no_tools_at_all_are_no_error(style):
    assert isinstance(shown(style), str)


def test_a_style_is_found_in_any_spelling():
    assert get_style("TypeScript") is get_style("typescript")
    assert get_style(" Json-Schema ") is get_style("json_schema")


def test_an_unknown_style_is_answered_with_those_there_are():
    with pytest.raises(UsageError, match="no style named 'prose'; there are: forms"):
        get_style("prose")


def test_a_style_of_ones_own_is_used_as_it_is():
    class Shouting:
        name = "shouting"
        shows_calls = False

        def show(self, tools, write):
            return " ".join(tool.name.upper() for tool in tools)

    assert describe_tools(ToolOffer((MEETING, NOW)), Shouting()).text == "BOOK_MEETING NOW"


# -- in its place -------------------------------------------------------------------------


def hostile(words: str) -> ToolSpec:
    """A tool whose every text is *words*."""
    inner = {"type": "object", "properties": {words: {"type": "string", "description": words}}}
    return tool(
        {
            "a": {"type": "string", "description": words, "default": words, "pattern": words},
            "b": {"enum": [words, "x"], "description": words},
            "c": {**inner, "description": words},
            "d": {"type": "array", "items": inner, "examples": [words]},
            "e": {"type": words, "format": words},
            "g": {"type": "string", "format": words},
            words: STRING,
        },
        "a",
        "b",
        "c",
        words,
        description=words,
    )


TOKENS = ["<|", "<｜", "[INST]", "[/INST]", "<end_of_turn>", "</s>", "<s>", "<bos>", "[TOOL_CALLS]"]


@each_style
@each_ending
def test_no_token_of_a_chat_template_gets_in(style, words):
    text = shown(style, hostile(words))
    assert [token for token in TOKENS if token in text] == []


@each_style
@each_ending
def test_no_control_or_half_a_character_gets_in(style, words):
    text = shown(style, hostile(words))
    unfit = "[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\ue000]"
    assert re.findall(unfit, text) == []
    text.encode()


@each_style
@each_ending
def test_the_next_tool_begins_where_it_should(style, words):
    """Whatever the first tool says, the lines of the second are the same and stand last."""
    alone, both = shown(style, MEETING), shown(style, hostile(words), MEETING)
    last = alone.splitlines()[-1].removeprefix("[")
    assert both.splitlines()[-1].endswith(last)


@each_ending
def test_hostile_words_stay_json(words):
    (definition,) = json.loads(shown("json_schema", hostile(words)))
    assert definition["function"]["description"] == words
    assert definition["function"]["parameters"] == hostile(words).parameters


@each_ending
def test_hostile_words_stay_one_function_of_python(words):
    body = ast.parse(shown("python", hostile(words), NOW)).body
    assert [type(node).__name__ for node in body] == ["FunctionDef"] * 2
    assert [type(node).__name__ for node in body[0].body] == ["Expr"]


@each_ending
def test_hostile_words_stay_text_of_xml(words):
    root = etree.fromstring(shown("xml", hostile(words), NOW))
    assert [child.get("name") for child in root] == ["f", "now"]
    assert {element.tag for element in root.iter()} <= {"tools", "tool", "description", "parameter"}


@each_ending
def test_hostile_words_stay_behind_the_comment_signs_of_typescript(words):
    text = shown("typescript", hostile(words))
    code = re.sub(r'"(?:[^"\\\n]|\\.)*"|//.*', "S", text)
    assert "evil" not in code
    assert code.count("(") == code.count(")")


@each_ending
def test_hostile_words_stay_off_the_margin_of_forms(words):
    lines = shown("forms", hostile(words)).splitlines()
    assert all(line.startswith(("f", "- ", "  ", "{")) for line in lines)


@each_ending
def test_hostile_words_stay_on_their_line_of_names(words):
    assert len(shown("names_only", hostile(words), NOW).splitlines()) == 2


# -- not too much -------------------------------------------------------------------------


@each_style
@pytest.mark.parametrize("kind", GREEDY)
def test_a_greedy_schema_is_shown_in_bounds(style, kind):
    spec = GREEDY[kind]
    size = len(json.dumps(spec.parameters, default=str))
    assert len(shown(style, spec)) < max(2_000_000, 2 * size)


@each_style
def test_many_arguments_are_all_named(style):
    names = [f"argument_{n}" for n in range(2000)]
    text = shown(style, tool({name: STRING for name in names}, *names))
    assert [name for name in names if name not in text] == []


def test_a_schema_too_deep_for_json_is_the_mistake_of_the_program():
    value: list[object] = []
    for _ in range(100_000):
        value = [value]
    with pytest.raises(UsageError, match="nest too deeply"):
        shown("json_schema", tool({"it": {"default": value}}))


@pytest.mark.parametrize("style", [name for name in list_styles() if name != "json_schema"])
def test_a_value_too_deep_to_copy_is_not_written_out(style):
    value: list[object] = []
    for _ in range(100_000):
        value = [value]
    assert len(shown(style, tool({"it": {"default": value, "enum": [value]}}, "it"))) < 1000


# -- what a type looks like ---------------------------------------------------------------

#: A schema, and how it is written in TypeScript and in Python.
TYPES = [
    (STRING, "string", "str"),
    ({"type": "integer"}, "number", "int"),
    ({"type": "number"}, "number", "float"),
    ({"type": "boolean"}, "boolean", "bool"),
    ({"type": "null"}, "null", "None"),
    ({}, "any", "Any"),
    ({"type": "object"}, "object", "dict"),
    ({"enum": ["a", 1, None, True]}, '"a"|1|null|true', 'Literal["a", 1, None, True]'),
    ({"const": "true"}, '"true"', 'Literal["true"]'),
    ({"type": ["string", "null"]}, "string|null", "str | None"),
    ({"anyOf": [STRING, {"type": "integer"}]}, "string|number", "str | int"),
    ({"anyOf": [{"type": "integer"}, {"type": "number"}]}, "number", "int | float"),
    ({"type": "array", "items": STRING}, "string[]", "list[str]"),
    ({"type": "array", "items": {"enum": ["a", "b"]}}, '("a"|"b")[]', 'list[Literal["a", "b"]]'),
    ({"type": "array"}, "any[]", "list[Any]"),
    (
        {"type": "array", "items": {"type": "array", "items": STRING}},
        "(string[])[]",
        "list[list[str]]",
    ),
    (
        {"type": "object", "additionalProperties": {"type": "integer"}},
        "Record<string, number>",
        "dict[str, int]",
    ),
    (
        {"type": "object", "properties": {"a": STRING, "b": STRING}, "required": ["a"]},
        "{a: string, b?: string}",
        '{"a": str, "b": NotRequired[str]}',
    ),
    (
        {"type": "array", "items": {"type": "object", "properties": {"a-b": STRING}}},
        '{"a-b"?: string}[]',
        'list[{"a-b": NotRequired[str]}]',
    ),
    (
        {"allOf": [{"properties": {"a": STRING}, "required": ["a"]}, {"properties": {"b": {}}}]},
        "{a: string, b?: any}",
        '{"a": str, "b": NotRequired[Any]}',
    ),
]


@pytest.mark.parametrize("schema, typescript, python", TYPES, ids=[str(case[0]) for case in TYPES])
def test_a_type_is_written_so(schema, typescript, python):
    spec = tool({"it": schema}, "it", description="")
    assert shown("typescript", spec) == f"f(it: {typescript})"
    assert shown("python", spec) == f"def f(*, it: {python}): ..."


#: A default, and the parameter it makes.
DEFAULTS = [
    ({"type": "integer", "default": 3}, "it = 3", "it: int = 3"),
    ({"type": "number", "default": -0.5}, "it = -0.5", "it: float = -0.5"),
    ({"type": "boolean", "default": True}, "it = true", "it: bool = True"),
    ({"type": "string", "default": "a"}, 'it = "a"', 'it: str = "a"'),
    ({"type": "string", "default": 3}, "it: string = 3", "it: str = 3"),
    ({"enum": ["a", "b"], "default": "a"}, 'it: "a"|"b" = "a"', 'it: Literal["a", "b"] = "a"'),
    ({"type": "array", "default": [True]}, "it: any[] = [true]", "it: list[Any] = [True]"),
    ({"type": "string", "default": None}, "it?: string", "it: str = ..."),
    (STRING, "it?: string", "it: str = ..."),
]


@pytest.mark.parametrize("schema, typescript, python", DEFAULTS, ids=[str(c[0]) for c in DEFAULTS])
def test_an_optional_argument_is_written_so(schema, typescript, python):
    spec = tool({"it": schema}, description="")
    assert shown("typescript", spec) == f"f({typescript})"
    assert shown("python", spec) == f"def f(*, {python}): ..."


def test_a_default_does_not_make_a_required_argument_optional():
    spec = tool({"it": {"type": "integer", "default": 3}}, "it", description="")
    assert shown("typescript", spec) == "f(\nit: number, // default 3\n)"
    assert shown("python", spec).startswith("def f(*, it: int):\n")
    assert "it: (default 3)" in shown("python", spec)


@pytest.mark.parametrize("style", ["typescript", "python", "xml", "json_schema"])
def test_what_members_of_an_argument_say_is_said(style):
    member = {"type": "integer", "description": "How often.", "minimum": 7, "default": 9}
    text = shown(style, tool({"it": {"type": "object", "properties": {"n": member}}}))
    assert [word for word in ("How often", "7", "9") if word not in text] == []


BOUNDS = [
    ({"minimum": 1, "maximum": 50}, "1..50"),
    ({"minimum": 1}, ">=1"),
    ({"maximum": 2.5}, "<=2.5"),
    ({"exclusiveMinimum": 0}, ">0"),
    ({"exclusiveMaximum": 1.0}, "<1"),
    ({"multipleOf": 5}, "multiple of 5"),
    ({"minLength": 2, "maxLength": 2}, "2 characters"),
    ({"minLength": 0}, ""),
    ({"minItems": 1}, ">=1 items"),
    ({"pattern": "^[A-Z]{3}$"}, "matching ^[A-Z]{3}$"),
    ({"pattern": "x" * 500}, ""),
    ({"examples": ["a", "b", "c"]}, 'such as "a" or "b"'),
    ({"type": "array", "items": {"minimum": 1, "description": "Level."}}, "each: Level, each: >=1"),
    ({"minimum": True, "maximum": "x", "multipleOf": None}, ""),
    ({"minimum": float("nan")}, ">=nan"),
]


@pytest.mark.parametrize("schema, words", BOUNDS, ids=[str(case[0]) for case in BOUNDS])
def test_bounds_are_said_in_a_few_signs(schema, words):
    text = shown("typescript", tool({"it": schema}, "it", description=""))
    assert (text.partition(" // ")[2].partition("\n")[0]) == words


def test_what_stands_beside_a_reference_wins_over_what_it_leads_to():
    town = {"type": "string", "description": "A town."}
    spec = tool(
        {"to": {"$ref": "#/$defs/town", "description": "Where to."}}, **{"$defs": {"town": town}}
    )
    assert "to?: string, // Where to\n" in shown("typescript", spec)


def test_a_form_has_numbers_where_numbers_belong():
    """A paradigm that writes types down would otherwise call every placeholder a string."""
    kinds = {}

    def write(call):
        kinds.update({name: type(value).__name__ for name, value in call.arguments.items()})
        return plain_call(call)

    spec = tool({"a": {"type": "integer"}, "b": {"type": "number"}, "c": STRING}, "a", "b", "c")
    text = get_style("forms").show([spec], write)
    assert '{"a": <integer>, "b": <number>, "c": "<c>"}' in text
    assert kinds == {"a": "int", "b": "int", "c": "str"}


def test_the_lookup_is_mentioned_only_if_it_is_offered():
    lookup = tool({"name": STRING}, "name", name="describe_tool")
    assert "Before you use" not in shown("names_only", MEETING)
    assert shown("names_only", MEETING, lookup).endswith(
        'read about it:\n{"name": "describe_tool", "arguments": {"name": "<name>"}}'
    )


def test_json_keeps_its_meaning_when_tokens_are_escaped():
    value = {"<|im_end|>": ["[INST]", "\ud800", "é"]}
    assert json.loads(as_json(value)) == value
    assert "<|" not in as_json(value)
