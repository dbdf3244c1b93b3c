"""A few tools to play with: the weather, a calculator, a clock, and notes in memory.

They touch nothing outside this process, so a model that nobody knows yet can be let loose on them.
Writing a note is the one thing that asks first.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from types import MappingProxyType

from ...protocol.errors import ToolFailed
from ...protocol.messages import Message, ToolCall, ToolResult
from ...protocol.tools.define import Tool
from .file_tools import file_tools
from .memory import MemoryFiles

__all__ = ["WEATHER", "demo_exchanges", "demo_tools"]

#: What the weather tool says: a table, so that an answer can be compared with it.
WEATHER: Mapping[str, str] = MappingProxyType(
    {
        "Berlin": "11 °C, cloudy",
        "Cairo": "29 °C, sunny",
        "London": "9 °C, drizzle",
        "Madrid": "22 °C, fog",
        "New York": "7 °C, windy",
        "Oslo": "4 °C, rain",
        "Paris": "13 °C, clear",
        "Rome": "17 °C, sunny",
        "Sydney": "21 °C, showers",
        "Tokyo": "15 °C, snow on the hills",
    }
)
#: Hours from UTC in November. Zone names would need a database that not every system has.
_HOURS = MappingProxyType(
    {
        "UTC": 0.0,
        "Berlin": 1.0,
        "Cairo": 2.0,
        "London": 0.0,
        "Madrid": 1.0,
        "New York": -5.0,
        "Oslo": 1.0,
        "Paris": 1.0,
        "Rome": 1.0,
        "Sydney": 11.0,
        "Tokyo": 9.0,
    }
)
_NOTES = {"notes/shopping.txt": "milk\neggs\n", "notes/ideas.txt": "a kite with a camera\n"}
_LONGEST_EXPRESSION = 200
#: Bits of a result: 2 ** 4000 has some 1,200 digits, which is more than anybody reads.
_MOST_BITS = 4_000
_Number = int | float
_OPERATORS: Mapping[type[ast.operator], Callable[[_Number, _Number], _Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}


def demo_tools(now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> list[Tool]:
    """The tools, with notes of their own; *now* is the time in UTC."""

    def current_time(city: str = "UTC") -> str:
        """The date and time in a city.

        Args:
            city: Such as 'Tokyo'; UTC if left out.
        """
        hours = _HOURS[_known(city, _HOURS)]
        return f"{now() + timedelta(hours=hours):%A, %d %B %Y, %H:%M}"

    return [
        Tool.from_function(get_weather, risk="read", idempotent=True),
        Tool.from_function(calculate, risk="read", idempotent=True),
        Tool.from_function(current_time, risk="read", idempotent=True),
        *file_tools(MemoryFiles(_NOTES)),
    ]


def demo_exchanges() -> list[Message]:
    """Four questions with their calls, results and answers, for a session's *examples*.

    A model of some hundred million parameters does not follow instructions, but it does what it
    has seen done: told how to call, SmolLM2-135M called the right tool for none of five questions;
    shown these, for four of six.
    """
    return [
        *_exchange(
            "What time is it in Berlin?",
            ToolCall("current_time", {"city": "Berlin"}, "call_1"),
            "Monday, 02 November 2026, 09:15",
            "In Berlin it is 09:15.",
        ),
        *_exchange(
            "What is 6 * 7?",
            ToolCall("calculate", {"expression": "6 * 7"}, "call_2"),
            "42",
            "6 * 7 is 42.",
        ),
        # What stands last is copied most: the weather is what people ask about first.
        *_exchange(
            "What is the weather in Oslo?",
            ToolCall("get_weather", {"city": "Oslo"}, "call_3"),
            WEATHER["Oslo"],
            "It is 4 °C in Oslo, with rain.",
        ),
        *_exchange(
            "Is it raining in Madrid?",
            ToolCall("get_weather", {"city": "Madrid"}, "call_4"),
            WEATHER["Madrid"],
            "No, it is 22 °C in Madrid, with fog.",
        ),
    ]


def _exchange(question: str, call: ToolCall, result: str, answer: str) -> list[Message]:
    return [
        Message("user", question),
        Message("assistant", "", calls=(call,)),
        Message("user", "", results=(ToolResult(call, result),)),
        Message("assistant", answer),
    ]


def get_weather(city: str) -> str:
    """Current weather for a city.

    Args:
        city: Name of the city, such as 'Oslo'.
    """
    return WEATHER[_known(city, WEATHER)]


def calculate(expression: str) -> str:
    """Work out an arithmetic expression.

    Args:
        expression: Numbers with + - * / // % ** and parentheses, such as '2 * (3 + 4)'.
    """
    if len(expression) > _LONGEST_EXPRESSION:
        raise ToolFailed(f"an expression has at most {_LONGEST_EXPRESSION} characters")
    try:
        value = _value(ast.parse(expression.strip(), mode="eval").body)
        return str(value)
    except ZeroDivisionError:
        raise ToolFailed("that would divide by zero") from None
    except (SyntaxError, ValueError, OverflowError, MemoryError, RecursionError):
        raise ToolFailed(f"{expression!r} is no arithmetic, or its value is too large") from None


def _known(city: str, cities: Mapping[str, object]) -> str:
    """The spelling of *city* in the table; small letters and what follows a comma do not matter."""
    asked = city.partition(",")[0].strip().casefold()
    for known in cities:
        if known.casefold() == asked:
            return known
    raise ToolFailed(f"nothing is known about {city[:60]!r}; the cities are {', '.join(cities)}")


def _value(node: ast.expr) -> _Number:
    match node:
        case ast.Constant(value) if type(value) in (int, float):
            return _bounded(value)  # type: ignore[arg-type]
        case ast.UnaryOp(ast.USub(), inner):
            return -_value(inner)
        case ast.UnaryOp(ast.UAdd(), inner):
            return _value(inner)
        case ast.BinOp(left, ast.Pow(), right):
            return _power(_value(left), _value(right))
        case ast.BinOp(left, by, right) if type(by) in _OPERATORS:
            return _bounded(_OPERATORS[type(by)](_value(left), _value(right)))
    raise ValueError("no arithmetic")


def _power(base: _Number, exponent: _Number) -> _Number:
    if isinstance(base, int) and abs(exponent) * max(1, base.bit_length()) > _MOST_BITS:
        raise OverflowError
    value = base**exponent
    if isinstance(value, complex):
        raise ValueError("no real number")
    return _bounded(value)


def _bounded(value: _Number) -> _Number:
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        raise OverflowError
    return value
