"""Structured answers: forty forms in six paradigms, however the model gives them."""

from __future__ import annotations

import asyncio
import enum
import json
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, TypedDict

import pytest
from pydantic import BaseModel, Field, TypeAdapter, field_validator

from tests.amount import some
from toolproto import (
    AsyncChatSession,
    ChatSession,
    LimitReached,
    Message,
    ToolCall,
    TurnLimits,
    UsageError,
    get_paradigm,
    tool,
)
from toolproto.endpoints import ScriptedEndpoint, ScriptedReply
from toolproto.protocol.tools.answer import answer_form
from toolproto.protocol.tools.typed_dicts import readable

PARADIGMS = ("json_strict", "xml_tag", "hermes", "pythonic", "qwen3_coder", "raw_block")


class Colour(enum.Enum):
    RED = "red"
    GREEN = "grün"


class Point(BaseModel):
    x: float
    y: float = 0.0


class Circle(BaseModel):
    kind: Literal["circle"]
    radius: float


class Square(BaseModel):
    kind: Literal["square"]
    side: float


class Node(BaseModel):
    name: str
    children: list[Node] = []


class Person(BaseModel):
    """Somebody."""

    name: str = Field(min_length=1)
    age: int = Field(ge=0, le=150)
    mail: str | None = None
    favourite: Colour = Colour.RED

    @field_validator("name")
    @classmethod
    def capital(cls, name: str) -> str:
        if not name[0].isupper():
            raise ValueError("a name begins with a capital letter")
        return name


class Team(BaseModel):
    title: str
    members: list[Person]
    lead: Person
    scores: dict[str, list[int]] = {}


@dataclass
class Recipe:
    title: str
    steps: list[str]
    minutes: int = 10
    tags: list[str] = field(default_factory=list)


@dataclass
class Tree:
    value: int
    left: Tree | None = None
    right: Tree | None = None


class Film(TypedDict):
    title: str
    year: int
    cast: NotRequired[list[str]]


class Pair(NamedTuple):
    first: str
    second: int


class Umlaut(BaseModel):
    größe: int
    名前: str


class Code(BaseModel):
    language: str
    source: str


class Event(BaseModel):
    at: date
    price: Decimal
    seen: bool


class Aliased(BaseModel):
    from_: str = Field(alias="from")
    to: str


OBJECT = {"type": "object", "additionalProperties": False}
LINK = {**OBJECT, "properties": {"next": {"$ref": "#/$defs/link"}}}
CHAIN = {"$ref": "#/$defs/link", "$defs": {"link": LINK}}
ANN, BOB = {"name": "Ann", "age": 30}, {"name": "Bob", "age": 41, "mail": "b@x.org"}
#: Forms, and an answer in each of them.
FORMS: list[tuple[Any, Any]] = [
    (Point, {"x": 1.5, "y": -2.0}),
    (Point, {"x": 3.0}),
    (Node, {"name": "a", "children": [{"name": "b", "children": [{"name": "c"}]}]}),
    (Person, ANN),
    (Person, {**BOB, "favourite": "grün"}),
    (Team, {"title": "T", "members": [ANN, BOB], "lead": ANN, "scores": {"a": [1, 2], "b": []}}),
    (Recipe, {"title": "Tea", "steps": ["boil", "pour, wait", 'say "hi"'], "minutes": 5}),
    (Tree, {"value": 1, "left": {"value": 2}, "right": {"value": 3, "left": {"value": 4}}}),
    (Film, {"title": "Alien", "year": 1979}),
    (Film, {"title": "Alien³", "year": 1992, "cast": ["Sigourney Weaver"]}),
    (Umlaut, {"größe": 3, "名前": "東京 🗼"}),
    (Code, {"language": "python", "source": 'def f(x):\n    return {"a": [x]}  # </c>\n'}),
    (Event, {"at": "2024-02-29", "price": "12.50", "seen": True}),
    (Aliased, {"from": "Oslo", "to": "Rome"}),
    (Circle | Square, {"kind": "square", "side": 2.0}),
    (Annotated[Circle | Square, Field(discriminator="kind")], {"kind": "circle", "radius": 1.0}),
    (list[Circle | Square], [{"kind": "circle", "radius": 1.0}, {"kind": "square", "side": 2.0}]),
    (list[int], [1, 2, 3]),
    (list[str], ["a", "b c", "[d]"]),
    (list[Person], [ANN, BOB]),
    (list[list[int]], [[1], [], [2, 3]]),
    (dict[str, int], {"a": 1, "b c": 2}),
    (dict[str, Point], {"here": {"x": 0.0, "y": 1.0}}),
    (tuple[str, int], ["a", 1]),
    (Pair, ["a", 1]),
    (int, 42),
    (float, 2.5),
    (bool, True),
    (str, "a plain sentence."),
    (Colour, "grün"),
    (Literal["yes", "no"], "yes"),
    (int | None, 7),
    (int | str, "seven"),
    (Person | None, ANN),
    ({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}, {"a": 1}),
    ({**OBJECT, "properties": {"on": {"type": "string", "format": "date"}}}, {"on": "2024-01-31"}),
    ({"enum": ["low", "high"]}, "high"),
    ({"type": "array", "items": {"type": "number"}, "minItems": 1}, [1.5]),
    (CHAIN, {"next": {"next": {}}}),
    ({"oneOf": [{"type": "integer"}, {"type": "array", "items": {"type": "integer"}}]}, [1, 2]),
]


def expected(form: Any, value: Any) -> Any:
    if isinstance(form, dict):
        return value
    return TypeAdapter(readable({"it": form})["it"]).validate_python(value)


def call_of(paradigm: str, form: Any, value: Any, name: str = "answer") -> str:
    made = answer_form(form)
    arguments = {"value": value} if made.wrapped else value
    return get_paradigm(paradigm).encode_call(ToolCall(name, arguments))


def drifts(paradigm: str, form: Any, value: Any) -> dict[str, list[str]]:
    """Ways to give *value*, by what is odd about each: replies in a row."""
    call, text = call_of(paradigm, form, value), json.dumps(value, ensure_ascii=False)
    plain = value if isinstance(value, str) else text
    made = answer_form(form)
    bare = {"name": "answer", "arguments": {"value": value} if made.wrapped else value}
    has_brackets = isinstance(value, dict | list)
    comma = text[-1] in "]}" and len(text) > 2
    prose = [] if form in (str, int | str) else ["Let me think about that for a while, please."]
    return {
        "as asked": [call],
        "talk before": [f"Here is what I found.\n\n{call}"],
        "json for a call": [plain],
        "json in a fence": [f"Sure!\n```json\n{text}\n```\n" if has_brackets else plain],
        "a label before": [f"Answer: {text}" if has_brackets else plain],
        "a trailing comma": [f"{text[:-1]},{text[-1]}" if comma else plain],
        "bare call": [json.dumps(bare)],
        "another name": [call_of(paradigm, form, value, "final_answer"), call],
        "cut, then whole": [call[: len(call) // 2], call],
        "prose, then whole": [*prose, call],
        "nothing, then whole": ["", call],
    }


@pytest.mark.parametrize("paradigm", PARADIGMS)
@pytest.mark.parametrize("form, value", FORMS, ids=[f"{n}" for n in range(len(FORMS))])
def test_an_answer_is_right_however_it_is_given(paradigm, form, value):
    wanted = expected(form, value)
    # Each form meets each of the ways in two paradigms, and each paradigm each of them.
    ways = list(drifts(paradigm, form, value).items())
    first = PARADIGMS.index(paradigm) + FORMS.index((form, value))
    for how, replies in some(ways, 3, first):
        scripted = [
            ScriptedReply(each, finish_reason="length" if how[:3] == "cut" and not at else "stop")
            for at, each in enumerate(replies)
        ]
        session = ChatSession(ScriptedEndpoint(*scripted), paradigm)
        result = session.send("Tell me.", output=form)
        assert result.status == "completed", (how, replies, result.error)
        assert result.output == wanted, (how, replies)
        assert type(result.output) is type(wanted)


def test_there_are_forty_forms():
    assert len(FORMS) == 40


WRONG: list[tuple[Any, str]] = [
    (Person, '{"name": "ann", "age": 30}'),
    (Person, '{"name": "Ann", "age": 300}'),
    (list[int], "As is known [1], it is [2]."),
    (Point, "I would rather not say."),
    (Literal["yes", "no"], "perhaps"),
    (Node, '{"children": []}'),
    (Film, "[1, 2, 3]"),
    (dict[str, int], '{"a": "many"}'),
]


@pytest.mark.parametrize("paradigm", PARADIGMS)
@pytest.mark.parametrize("form, said", WRONG)
def test_what_does_not_fit_is_asked_for_again_and_ends_in_a_typed_error(paradigm, form, said):
    endpoint = ScriptedEndpoint(*[said] * 3)
    result = ChatSession(endpoint, paradigm, limits=TurnLimits(reasks=2)).send("?", output=form)
    assert len(endpoint.requests) == 3
    with pytest.raises(LimitReached):
        _ = result.output


def test_the_model_is_told_what_is_wrong():
    wrong, right = '{"name": "ann", "age": 30}', json.dumps(ANN)
    endpoint = ScriptedEndpoint(wrong, right)
    result = ChatSession(endpoint).send("Who?", output=Person)
    assert result.output == Person(**ANN)
    assert "capital letter" in endpoint.requests[1].messages[-1].content
    assert [problem.name for problem in result.problems] == ["answer"]


@tool
def look_up(name: str) -> str:
    """Look somebody up."""
    return f"{name} is 30"


def test_tools_are_called_first_and_an_answer_beside_them_waits():
    xml = get_paradigm("xml_tag")
    both = [ToolCall("look_up", {"name": "Ann"}), ToolCall("answer", {"name": "Ann", "age": 1})]
    endpoint = ScriptedEndpoint(xml.encode_calls(both), call_of("xml_tag", Person, ANN))
    session = ChatSession(endpoint, "xml_tag", [look_up])
    result = session.send("How old is Ann?", output=Person)
    assert result.output.age == 30
    assert [record.call.name for record in result.calls] == ["look_up"]
    assert session.messages[-1] == Message("assistant", '{"name": "Ann", "age": 30}')


def test_a_tool_of_that_name_is_left_alone():
    @tool
    def answer(text: str) -> str:
        """Answers the phone."""
        return text

    endpoint = ScriptedEndpoint(call_of("xml_tag", Point, {"x": 1.0}, "final_answer"))
    session = ChatSession(endpoint, "xml_tag", [answer])
    assert session.send("?", output=Point).output == Point(x=1)
    assert "final_answer" in endpoint.requests[0].messages[0].content


def test_partial_values_come_while_it_is_written():
    call = call_of("hermes", Recipe, {"title": "Tea", "steps": ["boil", "po😀ur"], "minutes": 5})
    reply = ScriptedReply(list(call))
    session = ChatSession(ScriptedEndpoint(reply), "hermes")
    *partial, last = session.stream_output("How?", output=Recipe)
    assert last == Recipe("Tea", ["boil", "po😀ur"], 5)
    assert {"title": "T"} in partial and {"title": "Tea", "steps": ["boil", "po"]} in partial
    sizes = [len(json.dumps(each)) for each in partial]
    assert sizes == sorted(sizes) and len(partial) > 10


def test_a_long_answer_is_shown_seldom():
    call = call_of("hermes", list[str], ["x" * 20_000])
    reply = ScriptedReply([call[at : at + 2] for at in range(0, len(call), 2)])
    session = ChatSession(ScriptedEndpoint(reply), "hermes")
    shown = list(session.stream_output("How?", output=list[str]))
    assert shown[-1] == ["x" * 20_000] and len(shown) < 1_500


def test_the_same_awaited():
    async def run() -> tuple[Any, Any]:
        endpoint = ScriptedEndpoint(call_of("xml_tag", Person, ANN), json.dumps(BOB))
        async with AsyncChatSession(endpoint, "xml_tag") as session:
            *_, last = [each async for each in session.stream_output("Who?", output=Person)]
            return last, (await session.send("And?", output=Person)).output

    assert asyncio.run(run()) == (Person(**ANN), Person(**BOB))


def test_a_kept_session_keeps_it_and_runs_it_again():
    endpoint = ScriptedEndpoint(json.dumps(ANN), json.dumps(BOB))
    with ChatSession(endpoint, store="memory:") as session:
        session.send("Who?", output=Person)
        assert session.turns[0].result.output == ANN
        again = session.rerun()
        assert again.output == Person(**BOB)


def test_an_ordinary_turn_has_none():
    assert ChatSession(ScriptedEndpoint("Hello.")).send("Hi").output is None


def test_what_json_cannot_express_is_refused_at_once():
    with pytest.raises(UsageError, match="JSON cannot express"):
        ChatSession(ScriptedEndpoint()).send("?", output=object())
    with pytest.raises(UsageError):
        ChatSession(ScriptedEndpoint()).send("?", output={"type": "strange"})
