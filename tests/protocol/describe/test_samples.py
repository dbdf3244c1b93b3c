"""Example calls that their own tools accept."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolproto import ToolCall, ToolOffer, ToolSpec, check_call
from toolproto.protocol.describe.requests import example_request, example_turns
from toolproto.protocol.describe.samples import example_call


def tool(
    properties: dict[str, object], *required: str, name: str = "f", **more: object
) -> ToolSpec:
    schema = {"type": "object", "properties": properties, "required": list(required), **more}
    return ToolSpec(name, "Do it.", schema)


def sample(schema: object, name: str = "it", **root: object) -> object:
    """The value that an example call has for *schema*."""
    call = example_call(ToolOffer((tool({name: schema}, name, **root),)))
    assert call is not None
    return call.arguments[name]


STRING = {"type": "string"}
SAMPLES = [
    ({"enum": ["c", "f"]}, "c"),
    ({"type": "string", "examples": ["Bergen"]}, "Bergen"),
    ({"const": 7}, 7),
    ({"type": "integer", "default": 5}, 5),
    ({"type": "integer"}, 3),
    ({"type": "integer", "minimum": 10}, 10),
    ({"type": "integer", "maximum": 2}, 2),
    ({"type": "number", "minimum": 0, "maximum": 1}, 1),
    ({"type": "boolean"}, True),
    ({"type": "null"}, None),
    ({"type": "string", "format": "date"}, "2024-05-17"),
    ({"type": "string", "format": "email"}, "ada@example.com"),
    ({"type": "array", "items": {"type": "integer"}}, [3]),
    ({"type": ["integer", "null"]}, 3),
    ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, 3),
    (
        {"type": "object", "properties": {"city": STRING, "b": STRING}, "required": ["city"]},
        {"city": "Oslo"},
    ),
]


@pytest.mark.parametrize("schema, value", SAMPLES, ids=[str(schema) for schema, _ in SAMPLES])
def test_a_schema_gives_this_sample(schema, value):
    assert sample(schema) == value


NAMES = [
    ("city", "Oslo"),
    ("home_city", "Oslo"),
    ("file-path", "notes.txt"),
    ("PATH", "notes.txt"),
    ("user_email", "ada@example.com"),
    ("whatever", "example"),
]


@pytest.mark.parametrize("name, value", NAMES)
def test_a_name_tells_what_it_usually_holds(name, value):
    assert sample(STRING, name) == value


def test_a_list_is_named_after_what_it_holds():
    assert sample({"type": "array", "items": STRING}, "emails") == ["ada@example.com"]


def test_a_reference_is_followed():
    town = {"enum": ["Oslo"]}
    assert sample({"$ref": "#/$defs/town"}, **{"$defs": {"town": town}}) == "Oslo"


def test_a_schema_in_itself_comes_to_an_end():
    node = {
        "type": "object",
        "properties": {"next": {"$ref": "#/$defs/node"}},
        "required": ["next"],
    }
    endless = tool({"it": {"$ref": "#/$defs/node"}}, "it", **{"$defs": {"node": node}})
    assert example_call(ToolOffer((endless,))) is None


CALLS = {
    "required arguments": (tool({"city": STRING, "unit": STRING}, "city"), {"city": "Oslo"}),
    "no arguments": (tool({}), {}),
    "optional arguments only": (tool({"city": STRING, "unit": STRING}), {"city": "Oslo"}),
    "several": (
        tool({"path": STRING, "lines": {"type": "integer"}}, "path", "lines"),
        {"path": "notes.txt", "lines": 3},
    ),
    "nested": (
        tool(
            {"to": {"type": "object", "properties": {"email": STRING}, "required": ["email"]}},
            "to",
        ),
        {"to": {"email": "ada@example.com"}},
    ),
}


@pytest.mark.parametrize("kind", CALLS)
def test_the_example_of_a_tool_is_this(kind):
    spec, arguments = CALLS[kind]
    assert example_call(ToolOffer((spec,))) == ToolCall("f", arguments)


#: Schemas that a sample made of the type alone does not satisfy.
DEMANDING = {
    "a pattern": {"type": "string", "pattern": "^[A-Z]{3}$"},
    "a length": {"type": "string", "minLength": 50},
    "a multiple": {"type": "integer", "multipleOf": 7},
    "two conditions": {"allOf": [{"type": "integer"}, {"minimum": 100}]},
    "a number of items": {"type": "array", "items": STRING, "minItems": 2},
    "a bound": {"type": "integer", "exclusiveMaximum": 3},
    "nothing": {"not": {}},
}


@pytest.mark.parametrize("kind", DEMANDING)
def test_an_example_is_valid_or_there_is_none(kind):
    offer = ToolOffer((tool({"it": DEMANDING[kind]}, "it"),))
    call = example_call(offer)
    assert call is None or check_call(call, offer) == call


def test_a_tool_without_a_valid_example_leaves_it_to_the_next():
    offer = ToolOffer((tool({"it": {"not": {}}}, "it"), tool({}, name="now")))
    assert example_call(offer) == ToolCall("now", {})


def slow_to_check(name: str) -> ToolSpec:
    """A tool of which one argument takes 2 ** 40 steps to refuse."""
    twice = {f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(40)}
    defs = {**twice, "d40": {"type": "integer"}}
    return tool({"a": {"$ref": "#/$defs/d0"}}, "a", name=name, **{"$defs": defs})


def test_examples_of_many_tools_cost_no_more_than_that_of_one():
    """Each of twenty took seconds, in every request."""
    offer = ToolOffer(tuple(slow_to_check(f"f{number}") for number in range(20)))
    assert example_call(offer) is None


def test_an_example_comes_before_what_is_slow_to_check():
    offer = ToolOffer((tool({}, name="now"), slow_to_check("slow")))
    assert example_call(offer) == ToolCall("now", {})


def test_the_tool_that_must_be_called_comes_first():
    offer = ToolOffer((tool({}, name="a"), tool({}, name="b")), choice="b")
    assert example_call(offer) == ToolCall("b", {})


def test_nothing_offered_has_no_example():
    assert example_call(ToolOffer()) is None


leaves = st.sampled_from(
    [
        STRING,
        {"type": "integer"},
        {"type": "number", "minimum": 4.5},
        {"type": "boolean"},
        {"enum": ["a", 1, None]},
        {"type": "string", "format": "date-time"},
        {"type": "string", "pattern": "^x+$"},
        {"type": "integer", "maximum": -2},
        {},
    ]
)
schemas = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(lambda items: {"type": "array", "items": items}, inner),
        st.builds(lambda parts: {"anyOf": parts}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(
            lambda members: {"type": "object", "properties": members, "required": [*members]},
            st.dictionaries(st.sampled_from(["city", "path", "x"]), inner, max_size=3),
        ),
    ),
    max_leaves=6,
)


@given(
    properties=st.dictionaries(st.sampled_from(["city", "n", "it"]), schemas, max_size=3),
    all_required=st.booleans(),
)
def test_whatever_the_schema_an_example_is_valid_or_there_is_none(properties, all_required):
    offer = ToolOffer((tool(properties, *(properties if all_required else ())),))
    call = example_call(offer)
    assert call is None or check_call(call, offer) == call


def test_a_request_holds_every_value_of_its_call():
    spec = tool({"city": STRING, "days": {"type": "integer"}}, "city", "days")
    request = example_request(ToolCall("f", {"city": "Oslo", "days": 3}), ToolOffer((spec,)))
    assert "Oslo" in request
    assert "3" in request


@pytest.mark.parametrize("description", ["", "  ", "One line.\nAnother.", r"A \1 city {x}."])
def test_a_request_is_one_line_of_words_whatever_the_description(description):
    spec = ToolSpec("f", description, {"type": "object", "properties": {"city": STRING}})
    request = example_request(ToolCall("f", {"city": r"\g<0>"}), ToolOffer((spec,)))
    assert request.strip() == request != ""
    assert "\n" not in request


def test_a_request_for_a_tool_that_is_not_offered_is_still_words():
    assert example_request(ToolCall("g", {}), ToolOffer())


NAMED = [
    ("In the format of 'City, State', such as 'Boston, MA'.", "Boston, MA"),
    ("Code of a currency, such as USD.", "USD"),
    ("A date (e.g., '2023-04-15')", "2023-04-15"),
    ("Pattern with wildcards, such as *.txt.", "*.txt"),
    ("The kind of event, such as concerts and plays.", "example"),
    ("What to say, e.g. 'it's time'.", "example"),
    ("such as '" * 5000, "example"),
]


@pytest.mark.parametrize("description, value", NAMED, ids=[text[:30] for text, _ in NAMED])
def test_a_value_that_a_description_gives_is_taken(description, value):
    assert sample({"type": "string", "description": description}, "whatever") == value


def test_every_tool_has_three_example_turns_with_different_values():
    offer = ToolOffer(
        (tool({"city": STRING}, "city"), tool({"days": {"type": "integer"}}, "days", name="g"))
    )
    turns = example_turns(offer)
    assert [call.name for _, call in turns] == ["f", "g", "g", "f", "f", "g"]
    assert len({json.dumps(dict(call.arguments)) for _, call in turns}) == 6
    for request, call in turns:
        assert str(next(iter(call.arguments.values()))) in request
        assert check_call(call, offer) == call


def test_a_tool_that_must_be_called_has_all_the_example_turns():
    offer = ToolOffer((tool({"city": STRING}, "city"), tool({}, name="g")), choice="f")
    assert {call.name for _, call in example_turns(offer)} == {"f"}


def test_example_turns_are_few_and_not_long():
    wide = {f"part_{n}": {"type": "string", "examples": ["x" * 80]} for n in range(20)}
    offer = ToolOffer(tuple(tool(wide, *wide, name=f"f{n}") for n in range(50)))
    assert (
        len(json.dumps([[request, dict(call.arguments)] for request, call in example_turns(offer)]))
        < 20_000
    )


REQUESTS = [
    ("Retrieves the weather.", "Please retrieve the weather, with city Oslo."),
    ("Locks a door.", "Please lock a door, with city Oslo."),
    ("Send a city message.", "Please send a city message, with city Oslo."),
    ("Find the city.", "Please find Oslo."),
    ("Weather for the city, now.", "What is the weather for Oslo, now?"),
    ("This function gets the weather.", "Please get the weather, with city Oslo."),
    ("This tool can be used to find a hotel.", "Please find a hotel, with city Oslo."),
    (
        "This tool belongs to the mail API. Tool description: Read a mail.",
        "Please read a mail, with city Oslo.",
    ),
    ("This tool belongs to the mail API.", "What is the f, with city Oslo?"),
]


@pytest.mark.parametrize("description, request_", REQUESTS, ids=[text for text, _ in REQUESTS])
def test_a_description_becomes_a_request(description, request_):
    spec = ToolSpec("f", description, tool({"city": STRING}, "city").parameters)
    offer = ToolOffer((spec,))
    assert example_request(ToolCall("f", {"city": "Oslo"}), offer) == request_


def test_a_request_does_not_speak_of_the_program_that_the_tools_belong_to():
    about = "This tool belongs to the files. It is a simple file system, for all that one needs. "
    specs = tuple(
        ToolSpec(name, f"{about}Tool description: {does}", {"type": "object", "properties": {}})
        for name, does in (("a", "Display a file."), ("b", "Compare two files."))
    )
    asked = [example_request(ToolCall(spec.name, {}), ToolOffer(specs)) for spec in specs]
    assert asked == ["Please display a file.", "Please compare two files."]
