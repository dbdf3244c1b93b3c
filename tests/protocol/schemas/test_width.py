"""Which schemas are looked at in another thread."""

from __future__ import annotations

import pytest

from toolproto.protocol.schemas.width import is_wide

LEAF = {"type": "string"}


def ways(levels):
    """A schema with 3 ** *levels* ways to its leaf."""
    defs = {f"d{at}": {"anyOf": [{"$ref": f"#/$defs/d{at + 1}"}] * 3} for at in range(levels)}
    return {"$defs": {**defs, f"d{levels}": LEAF}, "$ref": "#/$defs/d0"}


@pytest.mark.parametrize(
    "schema",
    [True, {}, {"type": "object", "properties": {"a": LEAF, "b": {"enum": ["x", "y"]}}}, ways(2)],
)
def test_what_a_check_passes_quickly_is_not_wide(schema):
    assert not is_wide(schema)


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {str(at): LEAF for at in range(200)}},
        {"enum": list(range(5_000))},
        ways(10),
        {"items": {"$ref": "#"}},
        {"$ref": "#/$defs/nowhere"},
    ],
)
def test_many_parts_or_choices_or_ways_to_one_part_are(schema):
    assert is_wide(schema)
