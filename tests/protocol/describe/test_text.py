"""Strangers' words, made harmless, and how many tokens they are."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolproto.protocol.describe.text import (
    as_json,
    first_sentence,
    harmless,
    is_small,
    literal,
    one_line,
    shortened,
)
from toolproto.protocol.describe.tokens import estimate_tokens

SENTENCES = [
    ("One. Two.", "One."),
    ("One! 2 of them.", "One!"),
    ("Pi is 3.14 or so. More.", "Pi is 3.14 or so."),
    ("Files, e.g. notes.txt or such. Then more.", "Files, e.g. notes.txt or such."),
    ("One line\nand its other half. Two.", "One line and its other half."),
    ("A heading\n\nand a text", "A heading"),
    ("\n  \n One.\n \nTwo.", "One."),
    ("  Spaces   inside. ", "Spaces inside."),
    ("", ""),
    ("\n\n", ""),
    ("Читает файл. Пишет файл.", "Читает файл."),
]


@pytest.mark.parametrize("text, first", SENTENCES)
def test_the_first_sentence_is_this(text, first):
    assert first_sentence(text) == first


def test_a_sentence_without_an_end_is_cut():
    assert len(first_sentence("word " * 10_000)) <= 200


@pytest.mark.parametrize("most", [1, 2, 5, 10, 1000])
@pytest.mark.parametrize("text", ["", "a", "two words", "x" * 50, "many words that go on and on"])
def test_what_is_cut_is_no_longer_than_asked(text, most):
    assert len(shortened(text, most)) <= max(most, 1)
    assert shortened(text, most) == text or shortened(text, most).endswith("…")


@given(st.text())
def test_harmless_text_stays_harmless(text):
    once = harmless(text)
    assert harmless(once) == once
    assert "<|" not in once
    assert one_line(text).splitlines() in ([], [one_line(text)])


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=5))
def test_json_means_what_it_meant(value):
    assert json.loads(as_json(value)) == value


LARGE = ["x" * 501, list(range(600)), {str(n): n for n in range(300)}, 10**3000, [[["x" * 500]]]]


@pytest.mark.parametrize("value", LARGE, ids=lambda value: type(value).__name__)
def test_a_large_value_is_not_written_out(value):
    assert not is_small(value)
    assert literal(value) == '"…"'


@pytest.mark.parametrize("value", ["x" * 400, [1, 2, {"a": None}], 3.5, None, True, ""])
def test_a_small_value_is(value):
    assert json.loads(literal(value)) == value


#: A text and how many tokens o200k makes of it.
COUNTED = [
    ("", 0),
    ("Hello, world!", 4),
    ("The quick brown fox jumps over the lazy dog.", 10),
    ('{"name": "get_weather", "arguments": {"city": "Oslo"}}', 16),
    ("read_file(path: string, offset = 1, limit = 2000)", 14),
    ("1234567890", 4),
    ("工具写在系统提示里", 5),
]


@pytest.mark.parametrize("text, tokens", COUNTED)
def test_the_estimate_is_about_right(text, tokens):
    assert abs(estimate_tokens(text) - tokens) <= 1 + tokens // 4


@pytest.mark.parametrize("piece", ["a", "1", "é", "東", "_", "\n", " ", "{", "a1_", "🙂"])
def test_estimating_takes_time_in_proportion(piece):
    start = time.process_time()
    estimate_tokens(piece * 200_000)
    assert time.process_time() - start < 5
