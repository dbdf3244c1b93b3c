"""Tools with schemas of all kinds, and calls that fit them: drawn at random from a seed.

For the law of grammars. Nothing here knows a grammar: values are drawn from the schema alone, and
the check of calls has the last word on whether they fit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from ..protocol.messages import ToolCall
from ..protocol.tools.spec import ToolOffer, ToolSpec

__all__ = ["random_call", "random_offer", "random_tool"]

_NAMES = (
    "city", "path", "content", "count", "query", "unit", "text", "from", "größe", "名前", "a",
    "is_ok", "with space", "x-y", "filter", "code", "items", "type", "name", "arguments",
)  # fmt: skip
_TOOLS = ("get_weather", "write_file", "now", "search", "send-mail", "db.query", "plan_trip")
_WORDS = (
    "Oslo", "x = 1\n    y", 'say "hi"', "a < b && c > d", "</div>", "<b>é</b>", "C:\\new", "",
    " ", "日本", "😀", "{}", "[1]", "null", "3", "it's", "```", "a\n\nb", "END", "&amp;", "#",
)  # fmt: skip
_PATTERNS = (("^[a-z]{2,5}$", "abc"), ("^\\d{3}-\\d{2}$", "123-45"), ("[A-Z]", "xAy"))


def random_offer(random: Random, most: int = 4) -> ToolOffer:
    """An offer of one tool to *most*, each with a schema of its own."""
    count = random.randint(1, most)
    names = [f"{random.choice(_TOOLS)}{at or ''}" for at in range(count)]
    return ToolOffer(tuple(random_tool(random, name) for name in names))


def random_tool(random: Random, name: str) -> ToolSpec:
    """A tool that takes up to six arguments of any kind."""
    return ToolSpec(name, f"The tool {name}.", _object(random, 0))


def random_call(random: Random, offer: ToolOffer, words: Sequence[str] = _WORDS) -> ToolCall:
    """A call of one of the tools of *offer*, with its arguments in the order of the schema."""
    tool = random.choice(offer.tools)
    return ToolCall(tool.name, _value(random, tool.parameters, tool.parameters, words))


def _object(random: Random, depth: int) -> dict[str, Any]:
    names = random.sample(_NAMES, random.randint(0 if depth == 0 else 1, 6 if depth == 0 else 3))
    properties = {name: _schema(random, depth + 1) for name in names}
    required = [name for name in names if random.random() < 0.5]
    schema: dict[str, Any] = {"type": "object", "properties": properties, "required": required}
    if random.random() < 0.3:
        schema["additionalProperties"] = False
    if depth == 0 and names and random.random() < 0.2:
        schema["$defs"] = {"place": _schema(random, 2)}
        properties[names[0]] = {"$ref": "#/$defs/place"}
    return schema


def _schema(random: Random, depth: int) -> dict[str, Any]:
    kinds = [_string, _string, _integer, _number, _enum, _flag]
    if depth < 4:
        kinds += [_array, _nested, _union]
    return random.choice(kinds)(random, depth)


def _string(random: Random, depth: int) -> dict[str, Any]:
    draw = random.random()
    if draw < 0.6:
        return {"type": "string"}
    if draw < 0.7:
        return {"type": "string", "minLength": 1}
    if draw < 0.8:
        return {"type": "string", "maxLength": random.choice((8, 40, 500))}
    if draw < 0.9:
        return {"type": "string", "pattern": random.choice(_PATTERNS)[0]}
    return {"type": "string", "format": random.choice(("date", "uuid", "date-time", "ipv4"))}


def _integer(random: Random, depth: int) -> dict[str, Any]:
    if random.random() < 0.5:
        return {"type": "integer"}
    least = random.choice((-1000, -7, 0, 1, 18))
    return {"type": "integer", "minimum": least, "maximum": least + random.choice((0, 5, 93, 5000))}


def _number(random: Random, depth: int) -> dict[str, Any]:
    if random.random() < 0.5:
        return {"type": "number"}
    least = random.choice((-90, -1.5, 0, 0.25))
    return {"type": "number", "minimum": least, "maximum": least + random.choice((1, 2.75, 180))}


def _enum(random: Random, depth: int) -> dict[str, Any]:
    if random.random() < 0.2:
        return {"const": random.choice(("fixed", 7, True))}
    if random.random() < 0.2:
        return {"enum": [1, 2, 10, None]}
    return {"type": "string", "enum": random.sample(["c", "f", "cf", "naïve", 'a "b"', "<x>"], 3)}


def _flag(random: Random, depth: int) -> dict[str, Any]:
    return {"type": random.choice(("boolean", "boolean", "null", ["integer", "null"]))}


def _array(random: Random, depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "array", "items": _schema(random, depth + 1)}
    if random.random() < 0.4:
        schema["minItems"] = random.randint(0, 2)
        schema["maxItems"] = schema["minItems"] + random.randint(0, 3)
    return schema


def _nested(random: Random, depth: int) -> dict[str, Any]:
    draw = random.random()
    if draw < 0.2:
        return {"type": "object"}
    if draw < 0.4:
        return {"type": "object", "additionalProperties": _schema(random, depth + 1)}
    return _object(random, depth)


def _union(random: Random, depth: int) -> dict[str, Any]:
    if random.random() < 0.2:
        return {}
    return {
        "anyOf": [
            _schema(random, depth + 1),
            random.choice(({"type": "null"}, {"type": "integer"})),
        ]
    }


# -- values ----------------------------------------------------------------------------------


def _value(random: Random, schema: Mapping[str, Any], root: Mapping[str, Any], words: Any) -> Any:
    if "$ref" in schema:
        return _value(random, root["$defs"]["place"], root, words)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return random.choice(schema["enum"])
    if "anyOf" in schema:
        return _value(random, random.choice(schema["anyOf"]), root, words)
    kind = schema.get("type", "string")
    kind = random.choice(kind) if isinstance(kind, list) else kind
    match kind:
        case "object":
            return _members(random, schema, root, words)
        case "array":
            least = schema.get("minItems", 0)
            count = random.randint(least, min(schema.get("maxItems", least + 3), least + 3))
            return [_value(random, schema["items"], root, words) for _ in range(count)]
        case "integer" | "number":
            return _some_number(random, kind, schema)
        case "boolean":
            return random.random() < 0.5
        case "null":
            return None
    return _some_text(random, schema, words)


def _members(random: Random, schema: Mapping[str, Any], root: Mapping[str, Any], words: Any) -> Any:
    if "properties" not in schema:
        inner = schema.get("additionalProperties", {"type": "string"})
        keys = random.sample(["k", "é", 'q"', "a b"], random.randint(0, 2))
        return {key: _value(random, inner, root, words) for key in keys}
    required = schema.get("required", [])
    return {
        key: _value(random, inner, root, words)
        for key, inner in schema["properties"].items()
        if key in required or random.random() < 0.5
    }


def _some_number(random: Random, kind: str, schema: Mapping[str, Any]) -> Any:
    least, most = schema.get("minimum", -1000), schema.get("maximum", 10**6)
    if kind == "integer":
        return random.randint(least, most)
    drawn = random.uniform(least, most)
    return random.choice((drawn, round(drawn, 2) if round(drawn, 2) <= most else drawn, least))


def _some_text(random: Random, schema: Mapping[str, Any], words: Sequence[str]) -> str:
    if "pattern" in schema:
        return dict(_PATTERNS)[schema["pattern"]]
    if "format" in schema:
        return {
            "date": "2024-02-29",
            "uuid": "123e4567-e89b-12d3-a456-426614174000",
            "date-time": "2024-01-31T23:59:59Z",
            "ipv4": "10.0.0.255",
        }[schema["format"]]
    text = "".join(random.choice(words) for _ in range(random.randint(0, 3)))
    text = text[: schema.get("maxLength", 200)]
    return text if len(text) >= schema.get("minLength", 0) else "x"
