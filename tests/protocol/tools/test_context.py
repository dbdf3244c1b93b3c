"""What a tool is told about its call, and that the model is not told of it."""

from __future__ import annotations

import asyncio
import functools
import threading
from typing import Annotated, Optional

import pytest

from toolproto.protocol.errors import UsageError
from toolproto.protocol.messages import CallProblem, Message, ProblemKind, ToolCall
from toolproto.protocol.tools import Tool, ToolRegistry, tool
from toolproto.protocol.tools.context import Cancellation, ToolContext


async def later(question):
    return question == "yes?"


@pytest.fixture
def context():
    call = ToolCall("t", {"x": 1}, "call_7")
    message = Message("assistant", "", (call,))
    return ToolContext(
        "session", message, call, threading.Event(), lambda question: question == "yes?", later
    )


def plain(x: int, context: ToolContext): ...
def optional(x: int, context: Optional[ToolContext] = None): ...  # noqa: UP045
def union(x: int, context: ToolContext | None = None): ...
def annotated(x: int, context: Annotated[ToolContext, "ours"]): ...
def keyword(x: int, *, context: ToolContext): ...
def first(context: ToolContext, x: int): ...


FORMS = [plain, optional, union, annotated, keyword, first]


@pytest.mark.parametrize("function", FORMS, ids=lambda each: each.__name__)
def test_the_model_never_hears_of_the_context(function, context):
    made = Tool.from_function(function)
    assert made.spec.parameters == {
        "type": "object",
        "properties": {"x": {"type": "integer"}},
        "required": ["x"],
        "additionalProperties": False,
    }
    assert made.bind({"x": 1}, context) == {"x": 1, "context": context}


def test_every_parameter_that_wants_the_context_gets_it(context):
    def both(one: ToolContext, x: int, two: ToolContext | None = None): ...

    made = Tool.from_function(both)
    assert list(made.spec.parameters["properties"]) == ["x"]
    assert made.bind({"x": 1}, context) == {"x": 1, "one": context, "two": context}


def test_a_method_and_an_async_function_get_it_too(context):
    class Shop:
        async def buy(self, x: int, context: ToolContext): ...

    made = Tool.from_function(Shop().buy)
    assert made.is_async
    assert made.bind({"x": 1}, context) == {"x": 1, "context": context}


def test_a_context_that_a_partial_presets_is_left_alone(context):
    made = Tool.from_function(functools.partial(plain, context="mine"))
    assert made.bind({"x": 1}, context) == {"x": 1}


def test_without_a_conversation_a_tool_binds_without_the_context():
    assert Tool.from_function(union).bind({"x": 1}) == {"x": 1}


def test_a_model_cannot_bring_a_context_of_its_own():
    registry = ToolRegistry([plain])
    problem = registry.check(ToolCall("plain", {"x": 1, "context": {"session": None}}))
    assert isinstance(problem, CallProblem) and problem.kind is ProblemKind.INVALID_ARGUMENTS


def test_the_context_wins_over_an_argument_of_its_name(context):
    made = Tool.from_function(plain)
    assert made.bind({"x": 1, "context": "forged"}, context)["context"] is context


def test_a_list_of_contexts_is_no_context():
    def many(x: int, contexts: list[ToolContext]): ...

    with pytest.raises(UsageError):
        Tool.from_function(many)


def test_an_annotated_context_may_be_optional(context):
    def both(x: int, context: Annotated[ToolContext | None, "ours"] = None): ...

    assert Tool.from_function(both).bind({"x": 1}, context) == {"x": 1, "context": context}


def test_a_context_knows_its_call_and_hides_its_wires(context):
    assert context.call_id == "call_7"
    assert context.message.calls == (context.call,)
    assert "_ask" not in repr(context) and "lambda" not in repr(context)


def test_questions_go_where_the_session_wants_them(context):
    assert context.ask("yes?") is True and context.ask("no?") is False
    assert asyncio.run(context.aask("yes?")) is True
    assert asyncio.run(context.aask("no?")) is False


def test_a_context_cannot_be_changed(context):
    with pytest.raises(AttributeError):
        context.call = ToolCall("other", {})


def test_an_event_is_a_cancellation(context):
    cancelled: Cancellation = context.cancelled
    assert not cancelled.is_set() and not cancelled.wait(0)
    context.cancelled.set()
    assert cancelled.is_set() and cancelled.wait()


def test_a_tool_with_a_context_can_still_be_called_by_hand(context):
    @tool
    def whoami(context: ToolContext) -> str:
        return context.call_id

    assert whoami(context) == "call_7"
