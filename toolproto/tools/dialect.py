"""Whether one schema, apart from those inside it, keeps the rules of its JSON Schema dialect.

The ``jsonschema`` package knows the rules, and takes a quarter of a millisecond to hold them
against a schema as small as ``{}``: seconds for a hundred kilobytes that anybody may send. What
nearly every schema looks like is told here at a hundredth of that, and the package, which also
takes an eighth of a second to import, is asked about the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from .json_types import is_integer, is_number, is_string
from .work import TooMuchWork, Work

__all__ = ["LIST", "MIXED", "NAMED", "ONE", "TYPES", "Breach", "Dialect", "keeps_rule"]

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

# What the package takes for one value, in visits of Work, each as long as looking at a schema here.
_ASKING = 20
# Of a longer list it is not asked: it may compare all members with each other.
_LONGEST_ASKED = 100
TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})
_2020_12 = "https://json-schema.org/draft/2020-12/schema"

_Rule = Callable[[Any], bool]


def _is_schema(value: Any) -> bool:
    return isinstance(value, dict | bool)


def _are_schemas(value: Any) -> bool:
    return isinstance(value, list) and value != [] and all(map(_is_schema, value))


def _are_named_schemas(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_schema, value.values()))


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _are_objects(value: Any) -> bool:
    return isinstance(value, list) and value != [] and all(map(_is_object, value))


def _are_named_objects(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_object, value.values()))


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


# What the package would certainly accept. The first are the same in every dialect.
_EVERYWHERE: dict[str, _Rule] = {
    **_for_each(is_string, "$ref $schema description format pattern title"),
    **_for_each(_is_count, "maxItems maxLength minItems minLength"),
    **_for_each(_is_boolean, "uniqueItems"),
    **_for_each(lambda value: isinstance(value, list) and value != [], "enum"),
    **_for_each(lambda value: True, "default"),
    **_for_each(_is_type, "type"),
    **_for_each(_is_object, "additionalProperties items not"),
    **_for_each(_are_named_objects, "definitions patternProperties properties"),
}
_DRAFT_4: dict[str, _Rule] = {
    **_EVERYWHERE,
    **_for_each(_is_schema, "additionalItems additionalProperties"),
    **_for_each(_are_objects, "allOf anyOf oneOf"),
    **_for_each(lambda value: value != [] and _are_strings(value), "required"),
}
_MODERN: dict[str, _Rule] = {
    **_EVERYWHERE,
    **_for_each(is_string, "$comment contentEncoding contentMediaType"),
    **_for_each(_is_plain_id, "$id"),
    **_for_each(_is_schema, " ".join(ONE)),
    **_for_each(_are_schemas, "allOf anyOf oneOf prefixItems"),
    **_for_each(_are_named_schemas, " ".join(NAMED | MIXED)),
    **_for_each(lambda value: isinstance(value, list), "examples"),
    **_for_each(_are_strings, "required"),
    **_for_each(_are_named_strings, "dependentRequired"),
    **_for_each(_is_boolean, "deprecated readOnly writeOnly"),
    **_for_each(_is_count, "maxContains maxProperties minContains minProperties"),
    **_for_each(is_number, "exclusiveMaximum exclusiveMinimum maximum minimum"),
    **_for_each(lambda value: is_number(value) and value > 0, "multipleOf"),
    **_for_each(
        _never, "$anchor $dynamicAnchor $dynamicRef $recursiveAnchor $recursiveRef $vocabulary"
    ),
}
_LISTED_ITEMS: dict[str, _Rule] = {
    **_MODERN,
    "items": lambda value: _is_schema(value) or _are_schemas(value),
}
_RULES: dict[str, dict[str, _Rule]] = {
    "http://json-schema.org/draft-03/schema": _EVERYWHERE,
    "http://json-schema.org/draft-04/schema": _DRAFT_4,
    "http://json-schema.org/draft-06/schema": _LISTED_ITEMS,
    "http://json-schema.org/draft-07/schema": _LISTED_ITEMS,
    "https://json-schema.org/draft/2019-09/schema": _LISTED_ITEMS,
}


def keeps_rule(keyword: str, value: Any) -> bool:
    """Whether draft 2020-12 has nothing against *value* under *keyword*, schemas in it apart."""
    rule = _MODERN.get(keyword)
    return rule is None or rule(value)


class Breach(NamedTuple):
    """A *value*, where *path* leads in a schema, that breaks a *rule* of the dialect."""

    path: tuple[str | int, ...]
    value: Any
    rule: str


class Dialect:
    """The rules that a whole schema names with its ``$schema``; those of 2020-12, if none.

    Schemas are taken as ``json`` reads them: of dictionaries and lists. What is out of the
    ordinary draws on *work*.
    """

    def __init__(self, root: dict[str, Any], work: Work) -> None:
        uri = root.get("$schema")
        self._uri = uri if isinstance(uri, str) else _2020_12
        self._rules = _RULES.get(self._uri.removesuffix("#"), _MODERN)
        self._is_old = self._rules is _EVERYWHERE or self._rules is _DRAFT_4
        self._work = work

    def breach(self, schema: dict[str, Any]) -> Breach | None:
        """What is wrong with *schema* itself; the schemas inside it are not looked at.

        Raises TooMuchWork.
        """
        doubtful = {key: value for key, value in schema.items() if not self._accepts(key, value)}
        if not doubtful:
            return None
        return self._asked({key: _hollow(key, value) for key, value in doubtful.items()})

    def _accepts(self, keyword: str, value: Any) -> bool:
        rule = self._rules.get(keyword)
        # A keyword without a rule means nothing, unless it did in the oldest dialects.
        return rule(value) if rule else not self._is_old

    def _asked(self, schema: dict[str, Any]) -> Breach | None:
        self._pay(schema)
        from jsonschema import Draft202012Validator
        from jsonschema.validators import validator_for
        from referencing import Registry

        dialect = validator_for({"$schema": self._uri}, default=Draft202012Validator)
        # Not dialect.check_schema(): it would refuse patterns that are JavaScript's, not Python's.
        judge = dialect(dialect.META_SCHEMA, registry=Registry())
        error = next(iter(judge.iter_errors(schema)), None)
        return Breach(tuple(error.path), error.instance, str(error.validator)) if error else None

    def _pay(self, value: Any) -> None:
        pending = [value]
        while pending:
            part = pending.pop()
            self._work.spend(_ASKING)
            if isinstance(part, list):
                if len(part) > _LONGEST_ASKED:
                    raise TooMuchWork
                pending.extend(part)
            elif isinstance(part, dict):
                pending.extend(part.values())


def _hollow(keyword: str, value: Any) -> Any:
    """*value* without the schemas in it, which are looked at one by one."""
    if keyword in ONE and isinstance(value, dict):
        return {}
    if keyword in LIST and isinstance(value, list) and value:
        return [each for each in value if not isinstance(each, dict)] or [{}]
    if (keyword in NAMED or keyword in MIXED) and isinstance(value, dict):
        return {name: each for name, each in value.items() if not isinstance(each, dict)}
    return value
