"""A pattern longer than a line has an example beside it, and matches that."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

import pytest

from tests.count_patterns import DECODING, Place, places

#: In the comment above it, or behind a bracket of it.
EXAMPLE = re.compile(r"``(.+?)``")
LONG = [place for place in places() if place.is_long]


def comment_above(place: Place) -> str:
    lines = (DECODING / place.module).read_text("utf-8").splitlines()[: place.line - 1]
    above = []
    while lines and lines[-1].startswith("#"):
        above.append(lines.pop().lstrip("#:").removeprefix(" "))
    return " ".join(reversed(above))


def pattern_in(place: Place) -> Any:
    """What the module calls the pattern; where it keeps only its ``match``, that one's."""
    module = import_module(f"toolproto.protocol.decoding.{place.module[:-3].replace('/', '.')}")
    made = getattr(module, place.name)
    return getattr(made, "__self__", made)


@pytest.mark.parametrize("place", LONG, ids=lambda place: f"{place.module}:{place.name}")
def test_a_long_pattern_has_an_example_that_it_matches(place: Place) -> None:
    examples = [each.replace("␊", "\n") for each in EXAMPLE.findall(comment_above(place))]
    assert place.name and examples
    pattern = pattern_in(place)
    found = (
        pattern.search if isinstance(pattern, re.Pattern) else lambda text: pattern.match(text, 0)
    )
    assert [each for each in examples if not found(each)] == []
