"""Which members of a JSON object make it a call?

The asked shape is ``{"name": …, "arguments": {…}}``. Models drift from it in a few well-worn ways:
other names for the two members, OpenAI's nesting under ``function``, arguments given as a string
of JSON, or lying flat beside the name. Each is read, and each departure is a named repair.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from ...messages import Grade, Repair
from ...tools.spec import ToolSpec
from ..values.lenient import read_all

_NAME_KEYS = ("name", "tool_name", "function_name", "tool", "function", "action")
_ARGUMENT_KEYS = (
    "arguments", "parameters", "args", "input", "params", "param", "tool_input", "action_input"
)  # fmt: skip
# Members that arguments are put into once more; the last two are of a schema and of Python.
_WRAPPER_KEYS = frozenset({*_ARGUMENT_KEYS, "properties", "kwargs"})
_NESTING_KEYS = ("function", "function_call", "tool_call", "call", "command")
_LIST_KEYS = ("tool_calls", "function_calls", "toolCalls", "tool_call", "calls")
#: Members that go beside a call without being arguments of it; the first ones identify it.
ID_KEYS = ("id", "tool_call_id", "call_id")
OTHER_KEYS = (*ID_KEYS, "type", "index", "thought", "thoughts", "reasoning", "step")
# Of those, with a string in them, what says nothing about a call: neither its name nor its id.
_SILENT_KEYS = ("type", "thought", "thoughts", "reasoning", "step")
_SPACE = r"[ \t\r\n]*+"  # as JSON has it
_STRING = r"\"[^\"\\\x00-\x1f]*+\""
# Members that open the JSON object of a whole message around its list of calls.
_MESSAGE_KEYS = ("role", "content", "reasoning", "message", "text", "response")


@dataclass(frozen=True)
class CallShape:
    """The member names that a paradigm asks for.

    *wrapper* is the member that holds the list of calls, where the paradigm asks for one; *listed*
    says that it asks for a list without one. *keyed* is the shape ``{"get_weather": {…}}``, and
    *nesting* the member that holds the whole call. *exact* says that no other members will do.
    """

    name: str = "name"
    arguments: str = "arguments"
    wrapper: str | None = None
    listed: bool = False
    keyed: bool = False
    nesting: str | None = None
    exact: bool = False

    @cached_property
    def name_keys(self) -> tuple[str, ...]:
        """Members that may hold the name, the asked one first."""
        others = () if self.exact and not self._outer else _NAME_KEYS
        return (self.name, *(key for key in others if key != self.name))

    @cached_property
    def argument_keys(self) -> tuple[str, ...]:
        """Members that may hold the arguments, the asked one first."""
        return (self.arguments, *(key for key in _ARGUMENT_KEYS if key != self.arguments))

    @cached_property
    def call_keys(self) -> frozenset[str]:
        """Members that may hold the name or the arguments."""
        return frozenset({*self.name_keys, *self.argument_keys})

    @cached_property
    def list_keys(self) -> frozenset[str]:
        """Members that may hold a list of calls."""
        others = () if self.exact else _LIST_KEYS
        return frozenset(others if self.wrapper is None else (self.wrapper, *others))

    @cached_property
    def nesting_keys(self) -> tuple[str, ...]:
        """Members that may hold the name and the arguments one level down."""
        if self.exact and not self.wrapper:
            return (self.nesting,) if self.nesting else ()
        return _NESTING_KEYS

    @cached_property
    def plain(self) -> bool:
        """Do two members make a call, whatever is in its arguments?"""
        return not self.keyed and self.arguments not in self.nesting_keys

    @property
    def _outer(self) -> str | None:
        """The member around a call that says that it is one."""
        return self.wrapper or self.nesting

    @cached_property
    def leading_keys(self) -> frozenset[str]:
        """Members that an object which is, or holds, a call may begin with."""
        if self.exact:
            return frozenset({self._outer or self.name})
        calls = {*self.call_keys, *self.list_keys, *_NESTING_KEYS}
        return frozenset({*calls, *OTHER_KEYS, *_MESSAGE_KEYS})

    @cached_property
    def patterns(self) -> tuple[re.Pattern[str], ...]:
        """What begins a call in strict JSON, either way round, and what follows its arguments."""
        names = "|".join(map(re.escape, self.name_keys))
        arguments = "|".join(map(re.escape, self.argument_keys))
        object_next = rf"\"({arguments})\"{_SPACE}:{_SPACE}(?=\{{)"
        named = rf"\"({names})\"{_SPACE}:{_SPACE}\"([^\"\\\x00-\x1f]{{1,128}}+)\"{_SPACE}"
        silent = rf"\"(?:{'|'.join(_SILENT_KEYS)})\"{_SPACE}:{_SPACE}{_STRING}{_SPACE},{_SPACE}"
        begun = rf"\{{{_SPACE}(?:{silent})?"
        return (
            re.compile(rf"{begun}{named},{_SPACE}{object_next}"),
            re.compile(rf"{begun}{object_next}"),
            re.compile(rf"{_SPACE},{_SPACE}{named}\}}"),
            re.compile(rf"{_SPACE}\}}"),
        )

    def wants(self) -> str:
        """What a call must look like, for a sentence that begins with 'expected'."""
        return f'a JSON object with a string "{self.name}" and an object "{self.arguments}"'


class CallFields(NamedTuple):
    """What a JSON object says, read as a call.

    *arguments* is None where they were given as something other than an object; *path* are the
    members that lead to them, or None where there is no member for them at all. *as_written* says
    that they are all of what stands there.
    """

    name: str
    arguments: dict[str, Any] | None
    path: tuple[str, ...] | None
    id: str
    repairs: tuple[Repair, ...]
    as_written: bool = True

    @property
    def spoken(self) -> bool:
        """Is there a member for the arguments?"""
        return self.path is not None


def read_fields(value: Any, shape: CallShape, offered: Callable[[str], bool]) -> CallFields | None:
    """Read *value* as a call; None where it is not one. *offered* tells tools from other names."""
    if not isinstance(value, dict):
        return None
    if len(value) == 2 and shape.plain:
        name, asked = value.get(shape.name), value.get(shape.arguments)
        if isinstance(name, str) and name and isinstance(asked, dict):  # as asked: most calls
            return CallFields(name, asked, (shape.arguments,), "", ())
    if shape.keyed and len(value) == 1:
        [(name, given)] = value.items()
        if isinstance(given, dict):
            return CallFields(name, given, (name,), "", ())
    nesting = _nesting(value, shape)
    inner = value if nesting is None else value[nesting]
    name_key = _name_key(inner, shape, offered)
    if name_key is None:
        return None
    key = _arguments_key(inner, shape, name_key)
    nested = () if nesting in (None, shape.nesting) else (Repair("nested_call"),)
    repairs = [*nested, *key_repairs(shape, name_key, key)]
    if key is None:
        arguments: dict[str, Any] | None = _flattened(inner, name_key, repairs)
        path = None
    else:
        path = (key,) if nesting is None else (nesting, key)
        arguments = as_object(inner[key], repairs)
    id = next((value[key] for key in ID_KEYS if isinstance(value.get(key), str)), "")
    return CallFields(inner[name_key], arguments, path, id, tuple(repairs))


def fit_to_tool(
    fields: CallFields, value: Mapping[str, Any], shape: CallShape, own: frozenset[str] | None
) -> CallFields:
    """*fields*, read from *value*, with what only the tool's *own* argument names can tell.

    Arguments may be wrapped once more in a member of which the tool knows nothing, or in the call
    itself, begun anew (``{"name": "f", "arguments": {{"name": "f", …``), and some may stand beside
    the member that holds the others.
    """
    given, asked, repairs = fields.arguments, fields.path, list(fields.repairs)
    if own is None or given is None or asked is None:
        return fields
    path = asked
    if is_wrapper(given):
        [(key, inner)] = given.items()
        if key not in own and inner and own.issuperset(inner):
            given, path = inner, (*path, key)
            repairs.append(Repair("dict_argument", Grade.GUESSED, key))
    elif own.isdisjoint(given) and (anew := _whole_again(given, fields.name, shape)):
        if anew.arguments is None:
            return anew
        given, path = anew.arguments, (*path, *(anew.path or ()))
        repairs += anew.repairs
    around = value[asked[0]] if len(asked) > 1 else value
    others = {*shape.call_keys, *OTHER_KEYS, *given, *asked}
    beside = {key: around[key] for key in around if asked and key in own and key not in others}
    if beside:
        given = {**given, **beside}
        repairs.append(Repair("flattened_arguments", Grade.GUESSED))
    return fields._replace(arguments=given, path=path, repairs=(*repairs,), as_written=not beside)


def is_wrapper(arguments: Mapping[str, Any]) -> bool:
    """May the only member of *arguments* hold the arguments themselves?"""
    if len(arguments) != 1:
        return False
    [(key, inner)] = arguments.items()
    if key not in _WRAPPER_KEYS or not isinstance(inner, dict):
        return False
    # A description of the arguments is not them.
    return key != "properties" or not any(isinstance(each, dict) for each in inner.values())


def key_repairs(shape: CallShape, name_key: str, key: str | None) -> tuple[Repair, ...]:
    """How the members that hold the name and the arguments are called otherwise than asked."""
    named = () if name_key == shape.name else (Repair("name_key", detail=name_key),)
    given = () if key in (shape.arguments, None) else (Repair("arguments_key", detail=key),)
    return (*named, *given)


def read_arguments(
    value: Any, name: str, shape: CallShape, tool: ToolSpec | None, *, told: bool
) -> CallFields | None:
    """Read *value* as the arguments of *name*, or as the whole call that names it once more.

    It can be no whole call if it was *told* before that a member of it is an argument.
    """
    if not isinstance(value, dict):
        return None
    own = tool is not None and shape.name in tool.properties
    whole = None if own or told else _whole_again(value, name, shape)
    return whole or CallFields(name, dict(value), (), "", ())


def _whole_again(value: Mapping[str, Any], name: str, shape: CallShape) -> CallFields | None:
    """The whole call of *name* that stands where its arguments should, if *value* is that."""
    if not _names(value, shape):
        return None
    whole = read_fields(value, shape, name.__eq__)
    if whole is None or not whole.spoken or whole.name != name:
        return None
    return whole._replace(repairs=(*whole.repairs, Repair("named_twice")))


def _nesting(value: Mapping[str, Any], shape: CallShape) -> str | None:
    """The member that holds the whole call, if one does."""
    for key in shape.nesting_keys:
        inner = value.get(key)
        if isinstance(inner, dict) and _names(inner, shape):
            return key
    return None


def _names(value: Mapping[str, Any], shape: CallShape) -> list[str]:
    return [key for key in shape.name_keys if isinstance(value.get(key), str) and value[key]]


def _name_key(
    value: Mapping[str, Any], shape: CallShape, offered: Callable[[str], bool]
) -> str | None:
    keys = _names(value, shape)
    return next((key for key in keys if offered(value[key])), keys[0] if keys else None)


def _arguments_key(value: Mapping[str, Any], shape: CallShape, name_key: str) -> str | None:
    if shape.arguments in value:
        return shape.arguments
    others = (key for key in shape.argument_keys if key in value and key != name_key)
    return next((key for key in others if isinstance(value[key], dict | str)), None)


def as_object(given: Any, repairs: list[Repair]) -> dict[str, Any] | None:
    """The arguments that *given* says, adding to *repairs*; None if it says none."""
    if given is None or given == "" or given == []:
        repairs.append(Repair("empty_arguments"))
        return {}
    if isinstance(given, str) and (reading := read_all(given)):
        repairs += (Repair("arguments_string"), *reading.repairs)
        given = reading.value
    return given if isinstance(given, dict) else None


def _flattened(value: Mapping[str, Any], name_key: str, repairs: list[Repair]) -> dict[str, Any]:
    arguments = {k: v for k, v in value.items() if k != name_key and k not in OTHER_KEYS}
    if arguments:
        repairs.append(Repair("flattened_arguments", Grade.GUESSED))
    return arguments
