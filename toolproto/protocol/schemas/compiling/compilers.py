"""The services, and what each of them takes of the definition of a tool.

Every row names where it comes from. A row that a service's own compiler no longer shows stays while
older versions are in use: what is left out of a schema costs nothing, as the tool's own schema
judges every call.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from ..dialect import TYPES
from .rules import Compiler, CompilerRule, Node, drops, drops_all, is_typed

__all__ = ["COMPILERS"]

_ANY = ["string", "number", "boolean", "object", "array", "null"]


def _without(node: Node, *keywords: str) -> dict[str, Any]:
    return {key: value for key, value in node.items() if key not in keywords}


def _exceeds(most: int) -> Callable[[Any, Node], bool]:
    return lambda value, node: isinstance(value, int | float) and value > most


def _is_empty(value: Any, node: Node) -> bool:
    return isinstance(value, list) and not value


# -- llama.cpp ---------------------------------------------------------------------------------

_LLAMA = "llama.cpp, common/json-schema-to-grammar.cpp"
_REPEATED = (
    "llama.cpp, src/llama-grammar.cpp ('number of repetitions exceeds sane defaults'); "
    "ggml-org/llama.cpp#26596, firecrawl/firecrawl#4512"
)
#: Repetitions of one rule are multiplied by those around it: 2,000 in all was the limit.
_MOST_REPEATED = 200
#: Anchored, of plain characters, classes of them, groups and repetitions: ``^[a-z]{2,8}(-x)*$``.
_PLAIN_PATTERN = re.compile(
    r"\^(?:[\w @/:;,#%&=!<>~'\"-]|\\[.*+?()\[\]{}|^$]|\[\^?(?:[^\\\[\]]|\\[\]\[\\^-])+\]"
    r"|\((?!\?)|\)|\||(?<![(|^])[*+?](?![*+?])|(?<![(|^])\{\d{1,2}(?:,\d{0,2})?\})+\$",
    re.ASCII,
)
_FORMATS_OF_LLAMA = frozenset(["date", "time", "date-time", "uuid"])
_SAYS_WHAT = frozenset(
    ["type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref", "properties", "items",
     "prefixItems", "pattern"]
)  # fmt: skip
_INT64 = 2**63 - 1


def _is_bad_bound(value: Any, node: Node) -> bool:
    return is_typed(node, "integer") and not (
        isinstance(value, int) and not isinstance(value, bool) and abs(value) < _INT64
    )


def _joined(node: Node) -> dict[str, Any]:
    """Return *node* with the one schema of its ``allOf`` in it."""
    (only,) = node["allOf"]
    return {**only, **_without(node, "allOf")}


def _is_single(node: Node) -> bool:
    parts = node.get("allOf")
    return isinstance(parts, list) and len(parts) == 1 and isinstance(parts[0], dict)


def _has_no_shape(value: Any, node: Node) -> bool:
    shapes = ("properties", "enum", "$ref", "anyOf")
    return isinstance(value, list) and not any(
        isinstance(each, dict) and any(key in each for key in shapes) for each in value
    )


_LLAMA_RULES = (
    CompilerRule("`allOf` of one schema", f"{_LLAMA}, visit()", _is_single, _joined, misread=True),
    drops(
        "allOf", "`allOf` without properties", f"{_LLAMA}, visit(): it becomes an empty object",
        _has_no_shape, misread=True,
    ),
    *(
        drops(
            choice, f"`{choice}` beside properties",
            f"{_LLAMA}, visit(): the choice replaces the properties",
            lambda value, node: "properties" in node, misread=True,
        )
        for choice in ("anyOf", "oneOf")
    ),
    drops(
        "pattern", "a `pattern` that is not plain and anchored",
        f"{_LLAMA}, _visit_pattern: \"Pattern must start with '^' and end with '$'\"; "
        "containers/kubernetes-mcp-server#758, codefuturist/email-mcp#58",
        lambda value, node: not (isinstance(value, str) and _PLAIN_PATTERN.fullmatch(value)),
    ),
    drops(
        "format", "a `format` that it does not know",
        f"{_LLAMA}, STRING_FORMAT_RULES; builds with llguidance: 'unrecognized or unimplemented "
        "formats returning errors' (microsoft/llguidance, parser/src/json/README.md)",
        lambda value, node: value not in _FORMATS_OF_LLAMA,
    ),
    *(
        drops(each, f"a large `{each}`", _REPEATED, _exceeds(_MOST_REPEATED))
        for each in ("minLength", "maxLength", "minItems", "maxItems")
    ),
    *(
        drops(
            each, f"a `{each}` that is no whole number of 64 bits", f"{_LLAMA}, build_min_max_int",
            _is_bad_bound,
        )
        for each in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
    ),
    *(
        drops(each, f"an empty `{each}`", f"{_LLAMA}: 'must not be empty'", _is_empty)
        for each in ("enum", "anyOf", "oneOf", "allOf")
    ),
    drops(
        "type", "an unknown `type`", f"{_LLAMA}: 'unrecognized type'",
        lambda value, node: not {*([value] if isinstance(value, str) else value)} <= TYPES,
    ),
    CompilerRule(
        "a schema that says no type",
        f"{_LLAMA}: 'Unrecognized schema' before 2026; ggml-org/llama.cpp#14227",
        lambda node: not _SAYS_WHAT & node.keys()
        and node.get("additionalProperties", True) is True,
        lambda node: {**node, "type": _ANY},
    ),
)  # fmt: skip


# -- xgrammar ----------------------------------------------------------------------------------

_VLLM = "vLLM, v1/structured_output/backend_xgrammar.py, has_xgrammar_unsupported_json_features"
_FORMATS_OF_XGRAMMAR = frozenset(
    ["email", "date", "time", "date-time", "duration", "ipv4", "ipv6", "hostname", "uuid", "uri",
     "uri-reference", "uri-template", "json-pointer", "relative-json-pointer"]
)  # fmt: skip


def _is_generated(value: Any, node: Node) -> bool:
    return is_typed(node, "string") and ("pattern" in node or "format" in node)


_XGRAMMAR_RULES = (
    drops("multipleOf", "`multipleOf`", _VLLM),
    *drops_all("uniqueItems contains minContains maxContains", _VLLM),
    drops(
        "format", "a `format` that it does not know", _VLLM,
        lambda value, node: value not in _FORMATS_OF_XGRAMMAR,
    ),
    drops("minLength", "`minLength` beside `pattern` or `format`", _VLLM, _is_generated),
    drops("maxLength", "`maxLength` beside `pattern` or `format`", _VLLM, _is_generated),
    drops("propertyNames", "`propertyNames`", _VLLM),
    drops(
        "patternProperties", "`patternProperties` beside others", _VLLM,
        lambda value, node: "properties" in node or len(value) > 1,
    ),
)  # fmt: skip


# -- OpenAI ------------------------------------------------------------------------------------

_OPENAI = "OpenAI, reference of function calling"
_STRICT = (
    "OpenAI, guide 'Structured model outputs', 'Supported schemas'; "
    "makenotion/notion-mcp-server#102"
)
_OPENAI_NAMES = re.compile(r"[a-zA-Z0-9_-]+")
_OPENAI_NAME_SOURCE = (
    "OpenAI and Anthropic: names match ^[a-zA-Z0-9_-]{1,64}$; "
    "GitHubSecurityLab/seclab-taskflow-agent#287"
)
_FORMATS_OF_OPENAI = frozenset(
    ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"]
)  # fmt: skip
_AT_THE_TOP = "anyOf oneOf allOf enum not"


def _lacks_items(node: Node) -> bool:
    return is_typed(node, "array") and "items" not in node and "prefixItems" not in node


def _with_items(node: Node) -> dict[str, Any]:
    return {**node, "items": {}}


_OPENAI_RULES = (
    *drops_all(
        _AT_THE_TOP,
        f"{_OPENAI}: \"schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/"
        "'not' at the top level\"",
        only_top=True,
    ),
    CompilerRule(
        "an array without `items`", f"{_OPENAI}: 'array schema missing items'",
        _lacks_items, _with_items,
    ),
)  # fmt: skip


def _is_one_of(node: Node) -> bool:
    return "oneOf" in node and "anyOf" not in node


def _as_any_of(node: Node) -> dict[str, Any]:
    return {**_without(node, "oneOf"), "anyOf": node["oneOf"]}


def _is_open(node: Node) -> bool:
    return (is_typed(node, "object") or "properties" in node) and (
        node.get("additionalProperties") is not False
    )


def _closed(node: Node) -> dict[str, Any]:
    return {**node, "properties": node.get("properties", {}), "additionalProperties": False}


def _has_optional(node: Node) -> bool:
    properties = node.get("properties")
    return isinstance(properties, dict) and not {*properties} <= {*node.get("required", ())}


def _all_required(node: Node) -> dict[str, Any]:
    asked = {*node.get("required", ())}
    properties = {
        name: each if name in asked else _or_null(each) for name, each in node["properties"].items()
    }
    return {**node, "properties": properties, "required": list(properties)}


def _or_null(schema: Any) -> Any:
    """Return *schema* for a value that may be null instead of being left out."""
    if not isinstance(schema, dict):
        return schema
    kind = schema.get("type")
    if kind is None or "enum" in schema or "const" in schema:
        return {"anyOf": [schema, {"type": "null"}]}
    kinds = [kind] if isinstance(kind, str) else list(kind)
    return {**schema, "type": [*kinds, *([] if "null" in kinds else ["null"])]}


_STRICT_RULES = (
    *_OPENAI_RULES,
    CompilerRule("`allOf` of one schema", _STRICT, _is_single, _joined),
    CompilerRule("`oneOf`", _STRICT, _is_one_of, _as_any_of),
    *drops_all("allOf oneOf not if then else dependentRequired dependentSchemas", _STRICT),
    *drops_all("dependencies patternProperties propertyNames minProperties maxProperties", _STRICT),
    *drops_all("unevaluatedProperties unevaluatedItems contains minContains maxContains", _STRICT),
    *drops_all("uniqueItems minLength maxLength default examples", _STRICT),
    drops(
        "format", "a `format` that it does not know", _STRICT,
        lambda value, node: value not in _FORMATS_OF_OPENAI,
    ),
    CompilerRule(
        "an object that may hold more",
        f"{_STRICT}, lastmile-ai/openai-agents-mcp#2: \"'additionalProperties' is required to be "
        'supplied and to be false"',
        _is_open, _closed,
    ),
    CompilerRule(
        "an argument that is not required", f"{_STRICT}: 'All fields must be required'",
        _has_optional, _all_required,
    ),
)  # fmt: skip


# -- Anthropic ---------------------------------------------------------------------------------

_ANTHROPIC_RULES = drops_all(
    "anyOf oneOf allOf",
    "Anthropic: 'input_schema does not support oneOf, allOf, or anyOf at the top level'",
    only_top=True,
)


# -- Google ------------------------------------------------------------------------------------

_GOOGLE = (
    "Google, reference of Schema (a part of OpenAPI 3.0); pizza-bot-app/pizza-bot#62, "
    "zed-industries/zed#44875: 'Unknown name … Cannot find field'"
)
_OF_GOOGLE = frozenset(
    ["type", "format", "title", "description", "nullable", "enum", "maxItems", "minItems",
     "items", "properties", "required", "minProperties", "maxProperties", "minLength",
     "maxLength", "pattern", "example", "anyOf", "propertyOrdering", "default", "minimum",
     "maximum"]
)  # fmt: skip
_FORMATS_OF_GOOGLE = {
    "string": frozenset(["enum", "date-time"]),
    "number": frozenset(["float", "double"]),
    "integer": frozenset(["int32", "int64"]),
}


def _knows_format(value: Any, node: Node) -> bool:
    return value in _FORMATS_OF_GOOGLE.get(str(node.get("type")), ())


def _as_enum(node: Node) -> dict[str, Any]:
    return {**_without(node, "const"), "enum": [node["const"]]}


def _split_types(node: Node) -> dict[str, Any]:
    """Return *node* with one type, and ``nullable``; several types are a choice."""
    kinds = [kind for kind in node["type"] if kind != "null"]
    nullable = {"nullable": True} if "null" in node["type"] else {}
    if len(kinds) == 1:
        return {**node, "type": kinds[0], **nullable}
    said = {key: node[key] for key in ("description", "title", "default") if key in node}
    return {
        **said,
        **nullable,
        "anyOf": [{**_without(node, *said), "type": kind} for kind in kinds],
    }


def _has_odd_enum(value: Any, node: Node) -> bool:
    return not (isinstance(value, list) and all(isinstance(each, str) for each in value))


def _with_strings(node: Node) -> dict[str, Any]:
    return {**node, "items": {"type": "string"}}


_GOOGLE_RULES = (
    CompilerRule("`allOf` of one schema", _GOOGLE, _is_single, _joined),
    CompilerRule("`oneOf`", _GOOGLE, _is_one_of, _as_any_of),
    CompilerRule("`const`", _GOOGLE, lambda node: "const" in node and "enum" not in node, _as_enum),
    CompilerRule(
        "several types", _GOOGLE,
        lambda node: isinstance(node.get("type"), list), _split_types,
    ),
    drops("enum", "an `enum` of other things than text", _GOOGLE, _has_odd_enum),
    drops(
        "format", "a `format` that it does not know",
        "google-gemini/gemini-cli#3178: \"only 'enum' and 'date-time' are supported for STRING "
        'type"',
        lambda value, node: not _knows_format(value, node),
    ),
    CompilerRule(
        "an array without `items`", "cline/cline#7339: 'items: missing field'",
        lambda node: is_typed(node, "array") and "items" not in node, _with_strings,
    ),
    *drops_all("additionalProperties exclusiveMinimum exclusiveMaximum multipleOf", _GOOGLE),
    *drops_all("uniqueItems contains prefixItems patternProperties propertyNames not", _GOOGLE),
    CompilerRule(
        "keywords that OpenAPI 3.0 does not have", _GOOGLE,
        lambda node: bool(node.keys() - _OF_GOOGLE),
        lambda node: {key: value for key, value in node.items() if key in _OF_GOOGLE},
    ),
)  # fmt: skip


# -- Ollama ------------------------------------------------------------------------------------

_OLLAMA_RULES = (
    CompilerRule(
        "an array without `items`", "Ollama, api/types.go: templates write `items`",
        _lacks_items, _with_items, misread=True,
    ),
)  # fmt: skip

COMPILERS: Mapping[str, Compiler] = {
    each.name: each
    for each in (
        Compiler("llama.cpp", "llama.cpp", _LLAMA_RULES, booleans=False),
        Compiler("xgrammar", "xgrammar", _XGRAMMAR_RULES),
        Compiler(
            "openai", "OpenAI", _OPENAI_RULES, _OPENAI_NAMES, 64, _OPENAI_NAME_SOURCE
        ),
        Compiler(
            "openai_strict", "OpenAI (strict)", _STRICT_RULES, _OPENAI_NAMES, 64,
            _OPENAI_NAME_SOURCE, booleans=False,
        ),
        Compiler(
            "anthropic", "Anthropic", _ANTHROPIC_RULES, _OPENAI_NAMES, 64, _OPENAI_NAME_SOURCE
        ),
        Compiler(
            "gemini", "Gemini", _GOOGLE_RULES, re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]*"), 64,
            "google-gemini/gemini-cli#2966: 'Must start with a letter or an underscore … with a "
            "maximum length of 64'",
            inlines=True, booleans=False,
        ),
        Compiler("ollama", "Ollama", _OLLAMA_RULES, booleans=False),
    )
}  # fmt: skip
