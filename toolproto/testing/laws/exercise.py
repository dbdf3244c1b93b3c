"""Can a law be tried on a paradigm at all? If not, the reason is the failure."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

from ...protocol.errors import UsageError
from ...protocol.messages import CallProblem, Message, ProblemKind, ToolCall, ToolResult
from ...protocol.paradigms.base import ToolContextDef
from ...protocol.paradigms.registry import get_paradigm
from ...protocol.tools.spec import ToolOffer
from .broken import LawBroken, shown

__all__ = ["exercise", "made"]

__tracebackhide__ = True  # a reader wants to see the test, not how the law looks at it

_CALL = ToolCall("get_weather", {"city": "Oslo"}, "call_1")
_PROBLEM = CallProblem(ProblemKind.MALFORMED, "there is no JSON in it")


def made(paradigm: Any) -> ToolContextDef:
    """The paradigm itself, given it, its class, or the name it is registered or installed under."""
    try:
        if isinstance(paradigm, str):
            paradigm = get_paradigm(paradigm)
        elif inspect.isclass(paradigm) and issubclass(paradigm, ToolContextDef):
            paradigm = paradigm()
    except UsageError as error:
        remedy = "name an existing paradigm, or fix what the message says"
        raise LawBroken("exercise", str(error), remedy) from None
    except Exception as error:
        what = f"{paradigm!r} cannot be made: {error}"
        remedy = "implement the abstract methods, and let the class be made without arguments"
        raise LawBroken("exercise", what, remedy) from error
    if not isinstance(paradigm, ToolContextDef):
        what = f"{paradigm!r} is not a paradigm"
        raise LawBroken("exercise", what, "give a ToolContextDef: paradigm = Bracket()")
    return paradigm


def exercise(paradigm: ToolContextDef, offer: ToolOffer) -> None:
    """Every method answers, and with what its signature says; else no other law means anything."""
    if not isinstance(getattr(paradigm, "name", None), str):
        raise _useless(paradigm, "has no name", 'name = "bracket"')
    for method, arguments, kind in _questions(offer):
        _answered(paradigm, method, arguments, kind)
    decoder = _answered(paradigm, "decoder", (offer,), object)
    _answered(decoder, "feed", ("Hello.",), list, paradigm)
    _answered(decoder, "finish", (), list, paradigm)


def _questions(offer: ToolOffer) -> Iterator[tuple[str, tuple[Any, ...], type]]:
    yield "encode_call", (_CALL,), str
    yield "encode_calls", ([_CALL],), str
    yield "instructions", (offer,), str
    yield "encode_results", ([ToolResult(_CALL, "12 °C")],), str
    yield "format_problem", (_PROBLEM,), str
    yield "splice_system_prompt", ("Be kind.", offer), str
    yield "encode_history", ([Message("user", "Hello.")],), list
    yield "examples", (offer,), list
    yield "stop", (offer,), tuple


def _answered(
    subject: Any, method: str, arguments: tuple[Any, ...], kind: type, owner: Any = None
) -> Any:
    paradigm = subject if owner is None else owner
    try:
        answer = getattr(subject, method)(*arguments)
    except Exception as error:
        what = f"cannot be exercised: {method} raises {error!r}"
        raise _useless(paradigm, what, f"implement {method}") from error
    if not isinstance(answer, kind):
        what = f"cannot be exercised: {method} gives {shown(answer)}"
        raise _useless(paradigm, what, f"let {method} give a {kind.__name__}")
    return answer


def _useless(paradigm: ToolContextDef, what: str, remedy: str) -> LawBroken:
    return LawBroken("exercise", f"{type(paradigm).__name__} {what}", remedy)
