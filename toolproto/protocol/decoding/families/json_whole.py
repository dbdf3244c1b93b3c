"""A call in JSON that is there from its first bracket to its last, and written as it should be.

Most calls are, when a whole reply is read: two members, a name without escapes, arguments that are
strict JSON. Such a call need not be followed token by token; the standard library's C reader reads
it five times as fast. So does it with a call in Python's spelling of the same, which is the
commonest departure, once that is respelled. Whatever departs in more is for those who follow it
(`json_calls.py`), and comes out the same. Data that cannot be a call is told from one as fast.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from ...messages import Repair
from ..calls.record import CallSetting
from ..calls.shape import CallShape, is_wrapper, key_repairs
from ..faults import Refused
from ..patterns import Pattern
from ..values.repairs import LITERAL, QUOTE_STYLE
from ..values.strict import check_depth, read_plain, write_json

_LONGEST_DATA = 1_000  # most records are shorter, and no more is read in vain
# A first member that is whole, or a container: most of what is broken is so before that.
_SHORT = r"\"[^\"\\\x00-\x1f]{0,200}+\""
# ``{"id": 1,``, ``[{"name": "Oslo"}``, ``{"cities": [``.
_MAY_BE_DATA = re.compile(
    rf"(?:\[\s{{0,80}}+)?\{{\s{{0,80}}+{_SHORT}\s{{0,80}}+:\s{{0,80}}+"
    rf"(?:(?:{_SHORT}|[\w.+-]{{1,40}}+)\s{{0,80}}+[,}}]|[\[{{])"
)
_BLANK_LINE = re.compile(r"\n[^\S\n]*+\n")
_UNREADABLE = (Refused, RecursionError, json.JSONDecodeError)


class WholeCall(NamedTuple):
    """A call, the member that names it, where its arguments begin and end, and where it ends.

    *written* are the arguments as they are told of.
    """

    name_key: str
    name: str
    arguments: dict[str, Any]
    start: int
    stop: int
    end: int
    written: str
    repairs: tuple[Repair, ...]


def whole_call(text: str, at: int, shape: CallShape, depth: int) -> WholeCall | None:
    """The call that begins with the bracket at *at*; None if there is any doubt about it.

    Its arguments may be nested *depth* deep.
    """
    call = _in_json(text, at, shape, depth)
    return call or _in_python(text, at, shape, depth)


def _in_json(text: str, at: int, shape: CallShape, depth: int) -> WholeCall | None:
    name_first, arguments_first, name_behind, end_behind = shape.patterns
    found = name_first.match(text, at) or arguments_first.match(text, at)
    if found is None:
        return None
    start = found.end()
    try:
        arguments, stop = read_plain(text, start)
        check_depth(arguments, text, start, stop, depth)
    except _UNREADABLE:
        return None
    if "type" in arguments and "properties" in arguments:
        return None  # a tool's description, perhaps: of a call that is refused, less is said
    if is_wrapper(arguments):
        return None  # only its tool can tell
    if found.re is name_first:
        name_key, name, key = found.groups()
        behind = end_behind.match(text, stop)
    else:
        key = found[1]
        behind = name_behind.match(text, stop)
        name_key, name = behind.groups() if behind else ("", "")
    if behind is None or any(arguments.get(key) == name for key in shape.name_keys):
        return None  # of the call within a call, too, only its tool can tell
    end, repairs = behind.end(), key_repairs(shape, name_key, key)
    return WholeCall(name_key, name, arguments, start, stop, end, text[start:stop], repairs)


def data_end(text: str, at: int, setting: CallSetting) -> int:
    """Where the object, or the list of objects, at *at* ends if it is data; 0 if it may be calls.

    What is longer than most, or goes on below an empty line, is for those who follow it.
    """
    if not (_MAY_BE_DATA.match(text, at) and setting.shape.plain and setting.offered.any):
        return 0
    here = text[at : at + _LONGEST_DATA]
    if blank := _BLANK_LINE.search(here):
        here = here[: blank.start()]
    try:
        value, end = read_plain(here)
    except _UNREADABLE:
        return 0
    values = value if isinstance(value, list) else [value]
    return at + end if all(_is_data(each, setting) for each in values) else 0


def _is_data(value: Any, setting: CallSetting) -> bool:
    """Does *value* name no tool on offer, and hold neither arguments nor another call?"""
    shape, known = setting.shape, setting.offered.knows
    if not isinstance(value, dict):
        return False
    for key, each in value.items():
        if isinstance(each, dict | list):
            if key in shape.call_keys or key in shape.list_keys or key in shape.nesting_keys:
                return False
        elif key in shape.argument_keys or (key in shape.name_keys and known(str(each))):
            return False
    return True


# -- Python's spelling --------------------------------------------------------------------

_SPACE = r"[ \t\r\n]{0,64}+"
_STRING = r"(?:'[^'\"\\\x00-\x1f]*+'|\"[^\"\\\x00-\x1f]*+\")"
_SCALAR = r"(?:-?(?:0|[1-9][0-9]{0,30}+)(?:\.[0-9]{1,30}+)?|True|False|None|true|false|null)"


def _object(levels: int) -> str:
    """Members without any escape, in objects and lists nested as many *levels* deep.

    Everything behind a value shows that it is over, so that nothing is ever tried twice.
    """
    value = rf"(?:{_STRING}|{_SCALAR})"
    for _ in range(levels):
        items = rf"\[{_SPACE}(?:{value}{_SPACE}(?:,{_SPACE}(?!\])|(?=\])))*\]"
        value = rf"(?:{_STRING}|{_SCALAR}|{items}|{_members(value)})"
    return _members(value)


def _members(value: str) -> str:
    member = rf"{_STRING}{_SPACE}:{_SPACE}{value}{_SPACE}(?:,{_SPACE}(?!\}})|(?=\}}))"
    return rf"\{{{_SPACE}(?:{member})*\}}"


# With fewer levels hardly any call would be read so; each more doubles the pattern.
_OBJECT = Pattern(_object(3))
_ODD = re.compile(r"'([^']*+)'|\"[^\"]*+\"|\b(True|False|None)\b")
_WORDS = {"True": "true", "False": "false", "None": "null"}


def _in_python(text: str, at: int, shape: CallShape, depth: int) -> WholeCall | None:
    """The same, with apostrophes for quotes and Python's words for JSON's, as long as those."""
    found = _OBJECT.match(text, at)
    if found is None:
        return None
    repairs: dict[Repair, None] = {}
    odd: list[int] = []

    def respelled(token: re.Match[str]) -> str:
        body, word = token.groups()
        if body is None and word is None:
            return token.group()
        odd.append(token.start())
        repairs[LITERAL if word else QUOTE_STYLE] = None
        return _WORDS[word] if word else f'"{body}"'

    call = _in_json(_ODD.sub(respelled, found.group()), 0, shape, depth)
    if call is None:
        return None
    # Who follows it hands the arguments out as they stand there up to the first odd thing in them,
    # and from there on as we write them.
    as_it_stands = next((place for place in odd if place >= call.start), call.stop) - call.start
    written = write_json(call.arguments)
    if not found.group().startswith(written[:as_it_stands], call.start):
        return None
    return call._replace(end=found.end(), written=written, repairs=(*repairs, *call.repairs))
