"""What a model may know about tools: no code, only names, words and schemas."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import UsageError
from ..schemas.schema import check_schema, plain_copy
from ..schemas.tame import tame
from ..schemas.work import Work
from .names import check_name

__all__ = ["ToolOffer", "ToolSpec", "spec_from_openai", "strange_from_openai"]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as the model sees it. *parameters* is a JSON Schema of type object."""

    name: str
    description: str
    parameters: Mapping[str, Any]

    @property
    def properties(self) -> Mapping[str, Any]:
        """The schema of each named argument; empty if the schema names none."""
        properties = self.parameters.get("properties")
        return properties if isinstance(properties, Mapping) else {}

    @property
    def required(self) -> tuple[str, ...]:
        """The arguments that a call must have."""
        required = self.parameters.get("required")
        return tuple(required) if isinstance(required, list | tuple) else ()


@dataclass(frozen=True, slots=True)
class ToolOffer:
    """The tools that one request offers, and how they may be called.

    *choice* is ``"auto"``, ``"required"`` (some tool must be called), ``"none"`` (no tool may
    be), or the name of the one tool that must be called. *groups* are the names of the groups to
    which these tools belong.
    """

    tools: tuple[ToolSpec, ...] = ()
    choice: str = "auto"
    parallel: bool = True
    groups: frozenset[str] = field(default=frozenset(), compare=False, repr=False)

    def get(self, name: str) -> ToolSpec | None:
        """The offered tool of that name."""
        return next((tool for tool in self.tools if tool.name == name), None)

    @property
    def names(self) -> frozenset[str]:
        """The names of the offered tools."""
        return frozenset(tool.name for tool in self.tools)


def spec_from_openai(definition: Mapping[str, Any]) -> ToolSpec:
    """The tool in ``{"type": "function", "function": {...}}``, or in the flat form of Responses.

    Raises UsageError for another shape, an invalid name or an invalid schema.
    """
    name, description, parameters = _parts(definition)
    return ToolSpec(name, description, check_schema(parameters, repr(name)))


def strange_from_openai(definition: Mapping[str, Any], work: Work) -> ToolSpec:
    """The tool of a stranger in such a definition, with its schema tamed for at most *work*.

    Raises UsageError for another shape or an invalid name.
    """
    name, description, parameters = _parts(definition)
    schema = plain_copy(parameters)
    return ToolSpec(name, description, tame(parameters, work)[0] if schema is None else schema)


def _parts(definition: Mapping[str, Any]) -> tuple[str, str, Any]:
    function = definition.get("function", definition)
    if definition.get("type", "function") != "function" or not isinstance(function, Mapping):
        raise UsageError(
            f"expected {{'type': 'function', 'function': {{...}}}}, got {sorted(definition)!r}"
        )
    name = check_name(function.get("name"))
    description = function.get("description") or ""
    if not isinstance(description, str):
        raise UsageError(f"description of {name!r} must be text, got {description!r}")
    return name, description, function.get("parameters")
