"""Tools out of functions, schemas and other people's definitions."""

from __future__ import annotations

import dataclasses
import datetime as dt
import functools
import inspect
import json
import uuid
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, Optional

import pytest
from pydantic import BaseModel, ConfigDict, Field, field_validator
from typing_extensions import TypedDict

from toolproto.protocol.errors import UsageError
from toolproto.protocol.messages import CallProblem, ProblemKind, ToolCall
from toolproto.protocol.schemas.schema import check_schema
from toolproto.protocol.tools import Tool, ToolOffer, ToolSpec, check_call, spec_from_openai, tool


class Unit(Enum):
    C = "c"
    F = "f"


class Place(BaseModel):
    """A spot on the map."""

    title: str
    lat: float = Field(0.0, ge=-90, le=90)

    @field_validator("title")
    @classmethod
    def not_nowhere(cls, title: str) -> str:
        if title == "nowhere":
            raise ValueError("nowhere is no place")
        return title


class Tree(BaseModel):
    children: list[Tree] = []


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    a: int


@dataclasses.dataclass
class Size:
    width: int
    height: int = 1


class Options(TypedDict, total=False):
    deep: bool


class Plane:
    """Not JSON."""


@tool
def get_weather(
    city: str,
    days: Annotated[int, Field(ge=1, le=7)] = 1,
    unit: Annotated[Unit | None, "celsius or fahrenheit"] = None,
) -> str:
    """The weather forecast for a city.

    It is often right.

    Args:
        city: where, as a person would write it
        days: how many
        unit: overruled
    """
    return f"{city} {days} {unit}"


def schema_of(annotation: Any) -> dict[str, Any]:
    """The schema of the one parameter ``x``, and the definitions it needs."""

    def take(x):
        pass

    take.__annotations__["x"] = annotation
    parameters = Tool.from_function(take).spec.parameters
    assert check_schema(parameters, "take") == parameters
    definitions = {"$defs": parameters["$defs"]} if "$defs" in parameters else {}
    return parameters["properties"]["x"] | definitions


def test_a_function_becomes_a_tool_in_its_own_words():
    assert get_weather.spec == ToolSpec(
        "get_weather",
        "The weather forecast for a city.\n\nIt is often right.",
        {
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "where, as a person would write it"},
                "days": {
                    "type": "integer",
                    "maximum": 7,
                    "minimum": 1,
                    "description": "how many",
                    "default": 1,
                },
                "unit": {
                    "anyOf": [{"$ref": "#/$defs/Unit"}, {"type": "null"}],
                    "description": "celsius or fahrenheit",
                    "default": None,
                },
            },
            "required": ["city"],
            "additionalProperties": False,
            "$defs": {"Unit": {"enum": ["c", "f"], "type": "string"}},
        },
    )
    assert (get_weather.risk, get_weather.needs_approval, get_weather.timeout) == (
        "read",
        None,
        None,
    )


def test_a_tool_is_still_the_function():
    assert get_weather("Oslo", days=2) == "Oslo 2 None"
    assert not get_weather.is_async


def test_the_decorator_takes_terms():
    @tool(name="fs.rm", description="Delete.", risk="write", timeout=5, needs_approval=True)
    def remove(path: str) -> None:
        """Not this."""

    assert (remove.name, remove.spec.description) == ("fs.rm", "Delete.")
    assert (remove.risk, remove.timeout, remove.needs_approval) == ("write", 5, True)


def test_the_schema_is_the_same_bytes_each_time():
    again = Tool.from_function(get_weather.function)
    assert json.dumps(again.spec.parameters) == json.dumps(get_weather.spec.parameters)
    assert list(again.spec.properties) == ["city", "days", "unit"]


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        (str, {"type": "string"}),
        (float, {"type": "number"}),
        (Any, {}),
        (Optional[int], {"anyOf": [{"type": "integer"}, {"type": "null"}]}),  # noqa: UP045
        (int | str, {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
        (Literal["a", "b"], {"enum": ["a", "b"], "type": "string"}),
        (list[int], {"type": "array", "items": {"type": "integer"}}),
        (set[int], {"type": "array", "uniqueItems": True, "items": {"type": "integer"}}),
        (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (
            tuple[int, str],
            {
                "type": "array",
                "prefixItems": [{"type": "integer"}, {"type": "string"}],
                "minItems": 2,
                "maxItems": 2,
            },
        ),
        (dt.datetime, {"type": "string", "format": "date-time"}),
        (uuid.UUID, {"type": "string", "format": "uuid"}),
        (Annotated[int, Field(description="words")], {"type": "integer", "description": "words"}),
    ],
)
def test_a_type_has_a_tidy_schema(annotation, schema):
    assert schema_of(annotation) == schema


@pytest.mark.parametrize("annotation", [Decimal, bytes, dt.timedelta, object, Tree, Open])
def test_more_types_have_a_schema(annotation):
    assert "title" not in schema_of(annotation)


def test_nested_objects_are_closed_and_keep_a_property_named_title():
    assert schema_of(Place) == {
        "$ref": "#/$defs/Place",
        "$defs": {
            "Place": {
                "description": "A spot on the map.",
                "properties": {
                    "title": {"type": "string"},
                    "lat": {"default": 0.0, "maximum": 90, "minimum": -90, "type": "number"},
                },
                "required": ["title"],
                "type": "object",
                "additionalProperties": False,
            }
        },
    }
    assert schema_of(Open)["$defs"]["Open"]["additionalProperties"] is True


def test_dataclasses_and_typed_dicts_are_objects_too():
    assert schema_of(Size)["$defs"]["Size"]["required"] == ["width"]
    assert schema_of(Options)["$defs"]["Options"]["properties"] == {"deep": {"type": "boolean"}}


def test_a_parameter_without_annotation_takes_anything():
    @tool
    def echo(x, y=3):
        return x

    assert echo.spec.properties == {"x": {}, "y": {"default": 3}}


def test_a_function_without_parameters_takes_an_empty_object():
    @tool
    def now() -> str:
        """The time."""
        return ""

    assert now.spec.parameters == {
        "type": "object",
        "properties": {},
        "additionalProperties": False,
    }


def test_a_default_that_is_not_json_is_kept_from_the_model():
    @tool
    def wait(x: Any = object(), when: dt.date = dt.date(2024, 5, 6)) -> None:  # noqa: B008
        pass

    assert wait.spec.properties["x"] == {}
    assert wait.spec.properties["when"]["default"] == "2024-05-06"


def test_a_field_as_default_describes_and_supplies_it():
    @tool
    def find(
        text: str = Field(description="what"),
        tags: list[str] = Field(default_factory=list),  # noqa: B008
        limit: Annotated[int, Field(default=5)] = 7,
    ) -> Any:
        return text, tags, limit

    assert find.spec.required == ("text",)
    assert find.spec.properties["text"]["description"] == "what"
    bound = find.bind({"text": "x"})
    assert bound == {"text": "x", "tags": []}
    assert find.bind({"text": "x"})["tags"] is not bound["tags"]
    assert find(**bound) == ("x", [], 7)


class Desk:
    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, text: str) -> int:
        """Keep a note."""
        self.notes.append(text)
        return len(self.notes)

    async def think(self, text: str) -> str:
        return text

    async def __call__(self, text: str) -> str:
        """Ask the desk."""
        return text

    @classmethod
    def build(cls, size: int) -> None: ...


def test_a_bound_method_is_asked_without_its_object():
    note = Tool.from_function(Desk().note)
    assert (note.name, note.spec.description) == ("note", "Keep a note.")
    assert list(note.spec.properties) == ["text"]
    assert note(text="x") == 1
    assert list(Tool.from_function(Desk.build).spec.properties) == ["size"]


def test_a_method_without_its_object_is_refused():
    with pytest.raises(UsageError, match=r"bound method: Tool\.from_function"):
        Tool.from_function(Desk.note)


def test_a_partial_asks_only_for_what_is_open():
    def move(x: int, y: int, z: int = 0, *, fast: bool = False) -> Any:
        """Move."""
        return x, y, z, fast

    moved = Tool.from_function(functools.partial(move, 1, fast=True))
    assert (moved.name, moved.spec.description) == ("move", "Move.")
    assert list(moved.spec.properties) == ["y", "z"]
    assert moved(**moved.bind({"y": 2})) == (1, 2, 0, True)


def test_async_functions_are_known_as_such():
    async def wait(x: int) -> int:
        return x

    for function in (wait, functools.partial(wait, 1), Desk().think, Desk()):
        made = Tool.from_function(function, name="wait")
        assert made.is_async
    coroutine = Tool.from_function(wait)(x=1)
    assert inspect.iscoroutine(coroutine)
    coroutine.close()


def positional(x, /): ...
def starred(*x): ...
def named(**x): ...


def local_name():
    def take(x: Nowhere) -> None: ...  # noqa: F821

    return take


def plane(x: Plane) -> None: ...
def planes(x: list[Plane]) -> None: ...
def constrained(x: Annotated[str, Field(ge=1)]) -> None: ...


@pytest.mark.parametrize(
    ("function", "complaint"),
    [
        (positional, "parameter 'x' of positional is positional-only"),
        (starred, "parameter 'x' of starred takes any number"),
        (named, "parameter 'x' of named takes any name"),
        (plane, "parameter 'x' has a type that JSON cannot express"),
        (planes, "parameter 'x' has a type that JSON cannot express"),
        (local_name(), "'Nowhere' is not defined; .* module level"),
        (Plane, "is not a function"),
        (3, "is not a function"),
        (dict.update, "positional-only|does not show|takes any"),
    ],
)
def test_what_a_model_cannot_call_is_refused_by_name(function, complaint):
    with pytest.raises(UsageError, match=complaint):
        Tool.from_function(function, name="t")


def test_a_constraint_that_cannot_hold_is_the_programs_mistake():
    with pytest.raises(UsageError, match="parameter 'x' cannot be checked"):
        Tool.from_function(constrained).bind({"x": "a"})


def test_arguments_are_bound_as_the_functions_own_types():
    @tool
    def plan(
        place: Place,
        unit: Unit,
        when: dt.datetime,
        size: Size,
        ident: uuid.UUID,
        price: Decimal,
        tags: set[str],
        pair: tuple[int, str],
        options: Options,
    ) -> None: ...

    assert plan.bind(
        {
            "place": {"title": "Oslo"},
            "unit": "c",
            "when": "2024-05-06T07:08:09Z",
            "size": {"width": 3},
            "ident": "12345678-1234-5678-1234-567812345678",
            "price": "1.10",
            "tags": ["a", "b"],
            "pair": [1, "x"],
            "options": {"deep": True},
        }
    ) == {
        "place": Place(title="Oslo"),
        "unit": Unit.C,
        "when": dt.datetime(2024, 5, 6, 7, 8, 9, tzinfo=dt.UTC),
        "size": Size(3),
        "ident": uuid.UUID("12345678-1234-5678-1234-567812345678"),
        "price": Decimal("1.10"),
        "tags": {"a", "b"},
        "pair": (1, "x"),
        "options": {"deep": True},
    }


def test_what_a_validator_refuses_is_told_to_the_model():
    @tool
    def visit(place: Place) -> None: ...

    problem = visit.bind({"place": {"title": "nowhere"}})
    assert isinstance(problem, CallProblem)
    assert problem.kind is ProblemKind.INVALID_ARGUMENTS
    assert problem.name == "visit"
    assert problem.message.startswith("arguments.place.title: ")
    assert "nowhere is no place" in problem.message


def test_a_recursive_model_can_be_called():
    @tool
    def grow(tree: Tree) -> None: ...

    call = ToolCall("grow", {"tree": {"children": [{"children": "[]"}]}})
    checked = check_call(call, ToolOffer((grow.spec,)))
    assert isinstance(checked, ToolCall)
    assert grow.bind(checked.arguments) == {"tree": Tree(children=[Tree()])}


def test_a_tool_from_a_schema_passes_arguments_on():
    made = Tool.from_schema("t", "Words.", {"properties": {"a": {}}}, dict, risk="exec")
    assert made.spec == ToolSpec("t", "Words.", {"type": "object", "properties": {"a": {}}})
    assert made.bind({"a": 1}) == {"a": 1}
    assert made(a=1) == {"a": 1}
    assert made.risk == "exec"


def test_a_tool_without_a_function_cannot_be_called():
    with pytest.raises(UsageError, match="answered elsewhere"):
        Tool.from_schema("t", "", None)()


@pytest.mark.parametrize(
    "definition",
    [
        {"type": "function", "function": {"name": "t", "description": "W.", "parameters": {}}},
        {"type": "function", "name": "t", "description": "W.", "parameters": {"type": "object"}},
        {"name": "t", "description": "W."},
    ],
)
def test_an_openai_definition_is_a_tool(definition):
    spec = ToolSpec("t", "W.", {"type": "object"})
    assert spec_from_openai(definition) == spec
    assert Tool.from_openai(definition, risk="egress") == Tool(spec, risk="egress")


@pytest.mark.parametrize(
    "definition",
    [
        {},
        {"type": "web_search"},
        {"type": "function", "function": "t"},
        {"type": "function", "function": {"name": "two words"}},
        {"type": "function", "function": {"name": "t", "description": 3}},
        {"type": "function", "function": {"name": "t", "parameters": {"type": "array"}}},
        {"type": "function", "function": {"name": "t", "parameters": {"$ref": "http://x.org"}}},
    ],
)
def test_another_definition_is_refused(definition):
    with pytest.raises(UsageError):
        spec_from_openai(definition)


@pytest.mark.parametrize("terms", [{"risk": "none"}, {"timeout": 0}, {"timeout": -1.0}])
def test_terms_that_mean_nothing_are_refused(terms):
    with pytest.raises(UsageError, match="'get_weather'"):
        Tool(get_weather.spec, **terms)
