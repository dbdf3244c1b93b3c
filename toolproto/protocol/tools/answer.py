"""The form of a structured answer: a tool that the model calls to give it.

So it is taught, streamed, read, mended, checked and held to a grammar like any other call, in every
paradigm. What is no object is wrapped in one, as ``value``.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..messages import CallProblem, Grade, ProblemKind, ToolCall
from ..schemas.schema import check_schema
from ..schemas.work import Work
from .check import call_problem, check_call
from .spec import ToolOffer, ToolSpec

if TYPE_CHECKING:
    from .signature import Signature

__all__ = ["AnswerForm", "GivenAnswer", "answer_form"]

_NAMES = ("answer", "final_answer", "give_answer", "submit_answer")
_VALUE = "value"
_SHARED = ("$schema", "$defs", "definitions")
_WORDS = "Give your answer. Call it once, alone, when you know it; nothing else counts."


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer that was given: *value* as the program wants it, *plain* as JSON holds it."""

    value: Any
    plain: Any


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """What an answer must look like: *schema* is its JSON Schema, *spec* the tool that takes it."""

    schema: Mapping[str, Any]
    spec: ToolSpec
    wrapped: bool = False
    _signature: Signature | None = field(default=None, compare=False, repr=False)

    def named(self, taken: Collection[str]) -> AnswerForm:
        """The same under a name that none of the tools *taken* has."""
        free = (name for name in _NAMES if name not in taken)
        numbered = (f"answer_{number}" for number in range(2, len(taken) + 3))
        name = next(free, "") or next(each for each in numbered if each not in taken)
        return self if name == self.spec.name else replace(self, spec=replace(self.spec, name=name))

    def is_meant(self, call: ToolCall, others: Collection[str]) -> bool:
        """Whether *call* gives the answer, and calls none of the *others*."""
        if call.name == self.spec.name:
            return True
        # Where there is nothing else to call, it hardly matters what the model calls it.
        return call.name not in others and (not others or "answer" in call.name.lower())

    def given(self, call: ToolCall, work: Work | None = None) -> GivenAnswer | CallProblem:
        """The answer that *call* gives, coerced and checked, or what is wrong with it."""
        if call.grade is Grade.TRUNCATED:
            return call_problem(call, ProblemKind.TRUNCATED, "it was cut off before its end")
        asked = replace(call, name=self.spec.name, arguments=self._arguments(call.arguments))
        checked = check_call(asked, ToolOffer((self.spec,)), work=work)
        if isinstance(checked, CallProblem):
            return checked
        plain = checked.arguments[_VALUE] if self.wrapped else dict(checked.arguments)
        if self._signature is None:
            return GivenAnswer(plain, plain)
        bound = self._signature.bind({_VALUE: plain})
        if isinstance(bound, str):
            message = bound if self.wrapped else bound.replace(f"arguments.{_VALUE}", "arguments")
            return call_problem(checked, ProblemKind.INVALID_ARGUMENTS, message)
        return GivenAnswer(bound[_VALUE], plain)

    def read_back(self, said: str) -> Any:
        """The answer that a conversation keeps as *said*; None if somebody has changed it."""
        if self.schema.get("type") == "string":
            return said
        try:
            return json.loads(said)
        except ValueError:
            return said if self.wrapped else None

    def _arguments(self, said: Mapping[str, Any]) -> Mapping[str, Any]:
        """*said*, with the one member around it that is due, and without one that is not."""
        if self.wrapped:
            return said if _VALUE in said else {_VALUE: said}
        if len(said) == 1 and not said.keys() & self.spec.properties.keys():
            (only,) = said.values()
            return only if isinstance(only, Mapping) else said
        return said


def answer_form(given: Any) -> AnswerForm:
    """The form that *given* asks for: a pydantic model, a dataclass, a TypedDict, any other type,
    or a JSON Schema; UsageError for what JSON cannot express.
    """
    if isinstance(given, AnswerForm):
        return given
    if isinstance(given, Mapping):
        return _form(dict(given), None)
    # pydantic is imported by the first type that is asked for.
    from .signature import read_type

    signature = read_type(given, _VALUE)
    whole = signature.schema()
    schema = dict(whole["properties"][_VALUE])
    if "$defs" in whole:
        schema["$defs"] = whole["$defs"]
    reference = str(schema.get("$ref", ""))
    name = reference.removeprefix("#/$defs/")
    if reference and name in whole.get("$defs", {}):
        # What is asked for is an object that stands among the definitions.
        schema = {**whole["$defs"][name], "$defs": whole["$defs"]}
    return _form(schema, signature)


def _wrapped(schema: Mapping[str, Any]) -> dict[str, Any]:
    shared = {word: schema[word] for word in _SHARED if word in schema}
    inner = {word: value for word, value in schema.items() if word not in shared}
    return {
        "type": "object",
        "properties": {_VALUE: inner},
        "required": [_VALUE],
        "additionalProperties": False,
        **shared,
    }


def _form(schema: dict[str, Any], signature: Signature | None) -> AnswerForm:
    plain = schema.get("type") == "object" and isinstance(schema.get("properties"), Mapping)
    wrapped = not plain or "anyOf" in schema or "oneOf" in schema
    said = schema.get("description")
    words = f"{_WORDS} {said}" if isinstance(said, str) and said else _WORDS
    parameters = _wrapped(schema) if wrapped else schema
    parameters = check_schema(
        {word: value for word, value in parameters.items() if word != "description"}, "the output"
    )
    return AnswerForm(schema, ToolSpec(_NAMES[0], words, parameters), wrapped, signature)
