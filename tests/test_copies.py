"""Every public error and value survives pickle and copy: a process pool sends them about."""

from __future__ import annotations

import collections.abc
import copy
import dataclasses
import importlib
import inspect
import pickle
import types
import typing
from enum import Enum
from typing import Any

from tests.amount import together
from toolproto import (
    CallProblem,
    ChatSession,
    ProblemKind,
    Tool,
    ToolCall,
    ToolRegistry,
    get_paradigm,
    tool,
)
from toolproto.conversation import McpConfig
from toolproto.endpoints import ScriptedEndpoint
from toolproto.gateway import ProxyConfig, Upstream
from toolproto.public_names import homes

ROOMS = ["", "protocol", "endpoints", "conversation", "gateway", "bulk", "testing", "web"]


@tool(risk="write")
def add(a: int, b: int) -> int:
    return a + b


def subtract(a: int, b: int) -> int:
    return a - b


class Mishap(Exception):
    """An error that equals another one that says the same."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mishap) and self.args == other.args


#: What belongs to a running turn or trial, and cannot be anywhere else.
LIVE = {"ToolContext", "Progress"}
UPSTREAM = Upstream("http://127.0.0.1:8080/v1")
#: What takes more than a value of each type.
EXAMPLES: dict[type, Any] = {
    McpConfig: McpConfig("files", command="mcp-files"),
    ProxyConfig: ProxyConfig((UPSTREAM,)),
    Exception: Mishap("it went wrong"),
    Tool: add,
    Upstream: UPSTREAM,
}
COPYING = [lambda each: pickle.loads(pickle.dumps(each)), copy.copy, copy.deepcopy]


def public_classes() -> dict[str, type]:
    found = {}
    for room in ROOMS:
        module = importlib.import_module(f"toolproto.{room}".rstrip("."))
        found.update({name: getattr(module, name) for name in homes(module.__name__)})
    return {name: each for name, each in found.items() if inspect.isclass(each)}


CLASSES = public_classes()
VALUES = [
    name
    for name, cls in CLASSES.items()
    if name not in LIVE and (dataclasses.is_dataclass(cls) or issubclass(cls, Enum | tuple))
]
ERRORS = [name for name, cls in CLASSES.items() if issubclass(cls, BaseException)]


def a_function(*given: Any) -> str:
    return "x"


def made(kind: Any) -> Any:
    """A value of the type *kind*, with something in each of its fields."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if kind in EXAMPLES:
        return EXAMPLES[kind]
    if isinstance(kind, typing.TypeVar) or kind is Any:
        return {"any": [1]}
    if origin in (typing.Union, types.UnionType):
        return made(next(each for each in inner if each is not type(None)))
    if origin is typing.Literal:
        return inner[0]
    if kind is collections.abc.Callable or origin is collections.abc.Callable:
        return a_function
    if origin is tuple:
        return (made(inner[0]),) if inner[-1] is ... else tuple(map(made, inner))
    if origin in (collections.abc.Mapping, dict):
        return {made(inner[0]): made(inner[1])}
    if origin in (collections.abc.Sequence, list):
        return [made(inner[0])]
    if isinstance(kind, type) and issubclass(kind, BaseException):
        return made_error(kind)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return next(iter(kind))
    kind = origin or kind
    if kind in (str, int, float, bool, bytes):
        return kind(1) if kind is not bytes else b"1"
    hints = typing.get_type_hints(kind)
    return kind(**{name: made(hints[name]) for name in needed(kind)})


def needed(kind: Any) -> list[str]:
    return [
        name
        for name, each in inspect.signature(kind).parameters.items()
        if each.default is each.empty and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
    ]


def made_error(kind: type[BaseException]) -> BaseException:
    hints = {"problem": CallProblem(ProblemKind.MALFORMED, "no")}
    given = [hints.get(name, "requests") for name in needed(kind.__init__)[1:]]
    return kind(*given or ["it went wrong"])


@together(name=VALUES)
def test_a_public_value_can_be_pickled_and_copied(name):
    value = made(CLASSES[name])
    assert [each(value) for each in COPYING] == [value] * 3


@together(name=ERRORS)
def test_a_public_error_can_be_pickled_and_copied(name):
    error = made_error(CLASSES[name])
    error.add_note("while the tests ran")
    for again in (each(error) for each in COPYING):
        assert type(again) is type(error) and str(again) == str(error)
        assert vars(again) == vars(error)


def test_all_that_a_turn_leaves_behind_can_be_pickled_and_copied():
    call = get_paradigm("xml_tag").encode_call(ToolCall("add", {"a": 1, "b": 2}))
    endpoint = ScriptedEndpoint(call, "3")
    session = ChatSession(endpoint, "xml_tag", [add], constrain="calls")
    with session.stream("What is 1 + 2?") as events:
        told = list(events)
    for value in (session.result, *told, *endpoint.requests):
        assert [each(value) for each in COPYING] == [value] * 3
    again = pickle.loads(pickle.dumps(endpoint.requests[0]))
    assert again.constraint.grammar == endpoint.requests[0].constraint.grammar


def test_a_tool_can_be_pickled_decorated_or_not():
    assert pickle.loads(pickle.dumps(add)) is add
    plain = pickle.loads(pickle.dumps(ToolRegistry([subtract])))["subtract"]
    assert plain(3, 2) == 1 and plain.bind({"a": 3, "b": 2}) == {"a": 3, "b": 2}
