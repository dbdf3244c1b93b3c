"""What a JSON Schema asks of a value, as the texts that say such a value.

Everything a grammar can demand is demanded here; what it cannot is noted in the draft's
``left_out``, and the check of a call demands it still. Schemas come from strangers: depth, size
and steps are bounded, and what is beyond the bounds may be any value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..errors import UsageError
from ..schemas.faults import as_array, as_object
from ..schemas.json_types import is_array, is_number, is_object
from ..schemas.schema import resolve
from ..schemas.validate import fits
from ..schemas.work import TooMuchWork
from ..tools.spec import ToolSpec
from .bounds import bounds_of, count_of
from .draft import GrammarDraft, sign
from .ir import EMPTY, NOTHING, Node, either, joined, maybe, times
from .merging import merged
from .notation import JSON, MOST_COUNTED, PYTHON, Notation, TextForm
from .numbers import integers, numbers
from .overlap import are_apart
from .patterns import FORMATS, pattern_node

__all__ = ["Argument", "arguments", "object_of", "value_of"]

_DEEPEST = 12
_MOST_OPTIONS = 500
_LONGEST_OPTIONS = 40_000  # characters of all options of one choice
_MOST_MEMBERS = 200
_MOST_HEADS = 24  # they nest, each within the one before
# What a string costs whose characters are looked at one by one, in visits of a schema.
_STRING = 20
#: Keywords that no grammar of ours can say, by the type of value they speak of.
_UNSAID = {
    "object": (
        "patternProperties", "propertyNames", "dependentRequired", "dependentSchemas",
        "minProperties", "maxProperties",
    ),
    "array": ("uniqueItems", "contains"),
    "number": ("multipleOf",),
    "integer": ("multipleOf",),
}  # fmt: skip
_NUMBERS = ("integer", "number")
#: Keywords beside which a listed value need not be checked, if it is of the type.
_LISTING = {"enum", "type", "title", "description", "default", "examples"}
_UNSAID_OF_ALL = ("not", "if")
_HINTS = {
    "properties": "object", "required": "object", "items": "array", "prefixItems": "array",
    "pattern": "string", "minLength": "string", "maxLength": "string", "minimum": "number",
    "maximum": "number",
}  # fmt: skip


# Where a placeholder would need escapes, nobody copies it.
_ODD_KEY = re.compile(r'["\\\x00-\x1f]')
_QUOTED = (type(JSON), type(PYTHON))


class Argument(NamedTuple):
    """An argument that a call may have: its *schema*, and *where* it stands, for messages."""

    key: str
    required: bool
    schema: Any
    where: str


def arguments(tool: ToolSpec, draft: GrammarDraft) -> list[Argument] | None:
    """The arguments of *tool* in the order of its schema; None if no call of it can be right."""
    schema = _Reader(tool, draft).whole({**tool.parameters, "type": "object"}, tool.name)
    if not is_object(schema):
        return None
    for keyword in ("anyOf", "oneOf", *_UNSAID["object"], *_UNSAID_OF_ALL):
        if keyword in schema and _matters(keyword, schema):
            draft.leave_out(tool.name, keyword)
    return _arguments(schema, tool.name, draft)


def _arguments(schema: Mapping[str, Any], where: str, draft: GrammarDraft) -> list[Argument]:
    named = as_object(schema.get("properties"))
    needed = {each: None for each in as_array(schema.get("required")) if isinstance(each, str)}
    if not needed.keys() <= named.keys():
        extra = schema.get("additionalProperties", True)
        named = {**named, **{key: extra for key in needed if key not in named}}
    are_few = len(named) <= _MOST_MEMBERS
    if not are_few:
        draft.leave_out(where, "properties", f"only the first {_MOST_MEMBERS} optional ones")
    return [
        Argument(key, key in needed, each, f"{where}.{key}")
        for key, each in named.items()
        if are_few or key in needed
    ]


def object_of(tool: ToolSpec, draft: GrammarDraft, notation: Notation = JSON) -> Node:
    """All arguments of *tool* as one object."""
    known = arguments(tool, draft)
    if known is None:
        return NOTHING
    extra = tool.parameters.get("additionalProperties")
    if not known and (extra is True or is_object(extra)) and extra != {}:
        item = _Reader(tool, draft).node(extra, notation.inner, f"{tool.name}.*")
        return draft.mapping(item, notation)
    return _Reader(tool, draft).record(known, notation, 0)


def value_of(
    argument: Argument,
    tool: ToolSpec,
    draft: GrammarDraft,
    notation: Notation,
    kinds: Sequence[str] | None = None,
) -> Node:
    """What may be said for *argument* of *tool*, if its value is one of *kinds*."""
    schema = argument.schema
    if kinds is not None and _is_of_none(schema, kinds):
        return NOTHING
    reader = _Reader(tool, draft)
    if kinds is not None:
        schema = reader.whole(schema, argument.where)
        if not is_object(schema) or schema.get("type") not in kinds:
            schema, _ = merged([schema, {"type": list(kinds)}])
        argument = Argument(argument.key, argument.required, schema, argument.where)
    return reader.argument(argument, notation)


def _is_of_none(schema: Any, kinds: Sequence[str], depth: int = 3) -> bool:
    """Whether *schema* shows at once that its values are of no type of *kinds*."""
    if not is_object(schema) or "$ref" in schema or "allOf" in schema:
        return schema is False
    told = schema.get("type")
    if isinstance(told, str):
        return not _is_among(told, kinds)
    if "const" in schema:
        return not _is_among(_kind(schema["const"]), kinds)
    if is_array(schema.get("enum")):
        return not any(_is_among(_kind(each), kinds) for each in schema["enum"][:_MOST_OPTIONS])
    if is_array(told):
        return not any(_is_among(each, kinds) for each in told)
    branches = schema.get("anyOf")
    if depth and is_array(branches) and branches:
        return all(_is_of_none(each, kinds, depth - 1) for each in branches[:_MOST_OPTIONS])
    return False


def _is_among(kind: Any, kinds: Sequence[str]) -> bool:
    return kind in kinds or (kind in _NUMBERS and any(each in kinds for each in _NUMBERS))


class _Reader:
    """Reads the schemas of one tool."""

    def __init__(self, tool: ToolSpec, draft: GrammarDraft) -> None:
        self._root = {**tool.parameters, "type": "object"}
        self._draft = draft
        #: The placeholders that stood for arguments in the form that the model was shown.
        self._shown: dict[str, str] = {}
        #: What was made of schemas; they are held so that no other gets the same id.
        self._made: dict[tuple[int, Notation, int, str | None], tuple[Any, Node]] = {}

    def argument(self, argument: Argument, notation: Notation, depth: int = 0) -> Node:
        """The texts that say a value of *argument*."""
        if not _ODD_KEY.search(argument.key):
            self._shown[argument.where] = f"<{argument.key}>"
        return self.node(argument.schema, notation, argument.where, depth)

    def node(self, schema: Any, notation: Notation, where: str, depth: int = 0) -> Node:
        """The texts that say a value of *schema*."""
        schema = self.whole(schema, where)
        if schema is False:
            return NOTHING
        if not is_object(schema) or not schema:
            return self._draft.anything(notation)
        if depth > _DEEPEST or not self._draft.spend():
            self._draft.leave_out(where, "everything", "nested too deeply, or too large")
            return self._draft.anything(notation)
        # A schema that leads to itself in several places would be read again in each of them.
        key = (id(schema), notation, depth, self._shown.get(where))
        if key in self._made:
            return self._made[key][1]
        labels = self._draft.labels
        for keyword in _UNSAID_OF_ALL:
            if keyword in schema and _matters(keyword, schema):
                self._draft.leave_out(where, keyword)
        made = self._alternatives(schema, notation, where, depth)
        if labels == self._draft.labels:  # others are to be named wherever they are
            self._made[key] = schema, made
        return made

    def whole(self, schema: Any, where: str) -> Any:
        """*schema* with its references followed and its ``allOf`` put together."""
        for _ in range(_DEEPEST):
            if not is_object(schema) or not ("$ref" in schema or "allOf" in schema):
                return schema
            if not self._draft.spend():
                return True
            if len(schema) == 1 and "$ref" in schema:
                schema = self._resolved(schema["$ref"], where)
                continue
            beside = {key: each for key, each in schema.items() if key not in ("$ref", "allOf")}
            parts = [beside]
            if "$ref" in schema:
                parts.append(self._resolved(schema["$ref"], where))
            if is_array(schema.get("allOf")):
                parts.extend(schema["allOf"][:_MOST_MEMBERS])
            schema, unsaid = merged(parts)
            for keyword in unsaid:
                self._draft.leave_out(where, keyword, "asked for twice")
        self._draft.leave_out(where, "$ref", "it leads to itself")
        return True

    def _resolved(self, reference: Any, where: str) -> Any:
        try:
            return resolve(reference, self._root)
        except UsageError:
            self._draft.leave_out(where, "$ref", "it leads nowhere")
            return True

    # -- one of several -------------------------------------------------------------------

    def _alternatives(
        self, schema: Mapping[str, Any], notation: Notation, where: str, depth: int
    ) -> Node:
        if "const" in schema or is_array(schema.get("enum")):
            return self._listed(schema, notation, where, depth)
        for keyword in ("anyOf", "oneOf"):
            branches = schema.get(keyword)
            if is_array(branches) and branches:
                return self._branches(keyword, schema, notation, where, depth)
        kinds = self._kinds(schema)
        if len(kinds) == 1:
            return self._of_type(kinds[0], schema, notation, where, depth)
        options = [self._of_type(kind, schema, notation, where, depth) for kind in kinds]
        return either([option for option in options if option is not NOTHING])

    @staticmethod
    def _kinds(schema: Mapping[str, Any]) -> Sequence[Any]:
        """The types that *schema* names, or hints at."""
        told = schema.get("type")
        if is_array(told):
            return as_array(told)
        if isinstance(told, str):
            return [told]
        hint = next((_HINTS[keyword] for keyword in schema if keyword in _HINTS), None)
        return [hint] if hint else ["anything"]

    def _listed(
        self, schema: Mapping[str, Any], notation: Notation, where: str, depth: int
    ) -> Node:
        values = [schema["const"]] if "const" in schema else list(schema["enum"])
        if len(values) > _MOST_OPTIONS or not self._can_afford(values):
            kept = {key: each for key, each in schema.items() if key not in ("const", "enum")}
            self._draft.leave_out(where, "enum", f"{len(values)} values are too many or too long")
            kept.setdefault("type", sorted({_kind(value) for value in values[:_MOST_OPTIONS]}))
            return self.node(kept, notation, where, depth)
        options = (notation.literal(each) for each in self._fitting(values, schema))
        found = either(option for option in options if option is not NOTHING)
        return self._draft.rule("choice", found)

    def _fitting(self, values: list[Any], schema: Mapping[str, Any]) -> list[Any]:
        """Those of *values* that are all that *schema* asks beside them."""
        told = schema.get("type")
        kinds = {told} if isinstance(told, str) else {None}
        if schema.keys() <= _LISTING and (told is None or {*map(_kind, values)} <= kinds):
            return values
        try:
            return [each for each in values if fits(each, schema, self._root, self._draft.work)]
        except (TooMuchWork, UsageError):
            return values

    def _can_afford(self, values: list[Any]) -> bool:
        size = _size(values)
        return size <= _LONGEST_OPTIONS and self._draft.spend(1 + size // 20)

    def _branches(
        self, keyword: str, schema: Mapping[str, Any], notation: Notation, where: str, depth: int
    ) -> Node:
        branches = list(schema[keyword])
        if len(branches) > _MOST_OPTIONS:
            self._draft.leave_out(where, keyword, f"{len(branches)} alternatives are too many")
            rest = {key: each for key, each in schema.items() if key != keyword}
            return self.node(rest or True, notation, where, depth + 1)
        beside = {key: each for key, each in schema.items() if key != keyword}
        options, wholes = [], []
        for branch in branches:
            whole = self.whole(branch, where)
            if beside:
                whole, unsaid = merged([beside, whole])
                for each in unsaid:
                    self._draft.leave_out(where, each, "asked for twice")
            wholes.append(whole)
            options.append(self.node(whole, notation, where, depth + 1))
        if keyword == "oneOf" and not are_apart(wholes):
            self._draft.leave_out(where, "oneOf", "its alternatives overlap")
        return self._draft.rule("union", either(each for each in options if each is not NOTHING))

    # -- values of one type ---------------------------------------------------------------

    def _of_type(
        self, kind: Any, schema: Mapping[str, Any], notation: Notation, where: str, depth: int
    ) -> Node:
        draft = self._draft
        for keyword in _UNSAID.get(kind, ()) if isinstance(kind, str) else ():
            if keyword in schema and _matters(keyword, schema):
                draft.leave_out(where, keyword)
        match kind:
            case "string":
                return self._string(schema, notation, where)
            case "integer" | "number":
                return self._number(kind, schema, notation)
            case "boolean":
                return either(sign(word, notation) for word in notation.words[:2])
            case "null":
                return sign(notation.words[2], notation)
            case "array":
                return draft.rule("list", self._array(schema, notation, where, depth))
            case "object":
                return draft.rule("object", self._object(schema, notation, where, depth))
        return draft.anything(notation)

    def _string(self, schema: Mapping[str, Any], notation: Notation, where: str) -> Node:
        pattern, format = schema.get("pattern"), schema.get("format")
        form = FORMATS.get(format) if isinstance(format, str) else None
        least, most = count_of(schema.get("minLength"), 0), count_of(schema.get("maxLength"), None)
        if isinstance(pattern, str):
            form = pattern_node(pattern)
            if form is None:
                self._draft.leave_out(where, "pattern")
        if most is not None and least is not None and most < least:
            return NOTHING
        if form is None and not least and most is None:
            shown = self._shown.get(where, "")
            if shown and type(notation) in _QUOTED:
                return self._draft.rule("string", self._draft.other_string(notation, shown))
            for keyword in notation.never_said:
                self._draft.leave_out(where, keyword)
            return self._draft.string(notation)
        if not self._draft.spend(_STRING):
            self._draft.leave_out(where, "everything", "nested too deeply, or too large")
            return self._draft.string(notation)
        said = notation.string(TextForm(form, least or 0, most))
        for keyword in said.unsaid:
            self._draft.leave_out(where, keyword)
        return self._draft.rule("string", said.node)

    def _number(self, kind: str, schema: Mapping[str, Any], notation: Notation) -> Node:
        bounds = bounds_of(schema)
        draft = self._draft
        if bounds.is_open:
            return draft.integer(notation) if kind == "integer" else draft.number(notation)
        made = integers(bounds) if kind == "integer" else numbers(bounds)
        return draft.rule(kind, notation.plain(made))

    def _array(self, schema: Mapping[str, Any], notation: Notation, where: str, depth: int) -> Node:
        least = count_of(schema.get("minItems"), 0) or 0
        most = count_of(schema.get("maxItems"), None)
        if most is not None and most > MOST_COUNTED:
            self._draft.leave_out(where, "maxItems")
            most = None
        if least > MOST_COUNTED:
            self._draft.leave_out(where, "minItems")
            least = 0
        items, prefix = schema.get("items", True), schema.get("prefixItems")
        if is_array(items):  # how drafts before 2020-12 wrote prefixItems
            items, prefix = schema.get("additionalItems", True), items
        inner, place = notation.inner, f"{where}[]"
        item = self._draft.rule("item", self.node(items, inner, place, depth + 1))
        if not is_array(prefix) or not prefix:
            return self._draft.listed(item, notation, least, most)
        if len(prefix) > _MOST_HEADS:
            self._draft.leave_out(where, "prefixItems", f"{len(prefix)} are too many")
            return self._draft.listed(self._draft.anything(inner), notation, least, most)
        heads = [self.node(each, inner, place, depth + 1) for each in prefix]
        return self._headed(heads, item, notation, least, most)

    def _headed(
        self, heads: list[Node], item: Node, notation: Notation, least: int, most: int | None
    ) -> Node:
        """A list whose first items are *heads*, each of its own kind."""
        comma = sign(notation.comma, notation)
        heads = heads if most is None else heads[:most]
        rest_most = None if most is None else most - len(heads)
        tail = _rest(item, comma, max(least - len(heads), 0), rest_most)
        for at in range(len(heads) - 1, -1, -1):
            some = joined(comma if at else EMPTY, heads[at], tail)
            tail = some if at < least else maybe(some)
        return joined(sign("[", notation), tail, sign("]", notation))

    def _object(
        self, schema: Mapping[str, Any], notation: Notation, where: str, depth: int
    ) -> Node:
        known = _arguments(schema, where, self._draft)
        extra = schema.get("additionalProperties", True)
        if not known and extra is not False:
            item = self.node(extra, notation.inner, f"{where}.*", depth + 1)
            return self._draft.mapping(item, notation)
        return self.record(known, notation, depth)

    def _member(self, argument: Argument, notation: Notation, depth: int) -> Node:
        return self.node(argument.schema, notation, argument.where, depth)

    def record(self, known: Iterable[Argument], notation: Notation, depth: int) -> Node:
        """An object with the arguments *known*, in this order."""
        members = []
        for argument in known:
            read = self.argument if depth == 0 else self._member
            value = read(argument, notation.inner, depth + 1)
            node = joined(notation.inner.key(argument.key), value)
            if node is NOTHING and argument.required:
                return NOTHING
            if node is not NOTHING:
                members.append((node, argument.required))
        return self._draft.record(members, notation)


def _rest(item: Node, comma: Node, least: int, most: int | None) -> Node:
    return times(joined(comma, item), least, most)


def _matters(keyword: str, schema: Mapping[str, Any]) -> bool:
    """Whether *keyword*, which stands in *schema*, demands anything."""
    value = schema[keyword]
    if keyword in ("minProperties", "maxProperties"):
        return is_number(value) and (keyword == "maxProperties" or value > 0)
    if keyword == "multipleOf":
        return is_number(value) and not (value == 1 and schema.get("type") == "integer")
    return value not in (False, None, {}, [])


def _size(values: list[Any]) -> int:
    """About as many characters as *values* have, counted until they are too many for a choice."""
    size, pending = 0, [*values]
    while pending and size <= _LONGEST_OPTIONS:
        each = pending.pop()
        if isinstance(each, str):
            size += len(each)
            continue
        # A digit is a little more than three bits.
        size += each.bit_length() // 3 if isinstance(each, int) else 0
        inside = is_object(each) or is_array(each)
        size += 8 * (1 + len(each)) if inside else 8
        if inside and size <= _LONGEST_OPTIONS:
            pending += (*each, *each.values()) if is_object(each) else each
    return size


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if is_array(value):
        return "array"
    names: dict[type, str] = {str: "string", int: "integer", float: "number"}
    return names.get(type(value), "object")
