"""Which keywords of JSON Schema hold schemas, and what draft 2020-12 asks of each keyword's value.

The rules are those that :mod:`.tame` brings a stranger's schema to, and that tell nearly every
schema of one's own to be right at a hundredth of what asking the ``jsonschema`` package costs. They
are a little stricter than the draft: :func:`first_breach` asks the package about the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from .json_types import is_integer, is_number, is_string

__all__ = [
    "LIST",
    "MIXED",
    "NAMED",
    "ONE",
    "TYPES",
    "Breach",
    "first_breach",
    "is_old",
    "keeps_rule",
]

# Where a keyword holds schemas. Elsewhere ("enum", "default", "examples") the same words are data.
ONE = frozenset(
    {
        "additionalItems",
        "additionalProperties",
        "contains",
        "contentSchema",
        "else",
        "if",
        "items",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)
LIST = frozenset({"allOf", "anyOf", "items", "oneOf", "prefixItems"})
NAMED = frozenset({"$defs", "definitions", "dependentSchemas", "patternProperties", "properties"})
# The same, of which some may be lists of names instead.
MIXED = frozenset({"dependencies"})

TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})
# In these, keywords mean other things than today: "exclusiveMinimum" is true or false.
_OLD = ("http://json-schema.org/draft-03/schema", "http://json-schema.org/draft-04/schema")

_Rule = Callable[[Any], bool]


def _is_schema(value: Any) -> bool:
    return isinstance(value, dict | bool)


def _are_schemas(value: Any) -> bool:
    return isinstance(value, list) and value != [] and all(map(_is_schema, value))


def _are_named_schemas(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_schema, value.values()))


def _are_strings(value: Any) -> bool:
    return isinstance(value, list) and all(map(is_string, value))


def _are_named_strings(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_are_strings, value.values()))


def _is_boolean(value: Any) -> bool:
    return isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return is_integer(value) and value >= 0


def _is_type(value: Any) -> bool:
    names = value if isinstance(value, list) else [value]
    return names != [] and all(is_string(name) and name in TYPES for name in names)


def _is_plain_id(value: Any) -> bool:
    return is_string(value) and "#" not in value


def _never(value: Any) -> bool:
    return False


def _for_each(rule: _Rule, keywords: str) -> dict[str, _Rule]:
    return dict.fromkeys(keywords.split(), rule)


# What every draft since the sixth would certainly accept.
_RULES: dict[str, _Rule] = {
    **_for_each(is_string, "$comment $ref $schema contentEncoding contentMediaType"),
    **_for_each(is_string, "description format pattern title"),
    **_for_each(_is_plain_id, "$id"),
    **_for_each(_is_schema, " ".join(ONE)),
    **_for_each(_are_schemas, "allOf anyOf oneOf prefixItems"),
    **_for_each(_are_named_schemas, " ".join(NAMED | MIXED)),
    **_for_each(lambda value: isinstance(value, list) and value != [], "enum"),
    **_for_each(lambda value: isinstance(value, list), "examples"),
    **_for_each(_is_type, "type"),
    **_for_each(_are_strings, "required"),
    **_for_each(_are_named_strings, "dependentRequired"),
    **_for_each(_is_boolean, "deprecated readOnly uniqueItems writeOnly"),
    **_for_each(_is_count, "maxContains maxItems maxLength maxProperties"),
    **_for_each(_is_count, "minContains minItems minLength minProperties"),
    **_for_each(is_number, "exclusiveMaximum exclusiveMinimum maximum minimum"),
    **_for_each(lambda value: is_number(value) and value > 0, "multipleOf"),
    **_for_each(
        _never, "$anchor $dynamicAnchor $dynamicRef $recursiveAnchor $recursiveRef $vocabulary"
    ),
}


def keeps_rule(keyword: str, value: Any) -> bool:
    """Return True if draft 2020-12 accepts *value* under *keyword*, schemas in it apart."""
    rule = _RULES.get(keyword)
    return rule is None or rule(value)


class Breach(NamedTuple):
    """A *value*, where *path* leads in a schema, that breaks a *rule* of its draft."""

    path: tuple[str | int, ...]
    value: Any
    rule: str


def is_old(schema: dict[str, Any]) -> bool:
    """Return True if *schema* names a draft whose keywords :func:`keeps_rule` does not know."""
    return str(schema.get("$schema")).removesuffix("#") in _OLD


def first_breach(schema: dict[str, Any]) -> Breach | None:
    """Return what is wrong with *schema* by the draft that its ``$schema`` names, or by 2020-12.

    The package takes a millisecond or two for each schema within, and an eighth of a second to be
    imported. It compares each name of a list with all others.
    """
    from jsonschema import Draft202012Validator
    from jsonschema.validators import validator_for
    from referencing import Registry

    named = {key: value for key, value in schema.items() if key == "$schema" and is_string(value)}
    draft = validator_for(named, default=Draft202012Validator)
    # Not draft.check_schema(): it would refuse patterns that are JavaScript's, not Python's.
    judge = draft(draft.META_SCHEMA, registry=Registry())
    error = next(iter(judge.iter_errors(schema)), None)
    return Breach(tuple(error.path), error.instance, str(error.validator)) if error else None
