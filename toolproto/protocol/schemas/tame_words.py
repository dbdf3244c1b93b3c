"""The keywords of one schema in the words of draft 2020-12, whatever draft or habit they come from.

Schemas of tools are written by hand, for OpenAPI, for Google, in drafts that are fifteen years old,
or with Python's names for types. What can be said in today's words is; nothing here looks into
the schemas inside. Each change is told to *note*.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .dialect import LIST, MIXED, NAMED, ONE, TYPES, keeps_rule
from .json_types import is_number

__all__ = ["today"]

Note = Callable[[str], None]

#: What people write for a type. Those that mean anything at all have none.
_MEANT: dict[str, str | None] = {
    **dict.fromkeys(["any", "mixed", "unknown", "all"]),
    **dict.fromkeys(["int", "int32", "int64", "long", "uint"], "integer"),
    **dict.fromkeys(["float", "double", "decimal", "num"], "number"),
    **dict.fromkeys(["str", "text", "char", "date", "datetime", "uuid", "enum", "url"], "string"),
    **dict.fromkeys(["bool"], "boolean"),
    **dict.fromkeys(["dict", "map", "struct", "record"], "object"),
    **dict.fromkeys(["list", "tuple", "set"], "array"),
    **dict.fromkeys(["none", "nil", "undefined"], "null"),
}
_COUNTS = frozenset(
    ["maxContains", "maxItems", "maxLength", "maxProperties",
     "minContains", "minItems", "minLength", "minProperties"]
)  # fmt: skip
_NUMBERS = _COUNTS | {"exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf"}
_LONGEST_NUMBER = 20
#: Where a schema may be found, and under which rules; told by other means by now.
_GONE = ("$schema", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$vocabulary")


def today(schema: dict[str, Any], note: Note) -> dict[str, Any]:
    """A copy of *schema* in today's words; what has none is left out."""
    words = {key: value for key, value in schema.items() if key not in _GONE}
    _reference(words)
    _type(words, note)
    _numbers(words, note)
    _bounds(words, note)
    _required(words, note)
    _tuple(words, note)
    _dependencies(words, note)
    _nullable(words, note)
    for key in [key for key, value in words.items() if not _is_fine(key, value)]:
        note(f"dropped {key[:40]}")
        del words[key]
    return words


def _is_fine(key: str, value: Any) -> bool:
    """Whether *value* can stand under *key*; the schemas in it are looked at one by one."""
    if key in ONE:
        return isinstance(value, dict | bool)
    if key in LIST:
        return isinstance(value, list) and value != []
    if key in NAMED or key in MIXED:
        return isinstance(value, dict)
    if key == "enum":
        # No value fits an empty one; whoever made it had no values to list.
        return isinstance(value, list) and value != []
    return keeps_rule(key, value)


def _reference(words: dict[str, Any]) -> None:
    for name in ("$dynamicRef", "$recursiveRef"):
        if name in words:
            words.setdefault("$ref", words[name])
            del words[name]


def _type(words: dict[str, Any], note: Note) -> None:
    given = words.get("type")
    if given is None:
        words.pop("type", None)
        return
    names = given if isinstance(given, list) else [given]
    known = [_known(name) for name in names]
    if known == names and names:
        return
    note("odd type")
    kept = list(dict.fromkeys(name for name in known if name is not None))
    # One of several that means anything lets everything in.
    if None in known or not kept:
        del words["type"]
    else:
        words["type"] = kept if len(kept) > 1 else kept[0]


def _known(name: Any) -> str | None:
    if not isinstance(name, str):
        return None
    small = name.lower()
    return small if small in TYPES else _MEANT.get(small)


def _numbers(words: dict[str, Any], note: Note) -> None:
    """Numbers that are written as text, as Google writes long ones, and counts as fractions."""
    for key in _NUMBERS & words.keys():
        value = words[key]
        number = _number(value)
        if key in _COUNTS and isinstance(number, float) and number.is_integer():
            number = int(number)
        if number is not None and (type(number), number) != (type(value), value):
            note(f"odd {key}")
            words[key] = number


def _number(value: Any) -> int | float | None:
    if is_number(value):
        return int(value) if isinstance(value, int) else float(value)
    if not isinstance(value, str) or len(value) > _LONGEST_NUMBER:
        return None
    for kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            continue
    return None


def _bounds(words: dict[str, Any], note: Note) -> None:
    """Draft 4 says with true or false whether a bound itself is excluded."""
    for plain, excluded in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if not isinstance(words.get(excluded), bool):
            continue
        note(f"old {excluded}")
        if words.pop(excluded) and is_number(words.get(plain)):
            words[excluded] = words.pop(plain)


def _required(words: dict[str, Any], note: Note) -> None:
    """Draft 3 says of each property whether it is required; so do many people."""
    if isinstance(words.get("required"), bool):
        # Told by the schema that holds this one.
        del words["required"]
    properties = words.get("properties")
    if not isinstance(properties, dict):
        return
    demanded = [
        name
        for name, inner in properties.items()
        if isinstance(inner, dict) and inner.get("required") is True
    ]
    if demanded:
        note("old required")
        listed = words.get("required")
        listed = listed if isinstance(listed, list) else []
        words["required"] = list(dict.fromkeys([*filter(_is_name, listed), *demanded]))


def _is_name(value: Any) -> bool:
    return isinstance(value, str)


def _tuple(words: dict[str, Any], note: Note) -> None:
    """A list of ``items``, one for each place, is ``prefixItems`` today."""
    if not isinstance(words.get("items"), list):
        return
    note("old items")
    words["prefixItems"] = words.pop("items")
    if "additionalItems" in words:
        words["items"] = words.pop("additionalItems")


def _dependencies(words: dict[str, Any], note: Note) -> None:
    given = words.get("dependencies")
    if not isinstance(given, dict) or keeps_rule("dependencies", given):
        return
    note("old dependencies")
    del words["dependencies"]
    names = {key: each for key, each in given.items() if isinstance(each, list)}
    schemas = {key: each for key, each in given.items() if isinstance(each, dict | bool)}
    if names:
        words.setdefault("dependentRequired", names)
    if schemas:
        words.setdefault("dependentSchemas", schemas)


def _nullable(words: dict[str, Any], note: Note) -> None:
    """OpenAPI has a word of its own for a value that may be null."""
    if not isinstance(words.get("nullable"), bool):
        return
    may_be = words.pop("nullable")
    if not may_be or "type" not in words:
        return
    note("nullable")
    names = words["type"] if isinstance(words["type"], list) else [words["type"]]
    words["type"] = list(dict.fromkeys([*names, "null"]))
    choices = words.get("enum")
    if isinstance(choices, list) and None not in choices:
        words["enum"] = [*choices, None]
