"""What a Python function takes, as a JSON schema, and JSON arguments as what it takes.

Imports pydantic. ``define`` stands above it and imports it when the first function is made a tool.
"""

from __future__ import annotations

import functools
import inspect
import types
import typing
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pydantic import TypeAdapter, ValidationError
from pydantic.errors import PydanticUserError
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaWarningKind
from pydantic_core import PydanticSerializationError, SchemaError, to_jsonable_python

from ..errors import UsageError
from ..schemas.tidy import tidy, used_definitions
from .context import ToolContext
from .docstrings import parse_docstring
from .typed_dicts import readable
from .wording import show, word_line

__all__ = ["Signature", "read_signature", "read_type", "underlying"]

_NOTHING: Any = inspect.Parameter.empty
_REFUSED = {
    inspect.Parameter.POSITIONAL_ONLY: "is positional-only; arguments are passed by name",
    inspect.Parameter.VAR_POSITIONAL: "takes any number of values; take a list instead",
    inspect.Parameter.VAR_KEYWORD: "takes any name; take a dict instead",
}


@dataclass(frozen=True, slots=True)
class _Parameter:
    """One parameter that the model may fill."""

    name: str
    adapter: TypeAdapter[Any]
    description: str
    default: Any  # _NOTHING if the model must give it
    supply: Callable[[], Any] | None  # makes a default that stands in a Field: Python passes none


@dataclass(frozen=True, slots=True)
class Signature:
    """A function's parameters, ready to be described and to be filled.

    *hidden* are those that take a ToolContext: the session fills them.
    """

    summary: str
    parameters: tuple[_Parameter, ...]
    hidden: tuple[str, ...] = ()

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the arguments, in the order of the signature."""
        schemas, shared = TypeAdapter.json_schemas(
            [(each.name, "validation", each.adapter) for each in self.parameters],
            schema_generator=_Generator,
        )
        properties = {
            each.name: _described(each, tidy(schemas[each.name, "validation"]))
            for each in self.parameters
        }
        schema: dict[str, Any] = {"type": "object", "properties": properties}
        if required := [each.name for each in self.parameters if each.default is _NOTHING]:
            schema["required"] = required
        schema["additionalProperties"] = False
        if definitions := used_definitions(properties, tidy(shared).get("$defs", {})):
            schema["$defs"] = definitions
        return schema

    def bind(self, arguments: Mapping[str, Any]) -> dict[str, Any] | str:
        """*arguments* as the function's own types, or what is wrong, in words for the model."""
        bound: dict[str, Any] = {}
        for each in self.parameters:
            if each.name in arguments:
                try:
                    bound[each.name] = each.adapter.validate_python(arguments[each.name])
                except ValidationError as error:
                    return _words(each.name, error)
                except (PydanticUserError, TypeError) as error:  # Field(ge=1) on a str
                    raise UsageError(
                        f"parameter {each.name!r} cannot be checked: {error}"
                    ) from error
            elif each.supply:
                bound[each.name] = each.supply()
        return bound


class _Generator(GenerateJsonSchema):
    # A default or an alternative that JSON cannot hold is left out of the schema without a
    # warning: it is Python's own business, and the function still has it.
    ignored_warning_kinds: ClassVar[set[JsonSchemaWarningKind]] = {  # type: ignore[misc]
        "skipped-choice",
        "non-serializable-default",
        "skipped-discriminator",
    }


def read_signature(function: Callable[..., Any]) -> Signature:
    """What *function* takes; UsageError if a model could not give it.

    A function, a bound method, a ``functools.partial`` (what it presets is not asked for) or an
    object with ``__call__``.
    """
    plain = underlying(function)
    docstring, hints = parse_docstring(plain.__doc__), _hints(plain)
    asked = _asked(function, plain)
    hidden = tuple(each.name for each in asked if _takes_context(hints.get(each.name)))
    return Signature(
        docstring.summary,
        tuple(
            _parameter(each, hints.get(each.name, Any), docstring.parameters.get(each.name, ""))
            for each in asked
            if each.name not in hidden
        ),
        hidden,
    )


def read_type(hint: Any, name: str) -> Signature:
    """What takes one value of the type *hint*, called *name*; UsageError if JSON has no such."""
    parameter = inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=hint)
    return Signature("", (_parameter(parameter, readable({name: hint})[name], ""),))


def underlying(function: Callable[..., Any]) -> Callable[..., Any]:
    """The ``def`` behind a partial, a bound method or a callable object."""
    while isinstance(function, functools.partial):
        function = function.func
    if inspect.isclass(function) or not callable(function):
        raise UsageError(f"{function!r} is not a function, so it cannot be a tool")
    if not inspect.isroutine(function):
        function = type(function).__call__
    return getattr(function, "__func__", function)


def _takes_context(annotation: Any) -> bool:
    """Whether the model never hears of a parameter because the session fills it."""
    if typing.get_origin(annotation) is Annotated:
        annotation = typing.get_args(annotation)[0]
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        return ToolContext in typing.get_args(annotation)
    return annotation is ToolContext


def _asked(function: Callable[..., Any], plain: Callable[..., Any]) -> list[inspect.Parameter]:
    """The parameters of *function* that are still open; UsageError for one no name can fill."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        raise UsageError(
            f"{plain!r} does not show which parameters it has; wrap it in a def"
        ) from None
    preset = function.keywords if isinstance(function, functools.partial) else {}
    for each in parameters:
        if each.kind in _REFUSED:
            raise UsageError(f"parameter {each.name!r} of {_name(plain)} {_REFUSED[each.kind]}")
    if parameters and parameters[0].name in ("self", "cls") and _is_bare(parameters[0]):
        raise UsageError(
            f"{_name(plain)} is a method without its object; "
            "make the tool of a bound method: Tool.from_function(thing.method)"
        )
    return [each for each in parameters if each.name not in preset]


def _is_bare(parameter: inspect.Parameter) -> bool:
    return parameter.annotation is _NOTHING and parameter.default is _NOTHING


def _hints(plain: Callable[..., Any]) -> dict[str, Any]:
    try:
        hints = typing.get_type_hints(plain, include_extras=True)
    except (NameError, TypeError, SyntaxError) as error:
        raise UsageError(
            f"the annotations of {_name(plain)} cannot be read: {error}; "
            "a type named in them must be defined at module level"
        ) from None
    return readable(hints)


def _parameter(parameter: inspect.Parameter, hint: Any, text: str) -> _Parameter:
    default = parameter.default
    if isinstance(default, FieldInfo):  # days: int = Field(3, description="…")
        hint, default = Annotated[hint, default], _NOTHING
    metadata = typing.get_args(hint)[1:] if typing.get_origin(hint) is Annotated else ()
    supply = None
    for each in metadata:
        if isinstance(each, FieldInfo) and not each.is_required() and default is _NOTHING:
            supply = functools.partial(each.get_default, call_default_factory=True)
            default = supply()
    text = next((each for each in metadata if isinstance(each, str)), text)
    return _Parameter(parameter.name, _adapter(parameter, hint), text, default, supply)


def _adapter(parameter: inspect.Parameter, hint: Any) -> TypeAdapter[Any]:
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(hint)
        adapter.json_schema(schema_generator=_Generator)
    except (PydanticUserError, SchemaError, NameError, TypeError, ValueError) as error:
        reason = str(error).partition("\n")[0]
        raise UsageError(
            f"parameter {parameter.name!r} has a type that JSON cannot express, {hint!r}: {reason}"
        ) from error
    return adapter


def _described(parameter: _Parameter, schema: dict[str, Any]) -> dict[str, Any]:
    if parameter.description:
        schema.setdefault("description", parameter.description)
    if parameter.default is not _NOTHING and "default" not in schema:
        # Not every default is JSON (a sentinel, an open file); then the model is not told it.
        with suppress(PydanticSerializationError, ValueError):
            schema["default"] = to_jsonable_python(parameter.default, inf_nan_mode="null")
    return schema


def _words(name: str, error: ValidationError) -> str:
    lines = []
    for fault in error.errors(include_url=False, include_context=False)[:3]:
        reason = fault["msg"][:1].lower() + fault["msg"][1:]
        lines.append(word_line((name, *fault["loc"]), f"{reason}, got {show(fault['input'])}"))
    return "\n".join(lines)


def _name(plain: Callable[..., Any]) -> str:
    return str(getattr(plain, "__qualname__", plain))
